# Finds the workloads: every folder of a room that has the room's entry file. What is found is written into a generated
# source, so that no list of workloads stands anywhere.

set(SLICEPOOL_EXTRA_WORKLOADS "" CACHE PATH
  "A folder with further workloads, in rooms of the same names: runtime/<w>/front.cpp, include/slicepool/<w>/, kernels/<w>/register.cu")

# slicepool_found_folders(<result> <room> <entry> <root>...): names of the folders <root>/<room>/<name>/ that have the file <entry>.
function(slicepool_found_folders result room entry)
  set(names)
  foreach(root IN LISTS ARGN)
    file(GLOB entries CONFIGURE_DEPENDS "${root}/${room}/*/${entry}")
    foreach(path IN LISTS entries)
      cmake_path(GET path PARENT_PATH folder)
      cmake_path(GET folder FILENAME name)
      list(APPEND names ${name})
    endforeach()
  endforeach()
  list(SORT names)
  set(${result} ${names} PARENT_SCOPE)
endfunction()

# slicepool_add_workloads(<target> <root>): compiles the host side of the workloads of another root than the repository into
# <target>. Of slicepool_add_kernels(<target> <root>) it is their kernels.
function(slicepool_add_workloads target root)
  file(GLOB sources CONFIGURE_DEPENDS "${root}/runtime/*/*.cpp")
  list(FILTER sources EXCLUDE REGEX "/front_command\\.cpp$")   # a part of the command
  target_sources(${target} PRIVATE ${sources})
  slicepool_add_instances(${target} "${root}" runtime)
  target_include_directories(${target} PRIVATE "${root}" "${root}/include")
endfunction()
function(slicepool_add_kernels target root)
  file(GLOB sources CONFIGURE_DEPENDS "${root}/kernels/*/*.cu")
  target_sources(${target} PRIVATE ${sources})
  slicepool_add_instances(${target} "${root}" kernels)
  target_include_directories(${target} PRIVATE "${root}" "${root}/include")
endfunction()

# slicepool_list_fronts(<target> <root>...): gives <target> the source that defines config::foundFronts().
function(slicepool_list_fronts target)
  slicepool_found_folders(names runtime front.cpp ${ARGN})
  set(declarations "")
  set(calls "")
  foreach(name IN LISTS names)
    string(APPEND declarations "namespace slicepool::${name} {\nconfig::Front front();\n}\n")
    string(APPEND calls "slicepool::${name}::front(), ")
  endforeach()
  slicepool_write_list(${target} fronts "#include \"runtime/app/config/workloads.hpp\"

${declarations}
namespace slicepool::config {
std::vector<Front> foundFronts() { return {${calls}}; }
}  // namespace slicepool::config
")
endfunction()

# slicepool_list_commands(<target> <root>...): gives <target> the source that defines cli::foundCommands().
function(slicepool_list_commands target)
  slicepool_found_folders(names runtime front_command.cpp ${ARGN})
  set(declarations "")
  set(calls "")
  foreach(name IN LISTS names)
    string(APPEND declarations "namespace slicepool::${name} {\ncli::Subcommand frontCommand();\n}\n")
    string(APPEND calls "slicepool::${name}::frontCommand(), ")
  endforeach()
  slicepool_write_list(${target} commands "#include \"runtime/app/cli/commands.hpp\"

${declarations}
namespace slicepool::cli {
std::vector<Subcommand> foundCommands() { return {${calls}}; }
}  // namespace slicepool::cli
")
endfunction()

# slicepool_list_kernels(<target> <root>...): gives <target> the source that defines cuda::registerFoundKernels().
function(slicepool_list_kernels target)
  slicepool_found_folders(names kernels register.cu ${ARGN})
  set(declarations "")
  set(calls "")
  foreach(name IN LISTS names)
    string(APPEND declarations "namespace ${name} {\nvoid registerKernels();\n}\n")
    string(APPEND calls "  ${name}::registerKernels();\n")
  endforeach()
  slicepool_write_list(${target} kernels "#include \"kernels/core/registration.hpp\"

namespace slicepool::cuda {

${declarations}
void registerFoundKernels() {
${calls}}

}  // namespace slicepool::cuda
")
endfunction()

function(slicepool_write_list target list content)
  set(path "${PROJECT_BINARY_DIR}/generated/${target}_${list}.cpp")
  file(CONFIGURE OUTPUT "${path}" CONTENT "// Written by cmake/SlicepoolRegistration.cmake. Do not edit.\n${content}" @ONLY)
  target_sources(${target} PRIVATE "${path}")
endfunction()
