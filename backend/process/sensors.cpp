// SPDX-License-Identifier: Apache-2.0
#include "backend/process/sensors.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace divisi::process {
namespace {

std::optional<std::int64_t> number_in(const std::filesystem::path& file) {
    std::ifstream stream(file);
    std::int64_t value = 0;
    if (stream >> value && value >= 0) return value;
    return std::nullopt;
}

bool is_package(const std::filesystem::path& zone) {
    std::ifstream stream(zone / "name");
    std::string name;
    return std::getline(stream, name) && name.starts_with("package");
}

/// Drivers of processors' own sensors, from Intel, AMD and VIA. Sensors in device trees of ARM and RISC-V have names
/// that begin with "cpu".
constexpr std::array<std::string_view, 4> processor_drivers{"coretemp", "k10temp", "zenpower", "via_cputemp"};
/// Range of plausible values. A broken or unconnected sensor reports 255 or -128; processors switch off at about 110.
constexpr double least_degrees = -40, most_degrees = 150;

std::string line_in(const std::filesystem::path& file) {
    std::ifstream stream(file);
    std::string line;
    std::getline(stream, line);
    return line;
}

std::optional<double> degrees_in(const std::filesystem::path& file) {
    std::ifstream stream(file);
    double millidegrees = 0;
    if (!(stream >> millidegrees)) return std::nullopt;
    const double degrees = millidegrees / 1000;
    const bool fine = degrees >= least_degrees && degrees <= most_degrees;
    return fine ? std::optional(degrees) : std::nullopt;
}

std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> entries;
    std::error_code code;
    for (std::filesystem::directory_iterator at(folder, code), end; !code && at != end; at.increment(code))
        entries.push_back(at->path());
    return entries;
}

bool names_a_processor(const std::string& name) {
    return name.starts_with("cpu") || std::ranges::find(processor_drivers, name) != processor_drivers.end();
}

/// Returns the hottest value of a driver. AMD's "Tctl" controls fans and is, on some processors, tens of degrees above
/// the measured "Tdie"; "Tdie" is therefore preferred.
std::optional<double> hottest_in(const std::filesystem::path& driver) {
    std::optional<double> hottest, die;
    for (const std::filesystem::path& input : entries_of(driver)) {
        const std::string file = input.filename().string();
        if (!file.starts_with("temp") || !file.ends_with("_input")) continue;
        const auto degrees = degrees_in(input);
        if (!degrees) continue;
        hottest = std::max(hottest.value_or(*degrees), *degrees);
        const std::string sensor = file.substr(0, file.size() - std::string_view("input").size());
        if (line_in(driver / (sensor + "label")) == "Tdie") die = degrees;
    }
    return die ? die : hottest;
}

}  // namespace

std::vector<PowerDomain> read_power_domains(const std::filesystem::path& folder) {
    std::vector<PowerDomain> domains;
    std::error_code code;
    for (std::filesystem::directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) {
        const auto energy = is_package(at->path()) ? number_in(at->path() / "energy_uj") : std::nullopt;
        const auto highest = energy ? number_in(at->path() / "max_energy_range_uj") : std::nullopt;
        if (highest) domains.push_back({at->path().filename().string(), *energy, *highest});
    }
    std::ranges::sort(domains, {}, &PowerDomain::zone);
    return domains;
}

std::optional<double> taken_uj(const std::vector<PowerDomain>& before, const std::vector<PowerDomain>& now) {
    if (now.empty() || before.size() != now.size()) return std::nullopt;
    double sum = 0;
    for (std::size_t i = 0; i < now.size(); ++i) {
        if (before[i].zone != now[i].zone) return std::nullopt;
        const bool wrapped = now[i].energy_uj < before[i].energy_uj;
        sum += static_cast<double>(now[i].energy_uj - before[i].energy_uj + (wrapped ? now[i].highest_uj : 0));
    }
    return sum;
}

/// Parses the format of proc(5): "cpu user nice system idle iowait irq softirq steal ...", in ticks.
std::optional<std::int64_t> busy_ms(const std::filesystem::path& stat) {
    std::ifstream stream(stat);
    std::string name;
    std::int64_t user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0;
    if (!(stream >> name >> user >> nice >> system >> idle >> iowait >> irq >> softirq) || name != "cpu")
        return std::nullopt;
    return (user + nice + system + irq + softirq) * 1000 / ::sysconf(_SC_CLK_TCK);
}

std::optional<double> processor_temperature(const std::filesystem::path& system) {
    std::optional<double> hottest;
    const auto take = [&](std::optional<double> degrees) {
        if (degrees) hottest = std::max(hottest.value_or(*degrees), *degrees);
    };
    for (const std::filesystem::path& driver : entries_of(system / "hwmon"))
        if (names_a_processor(line_in(driver / "name"))) take(hottest_in(driver));
    if (hottest) return hottest;
    for (const std::filesystem::path& zone : entries_of(system / "thermal")) {
        const std::string type = line_in(zone / "type");
        if (type == "x86_pkg_temp" || type.starts_with("cpu")) take(degrees_in(zone / "temp"));
    }
    return hottest;
}

}  // namespace divisi::process
