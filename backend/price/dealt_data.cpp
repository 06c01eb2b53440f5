// SPDX-License-Identifier: Apache-2.0
#include "backend/price/dealt_data.h"

namespace divisi::price {

DealtData::DealtData(const plan::Programs& programs, std::size_t instances)
    : programs_(programs), instances_(instances) {
    for (std::int32_t stage = 0; stage < static_cast<std::int32_t>(programs.stages.size()); ++stage) {
        plan::DataDemand demand(programs, stage);
        if (!demand.channels().empty()) consumers_.emplace(stage, Consumer{std::move(demand), {}});
    }
}

std::vector<DealtData::Order> DealtData::begin() {
    std::vector<Order> orders;
    for (auto& [stage, consumer] : consumers_) {
        consumer.demand.begin({});
        deal(stage, consumer, orders);
    }
    return orders;
}

void DealtData::arrived(const plan::TensorKey& key) { consumers_.at(stage_of(key)).demand.arrived(key); }

std::vector<DealtData::Order> DealtData::released(const plan::TensorKey& key) {
    std::vector<Order> orders;
    const std::int32_t stage = stage_of(key);
    Consumer& consumer = consumers_.at(stage);
    consumer.demand.released(key);
    deal(stage, consumer, orders);
    return orders;
}

void DealtData::deal(std::int32_t stage, Consumer& consumer, std::vector<Order>& orders) {
    std::set<plan::DataDemand::Place> awaited;
    for (const plan::DataDemand::Place& place : consumer.demand.awaited()) {
        awaited.insert(place);
        if (!consumer.dealt.contains(place)) orders.push_back({turn_++ % instances_, stage, place});
    }
    consumer.dealt = std::move(awaited);
}

std::int32_t DealtData::stage_of(const plan::TensorKey& key) const {
    return programs_.channels[static_cast<std::size_t>(key.channel)].to;
}

}  // namespace divisi::price
