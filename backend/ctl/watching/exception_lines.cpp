// SPDX-License-Identifier: Apache-2.0
#include "backend/ctl/watching/exception_lines.h"

#include <utility>

#include "backend/ctl/terminal/terminal.h"

namespace divisi::ctl {
namespace {

using control::ExceptionEntry;
using control::Recovery;
using nlohmann::ordered_json;

/// Formats one named part of the text; empty if it has no value.
std::string part(const char* name, const std::string& value) {
    constexpr std::size_t width = 10;
    std::string label = name;
    label.resize(width, ' ');
    return value.empty() ? "" : label + value + "\n";
}

std::string recovery_text(const Recovery& one) {
    return clock_time(one.time) + "  generation " + std::to_string(one.generation) + ", " +
           (one.step > 0 ? "from step " + std::to_string(one.step) : "from the beginning") +
           (one.culprit.value().empty() ? "" : ", " + one.culprit.value()) + ": " + one.reason;
}

}  // namespace

std::vector<std::string> exception_columns() { return {">NUMBER", "TASK", "FAILED", "RECOVERED", "NODE", "ERROR"}; }

std::vector<std::string> exception_row(const ExceptionEntry& entry) {
    return {std::to_string(entry.number),
            entry.task.value(),
            clock_time(entry.time),
            std::to_string(entry.recovered),
            entry.node.value().empty() ? "-" : entry.node.value(),
            entry.error.message()};
}

std::string exception_text(const ExceptionEntry& entry, const std::vector<control::Event>& around) {
    const std::string number = std::to_string(entry.number);
    std::string text = "exception " + number + ": task " + entry.task.value() + " failed at " + clock_time(entry.time) +
                       "\n" + part("what", entry.error.what) + part("where", entry.error.where) +
                       part("", where_text(entry)) + part("next", entry.error.next) +
                       part("tried", recovered_text(entry));
    for (const Recovery& one : entry.tried) text += part("", recovery_text(one));
    const char* label = "log";
    for (const control::Event& event : around)
        text += part(std::exchange(label, ""), clock_time(event.time) + "  " + describe(event.body));
    if (around.empty()) text += part(label, "its lines were dropped");
    return text + part("then", "divisictl exceptions retry " + number + ", or drop " + number + ", or show " + number +
                                   " --text > task.toml, edit it, and resubmit " + number + " task.toml");
}

ordered_json exception_json(const ExceptionEntry& entry) {
    ordered_json line = {{"exception", entry.number},          {"task", entry.task.value()},
                         {"time", clock_time(entry.time)},     {"what", entry.error.what},
                         {"where", entry.error.where},         {"next", entry.error.next},
                         {"instance", entry.instance.value()}, {"node", entry.node.value()},
                         {"operation", entry.operation},       {"step", entry.step},
                         {"generation", entry.generation},     {"recovered", entry.recovered},
                         {"tried", ordered_json::array()}};
    if (!entry.error.id.empty()) line["id"] = entry.error.id;
    for (const Recovery& one : entry.tried)
        line["tried"].push_back({{"time", clock_time(one.time)},
                                 {"generation", one.generation},
                                 {"step", one.step},
                                 {"culprit", one.culprit.value()},
                                 {"reason", one.reason}});
    return line;
}

ordered_json line_json(const control::Event& event) {
    return {{"sequence", event.sequence},
            {"time", clock_time(event.time)},
            {"kind", kind_name(event.body)},
            {"task", task_of(event.body).value()},
            {"text", describe(event.body)}};
}

}  // namespace divisi::ctl
