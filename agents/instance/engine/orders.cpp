// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/engine/orders.h"

#include <algorithm>

#include "agents/instance/engine/unit_setup.h"

namespace divisi::instance {

void Orders::take(const frame::End& from, const frame::Demand& demand) {
    Consumer& consumer = consumers_[from.sid];
    if (from.incarnation < consumer.incarnation) return;
    if (from.incarnation > consumer.incarnation) consumer = {from.incarnation, 0, {}, {}};
    if (demand.sequence < consumer.sequence) return;
    consumer.sequence = demand.sequence;
    const std::set<frame::DataPlace> wanted(demand.places.begin(), demand.places.end());
    std::erase_if(consumer.begun, [&](const auto& place) { return !wanted.contains(place); });
    consumer.open.clear();
    for (const frame::DataPlace& place : wanted)
        if (!consumer.begun.contains(place)) consumer.open.insert(place);
}

std::optional<Orders::Item> Orders::next() {
    std::optional<Item> earliest;
    for (const auto& [sid, consumer] : consumers_)
        if (!consumer.open.empty() && (!earliest || *consumer.open.begin() < earliest->place))
            earliest = Item{sid, *consumer.open.begin()};
    if (!earliest) return std::nullopt;
    Consumer& consumer = consumers_.at(earliest->consumer);
    consumer.open.erase(earliest->place);
    consumer.begun.insert(earliest->place);
    return earliest;
}

bool Orders::empty() const {
    return std::ranges::all_of(consumers_, [](const auto& entry) { return entry.second.open.empty(); });
}

void DealtData::take(const frame::End& consumer, std::int32_t stage, const frame::Demand& demand) {
    stages_[consumer.sid] = stage;
    orders_.take(consumer, demand);
}

std::optional<DealtData::Item> DealtData::next() {
    const auto item = orders_.next();
    if (!item) return std::nullopt;
    return Item{stages_.at(item->consumer), item->place};
}

std::vector<std::pair<plan::TensorKey, graph::HostTensor>> DealtData::tensors(const Item& item,
                                                                              const data::Batch& batch) const {
    std::vector<std::pair<plan::TensorKey, graph::HostTensor>> tensors;
    const auto& channels = plan_->programs->channels;
    for (std::size_t number = 0; number < channels.size(); ++number) {
        const plan::Channel& channel = channels[number];
        if (channel.from != plan::data_unit || channel.to != item.stage) continue;
        const plan::TensorKey key{static_cast<std::int32_t>(number), item.place.step, item.place.microbatch};
        tensors.emplace_back(key, *batch.find(column_of(*plan_, channel.value)));
    }
    return tensors;
}

}  // namespace divisi::instance
