// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/stage_process.h"

namespace divisi::sim {

StageProcess::StageProcess(Surroundings around, const StageConfig& config, std::int32_t stage, Done done)
    : Process(around, {sid(stage).value(), "machine-" + std::to_string(stage)}),
      done_(std::move(done)),
      port_(loop_, sockets(), sid(stage), 1, events()),
      config_(config) {
    config_.stage = stage;
    config_.generation = 0;
    endpoint_ = port_.listen("mem://" + place_.process).value();
}

void StageProcess::enter(Generation generation, std::int64_t done) {
    config_.generation = generation;
    config_.first = done + 1;
    port_.enter(config_.task, generation);
    engine_.emplace(loop_, config_, outlet());
    engine_->start();
    watch().holds(place_.process, port_.unacknowledged(), 8);
}

link::DataPort::Events StageProcess::events() {
    return {[this](const frame::TensorFrame& frame) {
                if (engine_) engine_->deliver(frame);
            },
            [this](const frame::TensorKey& key) {
                if (engine_ && key.generation == config_.generation) engine_->freed(key);
            },
            {}};
}

StageEngine::Outlet StageProcess::outlet() {
    return {[this](std::int32_t stage, frame::TensorFrame frame) {
                const auto sent = port_.send(sid(stage), std::move(frame));
                if (!sent) watch().violate(place_.process + " cannot send: " + sent.error().message());
            },
            [this](const frame::TensorKey& key) { port_.release(key); },
            [this](std::int64_t step, float) { done_(config_.generation, step); }, [] {},
            [this](const std::string& what) { watch().violate(place_.process + ": " + what); }};
}

void Progress::done(Generation generation, std::int64_t step) {
    if (generation != generation_) return;
    if (step != step_ + 1) watch_.violate("step " + std::to_string(step) + " follows step " + std::to_string(step_));
    step_ = step;
    last_ = world_.now();
}

void Progress::poll() {
    const Duration stall = world_.now() - std::max(last_, excused_);
    longest_ = std::max(longest_, stall);
    if (stall > longest_stall_)
        watch_.violate("generation " + std::to_string(generation_) + " has made no progress since step " +
                       std::to_string(step_));
}

}  // namespace divisi::sim
