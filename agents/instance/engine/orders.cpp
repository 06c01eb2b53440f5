// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/engine/orders.h"

#include <algorithm>

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

}  // namespace divisi::instance
