// `slicepool serve --stdio`: runs that another program asks for. docs/serve.md describes what goes over the
// pipes; serve_inbox.hpp reads, this file computes and answers.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>

#include "cpu_workers/core/setup_stop.hpp"
#include "runtime/app/cli/commands.hpp"
#include "runtime/app/cli/failure.hpp"
#include "runtime/app/cli/serve_inbox.hpp"
#include "runtime/app/config/run_config.hpp"
#include "runtime/app/config/workloads.hpp"
#include "runtime/app/report/execute.hpp"
#include "slicepool/build_info.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::cli {
namespace {

using config::Json;

/// Standard input and output belong to the protocol: nothing that a run prints, or reads by the name of a
/// device, meets them.
struct Channel {
  int in = -1;
  int out = -1;

  static Channel take() {
    const Channel channel{fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3), fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)};
    if (channel.in < 0 || channel.out < 0)
      throw ConfigError("--stdio", "a closed standard input or output", "pipes to the program that asks");
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
      throw Error("serve: the system refused a descriptor");
    close(nothing);
    return channel;
  }

  /// False: the reader is gone.
  [[nodiscard]] bool write(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t written = ::write(out, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
  }
};

std::string lineOf(const Json& reply) {
  return reply.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// The line of a reply, and what follows it.
struct Answer {
  Json line;
  std::string text;
  report::Execution execution;  ///< has the rows
  config::RowsInMemory rows;

  [[nodiscard]] std::string_view bytes() const {
    if (rows.data == nullptr) return text;
    return {reinterpret_cast<const char*>(rows.data), rows.bytes()};
  }
};

Json errorRecord(const Failure& failure) {
  return {{"code", failure.exitCode},
          {"field", failure.field.empty() ? Json(nullptr) : Json(failure.field)},
          {"message", failure.text}};
}

std::string dtypeOf(unsigned bytes) { return bytes == 1 ? "|u1" : "<u" + std::to_string(bytes); }

report::Execution execute(const ServeTicket& ticket, const config::RunConfig& config) {
  const auto prepare = [&](const config::RunConfig& timed) {
    auto run = config::requireWorkload(timed.document).prepare(timed, config::Strictness::single);
    if (ticket.line.reply == ServeReply::rows && !run->keepsRows())
      throw ConfigError("reply", "rows with a run of " + timed.workload + " that keeps none in memory",
                        "json or answers, or a run whose results are rows and that has no output");
    return run;
  };
  return report::execute(config, prepare, *ticket.stop);
}

void addResults(const ServeTicket& ticket, const config::RunConfig& config, Answer& answer) {
  const config::WorkloadRun& run = *answer.execution.run;
  Json answers = Json::object();
  run.answers().addTo(answers);
  if (answers.contains("count")) answer.line["count"] = answers["count"];
  if (!run.report().warnings.empty()) answer.line["warnings"] = run.report().warnings;
  if (ticket.line.reply != ServeReply::rows) {
    answer.text = lineOf(ticket.line.reply == ServeReply::answers
                             ? answers
                             : report::makeRecord(config, run, answer.execution.times));
  } else if (run.finished()) {
    answer.rows = run.rows();
    answer.line["dtype"] = dtypeOf(answer.rows.elementBytes);
    answer.line["rows"] = answer.rows.rows;
    answer.line["columns"] = answer.rows.columns;
  }
}

void refuseStandardStreams(const config::RunConfig& config) {
  if (!config.standardOutput.empty())
    throw ConfigError("output." + config.standardOutput, "\"-\"",
                      "the name of a file: standard output belongs to the replies");
  for (const auto& parameter : config::requireWorkload(config.document).parameters)
    if (parameter.namesFile && config.document.value(parameter.member, Json()) == "-")
      throw ConfigError(parameter.member, "\"-\"", "the name of a file: standard input has the requests");
}

void compute(const ServeTicket& ticket, Answer& answer) {
  if (ticket.error) std::rethrow_exception(ticket.error);
  if (ticket.stop->requested()) throw SetupStopped("cancelled before it began");
  const config::RunConfig config = config::parseRunConfig(ticket.line.run, config::Strictness::single, "run");
  refuseStandardStreams(config);
  answer.execution = execute(ticket, config);
  if (answer.execution.run->finished())
    answer.line["status"] = "done";
  else if (ticket.stop->requested())
    answer.line["status"] = "cancelled";
  else
    answer.line["status"] = "stopped";
  addResults(ticket, config, answer);
}

Answer answerTo(const ServeTicket& ticket) {
  const auto empty = [&](const char* status) {
    return Json{{"id", ticket.id ? Json(*ticket.id) : Json(nullptr)},
                {"status", status},
                {"count", nullptr},
                {"dtype", nullptr},
                {"rows", nullptr},
                {"columns", nullptr}};
  };
  Answer answer;
  answer.line = empty("failed");
  Failure failure;
  try {
    compute(ticket, answer);
  } catch (...) {
    failure = failureOf(std::current_exception());
    answer = {};
    // The time limit ends a set-up as well, and is no wish of the other side.
    answer.line = empty(ticket.stop->requested() && !ticket.error ? "cancelled" : "failed");
  }
  answer.line["bytes"] = answer.bytes().size();
  answer.line["error"] = failure.text.empty() ? Json(nullptr) : errorRecord(failure);
  return answer;
}

int serve() {
  blockServeSignals();
  const Channel channel = Channel::take();
  const Json hello = {
      {"slicepool", build::kVersion}, {"protocol", kServeProtocol}, {"workloads", config::workloadNames()}};
  bool heard = channel.write(lineOf(hello));
  ServeInbox inbox(channel.in, channel.out);
  while (heard) {
    const auto ticket = inbox.next();
    if (!ticket) return kDone;
    const Answer answer = answerTo(*ticket);
    inbox.answered();
    heard = channel.write(lineOf(answer.line)) && channel.write(answer.bytes());
  }
  throw Error("serve: the reader of the replies is gone");
}

}  // namespace

Action addServeCommand(CLI::App& app) {
  const auto stdio = std::make_shared<bool>(false);
  app.add_flag("--stdio", *stdio, "requests on standard input, replies on standard output")->required();
  app.footer(
      "docs/serve.md describes requests and replies. The end of input ends the program, SIGINT cancels a "
      "run.\n"
      "Example:\n"
      "  slicepool serve --stdio < requests.jsonl");
  return [stdio] { return serve(); };
}

}  // namespace slicepool::cli
