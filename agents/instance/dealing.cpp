// SPDX-License-Identifier: Apache-2.0
// Dealt data: a stage asks for micro-batches as it has free tensor slots, and a data instance sends the ones for which
// the gateway chose it.
#include <algorithm>

#include "agents/instance/engine.h"

namespace divisi::instance {

/// Sends the stage's demand if it has changed since the last message.
void Engine::say_demand() {
    if (!demand_ || !demand_->take_changed()) return;
    std::vector<frame::DataPlace> places;
    for (const plan::DataDemand::Place& place : demand_->awaited()) places.push_back({place.step, place.microbatch});
    std::int64_t bytes = 0;
    for (const auto& [channel, size] : channel_bytes_) bytes += size;
    outlet_.ask(std::move(places), bytes);
}

void Engine::note_data(const plan::TensorKey& key, const graph::HostTensor& tensor) {
    if (!demand_->channels().contains(key.channel)) return;
    channel_bytes_[key.channel] = tensor.size_bytes;
    demand_->arrived(key);
}

void Engine::order(const frame::End& consumer, std::int32_t stage, frame::Demand demand) {
    const std::lock_guard lock(mutex_);
    order_stages_[consumer.sid] = stage;
    // The newest demand replaces older ones, so that they do not pile up while a file is slow to read.
    for (Mail& mail : mailbox_) {
        auto* waiting = get_if<Ordered>(&mail);
        if (!waiting || waiting->consumer != consumer) continue;
        if (demand.sequence >= waiting->demand.sequence) waiting->demand = std::move(demand);
        return;
    }
    mailbox_.push_back(Ordered{consumer, std::move(demand)});
    wake_.notify_one();
}

/// Sends dealt data until stop() is called. A data instance cannot know when no more is wanted.
Result<void> Engine::serve() {
    while (!stop_requested_) {
        DIVISI_TRY(take_mail(orders_.empty()));
        const auto item = orders_.next();
        if (!item || stop_requested_) continue;
        DIVISI_TRY(serve(*item));
    }
    return {};
}

Result<void> Engine::serve(const Orders::Item& item) {
    const TimePoint begin = clock_.now();
    std::int32_t stage = 0;
    {
        const std::lock_guard lock(mutex_);
        stage = order_stages_.at(item.consumer);
        doing_ = {"data of micro-batch " + std::to_string(item.place.microbatch) + ", step " +
                      std::to_string(item.place.step),
                  begin};
    }
    auto batch = read(item.place);
    if (!batch) {
        Error error = std::move(batch).error();
        error.where = "data of micro-batch " + std::to_string(item.place.microbatch) + ", step " +
                      std::to_string(item.place.step) + (error.where.empty() ? "" : ", " + error.where);
        return error;
    }
    const auto& channels = config_.plan->programs->channels;
    for (std::size_t number = 0; number < channels.size(); ++number) {
        const plan::Channel& channel = channels[number];
        if (channel.from != plan::data_unit || channel.to != stage) continue;
        graph::HostTensor tensor = *batch->find(column_of(*config_.plan, channel.value));
        sent_bytes_ += tensor.size_bytes;
        outlet_.send({static_cast<std::int32_t>(number), item.place.step, item.place.microbatch}, std::move(tensor));
    }
    ++served_;
    step_now_ = std::max(step_now_.load(), item.place.step);
    busy_ns_ += (clock_.now() - begin).count();
    const std::lock_guard lock(mutex_);
    doing_.reset();
    return {};
}

}  // namespace divisi::instance
