// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backend/base/result.h"
#include "backend/task/compile.h"

namespace divisi::task {

/// The text that a client sends for a plan: its task with the found plan (see with_found_plan()), which whoever gets it
/// parses and checks. Fails (exhausted, invalid_input) where that would: a plan that names every operator of a large
/// model, or names that TOML has no form for. Whoever shows a plan asks too: it is refused before it runs.
Result<std::string> sent_text(const CompiledPlan& plan);

}  // namespace divisi::task
