#
# Functions of numericalsgps that slicepool serves. Read when both packages are
# loaded (PackageInfo.g, Extensions), or by SlicepoolUse under GAP 4.12.
#

SLICEPOOL.hasNumericalsgps := true;

# ---- when to ask ------------------------------------------------------------

# Minimal generators of S where n is an element of it that is worth a question,
# else fail. Of all nonnegative integers numericalsgps has opinions of its own.
# `share`: of SlicepoolThreshold.
SLICEPOOL.GeneratorsFor := function(n, S, share)
  local generators;
  if not (SLICEPOOL.IsInteger(n) and IsNumericalSemigroup(S)) then
    return fail;
  fi;
  generators := MinimalGenerators(S);
  if not (SLICEPOOL.AreGenerators(generators) and Length(generators) > 1
           and SLICEPOOL.IsWorth(n, generators, share) and n in S) then
    return fail;
  fi;
  return generators;
end;

# One invariant of an element.
SLICEPOOL.OfElement := function(n, S, share, name)
  local generators, found;
  generators := SLICEPOOL.GeneratorsFor(n, S, share);
  if generators = fail then
    return fail;
  fi;
  found := SLICEPOOL.InvariantsOfElement(n, generators, name);
  if found = fail then
    return fail;
  fi;
  return found.(name);
end;

# ---- lists of factorizations ------------------------------------------------

SLICEPOOL.Serve("FactorizationsIntegerWRTList", function(n, list)
  if SLICEPOOL.IsInteger(n) and SLICEPOOL.AreGenerators(list)
      and SLICEPOOL.IsWorth(n, list, 1) then
    return SLICEPOOL.Factorizations(n, list);
  fi;
  return fail;
end);

# ---- lengths ----------------------------------------------------------------

SLICEPOOL.Serve("LengthsOfFactorizationsIntegerWRTList", function(n, list)
  local found;
  if not (SLICEPOOL.IsInteger(n) and SLICEPOOL.AreGenerators(list)
           and SLICEPOOL.IsWorth(n, list, 1)) then
    return fail;
  fi;
  found := SLICEPOOL.InvariantsOfElement(n, list, "length_set");
  if found = fail then
    return fail;
  fi;
  return found.length_set;
end);

SLICEPOOL.MaximalDenumerant := {n, S} ->
  SLICEPOOL.OfElement(n, S, 1, "maximal_denumerant");
SLICEPOOL.Serve("MaximalDenumerantOfElementInNumericalSemigroup",
                 SLICEPOOL.MaximalDenumerant);

# ---- degrees of sets of factorizations --------------------------------------

# Vectors, so many that pairs of them are worth a question. That no two are
# equal is looked at by slicepool.
SLICEPOOL.IsLargeSet := function(rows)
  return IsList(rows) and IsDenseList(rows) and Length(rows) > 0
    and (SlicepoolThreshold <= 0
          or Length(rows) >= SlicepoolThreshold / 10)
    and ForAll(rows, row -> IsList(row) and IsDenseList(row)
                             and Length(row) = Length(rows[1])
                             and ForAll(row, x -> IsInt(x) and x >= 0
                                                   and x < 2 ^ 31))
    and Length(rows[1]) > 0;
end;

SLICEPOOL.OfSet := function(rows, name)
  local found;
  if not SLICEPOOL.IsLargeSet(rows) then
    return fail;
  fi;
  found := SLICEPOOL.Invariants(Concatenation("\"factorizations\":[",
    JoinStringsWithSeparator(List(rows, SLICEPOOL.IntegersToJson), ","),
    "]"), name);
  if found = fail then
    return fail;
  fi;
  return found.invariants.(name);
end;

SLICEPOOL.CatenaryDegreeOfSet := rows ->
  SLICEPOOL.OfSet(rows, "catenary_degree");
SLICEPOOL.TameDegreeOfSet := rows -> SLICEPOOL.OfSet(rows, "tame_degree");

SLICEPOOL.Serve("CatenaryDegreeOfSetOfFactorizations",
                 SLICEPOOL.CatenaryDegreeOfSet);
