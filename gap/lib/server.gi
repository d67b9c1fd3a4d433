#
# The child: `slicepool serve --stdio`, kept from one call to the next. Started
# at first use, again after it ended, and ended with GAP. docs/serve.md of
# slicepool has the protocol. Used by run.gi.
#
# GAP may leave any function here between two statements: after Ctrl-C a user
# may type `quit;`. So what is known of an unfinished exchange changes by
# single statements, and the next request finishes it first.
#

SLICEPOOL.PROTOCOL := 1;

# The child; fail: there is none. Components: pid, the process that started it
# (owner), the files and their descriptors, what it said of itself (hello), and
# the unfinished exchange (exchange), or fail.
SLICEPOOL.server := fail;
SLICEPOOL.lastId := 0;
SLICEPOOL.whyNot := fail;

# Where the program is, or fail.
SLICEPOOL.Program := function()
  local path;
  if IsBound(GAPInfo.SystemEnvironment.SLICEPOOL) then
    path := GAPInfo.SystemEnvironment.SLICEPOOL;
    if path <> "" and IsExecutableFile(path) then
      return path;
    fi;
  fi;
  return Filename(DirectoriesSystemPrograms(), "slicepool");
end;

# Waits until the child has said something, then reads it behind what is there.
# False: it has ended.
SLICEPOOL.ReadMore := function(server, exchange, count)
  local ready;
  repeat
    # The time bounds how long a Ctrl-C may wait that comes just before.
    ready := IO_select([server.output], [], [], 0, 200000);
  until ready <> fail and ready > 0;
  exchange.got := IO_read(server.output, exchange.buffer,
                           Length(exchange.buffer), count);
  return exchange.got <> fail and exchange.got > 0;
end;

# The line of a reply, and all that follows it. False: the child has ended, or
# is no slicepool.
SLICEPOOL.ReadReply := function(server, exchange)
  local newline, want;
  while exchange.header = fail do
    newline := Position(exchange.buffer, '\n');
    if newline <> fail then
      exchange.start  := newline;
      exchange.header := SLICEPOOL.FromJson(
                           exchange.buffer{[1 .. newline - 1]});
      if not IsRecord(exchange.header) then
        return false;
      fi;
    elif not SLICEPOOL.ReadMore(server, exchange, 4096) then
      return false;
    fi;
  od;
  want := exchange.start;
  if IsBound(exchange.header.bytes) then
    want := want + exchange.header.bytes;
  fi;
  while Length(exchange.buffer) < want do
    if not SLICEPOOL.ReadMore(server, exchange,
                               want - Length(exchange.buffer)) then
      return false;
    fi;
  od;
  return true;
end;

SLICEPOOL.NewExchange := id -> rec(
  id  := id, written := false, buffer := "", start := 0, header := fail,
  got := 0);

# False: the child has ended.
SLICEPOOL.Write := function(server, text)
  local done, count;
  done := 0;
  while done < Length(text) do
    count := IO_write(server.input, text, done, Length(text) - done);
    if count = fail then
      return false;
    fi;
    done := done + count;
  od;
  return true;
end;

SLICEPOOL.Cancel := function(server, exchange)
  SLICEPOOL.Write(server, Concatenation("{\"cancel\":",
                                          String(exchange.id), "}\n"));
end;

# Ends the child, if it is ours: after a fork it is the parent's.
SLICEPOOL.Stop := function()
  local server;
  server           := SLICEPOOL.server;
  SLICEPOOL.server := fail;
  if server = fail or server.owner <> IO_getpid() then
    return;
  fi;
  IO_kill(server.pid, IO.SIGKILL);
  # Closing waits for the end of the process.
  IO_Close(server.files.stdin);
  IO_Close(server.files.stdout);
end;

