#@local pid, first, options, threshold, run
gap> START_TEST("server.tst");
gap> threshold := SlicepoolThreshold;;
gap> run := rec(workload := "factorizations", generators := [6, 9, 20],
>               element := 60);;

# The program, and runs of it.
gap> first := SlicepoolServer();;
gap> first.protocol; "factorizations" in first.workloads;
1
true
gap> SlicepoolServer().pid = first.pid;
true
gap> SlicepoolRun(run).count;
5
gap> SlicepoolRun(run).status;
"done"
gap> run.sink := "rows";;
gap> SlicepoolRows(run);
[ [ 10, 0, 0 ], [ 7, 2, 0 ], [ 4, 4, 0 ], [ 1, 6, 0 ], [ 0, 0, 3 ] ]
gap> run.element := 7;;
gap> SlicepoolRows(run);
[  ]

# Its errors are errors.
gap> run.element := -1;;
gap> SlicepoolRun(run);
Error, element: got -1; accepted: an integer from 0 to 2^63-1
gap> SlicepoolRun(5);
Error, <config> must be a record
gap> SlicepoolRows(rec(workload := "three_in_line", size := 4));
Error, reply: got rows with a run of three_in_line that keeps none in memory; \
accepted: json or answers, or a run whose results are rows and that has no out\
put

# Settings reach it.
gap> options := SlicepoolOptions;;
gap> SlicepoolOptions := rec(mode := "emulated", threads := 1);;
gap> run := rec(workload := "three_in_line", size := 4);;
gap> SlicepoolRun(run).mode_requested;
"emulated"
gap> SlicepoolOptions := rec(mode := "fast");;
gap> SlicepoolRun(run);
Error, engine.mode: got "fast"; accepted: cpu, gpu, hybrid, emulated or auto
gap> SlicepoolOptions := options;;

# It is started again after its end, also when it was killed.
gap> SlicepoolStop();
gap> SLICEPOOL.server;
fail
gap> pid := SlicepoolServer().pid;; pid = first.pid;
false
gap> IO_kill(pid, IO.SIGKILL);
true
gap> SlicepoolRun(run).total;
11
gap> SlicepoolServer().pid = pid;
false

# A reply that was left by `quit;` is read first.
gap> SlicepoolThreshold := 0;;
gap> SLICEPOOL.server.exchange := SLICEPOOL.NewExchange(1000000);;
gap> SLICEPOOL.Write(SLICEPOOL.server, Concatenation(
> "{\"id\":1000000,\"reply\":\"json\",\"run\":",
> SLICEPOOL.ToJson(run), "}\n"));
true
gap> SLICEPOOL.server.exchange.written := true;;
gap> pid := SLICEPOOL.server.pid;;
gap> RestrictedPartitions(5, [2, 3]);
[ [ 3, 2 ] ]
gap> SLICEPOOL.server.pid = pid;
true

# A request that was not sent as a whole: another child is asked.
gap> SLICEPOOL.server.exchange := SLICEPOOL.NewExchange(1000001);;
gap> SLICEPOOL.Write(SLICEPOOL.server, "{\"id\":10000");
true
gap> RestrictedPartitions(5, [2, 3]);
[ [ 3, 2 ] ]
gap> SLICEPOOL.server.pid = pid;
false

# A long request, and a long reply.
gap> NrRestrictedPartitions(10000, [1 .. 40], 3);
0
gap> Length(RestrictedPartitions(3000, [13, 37, 38, 40]));
6557
gap> SlicepoolThreshold := threshold;;
gap> STOP_TEST("server.tst");
