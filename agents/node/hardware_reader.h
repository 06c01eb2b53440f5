// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "agents/node/power_meter.h"
#include "backend/base/clock.h"
#include "backend/process/nvml.h"

namespace divisi::node {

/// Figures from a machine's sensors and drivers; a figure that is not reported is absent.
struct Hardware {
    std::vector<process::GpuFigures> gpus;
    std::optional<double> temperature_c;  ///< temperature of the hottest processor or GPU, in degrees Celsius
    std::optional<double> power_w;        ///< power of processor packages and GPU boards, in watts
};

/// Combines the figures of GPUs and processors: the highest temperature, and the sum of reported powers.
Hardware hardware_of(std::vector<process::GpuFigures> gpus, std::optional<double> processors_c,
                     std::optional<double> processors_w);

/// Reads a machine's sensors and GPUs on a separate thread, since a driver may be slow.
class HardwareReader {
public:
    using Steady = std::chrono::steady_clock;
    /// Maximum age of a reported temperature or power. Older values are not reported, since a driver may hang.
    static constexpr Steady::duration longest_age = std::chrono::seconds(5);

    /// `system`: the kernel's /sys/class.
    explicit HardwareReader(const char* library = "libnvidia-ml.so.1", std::filesystem::path system = "/sys/class",
                            Duration interval = std::chrono::seconds(1));
    ~HardwareReader();

    /// Returns the figures of the last reading; none before the first reading.
    Hardware last() const { return last(Steady::now()); }
    Hardware last(Steady::time_point now) const;

private:
    void run(const char* library, const std::filesystem::path& system, Duration interval);

    mutable std::mutex mutex_;
    std::condition_variable ended_;
    bool end_ = false;
    Hardware last_;
    Steady::time_point read_{};  ///< time at which last_ was read
    std::thread thread_;
};

}  // namespace divisi::node
