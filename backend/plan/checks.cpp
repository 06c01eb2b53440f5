// SPDX-License-Identifier: Apache-2.0
#include "backend/plan/checks.h"

#include <algorithm>
#include <deque>
#include <memory>

#include "backend/plan/interpreter.h"

namespace divisi::plan {

namespace {

std::string instance_name(std::int32_t instance) {
    return instance == data_unit ? "the data unit" : "stage " + std::to_string(instance);
}

/// All instances of a plan, with messages and operations that take no time.
class DryRun {
public:
    explicit DryRun(const Programs& programs) : programs_(std::make_shared<const Programs>(programs)) {
        for (std::int32_t i = data_unit; i < static_cast<std::int32_t>(programs.stages.size()); ++i) {
            instances_.emplace_back(programs_, i);
            pending_.emplace_back(i, Begin{});
        }
    }
    Result<void> run() {
        while (!pending_.empty()) {
            const auto [instance, event] = pending_.front();
            pending_.pop_front();
            DIVISI_ASSIGN(const std::vector<Action> actions, instances_[instance + 1].step(event, TimePoint{}));
            for (const Action& action : actions) act(instance, action);
        }
        const bool done = std::all_of(instances_.begin(), instances_.end(), [](const auto& i) { return i.finished(); });
        if (done) return {};
        return Error{ErrorCode::invalid_input, "the schedule comes to a standstill: " + standstill(), "plan",
                     "use schedule = \"gpipe\" or fewer stages"};
    }

private:
    void act(std::int32_t instance, const Action& action) {
        const auto& channels = programs_->channels;
        if (std::holds_alternative<Start>(action)) {
            pending_.emplace_back(instance, OperationDone{});
        } else if (const auto* send = std::get_if<Send>(&action)) {
            pending_.emplace_back(channels[send->key.channel].to, InputArrived{send->key});
        } else if (const auto* release = std::get_if<Release>(&action)) {
            pending_.emplace_back(channels[release->key.channel].from, SlotFreed{release->key});
        }
    }
    std::string standstill() const {
        std::string text;
        for (std::size_t i = 0; i < instances_.size(); ++i) {
            const auto waiting = instances_[i].waiting();
            if (!waiting) continue;
            const auto number = static_cast<std::int32_t>(i) - 1;
            text += (text.empty() ? "" : "; ") + instance_name(number) + " cannot start " +
                    describe(waiting->operation, waiting->step);
            if (!waiting->missing.empty())
                text +=
                    ", which needs a tensor of " + instance_name(programs_->channels[waiting->missing.front()].from);
            else text += ", which needs a slot at " + instance_name(programs_->channels[waiting->full.front()].to);
        }
        return text;
    }

    std::shared_ptr<const Programs> programs_;
    std::vector<Interpreter> instances_;
    std::deque<std::pair<std::int32_t, InterpreterEvent>> pending_;
};

}  // namespace

Result<void> check_partition(const graph::Graph& graph, const Partition& partition) {
    DIVISI_ASSIGN(const Partition derived, make_partition(graph, partition.segments));
    for (const Edge& edge : derived.edges) {
        if (std::find(partition.edges.begin(), partition.edges.end(), edge) != partition.edges.end()) continue;
        return Error{ErrorCode::invalid_input,
                     "value '" + graph.values[edge.value].name + "' has no edge from " + instance_name(edge.from) +
                         " to " + instance_name(edge.to),
                     "plan", "derive the edges with make_partition"};
    }
    if (derived.edges.size() != partition.edges.size())
        return Error{ErrorCode::invalid_input, "there are edges that no segment needs", "plan",
                     "derive the edges with make_partition"};
    return {};
}

Result<void> check_memory(const std::vector<StageMemory>& stages, const std::vector<StageCapacity>& capacities) {
    for (std::size_t i = 0; i < std::min(stages.size(), capacities.size()); ++i) {
        if (!capacities[i].memory || stages[i].total() <= *capacities[i].memory) continue;
        return Error{ErrorCode::exhausted,
                     "it needs about " + format_bytes(stages[i].total()) + " (" + format_bytes(stages[i].activations) +
                         " of activations), and " + capacities[i].device + " has " +
                         format_bytes(*capacities[i].memory),
                     "stage " + std::to_string(i),
                     "use more stages, more micro-batches, train.recompute = true, or another node"};
    }
    return {};
}

Result<void> check_schedule(const Programs& programs) {
    Programs shortened = programs;
    RunLength& length = shortened.length;
    length.first_step = 1;
    length.last_step = 2;
    if (length.eval_every > 0) length.eval_every = 1;
    // Enough evaluation micro-batches to fill every slot and wait for one.
    std::int32_t most_slots = 1;
    for (const Channel& channel : programs.channels) most_slots = std::max(most_slots, channel.slots);
    length.eval_microbatches = most_slots + 1;
    return DryRun(shortened).run();
}

}  // namespace divisi::plan
