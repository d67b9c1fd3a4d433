#
# Runs of slicepool, and what becomes of their replies. Used by rows.gi, by the
# extension for numericalsgps and by users.
#

# Members of "engine" of every run.
if not IsBoundGlobal("SlicepoolOptions") then
  BindGlobal("SlicepoolOptions", rec());
  MakeReadWriteGlobal("SlicepoolOptions");
fi;
if not IsBoundGlobal("SlicepoolThreshold") then
  BindGlobal("SlicepoolThreshold", 2000);
  MakeReadWriteGlobal("SlicepoolThreshold");
fi;

# A configuration as JSON. `members`: texts of its members, without the engine.
SLICEPOOL.Config := function(members)
  if Length(RecNames(SlicepoolOptions)) > 0 then
    members := Concatenation(members, ",\"engine\":",
                              SLICEPOOL.ToJson(SlicepoolOptions));
  fi;
  return Concatenation("{", members, "}");
end;

SLICEPOOL.IntegersToJson := list -> Concatenation("[",
  JoinStringsWithSeparator(List(list, String), ","), "]");

# What a served function asks. Fail: GAP's own code is to run, which knows best
# what is wrong with arguments, and may have the memory that was refused.
SLICEPOOL.AskQuietly := function(config, reply)
  local answer;
  answer := SLICEPOOL.Ask(config, reply);
  if answer = fail then
    # One that does not start is not tried at every call.
    Info(InfoWarning, 1, "slicepool: ", SLICEPOOL.whyNot, "; GAP's own code ",
         "runs, until SlicepoolUse(true)");
    SlicepoolUse(false);
    return fail;
  elif answer.status = "stopped" then
    Info(InfoWarning, 1, "slicepool: stopped by a limit in SlicepoolOptions; ",
         "GAP's own code runs");
    return fail;
  elif answer.status <> "done" then
    Info(InfoSlicepool, 2, "left to GAP: ", answer.error.message);
    if answer.error.code <> 2 then
      Info(InfoWarning, 1, "slicepool: ", answer.error.message,
           "; GAP's own code runs");
    fi;
    return fail;
  fi;
  Info(InfoSlicepool, 2, "answered ", config, ": ", answer.count);
  return answer;
end;

# Unsigned integers of <width> bytes, the lowest first.
SLICEPOOL.Integers := function(bytes, width)
  local codes, values, i;
  codes := INTLIST_STRING(bytes, 1);
  if width = 1 or codes = [] then
    return codes;
  fi;
  values := codes{[width, 2 * width .. Length(codes)]};
  for i in [width - 1, width - 2 .. 1] do
    values := 256 * values + codes{[i, i + width ..
                                     Length(codes) - width + i]};
  od;
  return values;
end;

# All coordinates of a reply with rows, one row after the other.
SLICEPOOL.Flat := function(answer)
  if answer.rows = 0 then
    return [];
  fi;
  return SLICEPOOL.Integers(answer.content, answer.bytes /
                             (answer.rows * answer.columns));
end;

# What a run of a user asks: errors are errors.
SLICEPOOL.AskLoudly := function(config, reply)
  local answer;
  if not IsRecord(config) then
    ErrorNoReturn("<config> must be a record");
  fi;
  config := ShallowCopy(config);
  if Length(RecNames(SlicepoolOptions)) > 0
      and not IsBound(config.engine) then
    config.engine := SlicepoolOptions;
  fi;
  answer := SLICEPOOL.Ask(SLICEPOOL.ToJson(config), reply);
  if answer = fail then
    ErrorNoReturn(SLICEPOOL.whyNot);
  elif answer.error <> fail then
    ErrorNoReturn(answer.error.message);
  fi;
  return answer;
end;

InstallGlobalFunction(SlicepoolRun, config ->
  SLICEPOOL.FromJson(SLICEPOOL.AskLoudly(config, "json").content));

InstallGlobalFunction(SlicepoolRows, function(config)
  local answer, flat;
  answer := SLICEPOOL.AskLoudly(config, "rows");
  flat   := SLICEPOOL.Flat(answer);
  return List([0 .. answer.rows - 1], i -> flat{[i * answer.columns + 1 ..
                                              (i + 1) * answer.columns]});
end);
