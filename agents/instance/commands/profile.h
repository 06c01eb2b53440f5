// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace divisi::instance {

struct ProfileOptions {
    std::string model;                  ///< the model: zoo:NAME, FILE.onnx or TASK.toml
    std::vector<std::string> settings;  ///< values of --set, in the form section.key=value
    std::string device = "cpu";
    int threads = 1;
    std::string store;   ///< the profile store's file
    bool again = false;  ///< whether to measure operators again that the store already has
    bool json = false;
};

/// Measures each distinct operator of a model once and stores the times under the device's type. The price of any cut
/// is composed of these times. Prints a line for each operator, then the totals; with `json` one object per line.
/// Returns the exit status; errors are written to `err`.
int run_profile(const ProfileOptions& options, std::ostream& out, std::ostream& err);

}  // namespace divisi::instance
