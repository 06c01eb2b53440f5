// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "backend/frame/demand.h"
#include "backend/frame/end.h"

namespace divisi::instance {

/// What a data instance was dealt: by consumer the micro-batches that it is to send, each once. Without I/O.
class Orders {
public:
    struct Item {
        std::uint64_t consumer = 0;  ///< flow_id of its SID
        frame::DataPlace place;
        bool operator==(const Item&) const = default;
    };

    /// All that this consumer waits for from here. What it no longer names and was not begun is left out. A demand of
    /// an earlier process of the consumer, or one that was overtaken, is dropped.
    void take(const frame::End& consumer, const frame::Demand& demand);
    /// The next to be sent: the earliest of all consumers, which keeps none of them waiting for another's later ones.
    std::optional<Item> next();
    bool empty() const;

private:
    struct Consumer {
        frame::Incarnation incarnation = 0;
        std::uint64_t sequence = 0;
        std::set<frame::DataPlace> open, begun;
    };
    std::map<std::uint64_t, Consumer> consumers_;
};

}  // namespace divisi::instance
