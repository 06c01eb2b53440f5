// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/mesh/base/device.h"

namespace divisi::router {

/// The program of a gateway or router, from its arguments to its exit status: 0, or 2 with a message.
int run(mesh::DeviceRole role, int argc, char** argv);

}  // namespace divisi::router
