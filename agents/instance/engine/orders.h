// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "backend/frame/demand.h"
#include "backend/frame/end.h"

namespace divisi::instance {

/// Micro-batches that a data instance must still send. Sends each one once while demands name it. Does no I/O.
class Orders {
public:
    struct Item {
        std::uint64_t consumer = 0;  ///< flow_id of the consumer's SID
        frame::DataPlace place;
        bool operator==(const Item&) const = default;
    };

    /// Sets all micro-batches that this consumer waits for. A micro-batch that the demand no longer names is dropped,
    /// unless it was begun. Ignores a demand from an earlier process of the consumer, and a demand older than the last
    /// one.
    void take(const frame::End& consumer, const frame::Demand& demand);
    /// Returns the next item to send: the earliest item of all consumers, so that no consumer waits for later items of
    /// another consumer.
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
