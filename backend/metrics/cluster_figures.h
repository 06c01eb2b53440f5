// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "backend/control/types/machine_types.h"
#include "backend/control/types/mesh_types.h"
#include "backend/control/types/mic_types.h"
#include "backend/metrics/figures.h"

namespace divisi::metrics {

/// Returns the name of a gateway or router for its routing identifier; empty if unknown.
using NameOf = std::function<std::string(std::uint32_t id)>;

/// Adds the figures that a gateway or router reports about itself. Totals count from its start.
void add_device(Figures& figures, const control::DeviceView& device, const NameOf& name_of);

/// Adds the figures that a gateway reports about the units in its MIC.
void add_mic(Figures& figures, const control::MicView& mic);

/// Adds the figures that a node reports about its machine.
void add_machine(Figures& figures, const std::string& node, const control::MachineFigures& machine);

}  // namespace divisi::metrics
