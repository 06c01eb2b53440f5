// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <tuple>
#include <vector>

#include "backend/plan/interpreter.h"

namespace divisi::plan::test {

/// Runs a plan in simulated time with an interpreter per instance. Two functions give the duration of operations and
/// messages.
class Simulator {
public:
    struct Record {
        std::int32_t instance;
        Ended ended;
    };

    explicit Simulator(Programs programs) : programs_(std::make_shared<const Programs>(std::move(programs))) {
        instances_.emplace_back(programs_, data_unit);
        for (std::size_t i = 0; i < programs_->stages.size(); ++i)
            instances_.emplace_back(programs_, static_cast<std::int32_t>(i));
    }

    std::function<int(std::int32_t, const Operation&)> duration = [](std::int32_t, const Operation&) { return 1; };
    std::function<int(const TensorKey&)> latency = [](const TensorKey&) { return 0; };

    /// Runs until nothing happens any more. Returns false if an interpreter refused an event.
    bool run() {
        for (std::int32_t i = 0; i < static_cast<std::int32_t>(instances_.size()); ++i) post(0, i, Begin{});
        while (!events_.empty()) {
            const auto [time, sequence, instance] = events_.top();
            events_.pop();
            now_ = time;
            const InterpreterEvent event = pending_.at(sequence);
            pending_.erase(sequence);
            auto actions = instances_[instance].step(event, TimePoint(Duration(time)));
            if (!actions.ok()) {
                failure = actions.error().message();
                return false;
            }
            for (const Action& action : *actions) act(instance, action);
        }
        return true;
    }
    bool all_finished() const {
        return std::all_of(instances_.begin(), instances_.end(), [](const auto& i) { return i.finished(); });
    }

    std::vector<Record> records;
    std::vector<std::pair<std::int32_t, std::int64_t>> steps_finished, evaluations_finished;
    std::map<TensorKey, int> sent;
    std::string failure;
    std::int64_t now_ = 0;

private:
    void post(std::int64_t delay, std::int32_t instance, InterpreterEvent event) {
        pending_.emplace(sequence_, std::move(event));
        events_.emplace(now_ + delay, sequence_++, instance);
    }
    void act(std::int32_t index, const Action& action) {
        const std::int32_t number = index - 1;
        if (const auto* start = get_if<Start>(&action)) {
            post(duration(number, start->operation), index, OperationDone{});
        } else if (const auto* send = get_if<Send>(&action)) {
            ++sent[send->key];
            post(latency(send->key), programs_->channels[send->key.channel].to + 1, InputArrived{send->key});
        } else if (const auto* release = get_if<Release>(&action)) {
            post(latency(release->key), programs_->channels[release->key.channel].from + 1, SlotFreed{release->key});
        } else if (const auto* ended = get_if<Ended>(&action)) {
            records.push_back({number, *ended});
        } else if (const auto* step = get_if<StepFinished>(&action)) {
            steps_finished.emplace_back(number, step->step);
        } else if (const auto* evaluation = get_if<EvaluationFinished>(&action)) {
            evaluations_finished.emplace_back(number, evaluation->step);
        }
    }

    std::shared_ptr<const Programs> programs_;
    std::vector<Interpreter> instances_;
    std::map<std::int64_t, InterpreterEvent> pending_;
    using Entry = std::tuple<std::int64_t, std::int64_t, std::int32_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> events_;
    std::int64_t sequence_ = 0;
};

/// Returns a pipeline of `stages` segments without a graph: an activation from each segment to the next, inputs to the
/// first and targets to the last. `skips` adds a relayed value of the first stage that every later one uses, a value
/// sent from the first directly to the last, and a weight shared by first and last.
inline Partition pipeline(std::int32_t stages, bool skips) {
    Partition partition;
    partition.segments.resize(static_cast<std::size_t>(stages));
    partition.edges.push_back({0, data_unit, 0, false});
    if (stages > 1) partition.edges.push_back({1, data_unit, stages - 1, false});
    for (std::int32_t s = 0; s + 1 < stages; ++s) partition.edges.push_back({10 + s, s, s + 1, true});
    if (skips && stages > 2) {
        for (std::int32_t s = 0; s + 1 < stages; ++s) partition.edges.push_back({2, s, s + 1, true});
        partition.edges.push_back({3, 0, stages - 1, true});
        partition.edges.push_back({4, 0, stages - 1, false});
    }
    if (skips && stages > 1) partition.shared_weights.push_back({0, {0, stages - 1}});
    return partition;
}

}  // namespace divisi::plan::test
