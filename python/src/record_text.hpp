// The record of a run as JSON text, in pieces that Python reads one after another. Made by RunJob.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/app/config/json.hpp"

namespace slicepool::python {

/// Lists of more than some thousand entries are empty in the head and come in pieces: a text of a gigabyte
/// would be read at once, without a look for signals.
class RecordText {
 public:
  /// Calls checkSetup() between two pieces.
  explicit RecordText(config::Json record);
  [[nodiscard]] const std::string& head() const { return head_; }
  /// For each piece the member that it belongs to. Pieces of a member are in its order.
  [[nodiscard]] const std::vector<std::string>& members() const { return members_; }
  /// A list of entries.
  [[nodiscard]] const std::string& piece(std::size_t i) const { return pieces_.at(i); }

 private:
  std::string head_;
  std::vector<std::string> members_;
  std::vector<std::string> pieces_;
};

}  // namespace slicepool::python
