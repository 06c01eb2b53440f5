// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace divisi::instance {

struct ReferenceOptions {
    std::string task_file;
    std::vector<std::string> settings;  ///< --set section.key=value
    std::string from;                   ///< ONNX file with the weights to begin with; empty: the model's first
    bool json = false;
};

/// The same training, unsplit, in this process: one stage and the data unit in one engine, the same executor.
/// Prints one line a step. Returns the exit status; errors go to `err`.
int run_reference(const ReferenceOptions& options, std::ostream& out, std::ostream& err);

}  // namespace divisi::instance
