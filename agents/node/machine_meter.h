// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "backend/base/clock.h"
#include "backend/control/types/machine_types.h"
#include "backend/control/types/types.h"

namespace divisi::node {

/// Totals of a machine since it started, from /proc.
struct MachineTotals {
    std::uint64_t busy_ticks = 0, all_ticks = 0;  ///< busy ticks and all ticks, summed over all cores
    std::int64_t received_bytes = 0, sent_bytes = 0;
    std::int64_t read_bytes = 0, written_bytes = 0;
};

// These functions parse files in /proc. They replace byte totals. Without a line for all CPUs, ticks stay unchanged.

/// Reads the first line of /proc/stat.
void read_cpu(std::string_view text, MachineTotals& totals);
/// Reads /proc/net/dev: all interfaces but loopback.
void read_network(std::string_view text, MachineTotals& totals);
/// Reads /proc/diskstats: whole disks, without partitions and devices on other disks (loop, dm, md, ram).
void read_disks(std::string_view text, MachineTotals& totals);

/// Returns a line of /proc/meminfo such as MemTotal, in bytes; 0 if the line is missing.
Bytes memory_line(const char* key);

/// Measures a machine's activity for its node's reports. Rates refer to the last reading that is at least a second old.
class MachineMeter {
public:
    /// `folder`: the node's folder, whose file system's free space is reported.
    explicit MachineMeter(std::filesystem::path folder) : folder_(std::move(folder)) {}

    control::MachineFigures read(TimePoint now);
    /// Computes the rates between two readings.
    static void rate(const MachineTotals& before, const MachineTotals& now, Duration between,
                     control::MachineFigures& figures);

private:
    std::filesystem::path folder_;
    std::optional<MachineTotals> last_;
    TimePoint last_time_{};
    control::MachineFigures figures_;
};

/// Describes this machine: host name, fingerprint (processor model and its extensions, libc, kernels of the BLAS
/// library), cores and memory as a device "cpu", and the GPUs as the driver names them. The memory of GPUs is left
/// unknown.
control::NodeInfo describe_machine();

struct MachineLoad {
    double load = 0;        ///< one-minute load average
    Bytes memory_free = 0;  ///< available memory, as the kernel estimates it
};
MachineLoad measure_machine();

}  // namespace divisi::node
