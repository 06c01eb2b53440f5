// SPDX-License-Identifier: Apache-2.0
#include "backend/plan/interpreter.h"

#include <algorithm>
#include <cassert>

#include "backend/plan/error_texts.h"

namespace divisi::plan {

namespace {

std::string place_name(const TensorKey& key) {
    return "channel " + std::to_string(key.channel) + ", step " + std::to_string(key.step) + ", micro-batch " +
           std::to_string(key.microbatch);
}

Operation copy_of(const ActionHandler::At& at) {
    Operation operation = at.operation;
    operation.microbatch = at.microbatch;
    return operation;
}

/// Records the calls as a list of actions.
class ActionList final : public ActionHandler {
public:
    void start(const At& at) override { actions.push_back(Start{copy_of(at), at.step}); }
    void send(const TensorKey& key) override { actions.push_back(Send{key}); }
    void release(const TensorKey& key) override { actions.push_back(Release{key}); }
    void ended(const At& at, TimePoint ready, TimePoint begin, TimePoint end) override {
        actions.push_back(Ended{copy_of(at), at.step, ready, begin, end});
    }
    void step_finished(std::int64_t step) override { actions.push_back(StepFinished{step}); }
    void evaluation_finished(std::int64_t step) override { actions.push_back(EvaluationFinished{step}); }
    void run_finished() override { actions.push_back(RunFinished{}); }

