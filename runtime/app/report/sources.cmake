# Included by runtime/CMakeLists.txt after slicepool_app exists: adds C++ files that embed the schema, the
# report page and the chart library.
set(slicepool_report_dir "${CMAKE_CURRENT_LIST_DIR}")
set(slicepool_generated_dir "${PROJECT_BINARY_DIR}/generated")
file(MAKE_DIRECTORY "${slicepool_generated_dir}")

find_file(SLICEPOOL_CHART_JS NAMES chart.min.js
          PATHS /usr/share/javascript/chart.js /usr/share/nodejs/chart.js/dist
          DOC "chart.js 3, minified; it is inlined into sweep reports")
if(NOT SLICEPOOL_CHART_JS)
  message(FATAL_ERROR "chart.min.js (chart.js 3) was not found. Install libjs-chart.js or set SLICEPOOL_CHART_JS.")
endif()

set(SLICEPOOL_REPORT_GENERATED_SOURCES)
function(slicepool_embed input function)
  set(output "${slicepool_generated_dir}/embedded_${function}.cpp")
  add_custom_command(
    OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" "-DINPUT=${input}" "-DOUTPUT=${output}" "-DFUNCTION=${function}"
            -P "${slicepool_report_dir}/embed.cmake"
    DEPENDS "${input}" "${slicepool_report_dir}/embed.cmake"
    COMMENT "Embedding ${function}"
    VERBATIM)
  set(SLICEPOOL_REPORT_GENERATED_SOURCES ${SLICEPOOL_REPORT_GENERATED_SOURCES} "${output}" PARENT_SCOPE)
endfunction()

slicepool_embed("${slicepool_report_dir}/../config/schema_common.json" schemaCommon)
slicepool_embed("${SLICEPOOL_CHART_JS}" chartScript)
slicepool_embed("${slicepool_report_dir}/page/report.html" pageTemplate)
slicepool_embed("${slicepool_report_dir}/page/report.css" pageStyle)
slicepool_embed("${slicepool_report_dir}/page/report.js" pageScript)

target_sources(slicepool_app PRIVATE ${SLICEPOOL_REPORT_GENERATED_SOURCES})
