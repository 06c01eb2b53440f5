// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/mesh/base/device.h"

namespace divisi::router {

/// Runs a gateway or router; returns the exit status: 0, or 2 with a message.
int run(mesh::DeviceRole role, int argc, char** argv);

}  // namespace divisi::router
