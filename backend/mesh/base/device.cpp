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

const char* to_string(AbnormalKind kind) {
    switch (kind) {
        case AbnormalKind::neighbour_silent: return "neighbour silent";
        case AbnormalKind::neighbour_back: return "neighbour back";
        case AbnormalKind::buffer_full: return "buffer full";
        case AbnormalKind::buffer_free: return "buffer free";
    }
    return "";
}

const char* to_string(Outcome outcome) {
    switch (outcome) {
        case Outcome::admitted: return "admitted";
        case Outcome::denied: return "denied";
        case Outcome::unserved: return "unserved";
        case Outcome::limited: return "limited";
    }
    return "unknown";
}

}  // namespace divisi::mesh::inline base
