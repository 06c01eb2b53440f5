// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/engine/load_meter.h"

#include <algorithm>
#include <utility>

namespace divisi::instance {

control::InstanceLoad LoadMeter::measure(TimePoint now) {
    control::InstanceLoad load;
    const std::lock_guard lock(mutex_);
    const std::int64_t busy = busy_ns_;
    const auto wall = static_cast<double>((now - measured_at_).count());
    if (wall > 0) load.busy_share = std::min(1.0, static_cast<double>(busy - measured_busy_ns_) / wall);
    load.wait_share = 1.0 - load.busy_share;
    measured_at_ = now;
    measured_busy_ns_ = busy;
    load.step = step_now_;
    load.bytes_sent = sent_bytes_;
    load.bytes_received = received_bytes_;
    load.served = served_;
    load.spared = spared_;
    load.parameters = parameters_;
    load.gradients = gradients_;
    load.optimizer = optimizer_;
    load.activations = std::max(activations_.load(), peak_activations_.exchange(0));
    if (doing_) {
        load.operation = doing_->what;
        load.operation_ms = (now - doing_->since) / std::chrono::milliseconds(1);
    }
    return load;
}

EngineWork LoadMeter::work() const {
    EngineWork work;
    work.step = step_now_;
    work.steps = steps_done_;
    work.samples = samples_done_;
    work.busy = Duration(busy_ns_);
    work.served = served_;
    work.spared = spared_;
    work.held = held_;
    work.slots = slots_;
    work.taken = taken_slots_;
    return work;
}

void LoadMeter::begin(std::string what, TimePoint since) {
    const std::lock_guard lock(mutex_);
    doing_ = {std::move(what), since};
}

void LoadMeter::end() {
    const std::lock_guard lock(mutex_);
    doing_.reset();
}

void LoadMeter::step_passed(std::int64_t step, std::int64_t samples) {
    step_now_ = step;
    ++steps_done_;
    samples_done_ += samples;
}

void LoadMeter::served(std::int64_t step) {
    ++served_;
    step_now_ = std::max(step_now_.load(), step);
}

void LoadMeter::set_loaded(const segment::Executor::Memory& memory) {
    parameters_ = memory.parameters;
    optimizer_ = memory.optimizer;
}

void LoadMeter::set_memory(const segment::Executor::Memory& memory) {
    set_loaded(memory);
    gradients_ = memory.gradients;
    activations_ = memory.activations;
    peak_activations_ = std::max(peak_activations_.load(), memory.activations);
}

}  // namespace divisi::instance
