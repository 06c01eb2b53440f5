// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

namespace divisi::process {

/// Returns the temperature in degrees Celsius of the processors' hottest sensor, as the kernel's drivers report it
/// (Documentation/hwmon, else Documentation/driver-api/thermal). Returns nothing if no sensor reports a temperature.
/// `system` has the folders hwmon and thermal. Missing sensors and implausible values are ignored. Reading waits for
/// the drivers.
std::optional<double> processor_temperature(const std::filesystem::path& system = "/sys/class");

}  // namespace divisi::process
