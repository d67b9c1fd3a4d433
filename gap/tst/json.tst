#@local text, value
gap> START_TEST("json.tst");

# Values of all kinds.
gap> SLICEPOOL.FromJson("[]");
[  ]
gap> SLICEPOOL.FromJson("[1,[2,-3],[]]");
[ 1, [ 2, -3 ], [  ] ]
gap> SLICEPOOL.FromJson("\"123456789012345678901\"");
123456789012345678901
gap> SLICEPOOL.FromJson("[\"12345678901234567890\",\"x\"]");
[ 12345678901234567890, "x" ]
gap> SLICEPOOL.FromJson("[\"-1180591620717411303424\",\"-\",\"-x\"]");
[ -1180591620717411303424, "-", "-x" ]
gap> value := SLICEPOOL.FromJson(
> "{\"a\":{\"b\":[true,false,null]},\"c\":\"q\\\"\\\\\\n\\u0009\",\"d\":0}");;
gap> value.a.b; value.c; value.d;
[ true, false, fail ]
"q\"\\\n\t"
0
gap> SLICEPOOL.FromJson("1.5e3") = 1500.;
true
gap> SLICEPOOL.FromJson("{}");
rec(  )
gap> SLICEPOOL.FromJson("\"\"");
""

# And back.
gap> SLICEPOOL.ToJson([1, [], "a\"b\\", true, fail, -5, ""]);
"[1,[],\"a\\\"b\\\\\",true,null,-5,\"\"]"
gap> SLICEPOOL.ToJson(rec(a := rec(b := [1 .. 3])));
"{\"a\":{\"b\":[1,2,3]}}"
gap> SLICEPOOL.ToJson("\n");
"\"\\u000a\""
gap> value := rec(a := [1, "x", [true, false, fail]], b := 2 ^ 70);;
gap> SLICEPOOL.FromJson(SLICEPOOL.ToJson(value)) = value;
true
gap> SLICEPOOL.ToJson(1 / 2);
Error, <object> must be made of integers, floats, strings, lists, records and \
booleans
gap> List([1.5, 5., 1.e30, -0.25, 0.], SLICEPOOL.ToJson);
[ "1.5", "5.0", "1.0e+30", "-0.25", "0.0" ]

# Bytes of all widths.
gap> SLICEPOOL.Integers("", 4);
[  ]
gap> text := List([1, 0, 0, 0, 0, 1, 0, 0, 255, 255, 255, 255], CHAR_INT);;
gap> SLICEPOOL.Integers(text, 1);
[ 1, 0, 0, 0, 0, 1, 0, 0, 255, 255, 255, 255 ]
gap> SLICEPOOL.Integers(text, 2);
[ 1, 0, 256, 0, 65535, 65535 ]
gap> SLICEPOOL.Integers(text, 4);
[ 1, 256, 4294967295 ]
gap> SLICEPOOL.Integers(text{[1 .. 8]}, 8);
[ 1099511627777 ]
gap> STOP_TEST("json.tst");
