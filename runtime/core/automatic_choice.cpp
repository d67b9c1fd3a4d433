// See automatic_choice.hpp.
#include "runtime/core/automatic_choice.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "runtime/core/joining_devices.hpp"
#include "slicepool/core/devices.hpp"

namespace slicepool {
namespace {

constexpr const char* kEndedEarly = "the search ended before it was seen to be long";

}  // namespace

AutomaticChoice withoutDevices(std::string reason) {
  AutomaticChoice choice;
  choice.reason = std::move(reason);
  return choice;
}

AutomaticChoice withoutGpus(const std::string& whyNone) {
  return withoutDevices("there is no usable GPU: " + whyNone);
}

// With a provider the driver would have to be asked, which takes its start.
AutomaticChoice withoutGpus() {
  return withoutGpus(builtWithCuda() ? "this process sees none" : knownGpus().whyNone);
}

AutomaticChoice withReadyDevices() {
  AutomaticChoice choice = withoutDevices("the GPUs were ready");
  choice.devices = true;
  return choice;
}

double SearchLook::secondsLeft() const {
  return stepsPerSecond > 0 ? stepsLeft / stepsPerSecond : std::numeric_limits<double>::quiet_NaN();
}

AutomaticChoice choiceAfter(const std::optional<SearchLook>& look, bool asked, Mode mode) {
  if (!look) return withoutDevices(kEndedEarly);
  AutomaticChoice choice;
  choice.devices = asked;
  if (asked) choice.askedSeconds = look->seconds;
  if (look->stepsPerSecond > 0) choice.stepsPerSecond = look->stepsPerSecond;
  if (!std::isnan(look->stepsLeft)) choice.stepsLeft = look->stepsLeft;
  const double left = look->secondsLeft();
  if (!std::isnan(left)) choice.secondsLeft = left;
  constexpr double kLate = 1e9;  // seconds: as if only what is left counted
  if (asked && std::isnan(left))
    choice.reason =
        fmt::format("the search had taken {:.3f} s, and how much was left was unknown", look->seconds);
  else if (asked)
    choice.reason = fmt::format("the rate of the CPU workers left {:.3g} s of work", left);
  else if (std::isnan(left) || worthStartingGpus(mode, kLate, left))
    choice.reason = kEndedEarly;
  else
    choice.reason = fmt::format(
        "the rate of the CPU workers left {:.3g} s of work at last, too little for the start of a GPU", left);
  return choice;
}

AutomaticChoice alreadyAsked(double seconds) {
  AutomaticChoice choice = withoutDevices("the process had asked for them before");
  choice.devices = true;
  choice.askedSeconds = seconds;
  return choice;
}

AutomaticChoice askedAfterEarlierRuns(double seconds, double earlier) {
  AutomaticChoice choice =
      withoutDevices(fmt::format("earlier searches of the session had taken {:.3g} s without GPUs", earlier));
  choice.devices = true;
  choice.askedSeconds = seconds;
  return choice;
}

void addChoice(std::optional<AutomaticChoice>& into, const std::optional<AutomaticChoice>& part,
               double before) {
  if (!part || (into && into->devices)) return;
  into = part;
  if (into->askedSeconds) *into->askedSeconds += before;
}

}  // namespace slicepool
