#
# Factorizations in the order in which GAP lists them, and when it pays to ask
# for them. Used by partitions.gi and the extension for numericalsgps.
#

# How many nonnegative solutions a_1 g_1 + .. + a_d g_d = n has, about.
SLICEPOOL.Estimate := function(n, generators)
  local d;
  d := Length(generators);
  return QuoInt(Gcd(generators)
                 * (n + QuoInt(Sum(generators), 2)) ^ (d - 1),
                 Factorial(d - 1) * Product(generators));
end;

SLICEPOOL.LARGEST := 2 ^ 63 - 1;

# Whether slicepool takes these, and not only GAP's own code.
SLICEPOOL.IsInteger     := n -> IsInt(n) and n > 0 and n <= SLICEPOOL.LARGEST;
SLICEPOOL.AreGenerators := list -> IsList(list) and IsDenseList(list)
  and Length(list) in [1 .. 64] and ForAll(list, SLICEPOOL.IsInteger);

# Whether so many factorizations are worth a question.
SLICEPOOL.IsWorth := {n, generators, share} ->
  SlicepoolThreshold <= 0
  or SLICEPOOL.Estimate(n, generators) >= SlicepoolThreshold / share;

# All coordinates of the rows, one row after the other, in the order of
# slicepool: lexicographically descending.
SLICEPOOL.FlatRows := function(n, generators)
  local answer;
  answer := SLICEPOOL.AskQuietly(SLICEPOOL.Config(Concatenation(
    "\"workload\":\"factorizations\",\"sink\":\"rows\",\"element\":",
    String(n), ",\"generators\":",
    SLICEPOOL.IntegersToJson(generators))), "rows");
  if answer = fail then
    return fail;
  fi;
  return SLICEPOOL.Flat(answer);
end;

# Rows of <d> coordinates.
SLICEPOOL.Cut := function(flat, d)
  return List([0 .. Length(flat) / d - 1],
               i -> flat{[i * d + 1 .. i * d + d]});
end;

# Lexicographically ascending, or fail: the rows of slicepool, backwards.
SLICEPOOL.SortedFactorizations := function(n, generators)
  local flat;
  flat := SLICEPOOL.FlatRows(n, generators);
  if flat = fail then
    return fail;
  fi;
  return Reversed(SLICEPOOL.Cut(flat, Length(generators)));
end;

# In the order of FactorizationsIntegerWRTList, or fail: by the last coordinate,
# then by the one before, ascending. The rows for the reversed generators,
# backwards, are this, turned round. A generator that is there twice makes it
# the lexicographic order.
SLICEPOOL.Factorizations := function(n, generators)
  local flat;
  if not IsDuplicateFree(generators) then
    return SLICEPOOL.SortedFactorizations(n, generators);
  fi;
  flat := SLICEPOOL.FlatRows(n, Reversed(generators));
  if flat = fail then
    return fail;
  fi;
  return SLICEPOOL.Cut(Reversed(flat), Length(generators));
end;

# The values of the workload `invariants`: a record by name, or fail. `of`:
# members that say of what.
SLICEPOOL.Invariants := function(of, names)
  local answer;
  answer := SLICEPOOL.AskQuietly(SLICEPOOL.Config(Concatenation(
    "\"workload\":\"invariants\",\"invariants\":\"", names, "\",", of)),
    "answers");
  if answer = fail then
    return fail;
  fi;
  return SLICEPOOL.FromJson(answer.content);
end;

# The same of n over the generators as they are.
SLICEPOOL.InvariantsOfElement := function(n, generators, names)
  local found;
  found := SLICEPOOL.Invariants(Concatenation(
    "\"as_given\":true,\"element\":", String(n), ",\"generators\":",
    SLICEPOOL.IntegersToJson(generators)), names);
  if found = fail then
    return fail;
  fi;
  return found.invariants;
end;
