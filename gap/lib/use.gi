#
# Functions in place of others, and back. Used by partitions.gi and by the
# extension for numericalsgps.
#

SLICEPOOL.isUsed := false;

# By name: what was bound to the global variable, what is instead, and how many
# calls the program has answered or left.
SLICEPOOL.served := rec();

# <try> returns the value for these arguments, or fail where the original is to
# compute it. So errors of arguments are those of the original.
SLICEPOOL.Counted := function(name, try, arguments)
  local value, entry;
  entry := SLICEPOOL.served.(name);
  value := CallFuncList(try, arguments);
  if value = fail then
    entry.native := entry.native + 1;
  else
    entry.served := entry.served + 1;
  fi;
  return value;
end;

SLICEPOOL.Replacement := function(name, try, original)
  local count;
  count := NumberArgumentsFunction(original);
  if count = 1 then
    return function(a)
      local value;
      value := SLICEPOOL.Counted(name, try, [a]);
      if value = fail then
        return original(a);
      fi;
      return value;
    end;
  elif count = 2 then
    return function(a, b)
      local value;
      value := SLICEPOOL.Counted(name, try, [a, b]);
      if value = fail then
        return original(a, b);
      fi;
      return value;
    end;
  fi;
  return function(arg...)
    local value;
    value := SLICEPOOL.Counted(name, try, arg);
    if value = fail then
      return CallFuncList(original, arg);
    fi;
    return value;
  end;
end;

SLICEPOOL.Rebind := function(name, value)
  MakeReadWriteGlobal(name);
  UnbindGlobal(name);
  BindGlobal(name, value);
end;

SLICEPOOL.Serve := function(name, try)
  local original, replacement;
  original    := ValueGlobal(name);
  replacement := SLICEPOOL.Replacement(name, try, original);
  SetNameFunction(replacement, name);
  SLICEPOOL.served.(name) := rec(original := original,
    replacement := replacement, served := 0, native := 0);
  if SLICEPOOL.isUsed then
    SLICEPOOL.Rebind(name, replacement);
  fi;
end;

# Operations keep the functions that their methods were made of: they get a
# method of a higher rank. Methods stay: this one steps aside when it is not
# wanted. <order>: where the arguments of <try> stand.
SLICEPOOL.ServeOperation := function(name, operation, filters, order, try)
  if not IsBound(SLICEPOOL.served.(name)) then
    SLICEPOOL.served.(name) := rec(served := 0, native := 0);
  fi;
  if Length(filters) = 1 then
    InstallMethod(operation, "by slicepool", filters, 10, function(a)
      local value;
      if SLICEPOOL.isUsed then
        value := SLICEPOOL.Counted(name, try, [a]);
        if value <> fail then
          return value;
        fi;
      fi;
      TryNextMethod();
    end);
  else
    InstallMethod(operation, "by slicepool", filters, 10, function(a, b)
      local value;
      if SLICEPOOL.isUsed then
        value := SLICEPOOL.Counted(name, try, [a, b]{order});
        if value <> fail then
          return value;
        fi;
      fi;
      TryNextMethod();
    end);
  fi;
end;

InstallGlobalFunction(SlicepoolUse, function(flag)
  local name, entry;
  if not flag in [true, false] then
    ErrorNoReturn("<flag> must be true or false");
  fi;
  # GAP before 4.13 has no extensions of packages.
  if flag and not CompareVersionNumbers(GAPInfo.Version, "4.13")
      and IsPackageLoaded("numericalsgps")
      and not IsBound(SLICEPOOL.hasNumericalsgps) then
    ReadPackage("slicepool", "gap/numericalsgps-extension.gi");
  fi;
  if flag = SLICEPOOL.isUsed then
    return;
  fi;
  SLICEPOOL.isUsed := flag;
  for name in RecNames(SLICEPOOL.served) do
    entry := SLICEPOOL.served.(name);
    if not IsBound(entry.original) then
      continue;
    elif flag then
      # Another package may have replaced it in the meantime.
      if not IsIdenticalObj(ValueGlobal(name), entry.original) then
        Info(InfoSlicepool, 1, name,
             " was replaced by another package and stays");
        continue;
      fi;
      SLICEPOOL.Rebind(name, entry.replacement);
    elif IsIdenticalObj(ValueGlobal(name), entry.replacement) then
      SLICEPOOL.Rebind(name, entry.original);
    fi;
  od;
end);

InstallGlobalFunction(NumSgpsUseSlicepool, function()
  if not IsPackageLoaded("numericalsgps") then
    ErrorNoReturn("the package numericalsgps is not loaded");
  fi;
  SlicepoolUse(true);
end);

InstallGlobalFunction(SlicepoolCalls, function(arg...)
  local calls, name, entry;
  calls := rec();
  for name in RecNames(SLICEPOOL.served) do
    entry        := SLICEPOOL.served.(name);
    calls.(name) := rec(served := entry.served, native := entry.native);
    if arg = [true] then
      entry.served := 0;
      entry.native := 0;
    fi;
  od;
  return calls;
end);
