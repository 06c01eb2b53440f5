// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
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

struct ConformanceOptions {
    std::filesystem::path folder;  ///< searched for folders that contain model.onnx and test_data_set_*
    bool json = false;
    int case_timeout_ms = 30'000;
};

enum class Verdict { passed, unsupported, wrong };

struct CaseResult {
    Verdict verdict = Verdict::wrong;
    std::string reason;  ///< why the case did not pass; empty if it passed
};

/// Imports one ONNX test case and runs its data through the executor used for training, with the model as written. The
/// case is `unsupported` if import refuses it. Any later error or difference is `wrong`. Tolerances: relative 1e-3,
/// absolute 1e-5, one step of bfloat16; types, shapes and integers must match exactly.
CaseResult check_case(const std::filesystem::path& folder);

/// Runs every test case in the folder in a worker process, so that a crash or a hang (deadline) affects only that case.
/// A new worker then continues with the next case. Writes one line per case and then the totals, with `json` as
/// {"passed":..,"unsupported":..,"wrong":..}. Returns the exit status: 0; 1 if a case is wrong; 2 if there are no cases
/// to run.
int run_conformance(const ConformanceOptions& options, std::ostream& out);

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
