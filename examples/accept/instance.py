#!/usr/bin/env python3
"""Makes hidden keys for hidden_key.c: a lattice, targets close to vectors that end with a key, and the public keys.

usage: instance.py FOLDER [TARGETS [SEED]]     writes basis.txt, targets.jsonl, keys.txt; prints the keys, one a line

A key k is known by the leading bits of t_i k mod q for some t_i that all targets have in common: the hidden number problem of
Boneh and Venkatesan (1996). The bits leave several candidates, so that the closest vector need not be the key, and public
keys y = g^k mod p tell.
"""
import json
import pathlib
import random
import sys

P, G = 2147483579, 4    # p = 2q + 1 with a prime q, the order of g
Q = (P - 1) // 2
LEAKS, KNOWN_BITS = 5, 6    # 30 bits of keys of 30 bits
ERROR = Q >> (KNOWN_BITS + 1)    # of t_i k mod q
SCALE = Q // (2 * ERROR)         # so that errors weigh as much as the key


def main():
    folder = pathlib.Path(sys.argv[1])
    targets = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    t = [rng.randrange(1, Q) for _ in range(LEAKS)]
    rows = [[SCALE * Q if i == j else 0 for j in range(LEAKS + 1)] for i in range(LEAKS)]
    rows.append([SCALE * x for x in t] + [1])
    folder.joinpath("basis.txt").write_text("[" + "\n".join("[" + " ".join(map(str, row)) + "]" for row in rows) + "]\n")
    keys = [rng.randrange(1, Q) for _ in range(targets)]
    with folder.joinpath("targets.jsonl").open("w") as lines:
        for key in keys:
            leaks = [x * key % Q // (2 * ERROR) * (2 * ERROR) + ERROR for x in t]
            lines.write(json.dumps({"target": [SCALE * x for x in leaks] + [Q // 2]}) + "\n")
    folder.joinpath("keys.txt").write_text(f"{P} {G}\n" + "".join(f"{pow(G, key, P)}\n" for key in keys))
    # Errors are at most SCALE * ERROR each, and the key is at most q / 2 from q / 2.
    print(f"squared radius {LEAKS * (SCALE * ERROR)**2 + (Q // 2 + 1)**2}")
    for key in keys:
        print(key)


main()
