#
# Every served function against what it stands for: value, order and error text. Read by compare.py, which
# sets `seed` and `cases`.
#
LoadPackage("numericalsgps", false);;
LoadPackage("slicepool", false);;
SlicepoolThreshold := 0;;
SetInfoLevel(InfoWarning, 0);
rng := RandomSource(IsMersenneTwister, seed);;
MakeReadWriteGlobal("ERROR_OUTPUT");
pick := list -> Random(rng, list);;

# [true, value], or [false, what GAP printed].
outcome := function(name, arguments)
  local text, stream, error, break_, result;
  text := "";
  stream := OutputTextString(text, false);
  error := ERROR_OUTPUT;
  break_ := BreakOnError;
  BreakOnError := false;
  ERROR_OUTPUT := stream;
  result := CALL_WITH_CATCH(ValueGlobal(name), arguments);
  ERROR_OUTPUT := error;
  BreakOnError := break_;
  CloseStream(stream);
  if result[1] then
    return [true, result[2]];
  fi;
  return [false, text];
end;;

# Semigroups keep what was computed of them: each call has a new one. <make> returns the arguments.
failures := 0;;
compared := 0;;
compare := function(name, make)
  local expected, found;
  SlicepoolUse(false);
  expected := outcome(name, make());
  SlicepoolUse(true);
  found := outcome(name, make());
  compared := compared + 1;
  if expected <> found then
    failures := failures + 1;
    Print("DIFFERS ", name, " ", List(make(), x -> x), ": ", expected, " and ", found, "\n");
  fi;
end;;

semigroup := function(most)
  local list;
  repeat
    list := List([1 .. pick([2 .. 4])], i -> pick([2 .. most]));
  until Gcd(list) = 1 and Length(Set(list)) > 1;
  return list;
end;;
element := function(list, most)
  return pick(Filtered([1 .. most], n -> n in NumericalSemigroup(list)));
end;;

ofInteger := ["FactorizationsIntegerWRTList", "LengthsOfFactorizationsIntegerWRTList", "RestrictedPartitions"];;
ofElement := ["FactorizationsElementWRTNumericalSemigroup", "LengthsOfFactorizationsElementWRTNumericalSemigroup",
  "ElasticityOfFactorizationsElementWRTNumericalSemigroup", "DeltaSetOfFactorizationsElementWRTNumericalSemigroup",
  "MaximumDegreeOfElementWRTNumericalSemigroup", "MaximalDenumerantOfElementInNumericalSemigroup",
  "CatenaryDegreeOfElementInNumericalSemigroup", "TameDegreeOfElementInNumericalSemigroup",
  "OmegaPrimalityOfElementInNumericalSemigroup", "DenumerantOfElementInNumericalSemigroup"];;
ofElementBothWays := ["Factorizations", "Elasticity", "DeltaSet", "MaximumDegree", "MaximalDenumerant", "CatenaryDegree",
  "TameDegree", "OmegaPrimality"];;
ofSet := ["CatenaryDegreeOfSetOfFactorizations", "EqualCatenaryDegreeOfSetOfFactorizations",
  "AdjacentCatenaryDegreeOfSetOfFactorizations", "MonotoneCatenaryDegreeOfSetOfFactorizations",
  "TameDegreeOfSetOfFactorizations", "CatenaryDegree", "TameDegree", "RClassesOfSetOfFactorizations"];;
ofSemigroup := ["BettiElementsOfNumericalSemigroup", "CatenaryDegreeOfNumericalSemigroup", "TameDegreeOfNumericalSemigroup",
  "OmegaPrimalityOfNumericalSemigroup", "DeltaSetOfNumericalSemigroup", "ElasticityOfNumericalSemigroup", "BettiElements",
  "CatenaryDegree", "TameDegree", "OmegaPrimality", "DeltaSet", "MinimalPresentation", "MaximalDenumerant"];;

integers := function()
  local list, n, name, k;
  list := List([1 .. pick([1 .. 4])], i -> pick([1 .. 30]));
  if pick([1 .. 3]) = 1 then
    list := Set(list);
  fi;
  n := pick([0 .. 90]);
  for name in ofInteger do
    compare(name, {} -> [n, list]);
  od;
  k := pick([0 .. 12]);
  compare("RestrictedPartitions", {} -> [n, Set(list), k]);
  compare("NrRestrictedPartitions", {} -> [n, list]);
  compare("NrRestrictedPartitions", {} -> [n, Set(list), k]);
end;;

elements := function()
  local list, n, name, some;
  list := semigroup(30);
  n := element(list, pick([60, 150]));
  for name in ofElement do
    compare(name, {} -> [n, NumericalSemigroup(list)]);
  od;
  for name in ofElementBothWays do
    compare(name, {} -> [n, NumericalSemigroup(list)]);
    compare(name, {} -> [NumericalSemigroup(list), n]);
  od;
  some := List([1 .. pick([1 .. 5])], i -> element(list, 100));
  compare("FactorizationsElementListWRTNumericalSemigroup", {} -> [some, NumericalSemigroup(list)]);
  compare("OmegaPrimalityOfElementListInNumericalSemigroup", {} -> [some, NumericalSemigroup(list)]);
  compare("DeltaSetListUpToElementWRTNumericalSemigroup", {} -> [n, NumericalSemigroup(list)]);
  compare("DeltaSetUnionUpToElementWRTNumericalSemigroup", {} -> [n, NumericalSemigroup(list)]);
end;;