# The child, which is started where it does not run. Fail: it cannot be, as
# SLICEPOOL.whyNot says.
SLICEPOOL.Server := function()
  local program, files, server, exchange, hello;
  server := SLICEPOOL.server;
  if server <> fail and server.owner = IO_getpid() then
    return server;
  fi;
  program := SLICEPOOL.Program();
  if program = fail then
    SLICEPOOL.whyNot := Concatenation("the program slicepool is not on the ",
      "PATH, and not where the environment variable SLICEPOOL says");
    return fail;
  fi;
  files := IO_Popen2(program, ["serve", "--stdio"]);
  if files = fail then
    SLICEPOOL.whyNot := Concatenation(program, " could not be started");
    return fail;
  fi;
  server := rec(pid := files.pid, owner := IO_getpid(), files := files,
                 input   := IO_GetFD(files.stdin),
                 output  := IO_GetFD(files.stdout),
                 program := program, exchange := fail);
  SLICEPOOL.server := server;
  exchange         := SLICEPOOL.NewExchange(fail);
  server.exchange  := exchange;
  if SLICEPOOL.ReadReply(server, exchange) then
    hello := exchange.header;
  else
    hello := rec();
  fi;
  if not IsBound(hello.protocol)
      or hello.protocol <> SLICEPOOL.PROTOCOL then
    SLICEPOOL.Stop();
    SLICEPOOL.whyNot := Concatenation(program, " does not speak protocol ",
      String(SLICEPOOL.PROTOCOL), " of `slicepool serve --stdio`");
    return fail;
  fi;
  server.hello     := hello;
  SLICEPOOL.whyNot := fail;
  server.exchange  := fail;
  Info(InfoSlicepool, 1, "started ", program, " ", hello.slicepool,
        ", process ", server.pid);
  return server;
end;

# Brings an exchange to its end that was left by `quit;`. False: the child has
# ended, or does not know what it was asked.
SLICEPOOL.Finish := function(server)
  local exchange;
  exchange := server.exchange;
  if exchange = fail then
    return true;
  elif not exchange.written then
    return false;
  fi;
  SLICEPOOL.Cancel(server, exchange);
  if not SLICEPOOL.ReadReply(server, exchange) then
    return false;
  fi;
  server.exchange := fail;
  return true;
end;

# Waits for the reply. A break loop that Ctrl-C opens cancels the request
# first, so that nothing computes while the user thinks.
SLICEPOOL.Await := function(server, exchange)
  local old, hook, answered;
  old  := OnBreak;
  hook := function()
    OnBreak := old;
    SLICEPOOL.Cancel(server, exchange);
    old();
  end;
  OnBreak  := hook;
  answered := SLICEPOOL.ReadReply(server, exchange);
  if IsIdenticalObj(OnBreak, hook) then
    OnBreak := old;
  fi;
  return answered;
end;

# One request: a record with the members of the line of the reply, and
# `content`, what followed it. Fail: the child has ended.
SLICEPOOL.Exchange := function(server, run, reply)
  local exchange, text;
  if not SLICEPOOL.Finish(server) then
    return fail;
  fi;
  SLICEPOOL.lastId := SLICEPOOL.lastId + 1;
  exchange         := SLICEPOOL.NewExchange(SLICEPOOL.lastId);

  text := Concatenation("{\"id\":", String(exchange.id), ",\"reply\":\"",
                         reply, "\",\"run\":", run, "}\n");
  server.exchange := exchange;
  if not SLICEPOOL.Write(server, text) then
    return fail;
  fi;
  exchange.written := true;
  if not SLICEPOOL.Await(server, exchange) then
    return fail;
  fi;
  server.exchange         := fail;
  exchange.header.content := exchange.buffer{[exchange.start + 1 ..
                                               Length(exchange.buffer)]};
  return exchange.header;
end;

# The reply to a configuration, given as JSON. Fail: there is no program that
# would answer, as SLICEPOOL.whyNot says. A child that ends is started again,
# once.
SLICEPOOL.Ask := function(run, reply)
  local attempt, server, answer;
  attempt := 1;
  while attempt <= 2 do
    server := SLICEPOOL.Server();
    if server = fail then
      return fail;
    fi;
    answer := SLICEPOOL.Exchange(server, run, reply);
    if answer = fail then
      SLICEPOOL.Stop();
      Info(InfoSlicepool, 1, "the program ended and is started again");
      attempt := attempt + 1;
    elif answer.status <> "cancelled" then
      return answer;
    else
      # The user went on with `return;`.
      Info(InfoSlicepool, 1, "the request was cancelled and begins again");
    fi;
  od;
  SLICEPOOL.whyNot := "the program slicepool ended twice at one request";
  return fail;
end;

InstallAtExit(SLICEPOOL.Stop);

InstallGlobalFunction(SlicepoolServer, function()
  local server;
  server := SLICEPOOL.Server();
  if server = fail then
    ErrorNoReturn(SLICEPOOL.whyNot);
  fi;
  return rec(program := server.program, version := server.hello.slicepool,
              protocol  := server.hello.protocol,
              workloads := server.hello.workloads, pid := server.pid);
end);

InstallGlobalFunction(SlicepoolStop, function()
  SLICEPOOL.Stop();
end);
