// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/serving/tensor_outlet.h"

#include <utility>

namespace divisi::instance {
namespace {

frame::FrameKind frame_kind(const plan::Channel& channel) {
    using Kind = plan::Channel::Kind;
    switch (channel.kind) {
        case Kind::value:
            return channel.from == plan::data_unit ? frame::FrameKind::input : frame::FrameKind::activation;
        case Kind::gradient: return frame::FrameKind::gradient;
        case Kind::use_gradients: return frame::FrameKind::weight_use_gradient;
        case Kind::norm_shares: return frame::FrameKind::norm_share;
    }
    return frame::FrameKind::activation;
}

}  // namespace

TensorOutlet::TensorOutlet(std::shared_ptr<const task::CompiledPlan> plan, std::uint64_t flow, Generation generation,
                           std::map<std::int32_t, Sid> peers, Port port)
    : plan_(std::move(plan)), flow_(flow), generation_(generation), peers_(std::move(peers)), port_(std::move(port)) {}

const plan::Channel& TensorOutlet::channel_of(const plan::TensorKey& key) const {
    return plan_->programs->channels[static_cast<std::size_t>(key.channel)];
}

frame::TensorKey TensorOutlet::frame_key(const plan::TensorKey& key) const {
    return {flow_,    generation_,   frame_kind(channel_of(key)), static_cast<std::uint32_t>(key.channel),
            key.step, key.microbatch};
}

void TensorOutlet::send(const plan::TensorKey& key, graph::HostTensor tensor) {
    frame::TensorFrame frame;
    frame.key = frame_key(key);
    frame.tensor = std::move(tensor);
    port_.send(consumer_of(key), std::move(frame));
}

void TensorOutlet::send(const plan::TensorKey& key, graph::HostTensor tensor, const frame::ContentKey& content) {
    frame::TensorFrame frame;
    frame.key = frame_key(key);
    frame.tensor = std::move(tensor);
    frame::set_content(frame.routing, content);
    port_.send(consumer_of(key), std::move(frame));
}

void TensorOutlet::offer(const plan::TensorKey& key, const frame::ContentKey& content) {
    port_.offer(consumer_of(key), frame_key(key), content);
}

void TensorOutlet::release(const plan::TensorKey& key) { port_.release(frame_key(key)); }

void TensorOutlet::ask(std::vector<frame::DataPlace> places, std::int64_t bytes) {
    port_.ask(std::move(places), bytes);
}

}  // namespace divisi::instance
