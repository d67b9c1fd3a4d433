#!/usr/bin/env python3
"""All factorizations against RestrictedPartitions of GAP."""
import factorizations
import support


def partitions(cases):
    """RestrictedPartitions of all cases, as multiplicities. One process: a start takes longer than most cases."""
    asks = "".join(f'for p in RestrictedPartitions({element}, Set({generators})) do for x in p do Print(x, " "); od; '
                   f'Print("\\n"); od; Print("end\\n");\n' for generators, element in cases)
    text = support.gap(asks)
    found, rows = [], []
    for line in text.splitlines():
        if line.strip() == "end":
            found.append(rows)
            rows = []
        else:
            rows.append([int(word) for word in line.split()])
    support.require(len(found) == len(cases), f"GAP answered {len(found)} of {len(cases)}: {text[-200:]}")
    return [[tuple(parts.count(g) for g in generators) for parts in rows]
            for rows, (generators, _) in zip(found, cases)]


arguments = support.start("os")
cases = factorizations.instances(arguments.seed, 80)
factorizations.compare("GAP", cases, partitions(cases), arguments)
