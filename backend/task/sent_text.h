// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backend/base/result.h"
#include "backend/task/compile.h"

namespace divisi::task {

/// Returns the text that a client sends for a plan: its task with the found plan (see with_found_plan()). The receiver
/// parses and checks it. Fails (exhausted, invalid_input) if the receiver would, e.g. for a plan that names every
/// operator of a large model, or names that TOML cannot express. Call this also before displaying a plan, so that a
/// plan is refused before it runs.
Result<std::string> sent_text(const CompiledPlan& plan);

}  // namespace divisi::task
