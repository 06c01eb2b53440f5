// SPDX-License-Identifier: Apache-2.0
#include "backend/ctl/watching/alert_lines.h"

#include "backend/ctl/terminal/terminal.h"

namespace divisi::ctl {
namespace {

std::string exception_advice(std::uint64_t exception) {
    return "it failed: 'divisictl exceptions show " + std::to_string(exception) + "'";
}

}  // namespace

std::vector<std::string> alert_columns() { return {">NUMBER", "STATE", "SINCE", "RULE", "WHAT", "WHAT TO DO"}; }

std::vector<std::string> alert_row(const control::Alert& alert, std::uint64_t exception, TimePoint now) {
    const std::string task = alert.task.value().empty() ? "" : "task " + alert.task.value() + ": ";
    if (!alert.stands())
        return {std::to_string(alert.number), "cleared",         clock_time(alert.cleared),
                to_string(alert.rule),        task + alert.what, "nothing: " + alert.why};
    return {std::to_string(alert.number),
            "raised",
            clock_time(alert.raised) + " (" + age(now, alert.raised) + ")",
            to_string(alert.rule),
            task + alert.what,
            exception == 0 ? alert.next : alert.next + "; " + exception_advice(exception)};
}

nlohmann::ordered_json alert_json(const control::Alert& alert, std::uint64_t exception) {
    nlohmann::ordered_json line = {{"alert", alert.number},
                                   {"state", alert.stands() ? "raised" : "cleared"},
                                   {"rule", to_string(alert.rule)},
                                   {"subject", alert.subject},
                                   {"task", alert.task.value()},
                                   {"node", alert.node.value()},
                                   {"raised", clock_time(alert.raised)},
                                   {"value", alert.value},
                                   {"threshold", alert.bound},
                                   {"what", alert.what},
                                   {"next", alert.next}};
    if (exception != 0) line["exception"] = exception;
    if (!alert.stands()) {
        line["cleared"] = clock_time(alert.cleared);
        line["why"] = alert.why;
    }
    return line;
}

}  // namespace divisi::ctl
