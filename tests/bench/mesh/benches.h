// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

namespace divisi::bench {

/// Each bench takes the arguments that follow the subcommand and returns the program's exit status.
using Arguments = std::vector<const char*>;
int registry_bench(const Arguments& arguments);
int committed_bench(const Arguments& arguments);
int relay_bench(const Arguments& arguments);
int credit_bench(const Arguments& arguments);
int memory_bench(const Arguments& arguments);
int failover_bench(const Arguments& arguments);
int steps_bench(const Arguments& arguments);
int start_bench(const Arguments& arguments);
int watch_bench(const Arguments& arguments);
int scale_bench(const Arguments& arguments);
int hops_bench(const Arguments& arguments);
int modules_bench(const Arguments& arguments);
int blobs_bench(const Arguments& arguments);

/// Returns the median time of `rounds` runs of `work`. `prepare` runs before each and is not timed.
inline double median_s(const std::function<void()>& prepare, const std::function<void()>& work, int rounds = 7) {
    std::vector<double> times;
    for (int i = 0; i < rounds; ++i) {
        prepare();
        const auto start = std::chrono::steady_clock::now();
        work();
        times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

}  // namespace divisi::bench
