// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/base/units.h"

namespace divisi::process {

/// A GPU's activity as reported by its driver; figures that the driver does not report are absent.
struct GpuFigures {
    std::string uuid;                       ///< for example "GPU-1a2b..."
    std::string model;                      ///< for example "NVIDIA H200"
    std::optional<double> busy_share;       ///< share of the last second (or less) in which a kernel ran: 0 to 1
    std::optional<Bytes> memory, used;      ///< total and used memory of the device
    std::optional<double> temperature_c;    ///< temperature in degrees Celsius
    std::optional<double> power_w;          ///< power of the whole board in watts
    std::optional<std::int64_t> energy_mj;  ///< millijoules since the driver was loaded
};

/// NVIDIA's management library, which comes with the driver. It is loaded at run time; nothing is linked with it. Use
/// it on one thread; any call may wait for the driver.
class Nvml {
public:
    /// Loads the library; null if it is missing, lacks a function, or finds no driver.
    static std::unique_ptr<Nvml> load(const char* library = "libnvidia-ml.so.1");
    ~Nvml();

    /// Reads the figures of all GPUs of the machine, by bus address, regardless of CUDA_VISIBLE_DEVICES. A GPU that is
    /// no longer reachable on the bus is left out.
    std::vector<GpuFigures> read() const;

private:
    struct Library;
    explicit Nvml(std::unique_ptr<Library> library);
    std::unique_ptr<Library> library_;
};

}  // namespace divisi::process
