// SPDX-License-Identifier: Apache-2.0
// divisictl incidents: lists the faults of tasks, and how the tasks recovered.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "backend/control/state/incidents.h"
#include "backend/ctl/terminal/commands.h"
#include "backend/ctl/terminal/json_output.h"
#include "backend/ctl/terminal/terminal.h"

namespace divisi::ctl {
namespace {

using control::Incident;
using nlohmann::ordered_json;

/// Limit of events in one answer; a page of the log may be full earlier if its events are long.
constexpr std::uint32_t most_asked = 1000;

/// Reads the whole log, page by page. The log of one task is not enough, because faults of nodes belong to no task.
Result<control::Incidents> fetch_incidents(Session& session) {
    control::Incidents incidents;
    control::QueryLog query;
    query.oldest = true;
    query.limit = most_asked;
    for (bool more = true; more;) {
        DIVISI_ASSIGN(const control::LogPage page, session.ask<control::LogPage>(query));
        for (const control::Event& event : page.events) incidents.take(event);
        more = page.more && !page.events.empty();
        if (more) query.after = page.events.back().sequence;
    }
    return incidents;
}

/// Returns the seconds from the fault to `then`; none if `then` has not happened, or if the clock was set back.
std::optional<double> seconds_after(const Incident& incident, TimePoint then) {
    if (then == TimePoint{} || then < incident.fault_time) return std::nullopt;
    return to_ms(then - incident.fault_time) / 1e3;
}

std::string after(const Incident& incident, TimePoint then) {
    const auto seconds = seconds_after(incident, then);
    if (!seconds) return "-";
    char text[40];
    std::snprintf(text, sizeof text, "%.3f s", *seconds);
    return text;
}

std::string whose(const Incident& incident) {
    if (!incident.culprit.value().empty()) return incident.culprit.value();
    return incident.node.value().empty() ? "-" : incident.node.value();
}

std::string replayed(const Incident& incident) {
    const auto steps = incident.replayed();
    return steps ? std::to_string(*steps) : "-";
}

/// Returns the beginning of the error. An error may contain the last lines of a process; --json prints whole errors.
std::string in_short(const std::string& fault) {
    constexpr std::size_t most = 60;
    if (fault.size() <= most) return fault;
    std::size_t end = most;
    while (end > 0 && (static_cast<unsigned char>(fault[end]) & 0xC0) == 0x80) --end;  // cut between UTF-8 characters
    return fault.substr(0, end) + "...";
}

/// Describes how the cluster answered the fault: the step after which training continues, and the outcome.
std::string answer(const Incident& incident) {
    std::string text = to_string(incident.answer);
    if (incident.answer == control::IncidentAnswer::recovers)
        text += (incident.from_step > 0 ? " after step " + std::to_string(incident.from_step) : " from the beginning") +
                ", generation " + std::to_string(incident.generation);
    return text + (incident.outcome.empty() ? "" : ": " + incident.outcome) + (incident.open ? " ..." : "");
}

void print_incident(const Incident& incident) {
    const auto time = [](TimePoint when) {
        return when == TimePoint{} ? ordered_json() : ordered_json(clock_time(when));
    };
    const auto offset = [&](TimePoint when) {
        const auto seconds = seconds_after(incident, when);
        return seconds ? ordered_json(*seconds) : ordered_json();
    };
    const auto steps = incident.replayed();
    print_json({{"task", incident.task.value()},
                {"instance", incident.culprit.value()},
                {"node", incident.node.value()},
                {"fault", incident.fault},
                {"time", time(incident.fault_time)},
                {"detected_after_s", offset(incident.detected)},
                {"decided_after_s", offset(incident.decided)},
                {"restored_after_s", offset(incident.restored)},
                {"resumed_after_s", offset(incident.resumed)},
                {"caught_up_after_s", offset(incident.caught_up)},
                {"answer", to_string(incident.answer)},
                {"generation", incident.generation},
                {"from_step", incident.from_step},
                {"last_step", incident.last_step ? ordered_json(*incident.last_step) : ordered_json()},
                {"replayed", steps ? ordered_json(*steps) : ordered_json()},
                {"outcome", incident.outcome},
                {"open", incident.open}});
}

void print_incidents(const std::vector<const Incident*>& incidents) {
    std::vector<std::vector<std::string>> rows;
    for (const Incident* one : incidents)
        rows.push_back({clock_time(one->fault_time), one->task.value(), in_short(one->fault), whose(*one),
                        after(*one, one->detected), after(*one, one->decided), after(*one, one->restored),
                        after(*one, one->resumed), replayed(*one), answer(*one)});
    print_table({"WHEN", "TASK", "WHAT", "WHOSE", ">DETECTED", ">DECIDED", ">RESTORED", ">RESUMED", ">AGAIN", "ANSWER"},
                rows);
    std::puts("(times are counted from the fault; AGAIN: repeated steps)");
}

}  // namespace

int list_incidents(const Common& common, const std::string& task) {
    auto session = open_session(common, control::Role::viewer);
    if (!session) return print_error(session.error());
    const auto incidents = fetch_incidents(**session);
    if (!incidents) return print_error(incidents.error());
    std::vector<const Incident*> wanted;
    for (const Incident& one : incidents->all())
        if (task.empty() || one.task.value() == task) wanted.push_back(&one);
    if (common.json) {
        for (const Incident* one : wanted) print_incident(*one);
        return 0;
    }
    if (!wanted.empty()) print_incidents(wanted);
    else if (task.empty()) std::puts("no incidents: no task has had a fault");
    else std::printf("no incidents of %s: it has had no fault, or there is no such task\n", task.c_str());
    return 0;
}

}  // namespace divisi::ctl
