// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>

namespace divisi::instance {

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

}  // namespace divisi::instance
