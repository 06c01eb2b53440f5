// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace divisi::process {

/// A GPU as its driver describes it.
struct Gpu {
    std::string model;  ///< for example "NVIDIA H200"
    std::string uuid;   ///< for example "GPU-1a2b..."
};

/// The folder in which the NVIDIA driver describes its GPUs, with a subfolder for each bus address.
inline constexpr const char* driver_folder = "/proc/driver/nvidia/gpus";

/// Lists the GPUs of this machine: cuda:0, cuda:1, ... They are sorted by bus address, which is CUDA's order with
/// CUDA_DEVICE_ORDER=PCI_BUS_ID. The order makes no difference between GPUs of one model. `visible` is the value of
/// CUDA_VISIBLE_DEVICES and selects and orders the GPUs as in CUDA. It lists numbers or beginnings of UUIDs, up to the
/// first invalid entry; null: all GPUs. Returns an empty list without a driver.
std::vector<Gpu> list_gpus(const std::filesystem::path& folder = driver_folder,
                           const char* visible = std::getenv("CUDA_VISIBLE_DEVICES"));

/// Returns the key for measured prices: the processor's model for cpu, the GPU's for cuda (the first) and cuda:<n>. If
/// no driver reports the model, returns the device's own name.
std::string device_type(std::string_view device, const std::vector<Gpu>& gpus = list_gpus());

}  // namespace divisi::process
