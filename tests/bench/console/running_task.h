// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "backend/control/state/event.h"

namespace divisi::bench {

/// A task that trains in `stages` stages with one instance each. Provides the events until the task runs, and the later
/// reports of its instances.
class RunningTask {
public:
    explicit RunningTask(int stages) : stages_(stages) {}

    static TaskId id() { return TaskId("bench-1"); }
    InstanceId instance(int stage) const { return InstanceId("bench-1/stage-" + std::to_string(stage) + "/0"); }

    std::vector<control::Event::Body> beginning() const {
        std::vector<control::Event::Body> all{control::ClusterStarted{"bench", "0.1.0"}};
        for (int stage = 0; stage < stages_; ++stage) {
            control::NodeInfo info;
            info.id = node(stage);
            info.mic = MicId("mic-1");
            info.host = "bench";
            info.devices = {{"cpu", "x86_64", 4, Bytes{8} << 30}};
            all.emplace_back(control::NodeJoined{info});
        }
        all.emplace_back(control::TaskSubmitted{id(), "bench", "", "", "", {}, "operator", 0});
        control::TaskPlanned planned;
        planned.task = id();
        planned.steps = 1'000'000;
        planned.batch = 16;
        planned.model = "zoo:gpt";
        planned.plan_hash = "00";
        for (int stage = 0; stage < stages_; ++stage)
            planned.units.push_back({Sid(instance(stage).value() + "/forward"),
                                     "forward",
                                     instance(stage),
                                     {},
                                     control::UnitState::running});
        all.emplace_back(planned);
        for (int stage = 0; stage < stages_; ++stage) {
            all.emplace_back(
                control::InstancePlaced{id(), instance(stage), Sid(instance(stage).value()), node(stage), stage});
            all.emplace_back(control::InstanceChanged{instance(stage), control::InstanceState::running, ""});
        }
        all.emplace_back(control::PhaseChanged{id(), control::TaskPhase::exchange, ""});
        return all;
    }
    static control::Event::Body step(std::int64_t step) {
        const auto at = static_cast<double>(step);
        const auto loss = static_cast<float>(5 / (1 + 0.001 * at) + 0.2 * std::sin(0.7 * at));
        return control::StepDone{id(), {step, loss, 100 + 10 * std::sin(0.3 * at), 160, 1}};
    }
    /// Returns report number `report` of an instance, counted from 0.
    control::InstanceLoad load(int stage, std::int64_t report) const {
        const double at = 0.05 * static_cast<double>(report) * (1 + stage % 5);
        control::InstanceLoad load;
        load.instance = instance(stage);
        load.step = report;
        load.busy_share = 0.6 + 0.3 * std::sin(at);
        load.wait_share = 0.3 - 0.2 * std::sin(at);
        load.parameters = load.gradients = Bytes{64} << 20;
        load.activations = (Bytes{16} << 20) + ((report % 32) << 20);
        load.resident = Bytes{300} << 20;
        load.bytes_sent = load.bytes_received = report * 1'000'000;
        load.operation = "forward 1 of step " + std::to_string(report);
        return load;
    }

private:
    static NodeId node(int stage) { return NodeId("mic-1/node-" + std::to_string(stage + 1)); }

    int stages_;
};

}  // namespace divisi::bench
