// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "backend/base/clock.h"
#include "backend/base/ids.h"
#include "backend/base/units.h"

namespace divisi::control::inline types {

/// What a machine does and has left, as the node agent on it reads it. Nodes of one machine tell the same, but for the
/// disk. Totals are since the machine started, rates of the last second or so; 0 where the machine does not tell.
struct MachineFigures {
    double cpu_share = 0;  ///< of all its cores' time, that they computed: 0 to 1
    Bytes memory = 0, memory_free = 0;
    std::int64_t received_bytes = 0, sent_bytes = 0;  ///< of all network interfaces but loopback
    double received_bytes_per_s = 0, sent_bytes_per_s = 0;
    std::int64_t read_bytes = 0, written_bytes = 0;  ///< of all disks
    double read_bytes_per_s = 0, written_bytes_per_s = 0;
    Bytes disk = 0, disk_free = 0;             ///< of the file system with the node's folder; `disk` 0: not known
    std::optional<double> temperature_c = {};  ///< degrees Celsius of the hottest processor or GPU that tells
    std::optional<double> power_w = {};        ///< watts of those processors and GPUs' boards that tell
    /// When: from the node by its machine's clock, to those who watch in the orchestrator's time. 0: nobody says.
    TimePoint measured{};
    bool operator==(const MachineFigures&) const = default;
};

/// What a node said last of its machine, for those who watch.
struct NodeMachine {
    NodeId node;
    MachineFigures machine;
};
/// How often those who watch are told: curves need no more, and nodes report four times as often.
inline constexpr Duration node_push_interval = std::chrono::seconds(2);
/// What was told so long ago holds no more: some were not told, or do not come any longer.
inline constexpr Duration node_machine_age = 4 * node_push_interval;

}  // namespace divisi::control::inline types
