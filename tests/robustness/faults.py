"""A failing launch at every position to 60, for 28 searches, with and without a checkpoint: the same result"""
import jobs
import support

POSITIONS = 61
# What batches can do: every workload that has batches, by shapes, sinks and algorithms.
MORE = (
    jobs.Job("three-in-line 9 c2", "three-in-line -n 10 --symmetry c2"),
    jobs.Job("three-in-line 12 orthogonal", "three-in-line -n 12 --symmetry orthogonal"),
    jobs.Job("three-in-line 12 diagonals", "three-in-line -n 12 --symmetry diagonals"),
    jobs.Job("three-in-line 8 posts", "three-in-line -n 8 --algorithm posts"),
    jobs.Job("three-in-line 20 c4", "three-in-line -n 20 --symmetry c4"),
    jobs.Job("lattice compacted", "lattice --basis k40.txt --gh-factor 1.05 --fixed-radius --algorithm compacted",
             inputs=["lattices/k40.txt"]),
    jobs.Job("lattice shrinking", "lattice --basis bw16.txt", inputs=["lattices/bw16.txt"]),
    jobs.Job("lattice bw16", "lattice --basis bw16.txt --gh-factor 1.5 --solutions 100", inputs=["lattices/bw16.txt"]),
    jobs.Job("candidate any", f"{jobs.MANY} --algorithm candidate --sink all:a1+a2>=0"),
    jobs.Job("tabulated fingerprint", f"{jobs.MANY} --algorithm tabulated --sink fingerprint"),
    jobs.Job("ranked lengths", f"{jobs.MANY} --algorithm ranked --sink lengths"),
    jobs.Job("ranked range", f"{jobs.MANY} --algorithm ranked --sink fingerprint --rank-range 1000:90000"),
)
SEARCHES = jobs.SEARCHES + jobs.STREAMS[:3] + MORE
FULL = len(SEARCHES) * POSITIONS * 2


def case(context, index):
    # Neighbouring cases are of different searches: a share of the class has all of them.
    job = SEARCHES[index % len(SEARCHES)]
    position = (index // len(SEARCHES)) % POSITIONS
    with_checkpoint = index // len(SEARCHES) // POSITIONS == 1
    if job.streamed and with_checkpoint:
        raise support.Skipped("streamed outputs keep a checkpoint anyway")
    job.reference(context)
    job.prepare(context.folder)
    arguments = [*job.arguments, "--mode", "emulated", "--emulated-lanes", context.random.choice(["32", "256", "1024"]),
                 "--gpu-budget", context.random.choice(["64", "500", "4000"]), "--emulated-fail-at", position, "--json"]
    if "--cpu-budget" in arguments:
        at = arguments.index("--cpu-budget")
        del arguments[at:at + 2]
    if with_checkpoint:
        arguments += ["--checkpoint", job.checkpoint, "--checkpoint-interval", "0.01"]
    outcome = context.run(*arguments)
    job.check(context, outcome, context.folder, answer="lattice shrinking" != job.name)
    if job.name == "lattice shrinking":   # how many vectors and nodes it meets on the way depends on the order
        right = job.reference(context)[0]["shortest_squared_norm"]
        support.expect(outcome.json()["shortest_squared_norm"] == right, "another shortest norm", outcome)
