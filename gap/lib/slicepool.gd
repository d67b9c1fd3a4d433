#! @Chapter Using slicepool

#! @Section Switching it on and off

#! @Arguments flag
#! @Description
#!  With <K>true</K>, functions of &GAP; and of <Package>numericalsgps</Package>
#!  ask the program <C>slicepool</C> where that is faster; chapter
#!  <Ref Chap="Chapter_Functions_that_are_served"/> lists them. Values, their
#!  order and error messages stay the same. Loading the package does this.
#!  With <K>false</K>, the functions are again what they were before: the same
#!  objects.
DeclareGlobalFunction("SlicepoolUse");

#! @Description
#!  <C>SlicepoolUse(true)</C>, under the naming of
#!  <Package>numericalsgps</Package>, which must be loaded.
DeclareGlobalFunction("NumSgpsUseSlicepool");

#! @Section Settings

#! @Description
#!  An integer: &GAP;'s own code runs where fewer factorizations than this are
#!  expected, or fewer than a tenth of it where pairs of them are compared.
#!  <C>0</C>: the program is always asked. The default is 2000.
#!  <Log><![CDATA[
#!  gap> SlicepoolThreshold := 500;;
#!  ]]></Log>
#! @Label
DeclareGlobalName("SlicepoolThreshold");

#! @Description
#!  A record: who computes, as the member <C>engine</C> of a configuration of
#!  <C>slicepool</C> says it, such as <C>mode</C>, <C>threads</C> and
#!  <C>memory_limit</C>.
#!  <Log><![CDATA[
#!  gap> SlicepoolOptions.mode := "gpu";;
#!  gap> SlicepoolOptions.threads := 8;;
#!  ]]></Log>
#! @Label
DeclareGlobalName("SlicepoolOptions");

#! @Description
#!  Level 1: the program is started, again after it ended, or did not answer.
#!  Level 2: every request, and why one was left to &GAP;. The default is 0:
#!  nothing is printed.
DeclareInfoClass("InfoSlicepool");

#! @Section Any run of slicepool

#! @Arguments config
#! @Returns a record
#! @Description
#!  What <C>slicepool run</C> finds for the configuration <A>config</A>: a
#!  record of integers, strings, lists, <K>true</K> and <K>false</K>, as the
#!  file formats of slicepool describe configurations. The components of the
#!  result are those of its records. An error of the program is an error.
#!  <Example><![CDATA[
#!  gap> r := SlicepoolRun(rec(workload := "three_in_line", size := 8));;
#!  gap> r.count; r.total;
#!  57
#!  380
#!  ]]></Example>
DeclareGlobalFunction("SlicepoolRun");

#! @Arguments config
#! @Returns a list of lists of integers
#! @Description
#!  The rows of a run with <C>sink := "rows"</C> and no output, in the order of
#!  slicepool.
#!  <Example><![CDATA[
#!  gap> SlicepoolRows(rec(workload := "factorizations",
#!  >                      generators := [6, 9, 20], element := 60,
#!  >                      sink := "rows"));
#!  [ [ 10, 0, 0 ], [ 7, 2, 0 ], [ 4, 4, 0 ], [ 1, 6, 0 ], [ 0, 0, 3 ] ]
#!  ]]></Example>
DeclareGlobalFunction("SlicepoolRows");

#! @Section The program

#! @Returns a record
#! @Description
#!  Starts the program if it does not run, and says which it is: components
#!  <C>program</C>, <C>version</C>, <C>protocol</C>, <C>workloads</C> and
#!  <C>pid</C>. The program is what the environment variable <C>SLICEPOOL</C>
#!  names, else <C>slicepool</C> on the <C>PATH</C>.
DeclareGlobalFunction("SlicepoolServer");

#! @Description
#!  Ends the program. The next function that needs it starts it again. The end
#!  of &GAP; ends it as well.
DeclareGlobalFunction("SlicepoolStop");

#! @Returns a record
#! @Description
#!  How many calls of each served function went to the program
#!  (<C>served</C>), and how many to &GAP;'s own code (<C>native</C>), since
#!  the package was loaded or <C>SlicepoolCalls(true)</C> was called.
#! @Arguments [reset]
DeclareGlobalFunction("SlicepoolCalls");
