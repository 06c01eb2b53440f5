// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/mesh/base/device.h"

namespace divisi::router {

/// Runs a gateway or router, or the guard of its kernel settings; returns the exit status of launch::run() or guard().
int run(mesh::DeviceRole role, int argc, char** argv);

}  // namespace divisi::router
