// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "backend/control/types/mesh_types.h"
#include "backend/control/types/mic_types.h"
#include "backend/metrics/figures.h"

namespace divisi::metrics {

/// The name of a gateway or router by its routing identifier; empty where it is not known.
using NameOf = std::function<std::string(std::uint32_t id)>;

/// What a gateway or router tells of itself; totals are since it began.
void add_device(Figures& figures, const control::DeviceView& device, const NameOf& name_of);

/// What a gateway tells of the units in its MIC.
void add_mic(Figures& figures, const control::MicView& mic);

}  // namespace divisi::metrics