SLICEPOOL.Serve("EqualCatenaryDegreeOfSetOfFactorizations", rows ->
                 SLICEPOOL.OfSet(rows, "equal_catenary_degree"));
SLICEPOOL.Serve("AdjacentCatenaryDegreeOfSetOfFactorizations", rows ->
                 SLICEPOOL.OfSet(rows, "adjacent_catenary_degree"));
SLICEPOOL.Serve("MonotoneCatenaryDegreeOfSetOfFactorizations", rows ->
                 SLICEPOOL.OfSet(rows, "monotone_catenary_degree"));
SLICEPOOL.Serve("TameDegreeOfSetOfFactorizations",
                 SLICEPOOL.TameDegreeOfSet);

# ---- degrees of elements ----------------------------------------------------

SLICEPOOL.CatenaryDegreeOfElement := {n, S} ->
  SLICEPOOL.OfElement(n, S, 10, "catenary_degree");
SLICEPOOL.TameDegreeOfElement := {n, S} ->
  SLICEPOOL.OfElement(n, S, 10, "tame_degree");

SLICEPOOL.Serve("CatenaryDegreeOfElementInNumericalSemigroup",
                 SLICEPOOL.CatenaryDegreeOfElement);
SLICEPOOL.Serve("TameDegreeOfElementInNumericalSemigroup",
                 SLICEPOOL.TameDegreeOfElement);

# ---- batches ----------------------------------------------------------------

# Generators of S, and whether all of the list are elements worth a question.
SLICEPOOL.GeneratorsForList := function(list, S, worth)
  local generators;
  if not (IsNumericalSemigroup(S) and IsList(list) and IsDenseList(list)
           and list <> [] and ForAll(list, SLICEPOOL.IsInteger)) then
    return fail;
  fi;
  generators := MinimalGenerators(S);
  if SLICEPOOL.AreGenerators(generators) and worth(generators)
      and ForAll(list, n -> n in S) then
    return generators;
  fi;
  return fail;
end;

SLICEPOOL.Serve("FactorizationsElementListWRTNumericalSemigroup",
  function(list, S)
    local generators, found, n, rows;
    generators := SLICEPOOL.GeneratorsForList(list, S, g ->
      SlicepoolThreshold <= 0 or Sum(list, n ->
        SLICEPOOL.Estimate(n, g)) >= SlicepoolThreshold);
    if generators = fail then
      return fail;
    fi;
    found := [];
    for n in list do
      rows := SLICEPOOL.SortedFactorizations(n, generators);
      if rows = fail then
        return fail;
      fi;
      Add(found, rows);
    od;
    return found;
  end);

# Delta sets of 1 .. n, those of integers that are no elements being empty.
SLICEPOOL.DeltaSets := function(n, S)
  local generators, found, sets, entry;
  if not (SLICEPOOL.IsInteger(n) and n > 1 and IsNumericalSemigroup(S)) then
    return fail;
  fi;
  generators := MinimalGenerators(S);
  if not (SLICEPOOL.AreGenerators(generators)
           and SLICEPOOL.IsWorth(n, generators, 10)) then
    return fail;
  fi;
  found := SLICEPOOL.Invariants(Concatenation("\"element\":\"1..",
    String(n), "\",\"generators\":",
    SLICEPOOL.IntegersToJson(generators)), "delta_set");
  if found = fail then
    return fail;
  fi;
  sets := List([1 .. n], i -> []);
  for entry in found.elements do
    sets[entry.element] := entry.invariants.delta_set;
  od;
  return sets;
end;

SLICEPOOL.Serve("DeltaSetListUpToElementWRTNumericalSemigroup",
                 SLICEPOOL.DeltaSets);
SLICEPOOL.Serve("DeltaSetUnionUpToElementWRTNumericalSemigroup",
  function(n, S)
    local sets;
    sets := SLICEPOOL.DeltaSets(n, S);
    if sets = fail then
      return fail;
    fi;
    return Union(sets);
  end);

