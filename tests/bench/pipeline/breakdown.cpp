// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/pipeline/breakdown.h"

#include <QFile>
#include <QStringList>
#include <algorithm>
#include <tuple>

namespace divisi::bench {
namespace {

constexpr double ns_per_ms = 1e6;

/// (kind, unit, step, micro-batch) -> end time.
using Ends = std::map<std::tuple<std::string, int, std::int64_t, std::int64_t>, std::int64_t>;

/// Intervals of the data unit's work on a stage's thread, ascending.
using Stretches = std::vector<std::pair<std::int64_t, std::int64_t>>;

double overlap(const Stretches& stretches, std::int64_t from, std::int64_t to) {
    std::int64_t sum = 0;
    for (const auto& [begin, end] : stretches)
        sum += std::max<std::int64_t>(0, std::min(end, to) - std::max(begin, from));
    return static_cast<double>(sum);
}

/// Returns the time at which the last input from another unit was produced; 0 if the operation needs no such input.
std::int64_t made_at(const Ends& ends, const Operation& operation) {
    const auto end = [&](const char* kind, int unit) {
        const auto found = ends.find({kind, unit, operation.step, operation.microbatch});
        return found == ends.end() ? 0 : found->second;
    };
    if (operation.kind == "forward") return std::max(end("forward", operation.unit - 1), end("preprocess", -1));
    if (operation.kind == "backward") return end("backward", operation.unit + 1);
    return 0;
}

/// Position of an operation in its stage's step.
struct Place {
    bool forward_seen = false, backward_seen = false;
    std::int64_t forwards_left = 0;

    /// Returns whether waiting for the operation counts as filling or draining the pipeline: it is the first forward,
    /// the first backward, or a backward after all forwards.
    bool at_an_end(const Operation& operation) const {
        if (operation.kind == "forward") return !forward_seen;
        return !backward_seen || forwards_left == 0;
    }
    void pass(const Operation& operation) {
        if (operation.kind == "forward") forward_seen = true, --forwards_left;
        if (operation.kind == "backward") backward_seen = true;
    }
};

void add_wait(Shares& shares, const Operation& operation, const Place& place, std::int64_t made,
              const Stretches& data) {
    const auto idle_until = std::clamp(made, operation.ready, operation.begin);
    const auto wire_until = std::clamp(operation.arrived, idle_until, operation.begin);
    const auto part = [&](double& share, std::int64_t from, std::int64_t to) {
        const double loading = overlap(data, from, to);
        share += (static_cast<double>(to - from) - loading) / ns_per_ms;
        shares.data += loading / ns_per_ms;
    };
    part(place.at_an_end(operation) ? shares.fill_drain : shares.idle, operation.ready, idle_until);
    part(shares.wire, idle_until, wire_until);
    part(shares.dispatch, wire_until, operation.begin);
}

void add_work(Shares& shares, const Operation& operation, std::int64_t cpu) {
    const std::int64_t wall = operation.end - operation.begin;
    const auto off = std::clamp<std::int64_t>(wall - cpu, 0, operation.worked);
    shares.off_core += static_cast<double>(off) / ns_per_ms;
    shares.compute += static_cast<double>(operation.worked - off) / ns_per_ms;
    shares.dispatch += static_cast<double>(wall - operation.worked) / ns_per_ms;
}

Shares break_down_stage(int stage, const Trace& trace, const Ends& ends, std::int64_t first) {
    Stretches data;
    std::map<std::int64_t, std::int64_t> forwards;
    for (const Operation& operation : trace) {
        if (operation.unit == -1) data.emplace_back(operation.end - operation.worked, operation.end);
        else if (operation.kind == "forward") ++forwards[operation.step];
    }
    Shares shares;
    Place place;
    std::int64_t step = 0;
    const Operation* before = nullptr;
    for (const Operation& operation : trace) {
        const Operation* previous = std::exchange(before, &operation);
        const bool counts = operation.step > first && previous;
        const std::int64_t cpu = counts ? operation.thread_cpu - previous->thread_cpu : 0;
        if (counts)
            shares.sockets += static_cast<double>(operation.process_cpu - previous->process_cpu - cpu) / ns_per_ms;
        if (operation.unit != stage) continue;
        if (operation.step != step) place = {false, false, forwards[step = operation.step]};
        if (counts) {
            add_wait(shares, operation, place, made_at(ends, operation), data);
            add_work(shares, operation, cpu);
            shares.step += static_cast<double>(operation.end - operation.ready) / ns_per_ms;
        }
        place.pass(operation);
    }
    return shares;
}

}  // namespace

Trace read_trace(const QString& path) {
    QFile file(path);
    Trace trace;
    if (!file.open(QIODevice::ReadOnly)) return trace;
    file.readLine();
    while (!file.atEnd()) {
        const QStringList words = QString(file.readLine()).trimmed().split(',');
        if (words.size() != 11) return {};
        const auto number = [&](int column) { return words[column].toLongLong(); };
        trace.push_back({words[0].toInt(), words[1].toStdString(), number(2), number(3), number(4), number(5),
                         number(6), number(7), number(8), number(9), number(10)});
    }
    return trace;
}

Shares& Shares::operator+=(const Shares& other) {
    compute += other.compute;
    off_core += other.off_core;
    dispatch += other.dispatch;
    wire += other.wire;
    fill_drain += other.fill_drain;
    idle += other.idle;
    data += other.data;
    step += other.step;
    sockets += other.sockets;
    return *this;
}

Shares Shares::over(double count) const {
    return {compute / count, off_core / count, dispatch / count, wire / count,   fill_drain / count,
            idle / count,    data / count,     step / count,     sockets / count};
}

std::vector<Shares> break_down(const std::vector<Trace>& traces, std::int64_t first) {
    Ends ends;
    for (const Trace& trace : traces)
        for (const Operation& one : trace) ends[{one.kind, one.unit, one.step, one.microbatch}] = one.end;
    std::vector<Shares> shares;
    for (std::size_t stage = 0; stage < traces.size(); ++stage)
        shares.push_back(break_down_stage(static_cast<int>(stage), traces[stage], ends, first));
    return shares;
}

}  // namespace divisi::bench
