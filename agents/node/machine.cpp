// SPDX-License-Identifier: Apache-2.0
#include "agents/node/machine.h"

#include <gnu/libc-version.h>
#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "backend/base/hash.h"

namespace divisi::node {
namespace {

/// The value of the first line "key : value" of a /proc file.
std::string proc_value(const char* file, const std::string& key) {
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
        if (!line.starts_with(key)) continue;
        const auto colon = line.find(':');
        const auto start = line.find_first_not_of(" \t", colon + 1);
        return colon == std::string::npos || start == std::string::npos ? "" : line.substr(start);
    }
    return {};
}

Bytes memory_kib(const std::string& key) { return std::atoll(proc_value("/proc/meminfo", key).c_str()) * 1024; }

int usable_cores() {
    cpu_set_t set;
    return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
                                                         : static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
}

}  // namespace

control::NodeInfo describe_machine() {
    control::NodeInfo info;
    char host[256] = "localhost";
    ::gethostname(host, sizeof host - 1);
    info.host = host;
    const std::string model = proc_value("/proc/cpuinfo", "model name");
    const char* core_type = std::getenv("OPENBLAS_CORETYPE");
    char flags[20];
    std::snprintf(flags, sizeof flags, "%016llx",
                  static_cast<unsigned long long>(fnv1a(proc_value("/proc/cpuinfo", "flags"))));
    info.fingerprint =
        model + "/" + flags + "/glibc " + gnu_get_libc_version() + (core_type ? std::string("/") + core_type : "");
    info.devices.push_back({"cpu", model, usable_cores(), memory_kib("MemTotal")});
    info.pid = ::getpid();
    return info;
}

MachineLoad measure_machine() {
    double average = 0;
    ::getloadavg(&average, 1);
    return {average, memory_kib("MemAvailable")};
}

}  // namespace divisi::node
