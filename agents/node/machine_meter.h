// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "backend/base/clock.h"
#include "backend/control/types/machine_types.h"

namespace divisi::node {

/// Totals of a machine since it started, as /proc tells them.
struct MachineTotals {
    std::uint64_t busy_ticks = 0, all_ticks = 0;  ///< of all cores
    std::int64_t received_bytes = 0, sent_bytes = 0;
    std::int64_t read_bytes = 0, written_bytes = 0;
};

// What the files of /proc say; what is not there stays as it is.

/// /proc/stat: the first line.
void read_cpu(std::string_view text, MachineTotals& totals);
/// /proc/net/dev: all interfaces but loopback.
void read_network(std::string_view text, MachineTotals& totals);
/// /proc/diskstats: whole disks, without partitions and what lies on other disks (loop, dm, md, ram).
void read_disks(std::string_view text, MachineTotals& totals);

/// A line of /proc/meminfo such as MemTotal, in bytes; 0 where it is not there.
Bytes memory_line(const char* key);

/// Reads what a machine does, for its node's reports: rates are those since the last reading that is a second old.
class MachineMeter {
public:
    /// `folder`: of the node, on whose file system's room is told.
    explicit MachineMeter(std::filesystem::path folder) : folder_(std::move(folder)) {}

    control::MachineFigures read(TimePoint now);
    /// The rates between two readings.
    static void rate(const MachineTotals& before, const MachineTotals& now, Duration between,
                     control::MachineFigures& figures);

private:
    std::filesystem::path folder_;
    std::optional<MachineTotals> last_;
    TimePoint last_time_{};
    control::MachineFigures figures_;
};

}  // namespace divisi::node
