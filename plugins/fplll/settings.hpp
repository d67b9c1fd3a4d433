// Settings of the plug-in: names, defaults, environment. Called by plugin.cpp.
#pragma once

#include <string>

#include "slicepool/core/options.hpp"

namespace slicepool::fplll_plugin {

struct Settings {
  int minDimension = 36;
  double minNodes = 1e4;
  double engineNodes = 2e7;
  int threads = 0;
  Mode mode = Mode::automatic;
  int dual = 0;  ///< 1: dual blocks too
};

/// Those in force, by value: a call sees one state of them.
[[nodiscard]] Settings currentSettings();
/// Whether the name is known and the value accepted.
bool changeSetting(const std::string& name, const std::string& value);

}  // namespace slicepool::fplll_plugin
