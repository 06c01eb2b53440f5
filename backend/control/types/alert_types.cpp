// SPDX-License-Identifier: Apache-2.0
#include "backend/control/types/alert_types.h"

namespace divisi::control::inline types {

const char* to_string(AlertRule rule) {
    switch (rule) {
        case AlertRule::slow_training: return "slow training";
        case AlertRule::node_silent: return "node silent";
        case AlertRule::queue_long: return "queue long";
        case AlertRule::disk_short: return "disk short";
        case AlertRule::loss_not_finite: return "loss not finite";
    }
    return "unknown";
}

}  // namespace divisi::control::inline types
