// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/stage_engine.h"

#include <string>

namespace divisi::sim {
namespace {

constexpr std::int32_t microbatches = 2;
constexpr std::size_t slots = 2;

int index(bool backward) { return backward ? 1 : 0; }

}  // namespace

StageEngine::StageEngine(link::Loop& loop, StageConfig config, Outlet outlet)
    : config_(config), outlet_(std::move(outlet)), timer_(loop), step_(config.first) {}

void StageEngine::start() {
    runs_ = true;
    look();
}

frame::TensorKey StageEngine::key(Way way, std::int32_t edge, Position position) const {
    frame::TensorKey key;
    key.task = config_.task;
    key.generation = config_.generation;
    key.kind = way == Way::forward ? frame::FrameKind::activation : frame::FrameKind::gradient;
    key.edge = static_cast<std::uint32_t>(edge);
    key.step = position.first;
    key.microbatch = position.second;
    return key;
}

/// What `stage` sends for this micro-batch.
std::uint64_t StageEngine::value(std::int32_t stage, Way way, Position position) const {
    std::uint64_t value = static_cast<std::uint64_t>(position.first) * 31 + static_cast<std::uint64_t>(position.second);
    const auto mix = [&](std::uint64_t by) { value = value * 6364136223846793005ULL + by; };
    const std::int32_t top = way == Way::forward ? stage : config_.stages - 1;
    for (std::int32_t i = 0; i <= top; ++i) mix(static_cast<std::uint64_t>(i) + 1);
    for (std::int32_t i = config_.stages - 1; way == Way::backward && i >= stage; --i)
        mix(static_cast<std::uint64_t>(i) + 101);
    return value;
}

void StageEngine::deliver(const frame::TensorFrame& frame) {
    const bool backward = frame.key.kind == frame::FrameKind::gradient;
    const Position position{frame.key.step, frame.key.microbatch};
    Edge& edge = in_[index(backward)];
    if (frame.key.generation != config_.generation) return outlet_.wrong("a tensor of another generation is delivered");
    if (!edge.seen.insert(position).second) return outlet_.wrong("a tensor is delivered twice");
    edge.arrived[position] = static_cast<std::uint64_t>(frame.tensor.integer_at(0));
    if (frame.tensor.integer_at(config_.numbers - 1) != frame.tensor.integer_at(0))
        outlet_.wrong("a tensor is made of two");
    if (edge.arrived.size() > slots) outlet_.wrong("more tensors are sent than there are slots");
    look();
}

void StageEngine::freed(const frame::TensorKey& key) {
    held_[index(key.kind == frame::FrameKind::gradient)].erase({key.step, key.microbatch});
    look();
}

/// Begins the next operation when its input and a slot for its output are there.
void StageEngine::look() {
    if (!runs_ || busy_ || step_ > config_.steps) return;
    const int way = index(way_ == Way::backward);
    if (receives(way_) && !in_[way].arrived.contains({step_, microbatch_})) return;
    if (sends(way_) && held_[way].size() >= slots) return;
    busy_ = true;
    timer_.start(config_.operation, [this] { perform(); });
}

void StageEngine::perform() {
    busy_ = false;
    const Position position{step_, microbatch_};
    const int way = index(way_ == Way::backward);
    const std::int32_t to = config_.stage + (way_ == Way::forward ? 1 : -1);
    // An edge is named by the lower of its two stages.
    const std::int32_t edge_in = way_ == Way::forward ? config_.stage - 1 : config_.stage;
    const std::int32_t edge_out = way_ == Way::forward ? config_.stage : config_.stage - 1;
    if (receives(way_)) {
        const auto input = in_[way].arrived.extract(position);
        const std::int32_t from = config_.stage + (way_ == Way::forward ? -1 : 1);
        if (input.mapped() != value(from, way_, position)) outlet_.wrong("a tensor has another content than was sent");
        outlet_.release(key(way_, edge_in, position));
    }
    if (sends(way_)) {
        frame::TensorFrame frame;
        frame.key = key(way_, edge_out, position);
        frame.tensor = graph::HostTensor::of(
            graph::DType::int64, {config_.numbers},
            std::vector<std::int64_t>(static_cast<std::size_t>(config_.numbers),
                                      static_cast<std::int64_t>(value(config_.stage, way_, position))));
        held_[way].insert(position);
        outlet_.send(to, std::move(frame));
    }
    next();
}

void StageEngine::next() {
    if (++microbatch_ < microbatches) return look();
    microbatch_ = 0;
    if (way_ == Way::forward) {
        way_ = Way::backward;
        return look();
    }
    way_ = Way::forward;
    if (last()) outlet_.step_done(step_, static_cast<float>(value(config_.stage, Way::forward, {step_, 0}) % 65'536));
    if (++step_ > config_.steps) return outlet_.finished();
    look();
}

}  // namespace divisi::sim
