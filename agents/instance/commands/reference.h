// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace divisi::instance {

struct ReferenceOptions {
    std::string task_file;
    std::vector<std::string> settings;  ///< values of --set, in the form section.key=value
    std::string from;                   ///< ONNX file with the initial weights; empty: the model's own initial weights
    bool json = false;
};

/// Runs a task's training unsplit in this process: one stage and the data unit in one engine, with the executor that
/// instances use. Prints one line per step. Returns the exit status; errors are written to `err`.
int run_reference(const ReferenceOptions& options, std::ostream& out, std::ostream& err);

}  // namespace divisi::instance
