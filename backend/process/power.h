// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace divisi::process {

/// A processor package whose energy the kernel's power capping framework counts (Documentation/power/powercap).
struct PowerDomain {
    std::string zone;             ///< intel-rapl:0
    std::int64_t energy_uj = 0;   ///< microjoules; begins again at 0 ...
    std::int64_t highest_uj = 0;  ///< ... after this
};

/// The packages that tell, by zone; none where the machine has no such counter, or this user may not read it. Parts of
/// a package, and what counts the whole platform, would count energy twice and are left out.
std::vector<PowerDomain> read_power_domains(const std::filesystem::path& folder = "/sys/class/powercap");

/// Microjoules that the packages took between two readings; none where they tell nothing, or are not those of before.
std::optional<double> taken_uj(const std::vector<PowerDomain>& before, const std::vector<PowerDomain>& now);

/// What all processors have computed since the machine began, all processes together; none where it cannot be read.
std::optional<std::int64_t> busy_ms(const std::filesystem::path& stat = "/proc/stat");

}  // namespace divisi::process
