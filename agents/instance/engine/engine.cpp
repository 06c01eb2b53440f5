// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/engine/engine.h"

#include <algorithm>
#include <utility>

#include "agents/instance/engine/result_keys.h"
#include "agents/instance/engine/unit_setup.h"

namespace divisi::instance {

using graph::HostTensor;

Engine::Engine(EngineConfig config, const Clock& clock, Outlet& outlet, Listener& listener)
    : config_(std::move(config)),
      clock_(clock),
      outlet_(outlet),
      listener_(listener),
      mailbox_(clock),
      meter_(clock.now()),
      units_(config_.plan->programs, config_.stage, config_.data && !config_.dealt),
      records_(config_.plan, config_.generation),
      dealt_(config_.plan) {
    if (config_.dealt && !config_.data) requests_.emplace(*config_.plan->programs, config_.stage);
}

Engine::~Engine() = default;

Result<void> Engine::prepare(std::unique_ptr<segment::Executor> loaded) {
    meter_.add_slots(units_.slots_elsewhere());
    if (config_.data) {
        DIVISI_ASSIGN(data_, DataReader::open(config_.plan, config_.dataset));
    }
    if (config_.stage == plan::data_unit) return {};
    DIVISI_TRY(load_segment(std::move(loaded)));
    if (results_) return {};
    DIVISI_ASSIGN(result_keys_, find_result_keys(*config_.plan, config_.stage, config_.far_channels,
                                                 *stage_->executor(), config_.fingerprint));
    return {};
}

Result<void> Engine::load_segment(std::unique_ptr<segment::Executor> loaded) {
    if (!loaded) {
        segment::SegmentConfig segment = segment_config(*config_.plan, config_.stage);
        segment.restored = config_.restored;
        DIVISI_ASSIGN(loaded, segment::make_executor(segment, config_.read_weight));
    }
    meter_.set_loaded(loaded->memory());
    stage_.emplace(config_.plan, config_.stage, std::move(loaded));
    if (!is_batch() || !computes_loss()) return {};
    DIVISI_ASSIGN(results_, BatchResults::create(config_.plan, config_.results));
    return {};
}

std::optional<std::int32_t> Engine::evaluation_microbatches() const {
    return data_ ? data_->evaluation_microbatches() : std::nullopt;
}

std::optional<std::int64_t> Engine::batch_samples() const { return data_ ? data_->batch_samples() : std::nullopt; }

std::optional<std::int64_t> Engine::results_step() const {
    if (!results_) return std::nullopt;
    return records_.last_step();
}

std::unique_ptr<segment::Executor> Engine::take_executor() { return stage_ ? stage_->take_executor() : nullptr; }

void Engine::deliver(const plan::TensorKey& key, HostTensor tensor) {
    meter_.received(tensor.size_bytes);
    mailbox_.deliver(key, std::move(tensor));
}

Result<void> Engine::run(const plan::Begin& begin) {
    records_.begin(begin.samples.value_or(0), clock_.now());
    if (serves_data()) return serve();
    if (requests_) requests_->begin(begin.eval_microbatches);
    for (const auto& unit : units_.all()) DIVISI_TRY(feed(*unit, begin));
    while (!stopped() && !(units_.are_finished() && deferred_.empty())) {
        say_demand();
        const bool idle = units_.ready(mailbox_.held_after()) == nullptr;
        DIVISI_TRY(take_mail(idle && !deferred_.due()));
        if (stopped()) continue;
        DIVISI_TRY(run_declined());
        if (idle) continue;
        // A message may have made another unit ready, so select the unit again; the stage runs before the data unit.
        if (Unit* unit = units_.ready(mailbox_.held_after())) {
            const plan::Start start = *std::exchange(unit->pending, std::nullopt);
            DIVISI_TRY(execute(*unit, start));
        }
    }
    if (stopped()) return {};
    if (is_batch()) return batch_finished();
    return stage_ ? stage_->check_weights() : Result<void>();
}

Result<void> Engine::take_mail(bool block) {
    auto mail = mailbox_.take(block, [this] { return units_.awaited_ends(requests_.has_value()); });
    for (Mailbox::Mail& one : mail) DIVISI_TRY(handle(one));
    return {};
}

Result<void> Engine::handle(Mailbox::Mail& mail) {
    if (const auto* ordered = get_if<Mailbox::Ordered>(&mail)) {
        dealt_.take(ordered->consumer, ordered->stage, ordered->demand);
        return {};
    }
    if (const auto* declined = get_if<Mailbox::Declined>(&mail)) {
        deferred_.declined(declined->key);
        return {};
    }
    auto* arrived = get_if<Mailbox::Arrived>(&mail);
    const auto& channels = config_.plan->programs->channels;
    const plan::TensorKey key = arrived ? arrived->key : get<Mailbox::Freed>(mail).key;
    const Error unknown{ErrorCode::corrupt,
                        "a peer named channel " + std::to_string(key.channel) + ", which this instance does not have",
                        "", "check that all nodes run the same version"};
    if (key.channel < 0 || static_cast<std::size_t>(key.channel) >= channels.size()) return unknown;
    const plan::Channel& channel = channels[static_cast<std::size_t>(key.channel)];
    if (arrived) {
        Unit* unit = units_.find(channel.to);
        if (!unit) return unknown;
        if (requests_) requests_->arrived(key, arrived->held.tensor.size_bytes);
        tensors_.keep(key, std::move(arrived->held));
        meter_.set_held(tensors_.held());
        return feed(*unit, plan::InputArrived{key});
    }
    if (serves_data()) return {};  // consumers request only as much as they have slots for
    Unit* unit = units_.find(channel.from);
    if (!unit) return unknown;
    deferred_.freed(key);
    meter_.set_spared(deferred_.spared());
    tensors_.free_slot(key);
    meter_.set_taken_slots(tensors_.taken_slots());
    return feed(*unit, plan::SlotFreed{key});
}

Result<void> Engine::feed(Unit& unit, const plan::InterpreterEvent& event) {
    auto stepped = unit.interpreter.step(event, clock_.now());
    if (!stepped) return std::move(stepped).error();
    for (plan::Action& action : *stepped) {
        if (auto* start = get_if<plan::Start>(&action)) {
            unit.pending = std::move(*start);
        } else if (const auto* out = get_if<plan::Send>(&action)) {
            send(out->key);
        } else if (const auto* in = get_if<plan::Release>(&action)) {
            release(in->key);
        } else if (const auto* ended = get_if<plan::Ended>(&action)) {
            meter_.add_busy(times_.worked);
            times_.ended = *ended;
            listener_.operation_ended(times_);
        } else if (const auto* step = get_if<plan::StepFinished>(&action)) {
            if (unit.instance != plan::data_unit || units_.all().size() == 1) passed(step->step);
            if (unit.instance == config_.plan->loss_stage()) DIVISI_TRY(step_finished(step->step));
            if (stage_ && unit.instance == config_.stage) {
                stands_after_ = step->step;
                listener_.stepped(step->step, *stage_->executor());
            }
        } else if (const auto* evaluation = get_if<plan::EvaluationFinished>(&action)) {
            if (unit.instance == config_.plan->loss_stage()) DIVISI_TRY(evaluation_finished(evaluation->step));
        } else if (holds_alternative<plan::RunFinished>(action)) {
            unit.finished = true;
        }
    }
    return {};
}

Result<void> Engine::execute(Unit& unit, const plan::Start& start) {
    TensorTable::Inputs inputs = tensors_.inputs(start);
    times_ = {unit.instance, {}, inputs.arrived, {}};
    // An evaluation does not change the executor's state.
    if (unit.instance == config_.stage && start.operation.kind != plan::OperationKind::evaluate) stands_after_.reset();
    if (unit.instance != plan::data_unit && withhold(start, inputs.tensors)) return feed(unit, plan::OperationDone{});
    DIVISI_ASSIGN(Tensors outputs, run_operation(unit.instance, start, std::move(inputs.tensors)));
    tensors_.add_made(start, std::move(outputs));
    return feed(unit, plan::OperationDone{});
}

Result<Engine::Tensors> Engine::run_operation(std::int32_t unit, const plan::Start& start, Tensors inputs) {
    const TimePoint begin = clock_.now();
    meter_.begin(describe(start.operation, start.step), begin);
    auto outputs = perform(start, std::move(inputs));
    times_.worked = clock_.now() - begin;
    meter_.end();
    if (!outputs) {
        Error error = std::move(outputs).error();
        error.where = describe(start.operation, start.step) + (error.where.empty() ? "" : ", " + error.where);
        return error;
    }
    if (stage_ && unit != plan::data_unit) meter_.set_memory(stage_->executor()->memory());
    return outputs;
}

Result<Engine::Tensors> Engine::perform(const plan::Start& start, Tensors inputs) {
    switch (start.operation.kind) {
        case plan::OperationKind::load: return data_->load(start);
        case plan::OperationKind::preprocess: return data_->preprocess(start);
        case plan::OperationKind::evaluate: return evaluate(start, inputs);
        default: return stage_->run(start, inputs);
    }
}

/// Runs an evaluation, or a pass of a batch task. The instance with the loss keeps the figures of the evaluation.
Result<Engine::Tensors> Engine::evaluate(const plan::Start& start, const Tensors& inputs) {
    DIVISI_ASSIGN(auto made, stage_->run(start, inputs));
    const std::size_t outputs = stage_->outputs();
    if (is_batch()) {
        if (!results_) return made;
        DIVISI_TRY(results_->add(made, outputs, records_.samples_in(start.step)));
    } else {
        if (!computes_loss()) return made;
        records_.add_evaluation(made, outputs);
    }
    made.resize(outputs);
    return made;
}

/// Defers an operation instead of running it. The interpreter then treats the operation as done and its outputs as
/// sent.
bool Engine::withhold(const plan::Start& start, const Tensors& inputs) {
    if (!result_keys_) return false;
    const TimePoint begin = clock_.now();
    deferred_.keep(start, inputs, result_keys_->keys(inputs));
    times_.worked = clock_.now() - begin;
    return true;
}

/// Runs one declined operation at a time, because mail received meanwhile may make the next one unnecessary.
Result<void> Engine::run_declined() {
    auto due = deferred_.take_due();
    if (!due) return {};
    const TimePoint begin = clock_.now();
    times_ = {config_.stage, {due->start.operation, due->start.step, begin, begin, begin}, {}, {}};
    DIVISI_ASSIGN(auto outputs, run_operation(config_.stage, due->start, std::move(due->inputs)));
    times_.ended.end = clock_.now();
    meter_.add_busy(times_.worked);
    listener_.operation_ended(times_);
    const plan::Operation& operation = due->start.operation;
    for (std::size_t i = 0; i < operation.outputs.size(); ++i) {
        if (!due->channels.contains(operation.outputs[i])) continue;
        meter_.sent(outputs[i].size_bytes);
        outlet_.send({operation.outputs[i], due->start.step, operation.microbatch}, std::move(outputs[i]),
                     due->contents[i]);
    }
    return {};
}

/// Sends the requested micro-batches until stop() is called, since a data instance cannot know when no more data is
/// needed.
Result<void> Engine::serve() {
    while (!stopped()) {
        DIVISI_TRY(take_mail(dealt_.empty()));
        const auto item = dealt_.next();
        if (!item || stopped()) continue;
        DIVISI_TRY(serve(*item));
    }
    return {};
}

Result<void> Engine::serve(const DealtData::Item& item) {
    const TimePoint begin = clock_.now();
    const std::string what =
        "data of micro-batch " + std::to_string(item.place.microbatch) + ", step " + std::to_string(item.place.step);
    meter_.begin(what, begin);
    auto batch = data_->read(item.place);
    if (!batch) {
        Error error = std::move(batch).error();
        error.where = what + (error.where.empty() ? "" : ", " + error.where);
        return error;
    }
    for (auto& [key, tensor] : dealt_.tensors(item, *batch)) {
        meter_.sent(tensor.size_bytes);
        outlet_.send(key, std::move(tensor));
    }
    meter_.served(item.place.step);
    meter_.add_busy(clock_.now() - begin);
    meter_.end();
    return {};
}

/// Sends the stage's requests for micro-batches if they have changed since the last message.
void Engine::say_demand() {
    if (!requests_) return;
    if (auto request = requests_->take_changed()) outlet_.ask(std::move(request->places), request->bytes);
}

void Engine::send(const plan::TensorKey& key) {
    const plan::Channel& channel = config_.plan->programs->channels[static_cast<std::size_t>(key.channel)];
    const bool goes_out = !units_.contains(channel.to);
    if (goes_out) {
        tensors_.take_slot(key);
        meter_.set_taken_slots(tensors_.taken_slots());
    }
    if (const auto content = deferred_.content(key)) return outlet_.offer(key, *content);
    HostTensor tensor = tensors_.take_made(key);
    if (!goes_out) return mailbox_.put(Mailbox::Arrived{key, {std::move(tensor), {}}});
    meter_.sent(tensor.size_bytes);
    outlet_.send(key, std::move(tensor));
}

void Engine::release(const plan::TensorKey& key) {
    if (requests_) requests_->released(key);
    tensors_.release(key);
    meter_.set_held(tensors_.held());
    const plan::Channel& channel = config_.plan->programs->channels[static_cast<std::size_t>(key.channel)];
    if (!units_.contains(channel.from)) return outlet_.release(key);
    mailbox_.put(Mailbox::Freed{key});
}

void Engine::passed(std::int64_t step) {
    const std::int64_t samples = records_.samples_in(step);
    meter_.step_passed(step, samples);
    Passed told{step, (step - 1) * config_.plan->spec.train.batch + samples, {}};
    if (computes_loss()) told.loss = stage_->losses().loss;
    listener_.passed(told);
}

Result<void> Engine::step_finished(std::int64_t step) {
    const std::vector<Score> none;
    const auto record =
        records_.finish_step(step, stage_->losses(), results_ ? results_->scores() : none, clock_.now());
    listener_.step_done(record);
    if (is_batch()) return {};  // no check: the results file shows every sample
    return records_.check(record, [this](const Error& error) { listener_.trouble(error); });
}

Result<void> Engine::evaluation_finished(std::int64_t step) {
    const auto record = records_.finish_evaluation(step, clock_.now());
    listener_.evaluated(record);
    return records_.check(record, [this](const Error& error) { listener_.trouble(error); });
}

/// Reports the scores of the whole batch, if this instance has the results.
Result<void> Engine::batch_finished() {
    if (!results_) return {};
    DIVISI_ASSIGN(const auto totals, results_->finish());
    if (totals) listener_.evaluated(records_.finish_batch(*totals));
    return {};
}

}  // namespace divisi::instance
