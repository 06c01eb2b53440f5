// SPDX-License-Identifier: Apache-2.0
#include "backend/plan/data_demand.h"

#include <algorithm>

namespace divisi::plan {

DataDemand::DataDemand(const Programs& programs, std::int32_t stage)
    : length_(programs.length), next_{programs.length.first_step, 0} {
    for (std::size_t number = 0; number < programs.channels.size(); ++number) {
        const Channel& channel = programs.channels[number];
        if (channel.from != data_unit || channel.to != stage) continue;
        const auto slots = static_cast<std::size_t>(channel.slots);
        slots_ = channels_.empty() ? slots : std::min(slots_, slots);
        channels_.insert(static_cast<std::int32_t>(number));
    }
}

void DataDemand::begin(std::optional<std::int32_t> eval_microbatches) {
    if (eval_microbatches) length_.eval_microbatches = *eval_microbatches;
    if (length_.evaluates_first()) next_ = {length_.first_step - 1, length_.microbatches};
    begun_ = !channels_.empty();
    ask();
}

void DataDemand::arrived(const TensorKey& key) {
    Asked* asked = find(key);
    if (!asked || asked->missing.erase(key.channel) == 0) return;
    asked->held.insert(key.channel);
    changed_ |= asked->missing.empty();
}

void DataDemand::released(const TensorKey& key) {
    Asked* asked = find(key);
    if (!asked) return;
    asked->held.erase(key.channel);
    if (!asked->held.empty() || !asked->missing.empty()) return;
    std::erase_if(asked_, [place = asked->place](const Asked& one) { return one.place == place; });
    ask();
}

std::vector<DataDemand::Place> DataDemand::awaited() const {
    std::vector<Place> places;
    for (const Asked& asked : asked_)
        if (!asked.missing.empty()) places.push_back(asked.place);
    return places;
}

DataDemand::Asked* DataDemand::find(const TensorKey& key) {
    if (!channels_.contains(key.channel)) return nullptr;
    const auto asked = std::ranges::find(asked_, Place{key.step, key.microbatch}, &Asked::place);
    return asked == asked_.end() ? nullptr : &*asked;
}

void DataDemand::ask() {
    while (begun_ && asked_.size() < slots_ && next_.step <= length_.last_step) {
        asked_.push_back({next_, channels_, {}});
        next();
        changed_ = true;
    }
}

/// Advances over the micro-batches of a step, then over the micro-batches of the evaluation after that step.
void DataDemand::next() {
    const std::int32_t last =
        length_.microbatches + (length_.evaluates_after(next_.step) ? length_.eval_microbatches : 0);
    if (++next_.microbatch < last) return;
    next_ = {next_.step + 1, 0};
}

}  // namespace divisi::plan
