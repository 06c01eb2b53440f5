// SPDX-License-Identifier: Apache-2.0
#include <SQLiteCpp/SQLiteCpp.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "tests/unit/store/log_events.h"

using namespace divisi;
using namespace divisi::store;
using divisi::tests::Life;

namespace {

constexpr double open_limit_ms = 100;
constexpr int rounds = 5;

double milliseconds(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// Returns the median of several rounds.
double median_ms(const std::function<void()>& work) {
    std::vector<double> times;
    for (int i = 0; i < rounds; ++i) times.push_back(milliseconds(work));
    std::sort(times.begin(), times.end());
    return times[rounds / 2];
}

std::unique_ptr<EventLog> open(const std::filesystem::path& file) {
    auto log = EventLog::open(file, tests::log_codec());
    if (!log) std::exit((std::fprintf(stderr, "%s\n", log.error().message().c_str()), 1));
    return std::move(*log);
}

void must(const Result<void>& result) {
    if (!result) std::exit((std::fprintf(stderr, "%s\n", result.error().message().c_str()), 1));
}

/// Writes `events` events in batches, and a saved state as often as the orchestrator saves one.
void write(const std::filesystem::path& file, std::size_t events, bool saved) {
    auto log = open(file);
    Life life;
    while (life.state().sequence < events) {
        must(log->append(life.next(std::min<std::size_t>(100, events - life.state().sequence))));
        const bool due = log->unsaved() >= control::save_interval && life.state().sequence < events;
        if (saved && due) must(log->save());
    }
}

double open_ms(const std::filesystem::path& file) {
    return median_ms([&] {
        if (!open(file)->restore()) std::exit(1);
    });
}

double rows_ms(const std::filesystem::path& file) {
    return median_ms([&] {
        SQLite::Database database(file.string());
        SQLite::Statement select(database, "SELECT body FROM event ORDER BY sequence");
        std::size_t bytes = 0;
        while (select.executeStep()) bytes += static_cast<std::size_t>(select.getColumn(0).getBytes());
        if (bytes == 0) std::exit(1);
    });
}

/// Returns the milliseconds to append `events` events in commits of `together` events.
double commit_ms(const std::filesystem::path& file, std::size_t events, std::size_t together) {
    auto log = open(file);
    Life life;
    return milliseconds([&] {
        for (std::size_t done = 0; done < events; done += together) must(log->append(life.next(together)));
    });
}

/// Returns events of a thousand waiting tasks of 16 stages.
std::vector<control::Event> busy_events() {
    control::ClusterState state;
    std::vector<control::Event> events;
    for (int i = 0; i < 1000; ++i) {
        const TaskId id = control::next_task_id(state, "gpt");
        control::TaskPlanned planned{id,     1, std::vector<std::string>(15, "/layers/3/add"), 100, 16, "zoo:gpt",
                                     "hash", {}};
        for (int unit = 0; unit < 16 * 3; ++unit) {
            const std::string sid = id.value() + "/stage-" + std::to_string(unit / 3) + "-forward/0";
            planned.units.push_back({Sid(sid), "forward", {}, {Sid(sid), Sid(sid)}, control::UnitState::waiting});
        }
        const control::TaskSubmitted submitted{id, "gpt", std::string(1500, 't'), "/home/me", "", {}, "me", 0};
        for (const control::Event::Body& body : {control::Event::Body(submitted), control::Event::Body(planned)}) {
            events.push_back({state.sequence + 1, {}, body});
            control::apply(state, events.back());
        }
    }
    return events;
}

/// Times of saving a large state: the whole save, and how long the save blocks the loop when it begins and when it
/// appends.
struct Saving {
    double whole = 0, begin = 0, append = 0;
};
Saving save_ms(const std::filesystem::path& file) {
    auto log = open(file);
    const std::vector<control::Event> events = busy_events();
    must(log->append(events));
    must(log->save());
    must(log->finish_saving());
    std::uint64_t sequence = events.size();
    Saving longest;
    longest.whole = median_ms([&] {
        longest.begin = std::max(longest.begin, milliseconds([&] { must(log->save()); }));
        for (int i = 0; i < 20; ++i) {
            const control::Event event{++sequence, {}, control::Noted{}};
            longest.append = std::max(longest.append, milliseconds([&] { must(log->append({&event, 1})); }));
        }
        must(log->finish_saving());
    });
    return longest;
}

}  // namespace

int main(int argc, char** argv) {
    const std::size_t events = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 20'000;
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("divisi-bench-log-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    write(folder / "saved.sqlite", events, true);
    write(folder / "whole.sqlite", events, false);
    const double rows = rows_ms(folder / "saved.sqlite"), saved = open_ms(folder / "saved.sqlite"),
                 whole = open_ms(folder / "whole.sqlite");
    std::printf("%zu events: SQLite reads the rows in %.1f ms\n", events, rows);
    std::printf("opened with the saved state   %8.1f ms, ratio to the rows %5.2f\n", saved, saved / rows);
    std::printf("opened without a saved state  %8.1f ms, ratio to the rows %5.2f\n", whole, whole / rows);
    const double one = commit_ms(folder / "one.sqlite", 1000, 1), ten = commit_ms(folder / "ten.sqlite", 1000, 10);
    std::printf("1000 events in commits of 1   %8.1f ms; of 10: %.1f ms, ratio %.2f\n", one, ten, ten / one);
    const Saving saving = save_ms(folder / "busy.sqlite");
    std::printf(
        "saving 1000 waiting tasks of 16 stages %.1f ms; the loop waits for %.1f ms at its begin, for %.1f ms\n"
        "  at most to append\n",
        saving.whole, saving.begin, saving.append);
    std::filesystem::remove_all(folder);
    if (saved <= open_limit_ms) return 0;
    std::fprintf(stderr, "opening takes more than %.0f ms\n", open_limit_ms);
    return 1;
}