SLICEPOOL.OmegaPrimalities := function(list, S)
  local generators, unique, found, values;
  generators := SLICEPOOL.GeneratorsForList(list, S,
                                             SLICEPOOL.IsLargeSemigroup);
  if generators = fail then
    return fail;
  fi;
  unique := Set(list);
  found  := SLICEPOOL.Invariants(Concatenation("\"elements\":",
    SLICEPOOL.IntegersToJson(unique), ",\"generators\":",
    SLICEPOOL.IntegersToJson(generators)), "omega_primality");
  if found = fail then
    return fail;
  fi;
  values := List(found.elements, x -> x.invariants.omega_primality);
  return List(list, n -> values[PositionSorted(unique, n)]);
end;

SLICEPOOL.OmegaPrimalityOfElement := function(n, S)
  local values;
  values := SLICEPOOL.OmegaPrimalities([n], S);
  if values = fail then
    return fail;
  fi;
  return values[1];
end;

SLICEPOOL.Serve("OmegaPrimalityOfElementListInNumericalSemigroup",
                 SLICEPOOL.OmegaPrimalities);
SLICEPOOL.Serve("OmegaPrimalityOfElementInNumericalSemigroup",
                 SLICEPOOL.OmegaPrimalityOfElement);

# ---- of the semigroup -------------------------------------------------------

# Their cost grows with the Apery set and the generators.
SLICEPOOL.IsLargeSemigroup := generators -> SlicepoolThreshold <= 0
  or generators[1] * Length(generators) ^ 2 >= SlicepoolThreshold / 10;

SLICEPOOL.OfSemigroup := function(S, name)
  local generators, found;
  if not IsNumericalSemigroup(S) then
    return fail;
  fi;
  generators := MinimalGenerators(S);
  if not (SLICEPOOL.AreGenerators(generators) and Length(generators) > 1
           and SLICEPOOL.IsLargeSemigroup(generators)) then
    return fail;
  fi;
  found := SLICEPOOL.Invariants(Concatenation("\"generators\":",
    SLICEPOOL.IntegersToJson(generators)), name);
  if found = fail then
    return fail;
  fi;
  return found.invariants.(name);
end;

SLICEPOOL.BettiElements  := S -> SLICEPOOL.OfSemigroup(S, "betti_elements");
SLICEPOOL.CatenaryDegree := S -> SLICEPOOL.OfSemigroup(S, "catenary_degree");
SLICEPOOL.TameDegree     := S -> SLICEPOOL.OfSemigroup(S, "tame_degree");
SLICEPOOL.OmegaPrimality := S -> SLICEPOOL.OfSemigroup(S, "omega_primality");

# Printed as GAP prints it: 1, 2, 3 is a range.
SLICEPOOL.DeltaSet := function(S)
  local set;
  set := SLICEPOOL.OfSemigroup(S, "delta_set");
  if set <> fail then
    set := ShallowCopy(set);
    ConvertToRangeRep(set);
  fi;
  return set;
end;

SLICEPOOL.Serve("BettiElementsOfNumericalSemigroup",
                 SLICEPOOL.BettiElements);
SLICEPOOL.Serve("CatenaryDegreeOfNumericalSemigroup",
                 SLICEPOOL.CatenaryDegree);
SLICEPOOL.Serve("TameDegreeOfNumericalSemigroup", SLICEPOOL.TameDegree);
SLICEPOOL.Serve("OmegaPrimalityOfNumericalSemigroup",
                 SLICEPOOL.OmegaPrimality);
SLICEPOOL.Serve("DeltaSetOfNumericalSemigroup", SLICEPOOL.DeltaSet);

# ---- affine semigroups ------------------------------------------------------

# Vectors of one dimension above 1, of nonnegative integers, none of them zero.
# Those of one entry are integers, and what GAP does with them is served.
SLICEPOOL.AreAffineGenerators := list -> IsList(list) and IsDenseList(list)
  and Length(list) in [1 .. 64]
  and ForAll(list, g -> IsList(g) and IsDenseList(g)
                         and Length(g) = Length(list[1])
                         and ForAll(g, x -> IsInt(x) and x >= 0
                                             and x <= 2 ^ 60)
                         and Sum(g) > 0)
  and Length(list[1]) in [2 .. 32];

