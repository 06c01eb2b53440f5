// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backend/control/types/machine_types.h"
#include "backend/metrics/figures.h"

namespace divisi::metrics {

/// Adds the figures that a node reports about its machine.
void add_machine(Figures& figures, const std::string& node, const control::MachineFigures& machine);

}  // namespace divisi::metrics
