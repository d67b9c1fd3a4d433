// Files that are compiled into the library (see embed.cmake): the hand-written part of the JSON Schema, the
// chart library and the parts of the report page. The binary needs no data files.
#pragma once

#include <string_view>

namespace slicepool::embedded {

[[nodiscard]] std::string_view schemaCommon();  ///< runtime/app/config/schema_common.json
[[nodiscard]] std::string_view chartScript();   ///< chart.min.js (chart.js 3, MIT)
[[nodiscard]] std::string_view pageTemplate();  ///< runtime/app/report/page/report.html
[[nodiscard]] std::string_view pageStyle();     ///< runtime/app/report/page/report.css
[[nodiscard]] std::string_view pageScript();    ///< runtime/app/report/page/report.js

}  // namespace slicepool::embedded
