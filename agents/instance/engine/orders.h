// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "agents/data/dataset.h"
#include "backend/frame/demand.h"
#include "backend/frame/end.h"
#include "backend/plan/interpreter.h"
#include "backend/task/compile.h"

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

/// The demands that stages have sent to a data instance. Decides which micro-batch to send next, and over which
/// channels. Does no I/O.
class DealtData {
public:
    explicit DealtData(std::shared_ptr<const task::CompiledPlan> plan) : plan_(std::move(plan)) {}

    /// Sets all micro-batches that a consumer waits for; see Orders::take.
    void take(const frame::End& consumer, std::int32_t stage, const frame::Demand& demand);
    struct Item {
        std::int32_t stage = 0;
        frame::DataPlace place;
    };
    std::optional<Item> next();
    bool empty() const { return orders_.empty(); }

    /// Returns the tensors of a micro-batch that are sent to the stage, in the order of channels.
    std::vector<std::pair<plan::TensorKey, graph::HostTensor>> tensors(const Item& item,
                                                                       const data::Batch& batch) const;

private:
    std::shared_ptr<const task::CompiledPlan> plan_;
    Orders orders_;
    std::map<std::uint64_t, std::int32_t> stages_;  ///< stage of each consumer, by the flow_id of its SID
};

}  // namespace divisi::instance
