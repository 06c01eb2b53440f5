// SPDX-License-Identifier: Apache-2.0
#include "backend/plan/checks.h"

#include <algorithm>
#include <deque>
#include <limits>

#include "backend/plan/error_texts.h"

namespace divisi::plan {
namespace {

/// Limit on the number of printed waits of a cycle; a person could not follow more.
constexpr std::size_t most_printed = 24;

/// Number of an operation, counted over all programs of a phase.
using Number = std::int32_t;
constexpr Number nobody = -1;

struct Step {
    std::int32_t instance = data_unit;
    const Operation* operation = nullptr;
};

/// The reason why an operation waits for another.
struct Wait {
    enum class Kind : std::uint8_t { order, tensor, slot } kind = Kind::order;
    Number target = nobody;
    std::int32_t channel = -1;
};

/// A tensor on a channel: its micro-batch, and the operation that sends or consumes the tensor.
struct Transfer {
    std::int32_t microbatch = 0;
    Number by = nobody;
};

bool by_microbatch(const Transfer& a, const Transfer& b) { return a.microbatch < b.microbatch; }

/// Models one step, or one micro-batch of an evaluation, as a graph of operations that wait for each other.
class Phase {
public:
    Phase(const Programs& programs, const graph::Graph* graph, bool evaluation)
        : programs_(programs), graph_(graph), sent_(programs.channels.size()), taken_(programs.channels.size()) {
        for (auto i = data_unit; i < static_cast<std::int32_t>(programs.stages.size()); ++i) {
            const Program& program = programs.of(i);
            for (const Operation& operation : evaluation ? program.evaluation : program.training) add(i, operation);
        }
    }
    Result<void> check() {
        for (std::size_t channel = 0; channel < sent_.size(); ++channel)
            DIVISI_TRY(check_channel(static_cast<std::int32_t>(channel)));
        const Number start = on_a_cycle();
        return start == nobody ? Result<void>{} : Result<void>(standstill(shortest_cycle(start)));
    }

private:
    void add(std::int32_t instance, const Operation& operation) {
        const auto number = static_cast<Number>(steps_.size());
        steps_.push_back({instance, &operation});
        for (const std::int32_t channel : operation.inputs) taken_[channel].push_back({operation.microbatch, number});
        for (const std::int32_t channel : operation.outputs) sent_[channel].push_back({operation.microbatch, number});
    }
    Result<void> check_channel(std::int32_t channel);
    std::vector<Wait> waits_of(Number number) const;
    Number on_a_cycle() const;
    std::vector<Wait> shortest_cycle(Number start) const;
    Error standstill(const std::vector<Wait>& cycle) const;

    std::string name_of(Number number) const {
        const auto& [instance, operation] = steps_[number];
        std::string text = instance_name(instance) + " " + to_string(operation->kind);
        const bool whole_step = operation->kind >= OperationKind::share_gradients;
        return whole_step ? text : text + " " + std::to_string(operation->microbatch);
    }
    std::string name_of(const Channel& channel) const {
        if (channel.kind == Channel::Kind::use_gradients) return "the gradients of shared weights";
        if (channel.kind == Channel::Kind::norm_shares) return "the gradient norm";
        const std::string value = graph_ != nullptr && channel.value >= 0
                                      ? "'" + graph_->values[channel.value].name + "'"
                                      : "value " + std::to_string(channel.value);
        return (channel.kind == Channel::Kind::gradient ? "the gradient of " : "") + value;
    }

