// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <optional>
#include <string>

#include "agents/instance/engine.h"

namespace divisi::instance {

/// Where the time of a run goes, operation by operation: one CSV file an instance in the folder that the
/// environment variable DIVISI_TRACE names. Columns: unit (stage, -1 data), operation, step, micro-batch, then in
/// nanoseconds ready, arrived, begin, end (OperationTimes; the clocks of one machine's processes agree), worked,
/// and the processor time until the end of this thread and of all threads. The last lines need an orderly end.
class Trace {
public:
    /// Empty when the variable is not set or the file cannot be made: a trace is never worth a run.
    static std::optional<Trace> from_environment(std::string instance);

    void write(const OperationTimes& times);

private:
    explicit Trace(std::ofstream file) : file_(std::move(file)) {}
    std::ofstream file_;
};

}  // namespace divisi::instance
