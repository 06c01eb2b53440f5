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

/// What a machine's sensors and drivers tell; what they do not is absent.
struct Hardware {
    std::vector<process::GpuFigures> gpus;
    std::optional<double> temperature_c;  ///< degrees Celsius of the hottest processor or GPU
    std::optional<double> power_w;        ///< watts of processor packages and GPUs' boards
};

/// Both together: the hottest of all, and the sum of what is told.
Hardware hardware_of(std::vector<process::GpuFigures> gpus, std::optional<double> processors_c,
                     std::optional<double> processors_w);

/// Reads what the machine's sensors and GPUs tell, on a thread of its own, since a driver may take its time.
class HardwareReader {
public:
    using Steady = std::chrono::steady_clock;
    /// How old a temperature or a power may be: a driver that hangs tells nothing any more.
    static constexpr Steady::duration longest_age = std::chrono::seconds(5);

    /// `system`: what the kernel shows as /sys/class.
    explicit HardwareReader(const char* library = "libnvidia-ml.so.1", std::filesystem::path system = "/sys/class",
                            Duration interval = std::chrono::seconds(1));
    ~HardwareReader();

    /// As they were read last; none before.
    Hardware last() const { return last(Steady::now()); }
    Hardware last(Steady::time_point now) const;

private:
    void run(const char* library, const std::filesystem::path& system, Duration interval);

    mutable std::mutex mutex_;
    std::condition_variable ended_;
    bool end_ = false;
    Hardware last_;
    Steady::time_point read_{};  ///< when last_ was
    std::thread thread_;
};

}  // namespace divisi::node
