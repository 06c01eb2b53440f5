// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "agents/module/features.h"

namespace divisi::module::test {

/// mg-1 and mg-2 with two paths between them, and one flow with its rate on each path, second by second.
struct Mesh {
    Features features;
    control::Observe message;
    std::int64_t share = 100;
    TaskId task{"gpt-1"};
    bool there_and_back = false;  ///< gradients return over the same hops
    double back_busy = 1;         ///< for how long gradients keep the hops busy, relative to the forward direction

    Mesh() { message.time = TimePoint(std::chrono::seconds(1000)); }

    void pass(double first_rate, double first_busy, double second_rate = 0, double second_busy = 0) {
        message.time += std::chrono::seconds(1);
        ++message.number;
        message.seen.routes = {{"mg-1", "mg-2", share, first_way(), second_way()}};
        message.seen.flows.clear();
        add(first_way(), 0, first_rate, first_busy);
        if (second_busy > 0) add(second_way(), 1, second_rate, second_busy);
        if (there_and_back) turn_back();
        features.take(message);
    }
    /// Sets the share of time for which the flow's source instance computes.
    void compute(double share) {
        message.seen.instances = {{InstanceId("gpt-1/stage-0/0#1"), NodeId("m/a"), share, 0}};
    }
    /// Adds a flow; `rate` is its rate while it is busy.
    void add(const std::vector<std::string>& way, std::uint32_t path_index, double rate, double busy) {
        control::ObservedFlow flow{
            task, Sid(task.value() + "/stage-0/0"), Sid(task.value() + "/stage-1/0"), path_index, way, {}};
        flow.quality.bytes_per_s = rate * busy;
        flow.quality.busy = busy;
        flow.quality.latency_p50_s = rate > 0 ? 1e6 / rate : 0;
        message.seen.flows.push_back(flow);
    }
    void turn_back() {
        control::ObservedRoute back = message.seen.routes[0];
        std::swap(back.from, back.to);
        std::ranges::reverse(back.first);
        std::ranges::reverse(back.second);
        message.seen.routes.push_back(back);
        for (std::size_t i = message.seen.flows.size(); i-- > 0;) {
            control::ObservedFlow flow = message.seen.flows[i];
            std::swap(flow.source, flow.destination);
            std::ranges::reverse(flow.path);
            flow.quality.busy *= back_busy;
            message.seen.flows.push_back(flow);
        }
    }
    static std::vector<std::string> first_way() { return {"mg-1", "sr-1", "mg-2"}; }
    static std::vector<std::string> second_way() { return {"mg-1", "sr-2", "sr-3", "mg-2"}; }
    const RouteWindows& route() const { return features.routes().at({"mg-1", "mg-2"}); }
};

}  // namespace divisi::module::test
