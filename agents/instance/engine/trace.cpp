// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/engine/trace.h"

#include <time.h>

#include <algorithm>
#include <cstdlib>

namespace divisi::instance {
namespace {

std::int64_t processor_ns(clockid_t clock) {
    timespec time{};
    ::clock_gettime(clock, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

std::optional<Trace> Trace::from_environment(std::string instance) {
    const char* folder = std::getenv("DIVISI_TRACE");
    if (!folder || !*folder) return std::nullopt;
    std::replace(instance.begin(), instance.end(), '/', '.');
    std::ofstream file(std::string(folder) + "/" + instance + ".csv", std::ios::trunc);
    if (!file) return std::nullopt;
    file << "unit,operation,step,microbatch,ready,arrived,begin,end,worked,thread_cpu,process_cpu\n";
    return Trace(std::move(file));
}

void Trace::write(const OperationTimes& times) {
    const auto ns = [](TimePoint time) { return time.time_since_epoch().count(); };
    const plan::Ended& ended = times.ended;
    file_ << times.unit << ',' << plan::to_string(ended.operation.kind) << ',' << ended.step << ','
          << ended.operation.microbatch << ',' << ns(ended.ready) << ',' << ns(times.arrived) << ',' << ns(ended.begin)
          << ',' << ns(ended.end) << ',' << times.worked.count() << ',' << processor_ns(CLOCK_THREAD_CPUTIME_ID) << ','
          << processor_ns(CLOCK_PROCESS_CPUTIME_ID) << '\n';
}

}  // namespace divisi::instance
