// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/engine/dealt_data.h"

#include "agents/instance/engine/data_setup.h"

namespace divisi::instance {

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
