#
# Makes the manual in doc/. Call: gap makedoc.g, in this folder. Needs AutoDoc;
# the PDF needs LaTeX.
#
if fail = LoadPackage("AutoDoc", "2022.07.10") then
  ErrorNoReturn("AutoDoc is needed, of version 2022.07.10 or later");
fi;

AutoDoc(rec(
  autodoc := rec(files := ["manual.autodoc", "lib/slicepool.gd"]),
  scaffold := rec(bib := false)));
QUIT;
