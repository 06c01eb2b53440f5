// SPDX-License-Identifier: Apache-2.0
#include "backend/plan/interpreter.h"

#include <algorithm>
#include <cassert>

namespace divisi::plan {

namespace {

/// A whole step's operations, an operation of one micro-batch, or one of an evaluation: its place in a run.
using Place = std::pair<std::int64_t, std::int32_t>;

std::string place_name(const TensorKey& key) {
    return "channel " + std::to_string(key.channel) + ", step " + std::to_string(key.step) + ", micro-batch " +
           std::to_string(key.microbatch);
}

}  // namespace

std::string describe(const Operation& operation, std::int64_t step) {
    std::string text = to_string(operation.kind);
    if (operation.kind < OperationKind::share_gradients || operation.kind == OperationKind::evaluate)
        text += " of micro-batch " + std::to_string(operation.microbatch);
    return text + ", step " + std::to_string(step);
}

Interpreter::Interpreter(std::shared_ptr<const Programs> programs, std::int32_t instance)
    : programs_(std::move(programs)),
      program_(programs_->of(instance)),
      length_(programs_->length),
      incoming_(programs_->channels.size()),
      outgoing_(programs_->channels.size()),
      step_(length_.first_step) {}

Error Interpreter::violation(std::string what) const {
    const std::string who = program_.instance == data_unit ? "data unit" : "stage " + std::to_string(program_.instance);
    return Error{ErrorCode::corrupt, std::move(what), "interpreter of " + who,
                 "the peer or the caller does not follow the plan; compare their plan hashes"};
}

Result<std::vector<Action>> Interpreter::step(const InterpreterEvent& event, TimePoint now) {
    std::vector<Action> actions;
    if (const auto* begun = std::get_if<Begin>(&event)) {
        DIVISI_TRY(begin(*begun, now));
        if (step_ > length_.last_step) {
            phase_ = Phase::finished;
            actions.push_back(RunFinished{});
        }
    } else if (const auto* input = std::get_if<InputArrived>(&event)) {
        DIVISI_TRY(arrived(input->key));
    } else if (const auto* slot = std::get_if<SlotFreed>(&event)) {
        DIVISI_TRY(freed(slot->key));
    } else if (const auto* stop = std::get_if<StopAfter>(&event)) {
        length_.last_step = std::min(length_.last_step, std::max(stop->step, step_));
    } else {
        DIVISI_TRY(done(now, actions));
    }
    try_start(now, actions);
    return actions;
}

Result<void> Interpreter::begin(const Begin& event, TimePoint now) {
    if (phase_ != Phase::idle) return violation("the run has already begun");
    if (event.eval_microbatches) length_.eval_microbatches = *event.eval_microbatches;
    phase_ = Phase::training;
    ready_ = now;
    return {};
}

Result<void> Interpreter::arrived(const TensorKey& key) {
    const auto& channels = programs_->channels;
    if (key.channel < 0 || key.channel >= static_cast<std::int32_t>(channels.size()) ||
        channels[key.channel].to != program_.instance)
        return violation("a tensor arrived that is not for it: " + place_name(key));
    Incoming& incoming = incoming_[key.channel];
    const Place place{key.step, key.microbatch};
    if (place <= incoming.consumed || incoming.present.contains(place)) return {};  // sent twice
    if (static_cast<std::int32_t>(incoming.present.size()) >= channels[key.channel].slots)
        return violation("a tensor arrived without a free slot: " + place_name(key));
    incoming.present.insert(place);
    return {};
}

Result<void> Interpreter::freed(const TensorKey& key) {
    const auto& channels = programs_->channels;
    if (key.channel < 0 || key.channel >= static_cast<std::int32_t>(channels.size()) ||
        channels[key.channel].from != program_.instance)
        return violation("a slot was freed that it never used: " + place_name(key));
    outgoing_[key.channel].outstanding.erase(Place{key.step, key.microbatch});
    return {};
}

Result<void> Interpreter::done(TimePoint now, std::vector<Action>& actions) {
    if (!running_) return violation("an operation ended that was not started");
    const Operation operation = current();
    running_ = false;
    actions.push_back(Ended{operation, step_, ready_, begun_, now});
    ready_ = now;
    const auto key = [&](std::int32_t channel) { return TensorKey{channel, step_, operation.microbatch}; };
    for (const std::int32_t channel : operation.outputs) actions.push_back(Send{key(channel)});
    for (const std::int32_t channel : operation.inputs) {
        Incoming& incoming = incoming_[channel];
        incoming.present.erase(Place{step_, operation.microbatch});
        incoming.consumed = Place{step_, operation.microbatch};
        actions.push_back(Release{key(channel)});
    }
    advance(actions);
    return {};
}

void Interpreter::advance(std::vector<Action>& actions) {
    if (++position_ < operations().size()) return;
    position_ = 0;
    if (phase_ == Phase::training) {
        actions.push_back(StepFinished{step_});
        if (length_.evaluates_after(step_) && !program_.evaluation.empty()) {
            phase_ = Phase::evaluating;
            eval_microbatch_ = 0;
            return;
        }
    } else {
        if (++eval_microbatch_ < length_.eval_microbatches) return;
        actions.push_back(EvaluationFinished{step_});
        phase_ = Phase::training;
    }
    next_step();
    if (phase_ == Phase::finished) actions.push_back(RunFinished{});
}

void Interpreter::next_step() {
    if (++step_ > length_.last_step) phase_ = Phase::finished;
}

void Interpreter::try_start(TimePoint now, std::vector<Action>& actions) {
    const auto blocked = waiting();
    if (!blocked || !blocked->missing.empty() || !blocked->full.empty()) return;
    for (const std::int32_t channel : blocked->operation.outputs)
        outgoing_[channel].outstanding.insert(Place{step_, blocked->operation.microbatch});
    running_ = true;
    begun_ = now;
    actions.push_back(Start{blocked->operation, step_});
}

const std::vector<Operation>& Interpreter::operations() const {
    return phase_ == Phase::evaluating ? program_.evaluation : program_.training;
}

Operation Interpreter::current() const {
    Operation operation = operations()[position_];
    if (phase_ == Phase::evaluating) operation.microbatch = length_.microbatches + eval_microbatch_;
    return operation;
}

std::optional<Waiting> Interpreter::waiting() const {
    if (running_ || phase_ == Phase::idle || phase_ == Phase::finished) return std::nullopt;
    Waiting result{current(), step_, {}, {}};
    const Place place{step_, result.operation.microbatch};
    for (const std::int32_t channel : result.operation.inputs)
        if (!incoming_[channel].present.contains(place)) result.missing.push_back(channel);
    for (const std::int32_t channel : result.operation.outputs)
        if (static_cast<std::int32_t>(outgoing_[channel].outstanding.size()) >= programs_->channels[channel].slots)
            result.full.push_back(channel);
    return result;
}

}  // namespace divisi::plan