    std::vector<Action> actions;
};

/// Removes `place`; returns false if it was not in the list.
template <typename Places, typename Place>
bool take(Places& places, const Place& place) {
    const auto found = std::find(places.begin(), places.end(), place);
    if (found == places.end()) return false;
    *found = places.back();
    places.pop_back();
    return true;
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

Error Interpreter::violation(const ErrorText& text, std::vector<std::string> args) const {
    const std::string who = program_.instance == data_unit ? "data unit" : "stage " + std::to_string(program_.instance);
    return make_error(text, "interpreter of " + who, std::move(args));
}

Result<std::vector<Action>> Interpreter::step(const InterpreterEvent& event, TimePoint now) {
    ActionList list;
    DIVISI_TRY(step(event, now, list));
    return std::move(list.actions);
}

Result<void> Interpreter::step(const InterpreterEvent& event, TimePoint now, ActionHandler& handler) {
    if (const auto* begun = get_if<Begin>(&event)) {
        DIVISI_TRY(begin(*begun, now));
        if (step_ > length_.last_step) {
            phase_ = Phase::finished;
            handler.run_finished();
        }
    } else if (const auto* input = get_if<InputArrived>(&event)) {
        DIVISI_TRY(arrived(input->key));
    } else if (const auto* slot = get_if<SlotFreed>(&event)) {
        DIVISI_TRY(freed(slot->key));
    } else {
        DIVISI_TRY(done(now, handler));
    }
    try_start(now, handler);
    return {};
}

Result<void> Interpreter::begin(const Begin& event, TimePoint now) {
    if (phase_ != Phase::idle) return violation(error_text("run-already-begun"));
    if (event.eval_microbatches) length_.eval_microbatches = *event.eval_microbatches;
    if (length_.over_data() && event.samples)
        length_.last_step = length_.first_step + length_.steps_over(*event.samples) - 1;
    phase_ = Phase::training;
    if (length_.evaluates_first() && !program_.evaluation.empty()) {
        phase_ = Phase::evaluating;
        --step_;
    }
    ready_ = now;
    return {};
}

Result<void> Interpreter::arrived(const TensorKey& key) {
    const auto& channels = programs_->channels;
    if (key.channel < 0 || key.channel >= static_cast<std::int32_t>(channels.size()) ||
        channels[key.channel].to != program_.instance)
        return violation(error_text("tensor-for-another"), {place_name(key)});
    Incoming& incoming = incoming_[key.channel];
    const Place place{key.step, key.microbatch};
    if (place <= incoming.consumed || has_input(key.channel, place)) return {};  // a duplicate is ignored
    if (static_cast<std::int32_t>(incoming.present.size()) >= channels[key.channel].slots)
        return violation(error_text("tensor-without-free-slot"), {place_name(key)});
    incoming.present.push_back(place);
    return {};
}

Result<void> Interpreter::freed(const TensorKey& key) {
    const auto& channels = programs_->channels;
    if (key.channel < 0 || key.channel >= static_cast<std::int32_t>(channels.size()) ||
        channels[key.channel].from != program_.instance)
        return violation(error_text("slot-never-used"), {place_name(key)});
    take(outgoing_[key.channel].outstanding, Place{key.step, key.microbatch});
    return {};
}

Result<void> Interpreter::done(TimePoint now, ActionHandler& handler) {
    if (!running_) return violation(error_text("operation-never-started"));
    const Operation& operation = entry();
    const Place place{step_, microbatch()};
    running_ = false;
    handler.ended({operation, place.second, step_}, ready_, begun_, now);
    ready_ = now;
    const auto key = [&](std::int32_t channel) { return TensorKey{channel, place.first, place.second}; };
    for (const std::int32_t channel : operation.outputs) handler.send(key(channel));
    for (const std::int32_t channel : operation.inputs) {
        Incoming& incoming = incoming_[channel];
        take(incoming.present, place);
        incoming.consumed = place;
        handler.release(key(channel));
    }
    advance(handler);
    return {};
}

void Interpreter::advance(ActionHandler& handler) {
    if (++position_ < operations().size()) return;
    position_ = 0;
    if (phase_ == Phase::training) {
        handler.step_finished(step_);
        if (length_.evaluates_after(step_) && !program_.evaluation.empty()) {
            phase_ = Phase::evaluating;
            eval_microbatch_ = 0;
            return;
        }
    } else {
        if (++eval_microbatch_ < length_.eval_microbatches) return;
        handler.evaluation_finished(step_);
        phase_ = Phase::training;
    }
    next_step();
    if (phase_ == Phase::finished) handler.run_finished();
}

void Interpreter::next_step() {
    if (++step_ > length_.last_step) phase_ = Phase::finished;
}

bool Interpreter::has_input(std::int32_t channel, const Place& place) const {
    const Places& present = incoming_[channel].present;
    return std::find(present.begin(), present.end(), place) != present.end();
}

bool Interpreter::has_slot(std::int32_t channel) const {
    return static_cast<std::int32_t>(outgoing_[channel].outstanding.size()) < programs_->channels[channel].slots;
}

void Interpreter::try_start(TimePoint now, ActionHandler& handler) {
    if (!between_operations()) return;
    const Operation& operation = entry();
    const Place place{step_, microbatch()};
    for (const std::int32_t channel : operation.inputs)
        if (!has_input(channel, place)) return;
    for (const std::int32_t channel : operation.outputs)
        if (!has_slot(channel)) return;
    for (const std::int32_t channel : operation.outputs) outgoing_[channel].outstanding.push_back(place);
    running_ = true;
    begun_ = now;
    handler.start({operation, place.second, step_});
}

const std::vector<Operation>& Interpreter::operations() const {
    return phase_ == Phase::evaluating ? program_.evaluation : program_.training;
}

std::int32_t Interpreter::microbatch() const {
    return phase_ == Phase::evaluating ? length_.microbatches + eval_microbatch_ : entry().microbatch;
}

std::optional<Waiting> Interpreter::waiting() const {
    if (!between_operations()) return std::nullopt;
    const Place place{step_, microbatch()};
    Waiting result{copy_of({entry(), place.second, step_}), step_, {}, {}};
    for (const std::int32_t channel : result.operation.inputs)
        if (!has_input(channel, place)) result.missing.push_back(channel);
    for (const std::int32_t channel : result.operation.outputs)
        if (!has_slot(channel)) result.full.push_back(channel);
    return result;
}

}  // namespace divisi::plan
