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
    std::string model;  ///< "NVIDIA H200"
    std::string uuid;   ///< "GPU-1a2b..."
};

/// Where the NVIDIA driver describes its GPUs, a folder for each bus address.
inline constexpr const char* driver_folder = "/proc/driver/nvidia/gpus";

/// The GPUs of this machine: cuda:0, cuda:1, ... Sorted by bus address, which is CUDA's order with
/// CUDA_DEVICE_ORDER=PCI_BUS_ID and makes no difference between GPUs of one model. `visible` is what
/// CUDA_VISIBLE_DEVICES says, which chooses and orders as CUDA does: numbers or beginnings of UUIDs up to the first
/// that is none; null: all. Empty without a driver.
std::vector<Gpu> list_gpus(const std::filesystem::path& folder = driver_folder,
                           const char* visible = std::getenv("CUDA_VISIBLE_DEVICES"));

/// What measured prices are kept by: the processor's model for cpu, the GPU's for cuda (the first) and cuda:<n>; the
/// device's own name where no driver tells its model.
std::string device_type(std::string_view device, const std::vector<Gpu>& gpus = list_gpus());

}  // namespace divisi::process
