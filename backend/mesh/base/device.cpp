// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/base/device.h"

namespace divisi::mesh::inline base {

const char* to_string(DeviceRole role) {
    switch (role) {
        case DeviceRole::gateway: return "gateway";
        case DeviceRole::router: return "router";
    }
    return "unknown";
}

const char* to_string(FlowClass flow_class) {
    switch (flow_class) {
        case FlowClass::tensor: return "tensor";
        case FlowClass::blob: return "blob";
    }
    return "unknown";
}

}  // namespace divisi::mesh::inline base
