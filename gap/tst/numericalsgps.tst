#@local S, n, threshold, rows, big, originals, all, name
gap> START_TEST("numericalsgps.tst");
gap> threshold := SlicepoolThreshold;;
gap> SlicepoolThreshold := 0;;
gap> S := NumericalSemigroup(13, 37, 38, 40);;

# Known values.
gap> n := 1000;;
gap> Length(Factorizations(n, S));
274
gap> CatenaryDegree(n, S);
6
gap> TameDegree(n, S);
6
gap> Length(Factorizations(5000, S));
29601
gap> CatenaryDegree(5000, S);
6
gap> BettiElements(S);
[ 76, 77, 78, 185, 186, 200 ]
gap> CatenaryDegree(S); TameDegree(S); OmegaPrimality(S); DeltaSet(S);
8
9
9
[ 1 .. 4 ]

# The order of lists: that of the original, which may have other generators.
gap> SlicepoolUse(false);
gap> originals := List([[30, [5, 3, 7]], [12, [3, 2, 2]], [12, [3, 3]],
>                       [7, [2, 4]], [300, [13, 37, 38, 40]]],
>                      x -> CallFuncList(FactorizationsIntegerWRTList, x));;
gap> SlicepoolUse(true);
gap> originals = List([[30, [5, 3, 7]], [12, [3, 2, 2]], [12, [3, 3]],
>                      [7, [2, 4]], [300, [13, 37, 38, 40]]],
>                     x -> CallFuncList(FactorizationsIntegerWRTList, x));
true

# Lists may be changed by the caller.
gap> rows := Factorizations(60, NumericalSemigroup(6, 9, 20));;
gap> Add(rows, "x");; rows[1][1] := 5;; Length(rows);
6

# A set that is given.
gap> CatenaryDegreeOfSetOfFactorizations([[10, 0, 0], [0, 0, 3], [1, 6, 0]]);
9

# Errors.
gap> FactorizationsIntegerWRTList(30, [3, -5]);
Error, The list must be a list of positive integers.

gap> OmegaPrimality(14, S);
Error, The first argument must be an element of the second

# The naming of numericalsgps.
gap> SlicepoolUse(false);
gap> NumSgpsUseSlicepool();
gap> SLICEPOOL.isUsed;
true
gap> SlicepoolThreshold := threshold;;
gap> STOP_TEST("numericalsgps.tst");