    const Programs& programs_;
    const graph::Graph* graph_;
    std::vector<Step> steps_;                                ///< ordered by instance, then in program order
    std::vector<std::vector<Transfer>> sent_, taken_;        ///< indexed by channel, in program order
    std::vector<std::vector<Transfer>> sent_by_microbatch_;  ///< filled by check_channel()
};

Result<void> Phase::check_channel(std::int32_t number) {
    const Channel& channel = programs_.channels[number];
    const std::string what = name_of(channel);
    const std::string from = instance_name(channel.from), to = instance_name(channel.to);
    if (channel.slots < 1) return make_error(error_text("channel-without-slot"), "plan", {to, what, from});
    const std::vector<Transfer>& taken = taken_[number];
    for (std::size_t i = 1; i < taken.size(); ++i)
        if (taken[i].microbatch <= taken[i - 1].microbatch)
            return make_error(error_text("tensors-taken-out-of-order"), "plan",
                              {name_of(taken[i].by), what, name_of(taken[i - 1].by)});
    sent_by_microbatch_.resize(programs_.channels.size());
    std::vector<Transfer>& sent = sent_by_microbatch_[number] = sent_[number];
    std::sort(sent.begin(), sent.end(), by_microbatch);
    for (const Transfer& transfer : taken)
        if (!std::binary_search(sent.begin(), sent.end(), transfer, by_microbatch))
            return make_error(error_text("tensor-never-sent"), "plan", {name_of(transfer.by), what, from});
    for (const Transfer& transfer : sent)
        if (!std::binary_search(taken.begin(), taken.end(), transfer, by_microbatch))
            return make_error(error_text("tensor-never-taken"), "plan", {name_of(transfer.by), what, to});
    return {};
}

std::vector<Wait> Phase::waits_of(Number number) const {
    std::vector<Wait> waits;
    const auto& [instance, operation] = steps_[number];
    if (number > 0 && steps_[number - 1].instance == instance) waits.push_back({Wait::Kind::order, number - 1, -1});
    for (const std::int32_t channel : operation->inputs) {
        const auto& sent = sent_by_microbatch_[channel];
        const auto found =
            std::lower_bound(sent.begin(), sent.end(), Transfer{operation->microbatch, nobody}, by_microbatch);
        waits.push_back({Wait::Kind::tensor, found->by, channel});
    }
    for (const std::int32_t channel : operation->outputs) {
        const auto& sent = sent_[channel];
        const auto at = std::lower_bound(sent.begin(), sent.end(), number,
                                         [](const Transfer& transfer, Number by) { return transfer.by < by; });
        const auto before = at - sent.begin() - programs_.channels[channel].slots;
        if (before >= 0)
            waits.push_back({Wait::Kind::slot, taken_[channel][static_cast<std::size_t>(before)].by, channel});
    }
    return waits;
}

/// Returns an operation on a cycle of waits, or `nobody`. First completes every operation that waits for no incomplete
/// operation; each remaining operation then waits for another remaining operation.
Number Phase::on_a_cycle() const {
    std::vector<std::int32_t> waiting(steps_.size(), 0);
    std::vector<std::vector<Number>> followers(steps_.size());
    for (Number number = 0; number < static_cast<Number>(steps_.size()); ++number)
        for (const Wait& wait : waits_of(number)) {
            followers[wait.target].push_back(number);
            ++waiting[number];
        }
    std::vector<Number> ready;
    for (Number number = 0; number < static_cast<Number>(steps_.size()); ++number)
        if (waiting[number] == 0) ready.push_back(number);
    std::vector<bool> done(steps_.size(), false);
    while (!ready.empty()) {
        const Number number = ready.back();
        ready.pop_back();
        done[number] = true;
        for (const Number follower : followers[number])
            if (--waiting[follower] == 0) ready.push_back(follower);
    }
    Number at = static_cast<Number>(std::find(done.begin(), done.end(), false) - done.begin());
    if (at == static_cast<Number>(done.size())) return nobody;
    for (std::vector<bool> seen(steps_.size(), false); !seen[at];) {  // follow the waits until an operation repeats
        seen[at] = true;
        for (const Wait& wait : waits_of(at))
            if (!done[wait.target]) at = wait.target;
    }
    return at;
}

/// Returns the cycle through `start` with the fewest waits between instances.
std::vector<Wait> Phase::shortest_cycle(Number start) const {
    struct Reached {
        std::int32_t distance = std::numeric_limits<std::int32_t>::max();
        Number from = nobody;
        Wait by;
    };
    std::vector<Reached> reached(steps_.size());
    std::deque<std::pair<std::int32_t, Number>> open{{0, start}};
    while (!open.empty()) {
        const auto [distance, number] = open.front();
        open.pop_front();
        if (number == start && reached[start].from != nobody) break;
        if (number != start && distance > reached[number].distance) continue;
        for (const Wait& wait : waits_of(number)) {
            const std::int32_t next = distance + (wait.kind == Wait::Kind::order ? 0 : 1);
            if (next >= reached[wait.target].distance) continue;
            reached[wait.target] = {next, number, wait};
            if (wait.kind == Wait::Kind::order) open.emplace_front(next, wait.target);
            else open.emplace_back(next, wait.target);
        }
    }
    std::vector<Wait> cycle;
    Number at = start;
    do {
        cycle.push_back(reached[at].by);
        at = reached[at].from;
    } while (at != start);
    std::reverse(cycle.begin(), cycle.end());
    return cycle;
}

Error Phase::standstill(const std::vector<Wait>& cycle) const {
    const auto link = [&](const Wait& wait) -> std::string {
        if (wait.kind == Wait::Kind::order) return "comes after " + name_of(wait.target);
        const Channel& channel = programs_.channels[wait.channel];
        if (wait.kind == Wait::Kind::tensor) return "waits for " + name_of(channel) + " from " + name_of(wait.target);
        return "waits for a tensor slot for " + name_of(channel) + " at " +
               instance_name(steps_[wait.target].instance) + ", which " + name_of(wait.target) + " frees";
    };
    // Begin at a wait between instances, and print consecutive waits within one program as one wait: "stage 1 backward
    // 0 comes after stage 1 forward 3".
    std::vector<Wait> waits = cycle;
    const auto first =
        std::find_if(waits.begin(), waits.end(), [](const Wait& wait) { return wait.kind != Wait::Kind::order; });
    std::rotate(waits.begin(), first, waits.end());
    std::string text = name_of(waits.back().target);
    std::size_t printed = 0;
    const Channel* full = nullptr;
    for (std::size_t i = 0; i < waits.size(); ++i) {
        if (waits[i].kind == Wait::Kind::slot && full == nullptr) full = &programs_.channels[waits[i].channel];
        const bool goes_on =
            waits[i].kind == Wait::Kind::order && i + 1 < waits.size() && waits[i + 1].kind == Wait::Kind::order;
        if (goes_on) continue;
        if (++printed > most_printed) continue;
        text += (printed > 1 ? ", which " : " ") + link(waits[i]);
    }
    if (printed > most_printed) text += ", and so on over " + std::to_string(printed - most_printed) + " more waits";
    if (full == nullptr) return make_error(error_text("order-of-passes-waits"), "plan", {text});
    return make_error(full->slots == 1 ? error_text("tensor-slot-waits") : error_text("tensor-slots-wait"), "plan",
                      {text, name_of(*full), instance_name(full->from), std::to_string(full->slots)});
}

}  // namespace

Result<void> check_partition(const graph::Graph& graph, const Partition& partition) {
    DIVISI_ASSIGN(const Partition derived, make_partition(graph, partition.segments));
    for (const Edge& edge : derived.edges) {
        if (std::find(partition.edges.begin(), partition.edges.end(), edge) != partition.edges.end()) continue;
        return make_error(error_text("edge-missing"), "plan",
                          {graph.values[edge.value].name, instance_name(edge.from), instance_name(edge.to)});
    }
    if (derived.edges.size() != partition.edges.size()) return make_error(error_text("edge-not-needed"), "plan");
    return {};
}

Result<void> check_memory(const std::vector<StageMemory>& stages, const std::vector<StageCapacity>& capacities) {
    for (std::size_t i = 0; i < std::min(stages.size(), capacities.size()); ++i) {
        if (!capacities[i].memory || stages[i].total() <= *capacities[i].memory) continue;
        return make_error(error_text("stage-exceeds-memory"), "stage " + std::to_string(i),
                          {format_bytes(stages[i].total()), format_bytes(stages[i].activations), capacities[i].device,
                           format_bytes(*capacities[i].memory)});
    }
    return {};
}

Result<void> check_deadlock(const Programs& programs, const graph::Graph* graph) {
    DIVISI_TRY(Phase(programs, graph, false).check());
    if (programs.length.eval_every <= 0) return {};
    return Phase(programs, graph, true).check();
}

}  // namespace divisi::plan
