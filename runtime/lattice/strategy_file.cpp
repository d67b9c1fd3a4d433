// See strategy_file.hpp. The file is an array with an object for each block size, from 0 on. Of its members
// `pruning_parameters` is a list of [radius, [coefficients], expectation, metric, [nodes of each level]], of
// which fplll does not take the last.
#include "runtime/lattice/strategy_file.hpp"

#ifdef SLICEPOOL_HAVE_FPLLL

#include <cstddef>
#include <cstdint>
#include <utility>

#include <fmt/format.h>
#include <fplll/fplll.h>
#include <nlohmann/json.hpp>

#include "runtime/io/text_file.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::lattice {
namespace {

/// Takes the events of a parser. False from one of them ends the parse: all is there, or something is wrong.
class StrategyEvents final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit StrategyEvents(int largest) : largest_(static_cast<std::size_t>(largest)) {}

  [[nodiscard]] const std::string& fault() const { return fault_; }
  [[nodiscard]] std::vector<fplll::Strategy> take() { return std::move(all_); }

  bool null() override { return unexpected("null"); }
  bool boolean(bool) override { return unexpected("a truth value"); }
  bool number_integer(number_integer_t value) override { return number(static_cast<double>(value)); }
  bool number_unsigned(number_unsigned_t value) override { return number(static_cast<double>(value)); }
  bool number_float(number_float_t value, const string_t&) override { return number(value); }
  bool binary(binary_t&) override { return unexpected("binary data"); }
  bool string(string_t& value) override {
    if (member_ != Member::pruning || arrays_ != 2 || place_ != kMetric) return unexpected("a text");
    const bool solutions = value == "solutions";
    if (!solutions && value != "probability") return unexpected("\"" + value + "\"");
    pruning().metric =
        solutions ? fplll::PRUNER_METRIC_EXPECTED_SOLUTIONS : fplll::PRUNER_METRIC_PROBABILITY_OF_SHORTEST;
    ++place_;
    return true;
  }
  bool key(string_t& name) override {
    member_ = name == "block_size"                  ? Member::size
              : name == "preprocessing_block_sizes" ? Member::preprocessing
              : name == "pruning_parameters"        ? Member::pruning
                                                    : Member::other;
    return member_ != Member::other || unexpected("\"" + name + "\"");
  }
  bool start_object(std::size_t) override {
    if (!inList_ || inObject_) return unexpected("an object");
    inObject_ = true;
    all_.emplace_back();
    all_.back().block_size = all_.size() - 1;
    return true;
  }
  bool end_object() override {
    inObject_ = false;
    return all_.size() <= largest_;
  }
  bool start_array(std::size_t) override {
    if (!inObject_) {
      if (std::exchange(inList_, true)) return unexpected("an array");
      return true;
    }
    ++arrays_;
    if (member_ == Member::preprocessing && arrays_ == 1) return true;
    if (member_ != Member::pruning || arrays_ > 3) return unexpected("an array");
    if (arrays_ == 2) {
      all_.back().pruning_parameters.emplace_back();
      place_ = 0;
    }
    return arrays_ != 3 || place_ == kCoefficients || place_ == kNodes || unexpected("an array");
  }
  bool end_array() override {
    if (!inObject_) return true;
    if (arrays_ == 2 && place_ <= kMetric) return unexpected("an end");
    if (arrays_ == 3) ++place_;
    --arrays_;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
    fault_ = error.what();
    return false;
  }

 private:
  enum class Member : std::uint8_t { other, size, preprocessing, pruning };
  // Places of a list of pruning parameters.
  static constexpr int kRadius = 0;
  static constexpr int kCoefficients = 1;
  static constexpr int kExpectation = 2;
  static constexpr int kMetric = 3;
  static constexpr int kNodes = 4;

  [[nodiscard]] fplll::PruningParams& pruning() { return all_.back().pruning_parameters.back(); }

  bool number(double value) {
    if (!inObject_) return unexpected("a number");
    if (member_ == Member::size && arrays_ == 0)
      return value == static_cast<double>(all_.back().block_size) || unexpected(fmt::format("{}", value));
    if (member_ == Member::preprocessing && arrays_ == 1) {
      if (!(value >= 0 && value < static_cast<double>(all_.back().block_size)))
        return unexpected(fmt::format("{}", value));
      all_.back().preprocessing_block_sizes.push_back(static_cast<std::size_t>(value));
      return true;
    }
    if (member_ != Member::pruning || arrays_ < 2) return unexpected("a number");
    if (arrays_ == 3) {
      if (place_ == kCoefficients) pruning().coefficients.push_back(value);
      return true;
    }
    if (place_ != kRadius && place_ != kExpectation) return unexpected("a number");
    (place_ == kRadius ? pruning().gh_factor : pruning().expectation) = value;
    ++place_;
    return true;
  }

  bool unexpected(const std::string& what) {
    fault_ = fmt::format("{} is not expected in block size {}", what, all_.empty() ? 0 : all_.size() - 1);
    return false;
  }

  std::size_t largest_;
  std::vector<fplll::Strategy> all_;
  std::string fault_;
  Member member_ = Member::other;
  bool inList_ = false;
  bool inObject_ = false;
  int arrays_ = 0;  ///< that are open, within an object
  int place_ = 0;
};

}  // namespace

std::vector<fplll::Strategy> readStrategyFile(const std::string& path, int largest) {
  constexpr std::size_t kMaximumBytes = std::size_t{256} << 20;
  const std::string text = readTextFile(path, "strategies", "a file that can be read", kMaximumBytes);
  StrategyEvents events(largest);
  (void)nlohmann::json::sax_parse(text, &events, nlohmann::json::input_format_t::json, false);
  if (!events.fault().empty()) throw Error(events.fault());
  return events.take();
}

}  // namespace slicepool::lattice

#endif
