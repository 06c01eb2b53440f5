// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace divisi::bench {

/// A line of an instance's trace (agents/instance/trace.h): times in nanoseconds.
struct Operation {
    int unit = 0;  ///< stage, -1: data
    std::string kind;
    std::int64_t step = 0, microbatch = 0;
    std::int64_t ready = 0, arrived = 0, begin = 0, end = 0, worked = 0, thread_cpu = 0, process_cpu = 0;
};
using Trace = std::vector<Operation>;
/// Empty when the file is missing or is no trace.
Trace read_trace(const QString& file);

/// Where a step of one stage goes, in milliseconds. All but `sockets` add up to the step.
struct Shares {
    double compute = 0;     ///< the executor's work, on a core
    double off_core = 0;    ///< the same, while other threads had the core
    double dispatch = 0;    ///< interpreter, mailbox, waking up
    double wire = 0;        ///< from the end of what made an input to its arrival, while nothing else could run
    double fill_drain = 0;  ///< waiting for a peer's work at the ends of a step: the pipeline's bubble
    double idle = 0;        ///< waiting for a peer's work in between
    double data = 0;        ///< the data unit on the same thread
    double step = 0;
    double sockets = 0;  ///< processor time of the other threads (sockets, frames, checksums), beside the step

    double sum() const { return compute + off_core + dispatch + wire + fill_drain + idle + data; }
    Shares& operator+=(const Shares& other);
    Shares over(double count) const;
};

/// Sums over the steps after `first` of a chain of stages: a stage's forward needs the one before it and the
/// data, its backward the one behind it. `traces` holds one trace a stage.
std::vector<Shares> break_down(const std::vector<Trace>& traces, std::int64_t first);

}  // namespace divisi::bench
