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
    std::string zone;             ///< name of the zone, for example intel-rapl:0
    std::int64_t energy_uj = 0;   ///< energy counter in microjoules; returns to 0 after highest_uj
    std::int64_t highest_uj = 0;  ///< highest possible value of energy_uj
};

/// Reads the packages that report energy, by zone. Empty if the machine has no such counter, or this user may not read
/// the counters. Parts of a package and the counter of the platform are left out: they would count twice.
std::vector<PowerDomain> read_power_domains(const std::filesystem::path& folder = "/sys/class/powercap");

/// Returns the microjoules that the packages used between two readings; nothing if figures are missing, or the packages
/// have changed.
std::optional<double> taken_uj(const std::vector<PowerDomain>& before, const std::vector<PowerDomain>& now);

/// Returns the milliseconds that all processors together have computed since the machine started, for all processes.
/// Returns nothing if the file cannot be read.
std::optional<std::int64_t> busy_ms(const std::filesystem::path& stat = "/proc/stat");

/// Returns the temperature in degrees Celsius of the processors' hottest sensor, as the kernel's drivers report it
/// (Documentation/hwmon, else Documentation/driver-api/thermal). Returns nothing if no sensor reports a temperature.
/// `system` has the folders hwmon and thermal. Missing sensors and implausible values are ignored. Reading waits for
/// the drivers.
std::optional<double> processor_temperature(const std::filesystem::path& system = "/sys/class");

}  // namespace divisi::process