sets := function()
  local list, rows, name;
  list := semigroup(20);
  rows := FactorizationsIntegerWRTList(element(list, 120), list);
  if pick([1 .. 2]) = 1 then
    # A set that is not all factorizations of an element, in any order.
    rows := Filtered(rows, row -> pick([1 .. 3]) > 1);
    rows := Reversed(rows);
  fi;
  for name in ofSet do
    compare(name, {} -> [rows]);
  od;
end;;

semigroups := function()
  local list, name;
  list := semigroup(25);
  for name in ofSemigroup do
    compare(name, {} -> [NumericalSemigroup(list)]);
  od;
end;;

# Vectors, of which some are no elements; few generators, as GAP takes milliseconds for each factorization.
vectors := function()
  local d, list, v;
  d := pick([1 .. 3]);
  repeat
    list := List([1 .. pick([1 .. 5])], i -> List([1 .. d], k -> pick([0 .. 4])));
  until ForAll(list, g -> Sum(g) > 0);
  v := Sum(list, g -> pick([0 .. 3]) * g);
  if pick([1 .. 4]) = 1 then
    v := List([1 .. d], k -> pick([0 .. 12]));
  fi;
  compare("FactorizationsVectorWRTList", {} -> [v, list]);
  compare("Factorizations", {} -> [v, AffineSemigroup(list)]);
  compare("Factorizations", {} -> [AffineSemigroup(list), v]);
  compare("ElasticityOfFactorizationsElementWRTAffineSemigroup", {} -> [v, AffineSemigroup(list)]);
  compare("OmegaPrimality", {} -> [v, AffineSemigroup(list)]);
end;;

# Arguments that are none, and the edges of those that are.
S := [6, 9, 20];;
strange := function()
  local name, arguments;
  for name in Concatenation(ofInteger, ["NrRestrictedPartitions"]) do
    for arguments in [[10, [3, -5]], [10, []], ["a", [2, 3]], [10, [0, 1]], [-1, [2, 3]], [0, [2, 3]], [10, [2, 2]],
                      [10, [2, 3, 2]], [10], [], [10, [2, 3], 2], [10, "ab"], [10, [2, 3 / 2]], [7, [2, 4]], [10, 3],
                      [10, [1 .. 3]], [10, [2,, 3]], [3 / 2, [2, 3]], [10, [2, 3], -1], [10, [2, 3], 1, 1],
                      [12, [5, 3, 1]]] do
      compare(name, {} -> StructuralCopy(arguments));
    od;
  od;
  for name in Concatenation(ofElement, ofElementBothWays, ["DeltaSetListUpToElementWRTNumericalSemigroup",
                            "DeltaSetUnionUpToElementWRTNumericalSemigroup"]) do
    for arguments in [[7], [-1], [0], [1 / 2], ["a"], [43], [44]] do
      compare(name, {} -> [arguments[1], NumericalSemigroup(S)]);
      compare(name, {} -> [NumericalSemigroup(S), arguments[1]]);
    od;
    compare(name, {} -> [60]);
    compare(name, {} -> [60, [6, 9, 20]]);
    compare(name, {} -> [60, NumericalSemigroup(1)]);
    compare(name, {} -> [60, NumericalSemigroup(S), 1]);
  od;
  for name in ["FactorizationsElementListWRTNumericalSemigroup", "OmegaPrimalityOfElementListInNumericalSemigroup"] do
    for arguments in [[], [7], [6, 7], [6, 0], [6, -6], 6, "a", [6,, 9], [6, 6]] do
      compare(name, {} -> [arguments, NumericalSemigroup(S)]);
    od;
  od;
  for name in ofSet do
    for arguments in [[], [[1, 2], [3, -4]], [[1, 2], [1, 2]], [[1, 2], [1]], [[]], [[0, 0]], [[1, 2]], 5, "abc",
                      [[1, 2], 3], [[1, 2],, [2, 1]], [[1 / 2, 0]], [[2 ^ 40, 0], [0, 1]]] do
      compare(name, {} -> [StructuralCopy(arguments)]);
    od;
    compare(name, {} -> []);
  od;
  for arguments in [[[2, 2], [[1, 1], [0, 0]]], [[2, 2], [[1, 1], [1, -1]]], [[2], [[1, 1]]], [[2, 2], [[1, 1], [1]]],
                    [[-1, 2], [[1, 1], [0, 1]]], [[], []], [[0, 0], [[1, 2], [2, 1]]], [[2, 2], []], [[1 / 2, 2], [[1, 2]]],
                    [[4, 4], [[1, 1], [1, 1], [2, 2]]], [5, [[1, 2]]], [[3, 5], [[2, 2], [4, 2]]], [[2, 2], 3]] do
    compare("FactorizationsVectorWRTList", {} -> StructuralCopy(arguments));
  od;
  for name in ofSemigroup do
    compare(name, {} -> [NumericalSemigroup(1)]);
    compare(name, {} -> [NumericalSemigroup(2, 3)]);
    compare(name, {} -> [5]);
  od;
end;;

strange();
for case in [1 .. cases] do
  integers();
  elements();
  sets();
  semigroups();
  vectors();
od;
calls := SlicepoolCalls();;
for name in RecNames(calls) do
  Print("served ", calls.(name).served, ", left to GAP ", calls.(name).native, ": ", name, "\n");
  if calls.(name).served = 0 then
    Print("NEVER ", name, "\n");
    failures := failures + 1;
  fi;
od;
Print(compared - failures, " passed, ", failures, " failed\n");
