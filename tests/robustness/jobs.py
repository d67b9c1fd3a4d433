"""The searches that kills, pairs, damages, faults and full disks are tried on: small ones of every workload, every
sink and every kind of output. A job knows its files and what must be the same however the run was disturbed."""
import os
import shutil

import support

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")


class Job:
    def __init__(self, name, arguments, outputs=(), inputs=(), streamed=False, changes=True):
        self.name = name
        self.arguments = arguments.split() if isinstance(arguments, str) else list(arguments)
        self.outputs = tuple(outputs)   # names of result files, the same bytes in every run
        self.inputs = tuple(inputs)     # of tests/data, copied into the folder
        self.streamed = streamed        # keeps a checkpoint without being asked
        self.changes = changes          # mode, threads and algorithm may change between two runs

    def prepare(self, folder):
        for name in self.inputs:
            shutil.copy(os.path.join(DATA, name), folder)

    @property
    def checkpoint(self):
        return f"{self.outputs[0]}.checkpoint" if self.streamed else "search.ckpt"

    def reference(self, context):
        """What an undisturbed run answers and writes; made once a campaign. Thread safe: the same whichever thread wins."""
        known = context.campaign.references
        if self.name not in known:
            folder = context.path("reference")
            os.makedirs(folder)
            self.prepare(folder)
            outcome = context.run(*self.arguments, "--json", folder=folder)
            support.expect(outcome.code == 0, f"reference of {self.name}", outcome)
            known[self.name] = (support.stable(outcome.json()), self.files(folder))
            shutil.rmtree(folder)
        return known[self.name]

    def files(self, folder):
        """Result files with their content; shards belong to their manifest's name."""
        found = {}
        for name in sorted(os.listdir(folder)):
            stem = tuple(o[: -len(".npy.zst")] if o.endswith(".npy.zst") else o[: -len(".npy")] for o in self.outputs
                         if o.endswith((".npy", ".npy.zst"))) if self.sharded else ()
            if name in self.outputs or (stem and name.startswith(stem) and ".checkpoint" not in name):
                # All vectors of a lattice are written as they are found, in no particular order.
                take = support.rows_fingerprint if self.arguments[0] == "lattice" else support.fingerprint
                found[name] = take(os.path.join(folder, name))
        return found

    @property
    def sharded(self):
        return "--shard-rows" in self.arguments

    def check(self, context, outcome, folder, answer=True):
        """The run has ended as if nothing had happened."""
        record, files = self.reference(context)
        support.expect(outcome.code == 0, f"{self.name} did not end", outcome)
        if answer:
            now = support.stable(outcome.json())
            support.expect(now == record, f"{self.name}: another result: {now} instead of {record}"[:600], outcome)
        written = self.files(folder)
        support.expect(written == files, f"{self.name}: other bytes in "
                       f"{[n for n in set(files) | set(written) if files.get(n) != written.get(n)]}", outcome)
        support.expect(not support.leftovers(folder), f"{self.name}: left over {support.leftovers(folder)}", outcome)
        support.expect(not os.path.exists(os.path.join(folder, self.checkpoint)), f"{self.name}: its checkpoint stays",
                       outcome)


SET = "factorizations --generators 13,37,38,40 --element 9000"
MANY = "factorizations --generators 13,37,38,40,41,42 --element 1800"

SEARCHES = (
    Job("three-in-line 10", "three-in-line -n 10"),
    Job("three-in-line 11", "three-in-line -n 11 --cpu-budget 3000"),
    Job("three-in-line 11 rle", "three-in-line -n 11 --output s.rle", ["s.rle"]),
    Job("three-in-line 14 diagonals", "three-in-line -n 14 --symmetry diagonals --output s.json", ["s.json"]),
    Job("lattice k40", "lattice --basis k40.txt --gh-factor 1.05 --fixed-radius", inputs=["lattices/k40.txt"]),
    Job("lattice leech text", "lattice --basis leech.txt --squared-radius 32 --solutions all --output v.txt", ["v.txt"],
        ["lattices/leech.txt"]),
    Job("lattice leech npy", "lattice --basis leech.txt --squared-radius 32 --solutions all --output v.npy", ["v.npy"],
        ["lattices/leech.txt"]),
    Job("lattice k45", "lattice --basis k45.txt --gh-factor 1.0 --fixed-radius --solutions 5",
        inputs=["lattices/k45.txt"]),
    Job("candidate count", f"{MANY} --algorithm candidate --fingerprint"),
    Job("candidate lengths", f"{MANY} --algorithm candidate --sink lengths"),
    Job("tabulated extremes", f"{MANY} --algorithm tabulated --sink extremes --fingerprint"),
    Job("ranked fingerprint", f"{MANY} --algorithm ranked --sink fingerprint --cpu-budget 20000"),
    Job("candidate maxima", f"{MANY} --algorithm candidate --sink coordinate-maxima"),
)

STREAMS = (
    Job("rows streamed", f"{SET} --sink rows --output r.npy --writing streamed --buffer-memory 1MiB", ["r.npy"],
        streamed=True),
    Job("rows csv", f"{SET} --sink rows --output r.csv", ["r.csv"]),
    Job("rows csv windows", f"{SET} --sink rows --output r.csv --memory-limit 300KiB", ["r.csv"]),
    Job("rows zst", f"{SET} --sink rows --output r.npy.zst --buffer-memory 1MiB --frame-size 64KiB", ["r.npy.zst"],
        streamed=True),
    Job("rows shards", f"{SET} --sink rows --output r.npy --shard-rows 20000 --buffer-memory 1MiB", ["r.npy"],
        streamed=True),
    Job("rows shards zst", f"{SET} --sink rows --output r.npy.zst --shard-rows 50000 --frame-size 64KiB --buffer-memory 2MiB",
        ["r.npy.zst"], streamed=True),
)

STAGED = (
    Job("semigroup bihecke:5", "semigroup --named bihecke:5 --idempotents"),
    Job("semigroup full:6 files", "semigroup --named full:6 --elements e.npy --words w.txt --rules u.txt",
        ["e.npy", "w.txt", "u.txt"]),
    Job("semigroup full:7", "semigroup --named full:7"),
    Job("semigroup words", "semigroup --named bihecke:5 --algorithm words", changes=False),
)

MAPPED = (
    Job("rows mapped", f"{SET} --sink rows --output r.npy --writing mapped", ["r.npy"]),
    Job("rows first", f"{SET} --sink first:1000 --output r.npy", ["r.npy"]),
)

RESUMABLE = SEARCHES + STREAMS + STAGED
ALL = RESUMABLE + MAPPED
