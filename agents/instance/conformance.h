// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>

namespace divisi::instance {

struct ConformanceOptions {
    std::filesystem::path folder;  ///< searched for folders with model.onnx and test_data_set_*
    bool json = false;
    int case_timeout_ms = 30'000;
};

enum class Verdict { passed, unsupported, wrong };

struct CaseResult {
    Verdict verdict = Verdict::wrong;
    std::string reason;  ///< empty when passed
};

/// Imports one ONNX test case and runs its data through the executor that trains, as the model is written.
/// Unsupported is what import refuses; any later error or difference is wrong (relative tolerance 1e-3,
/// absolute 1e-5, one step of bfloat16; types, shapes and integers exact).
CaseResult check_case(const std::filesystem::path& folder);

/// Runs every case below the folder in a worker process, so that a crash or a hang (deadline) is that case's
/// fault alone: a fresh worker goes on with the next one. Writes one line a case and the totals, last and as
/// {"passed":..,"unsupported":..,"wrong":..} with `json`. Returns the exit status: 0, 1 when a case is wrong,
/// 2 when there is nothing to run.
int run_conformance(const ConformanceOptions& options, std::ostream& out);

}  // namespace divisi::instance
