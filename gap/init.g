ReadPackage("slicepool", "lib/slicepool.gd");
