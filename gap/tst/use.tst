#@local original, threshold, replaced, calls
gap> START_TEST("use.tst");
gap> threshold := SlicepoolThreshold;;

# Off: the same objects as before, and on again.
gap> replaced := RestrictedPartitions;;
gap> SlicepoolUse(false);
gap> original := RestrictedPartitions;;
gap> IsIdenticalObj(original, SLICEPOOL.served.RestrictedPartitions.original);
true
gap> IsIdenticalObj(original, replaced);
false
gap> IsReadOnlyGlobal("RestrictedPartitions");
true
gap> SlicepoolUse(false);
gap> SlicepoolUse(true);
gap> SlicepoolUse(true);
gap> IsIdenticalObj(RestrictedPartitions, replaced);
true
gap> IsReadOnlyGlobal("RestrictedPartitions");
true
gap> NameFunction(RestrictedPartitions);
"RestrictedPartitions"
gap> SlicepoolUse(1);
Error, <flag> must be true or false

# Small things stay with GAP.
gap> SlicepoolCalls(true);;
gap> RestrictedPartitions(10, [1, 2, 5]);;
gap> calls := SlicepoolCalls().RestrictedPartitions;;
gap> [calls.served, calls.native];
[ 0, 1 ]
gap> SlicepoolThreshold := 0;;
gap> RestrictedPartitions(10, [5, 1, 2]) = original(10, [5, 1, 2]);
true
gap> calls := SlicepoolCalls().RestrictedPartitions;;
gap> [calls.served, calls.native];
[ 1, 1 ]
gap> SlicepoolCalls(true);; SlicepoolCalls().RestrictedPartitions.served;
0

# Arguments that are none have the errors of the original.
gap> RestrictedPartitions(10);
Error, Function: number of arguments must be at least 2 (not 1)
gap> SlicepoolThreshold := threshold;;

# Partitions with k parts are counted by lengths.
gap> NrRestrictedPartitions(1000, [3, 5, 7, 11, 13, 17], 120);
735464
gap> STOP_TEST("use.tst");
