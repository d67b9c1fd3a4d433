#!/usr/bin/env python3
"""Makes the virtual environment in which the peers are: setup.py FOLDER.

One package after the other, of the versions named here; what cannot be installed is named, and the tests that need it
are skipped. Ends with 77 when none can be. Does nothing for what is there.
"""
import os
import subprocess
import sys
import venv

# Package, version, what else it needs: with None nothing, since of the packages of GAP one is needed.
PACKAGES = [("PyNormaliz", "2.24", []), ("libsemigroups_pybind11", "1.4.4", []),
            ("fpylll", "0.6.4", ["cysignals==1.12.5"]), ("passagemath-gap", "10.8.13", None),
            ("passagemath-gap-pkg-numericalsgps-data", "10.8.13", None)]


def main():
    folder = os.path.abspath(sys.argv[1])
    python = os.path.join(folder, "bin", "python")
    if not os.path.exists(python):
        try:
            venv.create(folder, with_pip=True)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"[skipped] no virtual environment can be made: {error}")
            return 77
    have = subprocess.run([python, "-m", "pip", "list", "--format", "freeze", "--disable-pip-version-check"],
                          capture_output=True, text=True).stdout.lower()
    installed = 0
    for name, version, needs in PACKAGES:
        wanted = f"{name}=={version}"
        if wanted.lower() not in have:
            more = ["--no-deps"] if needs is None else needs
            done = subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--timeout",
                                   "20", "--retries", "1", wanted, *more], capture_output=True, text=True)
            if done.returncode != 0:
                lines = (done.stderr or done.stdout).strip().splitlines()
                print(f"{wanted} cannot be installed: {lines[-1] if lines else 'no reason given'}")
                continue
        print(f"{wanted} is there")
        installed += 1
    if installed == 0:
        print("[skipped] no peer can be installed")
        return 77
    return 0


sys.exit(main())
