// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/device.h"

namespace divisi::mesh {

const char* to_string(DeviceRole role) {
    switch (role) {
        case DeviceRole::gateway: return "gateway";
        case DeviceRole::router: return "router";
    }
    return "unknown";
}

}  // namespace divisi::mesh
