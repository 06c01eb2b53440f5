// SPDX-License-Identifier: Apache-2.0
// divisictl logs: searches the events of a cluster together with the output of its processes.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <deque>
#include <utility>

#include "backend/control/types/log_types.h"
#include "backend/ctl/terminal/commands.h"
#include "backend/ctl/terminal/json_output.h"
#include "backend/ctl/terminal/terminal.h"
#include "backend/ctl/terminal/times.h"
#include "backend/ctl/watching/exception_lines.h"

namespace divisi::ctl {
namespace {

using control::Event;
using control::LogLine;

/// An event or a line of output, in the form in which it is shown.
struct Shown {
    TimePoint time{};
    std::string text;
    nlohmann::ordered_json json;
};

TimePoint wall_clock() {
    return TimePoint(std::chrono::duration_cast<Duration>(std::chrono::system_clock::now().time_since_epoch()));
}

/// Parses "10m" (a time before now), or a time in a form that parse_time() accepts. Returns an empty time for an empty
/// text.
Result<TimePoint> moment(const std::string& text, const char* option) {
    if (text.empty()) return TimePoint{};
    const TimePoint now = wall_clock();
    if (const auto ago = parse_seconds(text)) return now - std::chrono::seconds(*ago);
    if (auto time = parse_time(text, now)) return time;
    return Error{ErrorCode::invalid_input, "'" + text + "' is no time", option,
                 "write 10m (ago) or \"2026-11-22 21:30\""};
}

Result<control::QueryLog> query_of(const LogOptions& options) {
    control::QueryLog query = options.query;
    for (const Severity level : {Severity::debug, Severity::info, Severity::warning, Severity::error})
        if (options.level == to_string(level)) query.level = level;
    DIVISI_ASSIGN(query.since, moment(options.since, "--since"));
    DIVISI_ASSIGN(query.until, moment(options.until, "--until"));
    return query;
}

Shown shown(const Event& event) {
    Shown one{event.time, describe(event.body), line_json(event)};
    one.json["level"] = to_string(severity_of(event.body));
    return one;
}

Shown shown(const LogLine& line) {
    const std::string mark = line.severity >= Severity::warning ? std::string(to_string(line.severity)) + ": " : "";
    return {line.time,
            line.component + ": " + mark + line.text,
            {{"line", line.number},
             {"time", clock_time(line.time)},
             {"kind", "line"},
             {"task", line.task.value()},
             {"sid", line.sid.value()},
             {"node", line.node.value()},
             {"component", line.component},
             {"text", line.text},
             {"level", to_string(line.severity)}}};
}

/// Fetches the newest entries, page by page, up to the query's limit; returns them oldest first. Sets `more` if older
/// entries exist.
template <typename Page, typename Query, typename Take>
Result<std::deque<Shown>> fetch(Session& session, Query query, bool& more, Take take) {
    std::deque<Shown> all;
    bool goes_on = true;
    while (goes_on && query.limit > 0) {
        DIVISI_ASSIGN(const auto page, session.ask<Page>(query));
        goes_on = page.more;
        const auto& [rows, oldest] = take(page);
        if (rows.empty()) return all;
        query.before = oldest;
        query.limit -= static_cast<std::uint32_t>(rows.size());
        for (auto row = rows.rbegin(); row != rows.rend(); ++row) all.push_front(shown(*row));
    }
    more |= goes_on;
    return all;
}

Result<std::deque<Shown>> fetch_events(Session& session, const control::QueryLog& query, bool& more) {
    return fetch<control::LogPage>(session, query, more, [](const control::LogPage& page) {
        return std::pair(page.events, page.events.empty() ? 0 : page.events.front().sequence);
    });
}

Result<std::deque<Shown>> fetch_lines(Session& session, const control::QueryLog& query, bool& more) {
    const control::QueryLines lines{query.task,  query.sid,   query.node,     query.level,
                                    query.since, query.until, query.contains, query.limit};
    return fetch<control::LinesPage>(session, lines, more, [](const control::LinesPage& page) {
        return std::pair(page.lines, page.lines.empty() ? 0 : page.lines.front().number);
    });
}

}  // namespace

int show_logs(const Common& common, const LogOptions& options) {
    const auto query = query_of(options);
    if (!query) return print_error(query.error());
    auto session = open_session(common, control::Role::viewer);
    if (!session) return print_error(session.error());
    bool more = false;
    auto all = fetch_events(**session, *query, more);
    if (!all) return print_error(all.error());
    if (!options.events) {
        auto lines = fetch_lines(**session, *query, more);
        if (!lines) std::fprintf(stderr, "only events: %s\n", lines.error().message().c_str());
        else all->insert(all->end(), lines->begin(), lines->end());
    }
    std::ranges::stable_sort(*all, {}, &Shown::time);
    const std::size_t limit = query->limit;
    for (; all->size() > limit; all->pop_front()) more = true;
    for (const Shown& one : *all) {
        if (common.json) print_json(one.json);
        else std::printf("%s  %s\n", clock_time(one.time).c_str(), one.text.c_str());
    }
    if (more && !common.json) std::puts("(older lines were left out; show more with --limit)");
    return 0;
}

}  // namespace divisi::ctl
