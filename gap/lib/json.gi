#
# JSON as slicepool reads and writes it. Used by server.gi and run.gi.
#

# Everything of this package that is no part of its manual.
BindGlobal("SLICEPOOL", rec());

# A GAP object as a JSON text: integers, floats, strings, lists, records,
# booleans, fail as null.
SLICEPOOL.ToJson := function(object)
  local text;
  if IsInt(object) then
    return String(object);
  elif IsFloat(object) then
    # GAP writes 5. for what JSON writes 5.0.
    text := ReplacedString(String(object), ".e", ".0e");
    if text[Length(text)] = '.' then
      text := Concatenation(text, "0");
    fi;
    return text;
  elif IsString(object) and (IsStringRep(object) or object <> []) then
    return SLICEPOOL.Quoted(object);
  elif object = true then
    return "true";
  elif object = false then
    return "false";
  elif object = fail then
    return "null";
  elif IsList(object) then
    return Concatenation("[", JoinStringsWithSeparator(
             List(object, SLICEPOOL.ToJson), ","), "]");
  elif IsRecord(object) then
    return Concatenation("{", JoinStringsWithSeparator(
             List(RecNames(object), name -> Concatenation(
               SLICEPOOL.Quoted(name), ":",
               SLICEPOOL.ToJson(object.(name)))), ","), "}");
  fi;
  ErrorNoReturn("<object> must be made of integers, floats, strings, ",
                 "lists, records and booleans");
end;

SLICEPOOL.Quoted := function(string)
  local out, char, code;
  out := "\"";
  for char in string do
    code := INT_CHAR(char);
    if char in "\"\\" then
      Append(out, "\\");
      Add(out, char);
    elif code < 32 then
      Append(out, "\\u00");
      Append(out, LowercaseString(HexStringInt(256 + code){[2, 3]}));
    else
      Add(out, char);
    fi;
  od;
  Add(out, '\"');
  return out;
end;

# Lists of integers go through the reader of GAP, which is faster.
SLICEPOOL.DIGITS := Immutable(Set("0123456789,[]-"));

# A JSON text as a GAP object. Integers beyond 2^53 come as strings of digits:
# those are integers here, as no text of a record is all digits.
SLICEPOOL.FromJson := function(text)
  local at, value, word, list, object;

  word := function()
    local begin;
    begin := at;
    while at <= Length(text) and not text[at] in ",]}" do
      at := at + 1;
    od;
    return text{[begin .. at - 1]};
  end;

  list := function()
    local close, depth, items;
    close := at;
    depth := 0;
    while text[close] in SLICEPOOL.DIGITS do
      if text[close] = '[' then
        depth := depth + 1;
      elif text[close] = ']' then
        depth := depth - 1;
        if depth = 0 then
          items := EvalString(text{[at .. close]});
          at    := close + 1;
          return items;
        fi;
      fi;
      close := close + 1;
    od;
    items := [];
    at    := at + 1;
    while text[at] <> ']' do
      Add(items, value());
      if text[at] = ',' then
        at := at + 1;
      fi;
    od;
    at := at + 1;
    return items;
  end;

  object := function()
    local items, name;
    items := rec();
    at    := at + 1;
    while text[at] <> '}' do
      name := SLICEPOOL.Unquoted(text, at);
      at   := name.next + 1;
      items.(name.string) := value();
      if text[at] = ',' then
        at := at + 1;
      fi;
    od;
    at := at + 1;
    return items;
  end;

  value := function()
    local char, string, digits, number;
    char := text[at];
    if char = '{' then
      return object();
    elif char = '[' then
      return list();
    elif char = '\"' then
      string := SLICEPOOL.Unquoted(text, at);
      at     := string.next;
      string := string.string;
      digits := string;
      if digits <> "" and digits[1] = '-' then
        digits := digits{[2 .. Length(digits)]};
      fi;
      if digits <> "" and ForAll(digits, IsDigitChar) then
        return Int(string);
      fi;
      return string;
    fi;
    string := word();
    if string = "true" then
      return true;
    elif string = "false" then
      return false;
    elif string = "null" then
      return fail;
    fi;
    number := Int(string);
    if number = fail then
      number := Float(string);
    fi;
    return number;
  end;

  at := 1;
  return value();
end;

# The string whose quotation mark stands at <at>, and where it ends.
SLICEPOOL.Unquoted := function(text, at)
  local out, char, close;
  close := Position(text, '\"', at);
  out   := text{[at + 1 .. close - 1]};
  if not '\\' in out then
    return rec(string := out, next := close + 1);
  fi;
  out := "";
  at  := at + 1;
  while text[at] <> '\"' do
    char := text[at];
    if char = '\\' then
      at   := at + 1;
      char := text[at];
      if char = 'n' then
        char := '\n';
      elif char = 't' then
        char := '\t';
      elif char = 'r' then
        char := '\r';
      elif char = 'b' then
        char := '\b';
      elif char = 'f' then
        char := CHAR_INT(12);
      elif char = 'u' then
        # Slicepool escapes control characters only.
        char := CHAR_INT(IntHexString(text{[at + 1 .. at + 4]}) mod 256);
        at   := at + 4;
      fi;
    fi;
    Add(out, char);
    at := at + 1;
  od;
  return rec(string := out, next := at + 1);
end;
