// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/world.h"

#include <utility>

namespace divisi::sim {

ProcessLoop::~ProcessLoop() {
    for (const auto& [id, timer] : timers_) world_.loop().cancel(timer.in_world);
    world_.loop().cancel(turn_);
}

link::Loop::TimerId ProcessLoop::after(Duration delay, Task task) {
    const TimerId id = ++last_;
    timers_[id] = {world_.loop().after(delay, [this, id] { due(id); }), std::move(task)};
    return id;
}

void ProcessLoop::cancel(TimerId id) {
    const auto found = timers_.extract(id);
    if (!found.empty()) world_.loop().cancel(found.mapped().in_world);
}

void ProcessLoop::due(TimerId id) {
    if (waits()) late_.push_back(id);
    else run(id);
}

void ProcessLoop::run(TimerId id) {
    const auto found = timers_.extract(id);
    if (!found.empty()) found.mapped().task();
}

void ProcessLoop::arrive(Task task) {
    if (waits()) inputs_.push_back(std::move(task));
    else task();
}

void ProcessLoop::go_on() {
    stopped_ = false;
    catches_up_ = true;
    if (turn_ == 0) turn_ = world_.loop().after(Duration(0), [this] { take_turn(); });
}

/// A task may post other tasks. They run before the next late timer or input, since the next turn is requested only
/// after the task has run.
void ProcessLoop::take_turn() {
    turn_ = 0;
    if (stopped_) return;
    catches_up_ = true;
    if (!late_.empty()) {
        const TimerId id = late_.front();
        late_.pop_front();
        run(id);
    } else if (!inputs_.empty()) {
        const Task task = std::move(inputs_.front());
        inputs_.pop_front();
        task();
    }
    catches_up_ = !late_.empty() || !inputs_.empty();
    if (catches_up_) turn_ = world_.loop().after(Duration(0), [this] { take_turn(); });
}

}  // namespace divisi::sim
