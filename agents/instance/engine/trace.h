// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <optional>
#include <string>

#include "agents/instance/engine/listener.h"

namespace divisi::instance {

/// Records the time of each operation of a run: one CSV file per instance, in the folder that the environment variable
/// DIVISI_TRACE names. Columns: unit (stage, -1 data), operation, step, micro-batch. Then in nanoseconds: ready,
/// arrived, begin, end (OperationTimes; the clocks of one machine's processes agree), worked, and the CPU time of this
/// thread and of all threads until the end. The last lines are missing if the process does not end normally.
class Trace {
public:
    /// Returns none if the variable is not set or the file cannot be created: a trace must not prevent a run.
    static std::optional<Trace> from_environment(std::string instance);

    void write(const OperationTimes& times);

private:
    explicit Trace(std::ofstream file) : file_(std::move(file)) {}
    std::ofstream file_;
};

}  // namespace divisi::instance
