#
# slicepool: factorizations and invariants of numerical semigroups by the
# program slicepool.
#
SetPackageInfo(rec(

PackageName := "slicepool",
Subtitle    := "Factorizations and invariants by the program slicepool",
Version     := "0.1.0",
Date        := "25/11/2026",
License     := "Apache-2.0",

Persons := [
  rec(
    LastName     := "slicepool authors",
    FirstNames   := "The",
    IsAuthor     := true,
    IsMaintainer := true,
    WWWHome      := "https://arxiv.org/abs/2407.20474"),
],

Status := "dev",

# GAP requires addresses, and the package has no site: they all are that of the
# paper whose algorithms list the factorizations (CITATION.cff).
PackageWWWHome := "https://arxiv.org/abs/2407.20474",
README_URL     := ~.PackageWWWHome,
PackageInfoURL := ~.PackageWWWHome,
ArchiveURL     := ~.PackageWWWHome,
ArchiveFormats := ".tar.gz",

AbstractHTML := "Lists of factorizations, lengths, delta sets, catenary and \
tame degrees, omega primality and restricted partitions are computed by the \
program <code>slicepool</code>. Functions of <span class=\"pkgname\">\
numericalsgps</span> and of <span class=\"pkgname\">GAP</span> give the same \
values in the same order, faster.",

PackageDoc := rec(
  BookName         := "slicepool",
  ArchiveURLSubset := ["doc"],
  HTMLStart        := "doc/chap0_mj.html",
  PDFFile          := "doc/manual.pdf",
  SixFile          := "doc/manual.six",
  LongTitle        := "Factorizations and invariants by the program slicepool",
),

Dependencies := rec(
  GAP                    := "4.12",
  NeededOtherPackages    := [["io", "4.8"]],
  # numericalsgps is an extension, see below: users load it where they want it.
  SuggestedOtherPackages := [],
  ExternalConditions     := ["the program slicepool"],
),

AvailabilityTest := function()
  if not (IsBound(GAPInfo.SystemEnvironment.SLICEPOOL)
           and IsExecutableFile(GAPInfo.SystemEnvironment.SLICEPOOL))
      and Filename(DirectoriesSystemPrograms(), "slicepool") = fail then
    LogPackageLoadingMessage(PACKAGE_WARNING,
      ["The program slicepool is not on the PATH; or set the environment",
        "variable SLICEPOOL to where it is."]);
    return fail;
  fi;
  return true;
end,

# GAP 4.12 has no extensions: there SlicepoolUse reads it.
Extensions := [
  rec(needed := [["numericalsgps", "1.3"]],
       filename := "gap/numericalsgps-extension.gi"),
],

TestFile := "tst/testall.g",

Keywords := ["factorization", "numerical semigroup", "catenary degree",
              "restricted partition", "parallel computing"],

AutoDoc := rec(
  TitlePage := rec(
    Copyright := "Licensed under the Apache License, Version 2.0.")),

));
