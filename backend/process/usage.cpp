// SPDX-License-Identifier: Apache-2.0
#include "backend/process/usage.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "backend/process/processor.h"

namespace divisi::process {
namespace {

/// Number of fields in /proc/PID/stat between the name, which may contain anything, and the times.
constexpr int fields_before_times = 11;

std::optional<std::int64_t> cpu_ticks(const std::string& folder) {
    std::ifstream file(folder + "/stat");
    std::string text;
    if (!std::getline(file, text)) return std::nullopt;
    const auto name_end = text.rfind(')');
    if (name_end == std::string::npos) return std::nullopt;
    std::istringstream fields(text.substr(name_end + 1));
    std::string skipped;
    for (int i = 0; i < fields_before_times; ++i) fields >> skipped;
    std::int64_t user = 0, system = 0;
    if (!(fields >> user >> system)) return std::nullopt;
    return user + system;
}

std::int64_t milliseconds(const timeval& time) { return time.tv_sec * 1000 + time.tv_usec / 1000; }

}  // namespace

std::optional<ProcessUsage> usage_of(pid_t pid) {
    const std::string folder = "/proc/" + std::to_string(pid);
    const auto ticks = cpu_ticks(folder);
    const std::string peak = proc_value((folder + "/status").c_str(), "VmHWM");
    if (!ticks || peak.empty()) return std::nullopt;  // the process has just ended
    return ProcessUsage{*ticks * 1000 / ::sysconf(_SC_CLK_TCK), std::atoll(peak.c_str()) * 1024};
}

ProcessUsage usage_of(const rusage& ended) {
    return {milliseconds(ended.ru_utime) + milliseconds(ended.ru_stime), ended.ru_maxrss * 1024};
}

}  // namespace divisi::process
