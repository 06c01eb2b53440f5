// SPDX-License-Identifier: Apache-2.0
#include "backend/process/processor.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

namespace divisi::process {

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

std::string processor_model() {
    std::string model = proc_value("/proc/cpuinfo", "model name");
    return model.empty() ? "cpu" : model;
}

std::string host_name() {
    char host[256] = "localhost";
    ::gethostname(host, sizeof host - 1);
    return host;
}

std::string system_identity() {
    std::ifstream stream("/proc/sys/kernel/random/boot_id");
    std::string identity;
    std::getline(stream, identity);
    return identity;
}

std::string blas_kernels_for(const std::string& flags) {
    std::istringstream words(flags);
    const std::set<std::string> has{std::istream_iterator<std::string>(words), {}};
    const auto all = [&](std::initializer_list<const char*> wanted) {
        return std::all_of(wanted.begin(), wanted.end(), [&](const char* flag) { return has.contains(flag); });
    };
    if (!all({"avx2", "fma"})) return {};
    return all({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}) ? "SkylakeX" : "Haswell";
}

std::string blas_kernels() {
    if (const char* chosen = std::getenv("OPENBLAS_CORETYPE")) return chosen;
    return blas_kernels_for(proc_value("/proc/cpuinfo", "flags"));
}

int usable_cores() {
    cpu_set_t set;
    return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
                                                         : static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
}

}  // namespace divisi::process
