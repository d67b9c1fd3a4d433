ReadPackage("slicepool", "lib/json.gi");
ReadPackage("slicepool", "lib/server.gi");
ReadPackage("slicepool", "lib/run.gi");
ReadPackage("slicepool", "lib/rows.gi");
ReadPackage("slicepool", "lib/use.gi");
ReadPackage("slicepool", "lib/partitions.gi");
SlicepoolUse(true);