# At most how many values the coordinates have that do not follow from others.
# GAP takes milliseconds for each factorization of a vector.
SLICEPOOL.IsWorthVector := function(v, list)
  local most;
  most := List(list, g -> 1 + Minimum(List(Filtered([1 .. Length(g)],
                  i -> g[i] > 0), i -> QuoInt(v[i], g[i]))));
  Sort(most);
  return SlicepoolThreshold <= 0
    or Product(most{[1 .. Length(list) - Length(v)]}, 1) >=
       SlicepoolThreshold / 100;
end;

# Ascending, as the points of slicepool are.
SLICEPOOL.FactorizationsVector := function(v, list)
  local answer;
  if not (SLICEPOOL.AreAffineGenerators(list) and IsDenseList(v)
           and Length(v) = Length(list[1])
           and ForAll(v, x -> IsInt(x) and x >= 0 and x <= 2 ^ 60)
           and SLICEPOOL.IsWorthVector(v, list)) then
    return fail;
  fi;
  answer := SLICEPOOL.AskQuietly(SLICEPOOL.Config(Concatenation(
    "\"workload\":\"integer_points\",\"sink\":\"list\",\"element\":",
    SLICEPOOL.IntegersToJson(v), ",\"generators\":[",
    JoinStringsWithSeparator(List(list, SLICEPOOL.IntegersToJson), ","),
    "]")), "rows");
  if answer = fail then
    return fail;
  fi;
  return SLICEPOOL.Cut(SLICEPOOL.Flat(answer), Length(list));
end;

# An operation; Factorizations of a vector and an affine semigroup calls it.
SLICEPOOL.ServeOperation("FactorizationsVectorWRTList",
  FactorizationsVectorWRTList, [IsHomogeneousList, IsMatrix], [1, 2],
  SLICEPOOL.FactorizationsVector);

# ---- operations -------------------------------------------------------------

# Of an element and its semigroup, in both orders.
SLICEPOOL.ServeElement := function(name, operation, try)
  SLICEPOOL.ServeOperation(name, operation,
    [IsInt, IsNumericalSemigroup], [1, 2], try);
  SLICEPOOL.ServeOperation(name, operation,
    [IsNumericalSemigroup, IsInt], [2, 1], try);
end;

# Factorizations, DeltaSet, Elasticity and MaximumDegree of an element call the
# functions FactorizationsIntegerWRTList and Lengths.. above.
SLICEPOOL.ServeElement("MaximalDenumerant", MaximalDenumerant,
                        SLICEPOOL.MaximalDenumerant);
SLICEPOOL.ServeElement("CatenaryDegree", CatenaryDegree,
                        SLICEPOOL.CatenaryDegreeOfElement);
SLICEPOOL.ServeElement("TameDegree", TameDegree,
                        SLICEPOOL.TameDegreeOfElement);
SLICEPOOL.ServeElement("OmegaPrimality", OmegaPrimality,
                        SLICEPOOL.OmegaPrimalityOfElement);
SLICEPOOL.ServeOperation("CatenaryDegree", CatenaryDegree,
  [IsHomogeneousList], [1], SLICEPOOL.CatenaryDegreeOfSet);
SLICEPOOL.ServeOperation("TameDegree", TameDegree,
  [IsHomogeneousList], [1], SLICEPOOL.TameDegreeOfSet);
SLICEPOOL.ServeOperation("BettiElements", BettiElements,
  [IsNumericalSemigroup], [1], SLICEPOOL.BettiElements);
SLICEPOOL.ServeOperation("CatenaryDegree", CatenaryDegree,
  [IsNumericalSemigroup], [1], SLICEPOOL.CatenaryDegree);
SLICEPOOL.ServeOperation("TameDegree", TameDegree,
  [IsNumericalSemigroup], [1], SLICEPOOL.TameDegree);
SLICEPOOL.ServeOperation("OmegaPrimality", OmegaPrimality,
  [IsNumericalSemigroup], [1], SLICEPOOL.OmegaPrimality);
SLICEPOOL.ServeOperation("DeltaSet", DeltaSet,
  [IsNumericalSemigroup], [1], SLICEPOOL.DeltaSet);
