// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/stage_engine.h"

#include <string>
#include <utility>

namespace divisi::sim {
namespace {

constexpr std::size_t slots = 2;

int index(bool backward) { return backward ? 1 : 0; }

/// Fills in the fields that the configuration leaves out: a model with one operator for each stage.
StageConfig completed(StageConfig config) {
    if (config.operators == 0) config.operators = config.stages;
    if (config.first_op < 0) {
        config.first_op = config.stage;
        config.end_op = config.stage + 1;
    }
    return config;
}

}  // namespace

StageEngine::StageEngine(link::Loop& loop, StageConfig config, Outlet outlet)
    : config_(completed(std::move(config))),
      outlet_(std::move(outlet)),
      expected_(config_.operators, config_.steps),
      timer_(loop),
      step_(config_.first) {
    for (std::int32_t op = config_.first_op; op < config_.end_op; ++op)
        arithmetic_.emplace_back(op, config_.weights
                                         ? config_.weights->at(static_cast<std::size_t>(op - config_.first_op))
                                         : expected_.weight(op, config_.first - 1));
}

std::vector<std::uint64_t> StageEngine::weights() const {
    std::vector<std::uint64_t> all;
    for (const OperatorArithmetic& one : arithmetic_) all.push_back(one.weight());
    return all;
}

void StageEngine::start() {
    runs_ = true;
    poll();
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

void StageEngine::deliver(const frame::TensorFrame& frame) {
    const bool backward = frame.key.kind == frame::FrameKind::gradient;
    const Position position{frame.key.step, frame.key.microbatch};
    Edge& edge = in_[index(backward)];
    if (frame.key.generation != config_.generation) return outlet_.wrong("a tensor of another generation arrived");
    if (!edge.seen.insert(position).second) return outlet_.wrong("a tensor was delivered twice");
    edge.arrived[position] = static_cast<std::uint64_t>(frame.tensor.integer_at(0));
    if (frame.tensor.integer_at(config_.numbers - 1) != frame.tensor.integer_at(0))
        outlet_.wrong("a tensor was assembled from two tensors");
    if (edge.arrived.size() > slots) outlet_.wrong("more tensors were sent than there are slots");
    poll();
}

void StageEngine::freed(const frame::TensorKey& key) {
    held_[index(key.kind == frame::FrameKind::gradient)].erase({key.step, key.microbatch});
    poll();
}

/// Begins the next operation if its input and a slot for its output are available.
void StageEngine::poll() {
    if (!runs_ || busy_ || step_ > config_.steps) return;
    if (held_after_ > 0 && step_ > held_after_) return;
    const int way = index(way_ == Way::backward);
    if (receives(way_) && !in_[way].arrived.contains({step_, microbatch_})) return;
    if (sends(way_) && held_[way].size() >= slots) return;
    busy_ = true;
    timer_.start(config_.operation, [this] { perform(); });
}

/// Returns the input of the next operation. Checks that a received tensor equals the same tensor of a training without
/// faults.
std::uint64_t StageEngine::input(Position position) {
    if (!receives(way_))
        return way_ == Way::forward ? OperatorArithmetic::sample(position.first, position.second)
                                    : outputs_.at(static_cast<std::size_t>(position.second));
    const bool forward = way_ == Way::forward;
    const std::int32_t from = config_.stage + (forward ? -1 : 1);
    const std::uint64_t value = in_[index(!forward)].arrived.extract(position).mapped();
    const std::int32_t sender = forward ? config_.first_op - 1 : config_.end_op;
    if (value != expected_.sent(sender, way_, position.first, position.second))
        outlet_.wrong("a tensor differs from that of an undisturbed training");
    // An edge is identified by the lower of its two stages.
    outlet_.release(key(way_, forward ? from : config_.stage, position));
    return value;
}

std::uint64_t StageEngine::compute(std::uint64_t received) {
    std::uint64_t value = received;
    if (way_ == Way::forward)
        for (const OperatorArithmetic& one : arithmetic_) value = one.forward(value);
    else
        for (auto one = arithmetic_.rbegin(); one != arithmetic_.rend(); ++one) value = one->backward(value);
    return value;
}

void StageEngine::perform() {
    busy_ = false;
    const Position position{step_, microbatch_};
    const bool forward = way_ == Way::forward;
    const std::uint64_t output = compute(input(position));
    if (forward) outputs_.push_back(output);
    if (sends(way_)) {
        frame::TensorFrame frame;
        frame.key = key(way_, forward ? config_.stage : config_.stage - 1, position);
        frame.tensor = graph::HostTensor::of(
            graph::DType::int64, {config_.numbers},
            std::vector<std::int64_t>(static_cast<std::size_t>(config_.numbers), static_cast<std::int64_t>(output)));
        held_[index(!forward)].insert(position);
        outlet_.send(config_.stage + (forward ? 1 : -1), std::move(frame));
    }
    next();
}

void StageEngine::next() {
    if (++microbatch_ < microbatches) return poll();
    microbatch_ = 0;
    if (way_ == Way::forward) {
        way_ = Way::backward;
        return poll();
    }
    way_ = Way::forward;
    end_step();
    if (++step_ > config_.steps) return outlet_.finished();
    poll();
}

void StageEngine::end_step() {
    for (OperatorArithmetic& one : arithmetic_) one.end_step();
    const float loss = OperatorArithmetic::loss(std::exchange(outputs_, {}));
    if (outlet_.step_over) outlet_.step_over(step_, weights());
    if (last()) outlet_.step_done(step_, loss);
}

}  // namespace divisi::sim
