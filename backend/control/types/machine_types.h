// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "backend/base/clock.h"
#include "backend/base/ids.h"
#include "backend/base/units.h"

namespace divisi::control::inline types {

/// The load and free resources of a machine, as read by its node agent. Nodes of one machine report the same figures,
/// except for the disk. Totals count since the machine started; rates cover about the last second. A figure that the
/// machine does not provide is 0.
struct MachineFigures {
    double cpu_share = 0;  ///< share of all cores' time spent computing: 0 to 1
    Bytes memory = 0, memory_free = 0;
    std::int64_t received_bytes = 0, sent_bytes = 0;  ///< totals of all network interfaces except loopback
    double received_bytes_per_s = 0, sent_bytes_per_s = 0;
    std::int64_t read_bytes = 0, written_bytes = 0;  ///< totals of all disks
    double read_bytes_per_s = 0, written_bytes_per_s = 0;
    Bytes disk = 0, disk_free = 0;             ///< file system that holds the node's folder; `disk` 0: unknown
    std::optional<double> temperature_c = {};  ///< degrees Celsius of the hottest processor or GPU that has a sensor
    std::optional<double> power_w = {};        ///< total watts of the processors and GPU boards that have a sensor
    /// Time of measurement: by the machine's clock when sent by the node, in the orchestrator's time when sent to
    /// watchers. 0: unknown.
    TimePoint measured{};
    bool operator==(const MachineFigures&) const = default;
};

/// A node's last report about its machine, for watchers.
struct NodeMachine {
    NodeId node;
    MachineFigures machine;
};
/// Interval at which watchers are updated. This rate suffices for curves, although nodes report four times as often.
inline constexpr Duration node_push_interval = std::chrono::seconds(2);
/// Age at which machine figures are outdated: some updates were missed, or the node no longer reports.
inline constexpr Duration node_machine_age = 4 * node_push_interval;

}  // namespace divisi::control::inline types
