// SPDX-License-Identifier: Apache-2.0
#include "agents/node/machine.h"

#include <gnu/libc-version.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "agents/node/machine_meter.h"
#include "backend/base/hash.h"
#include "backend/process/gpus.h"
#include "backend/process/processor.h"

namespace divisi::node {

using process::proc_value;

control::NodeInfo describe_machine() {
    control::NodeInfo info;
    info.host = process::host_name();
    info.machine = process::system_identity();
    const std::string model = process::processor_model();
    char flags[20];
    std::snprintf(flags, sizeof flags, "%016llx",
                  static_cast<unsigned long long>(fnv1a(proc_value("/proc/cpuinfo", "flags"))));
    info.fingerprint = model + "/" + flags + "/glibc " + gnu_get_libc_version() + "/" + process::blas_kernels();
    info.devices.push_back({"cpu", model, process::usable_cores(), memory_line("MemTotal")});
    for (const process::Gpu& gpu : process::list_gpus())
        info.devices.push_back({"cuda:" + std::to_string(info.devices.size() - 1), gpu.model, 0, 0});
    info.pid = ::getpid();
    return info;
}

MachineLoad measure_machine() {
    double average = 0;
    ::getloadavg(&average, 1);
    return {average, memory_line("MemAvailable")};
}

}  // namespace divisi::node
