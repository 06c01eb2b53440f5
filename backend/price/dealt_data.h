// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "backend/plan/data_demand.h"

namespace divisi::price {

/// Who makes which micro-batch where stages ask for them: each stage asks as it does when it runs (plan::DataDemand),
/// and the data instances take turns, which is what gateways do unless the policy says otherwise. The gateways of all
/// MICs count as one. Knows no time.
class DealtData {
public:
    /// What one data instance is to make for one stage.
    struct Order {
        std::size_t instance = 0;
        std::int32_t stage = 0;
        plan::DataDemand::Place place;
    };

    /// `instances`: above 0.
    DealtData(const plan::Programs& programs, std::size_t instances);

    /// What is asked for at first, by stage and then in the order in which it is consumed.
    std::vector<Order> begin();
    /// A tensor of the data is there.
    void arrived(const plan::TensorKey& key);
    /// Its slot is free again; returns what the stage asks for now.
    std::vector<Order> released(const plan::TensorKey& key);

private:
    struct Consumer {
        plan::DataDemand demand;
        std::set<plan::DataDemand::Place> dealt;  ///< of what it waits for
    };

    void deal(std::int32_t stage, Consumer& consumer, std::vector<Order>& orders);
    std::int32_t stage_of(const plan::TensorKey& key) const;

    const plan::Programs& programs_;
    std::size_t instances_;
    std::size_t turn_ = 0;
    std::map<std::int32_t, Consumer> consumers_;  ///< by stage, those that take data
};

}  // namespace divisi::price
