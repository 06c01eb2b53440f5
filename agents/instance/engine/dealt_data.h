// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "agents/data/dataset.h"
#include "agents/instance/engine/orders.h"
#include "backend/plan/interpreter.h"
#include "backend/task/compile.h"

namespace divisi::instance {

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
