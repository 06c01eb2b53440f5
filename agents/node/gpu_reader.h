// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "backend/base/clock.h"
#include "backend/process/nvml.h"

namespace divisi::node {

/// Reads what the machine's GPUs do, on a thread of its own, since a driver may take its time. Without NVIDIA's driver
/// the thread ends at once.
class GpuReader {
public:
    explicit GpuReader(const char* library = "libnvidia-ml.so.1", Duration interval = std::chrono::seconds(1));
    ~GpuReader();

    /// As they were read last; none before.
    std::vector<process::GpuFigures> last() const;

private:
    void run(const char* library, Duration interval);

    mutable std::mutex mutex_;
    std::condition_variable ended_;
    bool end_ = false;
    std::vector<process::GpuFigures> last_;
    std::thread thread_;
};

}  // namespace divisi::node
