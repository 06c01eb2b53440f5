// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

namespace divisi::process {

/// Degrees Celsius of the processors' hottest sensor, as the kernel's drivers tell it (Documentation/hwmon, else
/// Documentation/driver-api/thermal); none where none tells. `system` has the folders hwmon and thermal. A sensor that
/// is not there, or says what no processor has, counts for nothing. Reading waits for the drivers.
std::optional<double> processor_temperature(const std::filesystem::path& system = "/sys/class");

}  // namespace divisi::process
