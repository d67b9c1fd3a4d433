#!/usr/bin/env python3
"""All factorizations against RestrictedPartitions of GAP."""
import os
import subprocess
import sys

import factorizations
import support


def partitions(cases):
    """RestrictedPartitions of all cases, as multiplicities. One process: a start takes longer than most cases."""
    folder = next((os.path.join(p, "gap") for p in sys.path if os.path.exists(os.path.join(p, "gap", "gap"))), None)
    if folder is None:
        support.skip("GAP is not installed")
    asks = "".join(f'for p in RestrictedPartitions({element}, Set({generators})) do for x in p do Print(x, " "); od; '
                   f'Print("\\n"); od; Print("end\\n");\n' for generators, element in cases)
    done = subprocess.run([os.path.join(folder, "gap"), "-q", "-A", "-r", "-l", folder, "--quitonbreak"],
                          input=f"SizeScreen([4096, 1000000]);;\n{asks}QUIT;\n", capture_output=True, text=True)
    found, rows = [], []
    for line in done.stdout.splitlines():
        if line.strip() == "end":
            found.append(rows)
            rows = []
        else:
            rows.append([int(word) for word in line.split()])
    support.require(len(found) == len(cases), f"GAP answered {len(found)} of {len(cases)}: {done.stdout[-200:]}")
    return [[tuple(parts.count(g) for g in generators) for parts in rows]
            for rows, (generators, _) in zip(found, cases)]


arguments = support.start("os")
cases = factorizations.instances(arguments.seed, 80)
factorizations.compare("GAP", cases, partitions(cases), arguments)
