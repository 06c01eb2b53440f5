// SPDX-License-Identifier: Apache-2.0
// What a drag of a cut costs, against its limits: one simulated plan within 1 ms (8 stages, 32 micro-batches) or
// 5 ms (16 stages, 128).
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include "backend/plan/schedule.h"
#include "backend/plan/simulator.h"

namespace {

using namespace divisi;

/// Median milliseconds of `rounds` calls.
double median_ms(int rounds, const std::function<void()>& work) {
    std::vector<double> times;
    for (int i = 0; i < rounds; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
        times.push_back(taken.count());
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

bool report(const std::string& what, double value_ms, double limit_ms) {
    std::printf("%-56s %8.3f ms, %.2f of the limit (%.0f ms)\n", what.c_str(), value_ms, value_ms / limit_ms, limit_ms);
    return value_ms <= limit_ms;
}

/// A pipeline of unequal stages on hosts of their own, an activation and its gradient between neighbours.
plan::SimulatedPlan pipeline(const std::string& schedule, std::int32_t stages, std::int32_t microbatches, bool clip) {
    plan::Partition partition;
    partition.segments.resize(static_cast<std::size_t>(stages));
    partition.edges.push_back({0, plan::data_unit, 0, false});
    partition.edges.push_back({1, plan::data_unit, stages - 1, false});
    for (std::int32_t s = 0; s + 1 < stages; ++s) partition.edges.push_back({2 + s, s, s + 1, true});
    const auto order = plan::make_pass_order(schedule, stages, microbatches);
    if (!order) std::abort();
    plan::SimulatedPlan plan;
    plan.programs = std::make_shared<const plan::Programs>(
        plan::make_programs(partition, *order, {1, plan::most_simulated_steps, microbatches, 0, 0}, clip));
    for (std::int32_t s = 0; s < stages; ++s) {
        const double forward = 1e-3 * (1 + 0.1 * (s % 3));
        plan.seconds.push_back({forward, 2 * forward, 0, 1e-4, 2e-4});
        plan.places.push_back({s, 1});
        plan.hosts.push_back({"host", 1});
    }
    plan.data = {1e-5, 1e-5};
    plan.tensor_bytes.assign(plan.programs->channels.size(), 1 << 18);
    plan.links = plan::default_links();
    return plan;
}

bool simulate(const std::string& schedule, std::int32_t stages, std::int32_t microbatches, bool clip, double limit_ms) {
    const plan::SimulatedPlan plan = pipeline(schedule, stages, microbatches, clip);
    std::int64_t steps = 0;
    const double ms = median_ms(51, [&] {
        const auto simulation = plan::simulate(plan);
        if (!simulation || !simulation->steady) std::abort();
        steps = simulation->measured_step;
    });
    return report("simulate " + schedule + ", " + std::to_string(stages) + " stages, " + std::to_string(microbatches) +
                      " micro-batches" + (clip ? ", clip" : "") + " (" + std::to_string(steps) + " steps)",
                  ms, limit_ms);
}

}  // namespace

int main() {
    bool good = true;
    for (const std::string schedule : {"1f1b", "gpipe"}) {
        for (const bool clip : {false, true}) {
            good &= simulate(schedule, 8, 32, clip, 1);
            good &= simulate(schedule, 16, 128, clip, 5);
        }
    }
    return good ? 0 : 1;
}
