// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "backend/plan/data_demand.h"

namespace divisi::price {

/// Decides which data instance prepares which micro-batch. Each stage requests data as in a real run
/// (plan::DataDemand), and the data instances take turns, as gateways assign them unless the policy says otherwise. The
/// gateways of all MICs count as one gateway. Does not model time.
class DealtData {
public:
    /// A request to one data instance: make this micro-batch for this stage.
    struct Order {
        std::size_t instance = 0;
        std::int32_t stage = 0;
        plan::DataDemand::Place place;
    };

    /// Creates the model. `instances` must be above 0.
    DealtData(const plan::Programs& programs, std::size_t instances);

    /// Returns the initial orders, by stage and then in the order of consumption.
    std::vector<Order> begin();
    /// Records the arrival of a data tensor.
    void arrived(const plan::TensorKey& key);
    /// Records that a tensor's slot was freed. Returns the stage's new orders.
    std::vector<Order> released(const plan::TensorKey& key);

private:
    struct Consumer {
        plan::DataDemand demand;
        std::set<plan::DataDemand::Place> dealt;  ///< requested micro-batches that were already assigned
    };

    void deal(std::int32_t stage, Consumer& consumer, std::vector<Order>& orders);
    std::int32_t stage_of(const plan::TensorKey& key) const;

    const plan::Programs& programs_;
    std::size_t instances_;
    std::size_t turn_ = 0;
    std::map<std::int32_t, Consumer> consumers_;  ///< consumers by stage; only stages that need data
};

}  // namespace divisi::price
