#
# Restricted partitions of the GAP library: factorizations, written as parts.
#

# n and a set of parts that slicepool takes.
SLICEPOOL.ArePartitions := function(arguments)
  return Length(arguments) in [2, 3]
    and SLICEPOOL.IsInteger(arguments[1])
    and SLICEPOOL.AreGenerators(arguments[2])
    and IsDuplicateFree(arguments[2]);
end;

# Those of a row: the parts of the last generator come first.
SLICEPOOL.Parts := function(row, parts)
  local list, i;
  list := [];
  for i in [Length(row), Length(row) - 1 .. 1] do
    if row[i] > 0 then
      Append(list, ListWithIdenticalEntries(row[i], parts[i]));
    fi;
  od;
  return list;
end;

SLICEPOOL.Serve("RestrictedPartitions", function(arg...)
  local rows;
  if Length(arg) <> 2 or not SLICEPOOL.ArePartitions(arg)
      or not SLICEPOOL.IsWorth(arg[1], arg[2], 1) then
    return fail;
  fi;
  rows := SLICEPOOL.Factorizations(arg[1], arg[2]);
  if rows = fail then
    return fail;
  fi;
  return List(rows, row -> SLICEPOOL.Parts(row, arg[2]));
end);

# Without a number of parts GAP counts as fast as slicepool.
SLICEPOOL.Serve("NrRestrictedPartitions", function(arg...)
  local found, entry;
  if Length(arg) <> 3 or not SLICEPOOL.ArePartitions(arg)
      or not IsInt(arg[3]) or arg[3] < 0
      or not SLICEPOOL.IsWorth(arg[1], arg[2], 1) then
    return fail;
  fi;
  found := SLICEPOOL.InvariantsOfElement(arg[1], arg[2], "lengths");
  if found = fail then
    return fail;
  fi;
  for entry in found.lengths do
    if entry[1] = arg[3] then
      return entry[2];
    fi;
  od;
  return 0;
end);
