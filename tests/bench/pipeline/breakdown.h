// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace divisi::bench {

/// One line of an instance's trace (agents/instance/engine/trace.h), with times in nanoseconds.
struct Operation {
    int unit = 0;  ///< stage, -1: data
    std::string kind;
    std::int64_t step = 0, microbatch = 0;
    std::int64_t ready = 0, arrived = 0, begin = 0, end = 0, worked = 0, thread_cpu = 0, process_cpu = 0;
};
using Trace = std::vector<Operation>;
/// Returns an empty trace if the file is missing or is not a trace.
Trace read_trace(const QString& file);

/// Breaks down the time of a step of one stage, in milliseconds. All fields but `sockets` add up to the step.
struct Shares {
    double compute = 0;     ///< the executor's work, on a core
    double off_core = 0;    ///< time of the executor's work while other threads had the core
    double dispatch = 0;    ///< time in the interpreter and the mailbox, and until the thread wakes up
    double wire = 0;        ///< from the end of an input's computation to its arrival, while nothing else could run
    double fill_drain = 0;  ///< waiting for a peer's work at the ends of a step: the pipeline's bubble
    double idle = 0;        ///< waiting for a peer's work in the middle of a step
    double data = 0;        ///< work of the data unit on the same thread
    double step = 0;
    double sockets = 0;  ///< CPU time of the other threads (sockets, frames, checksums), not part of the step

    double sum() const { return compute + off_core + dispatch + wire + fill_drain + idle + data; }
    Shares& operator+=(const Shares& other);
    Shares over(double count) const;
};

/// Sums the shares over the steps after `first` of a chain of stages. A stage's forward needs the previous stage and
/// the data; its backward needs the next stage. `traces` holds one trace per stage.
std::vector<Shares> break_down(const std::vector<Trace>& traces, std::int64_t first);

}  // namespace divisi::bench
