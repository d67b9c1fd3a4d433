#
# All tests of this folder; those of numericalsgps only where it is.
#
if LoadPackage("numericalsgps", false) = fail then
  Print("#I  numericalsgps is not there: its functions are not tested\n");
fi;
LoadPackage("slicepool", false);

SLICEPOOL.testsLeftOut := [];
if not IsPackageLoaded("numericalsgps") then
  SLICEPOOL.testsLeftOut := ["numericalsgps.tst"];
fi;
TestDirectory(DirectoriesPackageLibrary("slicepool", "tst"),
  rec(exitGAP := true, exclude := SLICEPOOL.testsLeftOut,
      testOptions := rec(compareFunction := "uptowhitespace")));

FORCE_QUIT_GAP(1);
