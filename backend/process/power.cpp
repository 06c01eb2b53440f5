// SPDX-License-Identifier: Apache-2.0
#include "backend/process/power.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <system_error>

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

}  // namespace divisi::process
