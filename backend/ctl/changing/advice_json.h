// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "backend/control/types/recut_advice.h"

namespace divisi::ctl {

/// Returns the figures of advice to re-cut as JSON, as `tasks` and `recut --advice` print them with --json.
nlohmann::ordered_json advice_json(const control::RecutAdvice& advice);

}  // namespace divisi::ctl
