# Several translation units from one source text: for several instruction sets, or for parts of a list of template
# instances, which then compile side by side. The file instances.cmake of a folder says which. A unit is a generated file,
# generated/instances/<room>/<workload>/<text>_<unit>.cpp in the build folder (.cu where the text is a .cuh). It defines one
# macro and includes the text, which names instances.cmake in its first lines.

# slicepool_add_instances(<target> <root> <room>): gives <target> the units of every <root>/<room>/*/instances.cmake, which
# calls it ${target}.
function(slicepool_add_instances target root room)
  file(GLOB lists CONFIGURE_DEPENDS "${root}/${room}/*/instances.cmake")
  foreach(list IN LISTS lists)
    include("${list}")
  endforeach()
endfunction()

# slicepool_instances(<target> <text> [<unit> <instances>]...): the text defines what X means and ends with
# SLICEPOOL_INSTANCES, which is the <instances> of a unit, some C++ such as "X(16) X(32)".
function(slicepool_instances target text)
  while(ARGN)
    list(POP_FRONT ARGN unit instances)
    slicepool_add_unit(${target} ${text} ${unit} "SLICEPOOL_INSTANCES ${instances}" "")
  endwhile()
endfunction()

# slicepool_simd_variants(<target> <text> [<variant> <compile options>]...): the text has its code in the namespace
# SLICEPOOL_KERNEL_NAMESPACE, which is the <variant>. Only `portable` exists on processors other than x86-64.
function(slicepool_simd_variants target text)
  while(ARGN)
    list(POP_FRONT ARGN variant options)
    if(variant STREQUAL "portable" OR CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
      slicepool_add_unit(${target} ${text} ${variant} "SLICEPOOL_KERNEL_NAMESPACE ${variant}" "${options}")
    endif()
  endwhile()
endfunction()

function(slicepool_add_unit target text unit definition options)
  cmake_path(GET CMAKE_CURRENT_LIST_DIR FILENAME workload)
  cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH room)
  cmake_path(GET room FILENAME room)
  cmake_path(GET text STEM stem)
  set(extension cpp)
  if(text MATCHES "\\.cuh$")
    set(extension cu)
  endif()
  set(path "${PROJECT_BINARY_DIR}/generated/instances/${room}/${workload}/${stem}_${unit}.${extension}")
  file(CONFIGURE OUTPUT "${path}" @ONLY CONTENT
"// Written by cmake/SlicepoolInstances.cmake, as ${room}/${workload}/instances.cmake says. Do not edit: the text is what it includes.
#define ${definition}
#include \"${room}/${workload}/${text}\"
")
  target_sources(${target} PRIVATE "${path}")
  separate_arguments(options)
  set_source_files_properties("${path}" PROPERTIES COMPILE_OPTIONS "${options}")
endfunction()
