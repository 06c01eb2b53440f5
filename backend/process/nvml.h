// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/base/units.h"

namespace divisi::process {

/// What a GPU does, as its driver tells it; what it does not tell is absent.
struct GpuFigures {
    std::string uuid;                       ///< "GPU-1a2b..."
    std::string model;                      ///< "NVIDIA H200"
    std::optional<double> busy_share;       ///< of the last second or less, in which some kernel ran: 0 to 1
    std::optional<Bytes> memory, used;      ///< of the device
    std::optional<double> temperature_c;    ///< degrees Celsius
    std::optional<double> power_w;          ///< of the board
    std::optional<std::int64_t> energy_mj;  ///< millijoules since the driver was loaded
};

/// NVIDIA's management library, which comes with the driver, loaded while the program runs: nothing is linked with it.
/// Of one thread; any call may wait for the driver.
class Nvml {
public:
    /// Null where there is no such library, it lacks a function, or it finds no driver.
    static std::unique_ptr<Nvml> load(const char* library = "libnvidia-ml.so.1");
    ~Nvml();

    /// Of all GPUs of the machine, by bus address, whatever CUDA_VISIBLE_DEVICES says. One that has fallen off the bus
    /// is left out.
    std::vector<GpuFigures> read() const;

private:
    struct Library;
    explicit Nvml(std::unique_ptr<Library> library);
    std::unique_ptr<Library> library_;
};

}  // namespace divisi::process
