// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "backend/control/state/state.h"

namespace divisi::ctl {

// Formats alerts for `divisictl alerts`. `exception`: the number of the task's entry in the exception queue, or 0.

std::vector<std::string> alert_columns();
/// Returns the cells for alert_columns(). `now` is the cluster's time.
std::vector<std::string> alert_row(const control::Alert& alert, std::uint64_t exception, TimePoint now);
nlohmann::ordered_json alert_json(const control::Alert& alert, std::uint64_t exception);

}  // namespace divisi::ctl
