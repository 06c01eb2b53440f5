// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/engine.h"

#include <algorithm>
#include <cmath>

#include "backend/control/types/nonfinite.h"

namespace divisi::instance {

using graph::HostTensor;

namespace {

Error stop_at(Error nonfinite) {
    nonfinite.next += "; with train.nonfinite = \"continue\" it goes on all the same";
    return nonfinite;
}

}  // namespace

/// Fills in a batch's figures as a training reports them: loss and accuracy of a single head, or the sum of losses and
/// each head's figures.
template <typename Record>
void Engine::score(const std::vector<Score>& scores, Record& record) const {
    const plan::TrainingGraph& graph = *config_.plan->training;
    double loss = scores.empty() ? std::nan("") : 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        loss += scores[i].loss;
        if (graph.multi_task)
            record.heads.push_back({graph.heads[i].name, static_cast<float>(scores[i].loss), scores[i].accuracy});
        else if constexpr (requires { record.accuracy; }) record.accuracy = scores[i].accuracy;
    }
    record.loss = static_cast<float>(loss);
}

/// One interpreter and its next operation. `instance` is a stage or the data unit.
struct Engine::Unit {
    Unit(std::shared_ptr<const plan::Programs> programs, std::int32_t number)
        : instance(number), interpreter(std::move(programs), number) {}
    std::int32_t instance;
    plan::Interpreter interpreter;
    std::optional<plan::Start> pending;
    bool finished = false;
};

Engine::Engine(EngineConfig config, const Clock& clock, Outlet& outlet, Listener& listener)
    : config_(std::move(config)), clock_(clock), outlet_(outlet), listener_(listener) {
    // The stage comes first: its ready operations run before the data unit reads ahead.
    if (config_.stage != plan::data_unit)
        units_.push_back(std::make_unique<Unit>(config_.plan->programs, config_.stage));
    if (config_.data && !config_.dealt)
        units_.push_back(std::make_unique<Unit>(config_.plan->programs, plan::data_unit));
    if (config_.dealt && !config_.data) demand_.emplace(*config_.plan->programs, config_.stage);
    measured_at_ = clock_.now();
}

Engine::~Engine() = default;

Result<void> Engine::prepare(std::unique_ptr<segment::Executor> loaded) {
    executor_ = std::move(loaded);
    count_slots();
    if (config_.data) DIVISI_TRY(open_data());
    if (config_.stage == plan::data_unit) return {};
    DIVISI_TRY(load_segment());
    return look_for_reuse();
}

Result<void> Engine::open_data() {
    DIVISI_ASSIGN(dataset_, data::open_dataset(config_.dataset));
    const auto& graph = config_.plan->graph();
    for (const graph::ValueIndex input : graph.inputs) {
        const std::string column = column_of(*config_.plan, input);
        const auto& columns = dataset_->columns();
        const auto found =
            std::find_if(columns.begin(), columns.end(), [&](const auto& c) { return c.name == column; });
        if (found == columns.end()) {
            std::string known;
            for (const data::Column& c : columns) known += (known.empty() ? "" : ", ") + c.name;
            return Error{ErrorCode::invalid_input,
                         "the data have no column '" + column + "' for the model's input '" +
                             graph.values[static_cast<std::size_t>(input)].name + "'",
                         "[model.inputs]", "map it to one of: " + known};
        }
        DIVISI_TRY(check_column(graph.values[static_cast<std::size_t>(input)], *found));
    }
    return {};
}

/// Checks that a column has the type and, if the model fixes it, the shape of the input that it feeds.
Result<void> Engine::check_column(const graph::Value& value, const data::Column& column) const {
    const auto fail = [&](const std::string& what) {
        return Error{ErrorCode::invalid_input, "column '" + column.name + "' " + what,
                     "model input '" + value.name + "'", "change the data, the model's sizes or [model.inputs]"};
    };
    if (value.dtype != column.dtype)
        return fail("holds " + std::string(graph::name(column.dtype)) + ", the model takes " +
                    std::string(graph::name(value.dtype)));
    if (!value.shape) return {};
    const auto text = [](const auto& dims) {
        std::string joined = "[";
        for (std::size_t i = 0; i < dims.size(); ++i) joined += (i ? ", " : "") + std::to_string(dims[i]);
        return joined + "]";
    };
    std::vector<std::int64_t> wanted;
    for (const graph::Dim& dim : *value.shape) wanted.push_back(dim.size);
    std::vector<std::int64_t> given{task::microbatch_size(config_.plan->spec)};
    given.insert(given.end(), column.dims.begin(), column.dims.end());
    const bool same = std::equal(wanted.begin(), wanted.end(), given.begin(), given.end(),
                                 [](std::int64_t w, std::int64_t g) { return w < 0 || w == g; });
    if (!same) return fail("has shape " + text(given) + " in a micro-batch, the model takes " + text(wanted));
    return {};
}

Result<void> Engine::load_segment() {
    if (!executor_) {
        segment::SegmentConfig segment = segment_config(*config_.plan, config_.stage);
        segment.restored = config_.restored;
        DIVISI_ASSIGN(executor_, segment::make_executor(segment, config_.read_weight));
    }
    const auto memory = executor_->memory();
    parameters_ = memory.parameters;
    optimizer_ = memory.optimizer;
    if (!is_batch() || config_.stage != config_.plan->loss_stage()) return {};
    const task::BatchSection& batch = config_.plan->spec.batch;
    const plan::TrainingGraph& graph = *config_.plan->training;
    DIVISI_ASSIGN(results_, Results::create(config_.results, graph.heads, graph.multi_task, batch.labels,
                                            batch.values == "outputs"));
    return {};
}

std::optional<std::int32_t> Engine::evaluation_microbatches() const {
    if (!dataset_ || is_batch()) return std::nullopt;
    const task::TaskSpec& spec = config_.plan->spec;
    std::int64_t batches = dataset_->validation_batches(task::microbatch_size(spec));
    if (spec.train.eval_batches > 0) batches = std::min(batches, spec.train.eval_batches * spec.train.microbatches);
    return static_cast<std::int32_t>(batches);
}

std::optional<std::int64_t> Engine::batch_samples() const {
    if (!dataset_ || !is_batch()) return std::nullopt;
    return dataset_->once_samples();
}

std::optional<std::int64_t> Engine::results_step() const {
    if (!results_) return std::nullopt;
    return config_.plan->programs->length.steps_over(samples_);
}

Result<void> Engine::run(const plan::Begin& begin) {
    last_step_end_ = clock_.now();
    samples_ = begin.samples.value_or(0);
    if (config_.dealt && config_.data) return serve();
    if (demand_) demand_->begin(begin.eval_microbatches);
    for (const auto& unit : units_) DIVISI_TRY(feed(*unit, begin));
    const auto over = [](const auto& unit) { return unit->finished; };
    while (!stop_requested_ && !(std::all_of(units_.begin(), units_.end(), over) && deferred_.empty())) {
        say_demand();
        const auto ready =
            std::find_if(units_.begin(), units_.end(), [this](const auto& unit) { return may_run(*unit); });
        DIVISI_TRY(take_mail(ready == units_.end() && !deferred_.due()));
        if (stop_requested_) continue;
        DIVISI_TRY(run_declined());
        if (ready == units_.end()) continue;
        // Mail may have made an earlier unit ready; that unit runs first.
        for (const auto& unit : units_) {
            if (!may_run(*unit)) continue;
            const plan::Start start = *std::exchange(unit->pending, std::nullopt);
            DIVISI_TRY(execute(*unit, start));
            break;
        }
    }
    if (stop_requested_) return {};
    return is_batch() ? batch_finished() : check_weights();
}

void Engine::deliver(const plan::TensorKey& key, HostTensor tensor) {
    received_bytes_ += tensor.size_bytes;
    const std::lock_guard lock(mutex_);
    mailbox_.push_back(Arrived{key, {std::move(tensor), clock_.now()}});
    wake_.notify_one();
}

void Engine::freed(const plan::TensorKey& key) {
    const std::lock_guard lock(mutex_);
    mailbox_.push_back(Freed{key});
    wake_.notify_one();
}

void Engine::declined(const plan::TensorKey& key) {
    const std::lock_guard lock(mutex_);
    mailbox_.push_back(Declined{key});
    wake_.notify_one();
}

void Engine::stop() {
    stop_requested_ = true;
    const std::lock_guard lock(mutex_);
    wake_.notify_one();
}

void Engine::hold(std::int64_t after) {
    const std::lock_guard lock(mutex_);
    held_after_ = after;
    hold_changed_ = true;
    wake_.notify_one();
}

/// Returns whether the unit's next operation may run. If the stage is held after a step, the evaluation after that step
/// is held too. An instance that continues after the step begins with that evaluation.
bool Engine::may_run(const Unit& unit) const {
    if (!unit.pending) return false;
    const std::int64_t held = held_after_;
    if (held == 0 || unit.instance == plan::data_unit) return true;
    const bool evaluates = unit.pending->operation.kind == plan::OperationKind::evaluate;
    return unit.pending->step < held || (unit.pending->step == held && !evaluates);
}

Result<void> Engine::take_mail(bool block) {
    std::deque<Mail> mail;
    {
        std::unique_lock lock(mutex_);
        const auto come = [this] { return !mailbox_.empty() || stop_requested_ || hold_changed_; };
        if (block && !come()) {
            awaited_ = awaited_ends();
            awaiting_since_ = clock_.now();
            wake_.wait(lock, come);
            awaited_.clear();
        }
        hold_changed_ = false;
        mail.swap(mailbox_);
    }
    for (Mail& one : mail) DIVISI_TRY(handle(one));
    return {};
}

std::set<std::int32_t> Engine::awaited_ends() {
    std::set<std::int32_t> ends;
    const auto& channels = config_.plan->programs->channels;
    const auto add = [&](std::int32_t end) {
        if (!unit_of(end) && !(demand_ && end == plan::data_unit)) ends.insert(end);
    };
    for (const auto& unit : units_) {
        const auto waiting = unit->interpreter.waiting();
        if (!waiting) continue;
        for (const std::int32_t channel : waiting->missing) add(channels[static_cast<std::size_t>(channel)].from);
        for (const std::int32_t channel : waiting->full) add(channels[static_cast<std::size_t>(channel)].to);
    }
    return ends;
}

Engine::Awaited Engine::awaited() const {
    const std::lock_guard lock(mutex_);
    if (awaited_.empty()) return {};
    return {awaited_, clock_.now() - awaiting_since_};
}

Result<void> Engine::handle(Mail& mail) {
    if (auto* ordered = get_if<Ordered>(&mail)) {
        orders_.take(ordered->consumer, ordered->demand);
        return {};
    }
    if (const auto* declined = get_if<Declined>(&mail)) {
        deferred_.declined(declined->key);
        return {};
    }
    const auto& channels = config_.plan->programs->channels;
    const plan::TensorKey key = holds_alternative<Arrived>(mail) ? get<Arrived>(mail).key : get<Freed>(mail).key;
    const Error unknown{ErrorCode::corrupt,
                        "a peer named channel " + std::to_string(key.channel) + ", which is not ours", "",
                        "check that all nodes run the same version"};
    if (key.channel < 0 || static_cast<std::size_t>(key.channel) >= channels.size()) return unknown;
    const plan::Channel& channel = channels[static_cast<std::size_t>(key.channel)];
    if (auto* arrived = get_if<Arrived>(&mail)) {
        Unit* unit = unit_of(channel.to);
        if (!unit) return unknown;
        if (demand_) note_data(key, arrived->held.tensor);
        arrived_[key] = std::move(arrived->held);
        held_ = static_cast<std::int64_t>(arrived_.size());
        return feed(*unit, plan::InputArrived{key});
    }
    if (config_.dealt && config_.data) return {};  // consumers only ask for as much as they have slots for
    Unit* unit = unit_of(channel.from);
    if (!unit) return unknown;
    deferred_.freed(key);
    spared_ = deferred_.spared();
    sent_.erase(key);
    taken_slots_ = static_cast<std::int64_t>(sent_.size());
    return feed(*unit, plan::SlotFreed{key});
}

Engine::Unit* Engine::unit_of(std::int32_t instance) {
    for (const auto& unit : units_)
        if (unit->instance == instance) return unit.get();
    return nullptr;
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
            busy_ns_ += times_.worked.count();
            times_.ended = *ended;
            listener_.operation_ended(times_);
        } else if (const auto* step = get_if<plan::StepFinished>(&action)) {
            if (unit.instance != plan::data_unit || units_.size() == 1) passed(step->step);
            if (unit.instance == config_.plan->loss_stage()) DIVISI_TRY(step_finished(step->step));
            if (executor_ && unit.instance == config_.stage) {
                stands_after_ = step->step;
                listener_.stepped(step->step, *executor_);
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
    std::vector<HostTensor> inputs;
    times_ = {unit.instance, {}, {}, {}};
    for (const std::int32_t channel : start.operation.inputs) {
        const Held& held = arrived_.at({channel, start.step, start.operation.microbatch});
        inputs.push_back(held.tensor);
        times_.arrived = std::max(times_.arrived, held.arrived);
    }
    // An evaluation does not change the executor's state.
    if (unit.instance == config_.stage && start.operation.kind != plan::OperationKind::evaluate) stands_after_.reset();
    if (unit.instance != plan::data_unit && withhold(start, inputs)) return feed(unit, plan::OperationDone{});
    DIVISI_ASSIGN(std::vector<HostTensor> outputs, run_operation(unit, start, std::move(inputs)));
    for (std::size_t i = 0; i < start.operation.outputs.size(); ++i) {
        const plan::TensorKey key{start.operation.outputs[i], start.step, start.operation.microbatch};
        made_[key] = std::move(outputs[i]);
    }
    return feed(unit, plan::OperationDone{});
}

Result<std::vector<HostTensor>> Engine::run_operation(Unit& unit, const plan::Start& start,
                                                      std::vector<HostTensor> inputs) {
    const TimePoint begin = clock_.now();
    {
        const std::lock_guard lock(mutex_);
        doing_ = {describe(start.operation, start.step), begin};
    }
    auto outputs = perform(unit, start, std::move(inputs));
    times_.worked = clock_.now() - begin;
    {
        const std::lock_guard lock(mutex_);
        doing_.reset();
    }
    if (!outputs) {
        Error error = std::move(outputs).error();
        error.where = describe(start.operation, start.step) + (error.where.empty() ? "" : ", " + error.where);
        return error;
    }
    if (executor_ && unit.instance != plan::data_unit) {
        const auto memory = executor_->memory();
        parameters_ = memory.parameters;
        gradients_ = memory.gradients;
        optimizer_ = memory.optimizer;
        activations_ = memory.activations;
        peak_activations_ = std::max(peak_activations_.load(), memory.activations);
    }
    return outputs;
}

/// Counts the slots at other instances. A dealt data instance has none: it sends what it is asked for.
void Engine::count_slots() {
    for (const plan::Channel& channel : config_.plan->programs->channels)
        if (unit_of(channel.from) && !unit_of(channel.to)) slots_ += channel.slots;
}

void Engine::take_slot(const plan::TensorKey& key) {
    sent_.insert(key);
    taken_slots_ = static_cast<std::int64_t>(sent_.size());
}

void Engine::send(const plan::TensorKey& key) {
    const plan::Channel& channel = config_.plan->programs->channels[static_cast<std::size_t>(key.channel)];
    const bool goes_out = !unit_of(channel.to);
    if (goes_out) take_slot(key);
    if (const auto content = deferred_.content(key)) return outlet_.offer(key, *content);
    auto made = made_.extract(key);
    HostTensor tensor = std::move(made.mapped());
    if (!goes_out) {
        const std::lock_guard lock(mutex_);
        mailbox_.push_back(Arrived{key, {std::move(tensor), {}}});
        return;
    }
    sent_bytes_ += tensor.size_bytes;
    outlet_.send(key, std::move(tensor));
}

void Engine::release(const plan::TensorKey& key) {
    if (demand_) demand_->released(key);
    arrived_.erase(key);
    held_ = static_cast<std::int64_t>(arrived_.size());
    const plan::Channel& channel = config_.plan->programs->channels[static_cast<std::size_t>(key.channel)];
    if (!unit_of(channel.from)) return outlet_.release(key);
    const std::lock_guard lock(mutex_);
    mailbox_.push_back(Freed{key});
}

void Engine::passed(std::int64_t step) {
    step_now_ = step;
    ++steps_done_;
    samples_done_ += samples_in(step);
    Passed told{step, (step - 1) * config_.plan->spec.train.batch + samples_in(step), {}};
    if (config_.stage == config_.plan->loss_stage()) told.loss = step_loss_;
    listener_.passed(told);
}

Result<void> Engine::step_finished(std::int64_t step) {
    const TimePoint now = clock_.now();
    control::StepRecord record;
    record.step = step;
    record.loss = step_loss_;
    record.step_ms = to_ms(now - last_step_end_);
    const double seconds = record.step_ms / 1000.0;
    record.samples_per_s = seconds > 0 ? static_cast<double>(samples_in(step)) / seconds : 0;
    record.generation = config_.generation;
    const auto& heads = config_.plan->training->heads;
    for (std::size_t i = 0; i < step_head_losses_.size(); ++i)
        record.heads.push_back({heads[i].name, step_head_losses_[i], {}});
    if (is_batch()) score(batch_scores_, record);
    last_step_end_ = now;
    listener_.step_done(record);
    if (is_batch()) return {};  // results contain the output for each sample
    return judge(control::nonfinite_loss(record), loss_is_wrong_);
}

/// Reports the figures of the whole batch, if this instance has its results.
Result<void> Engine::batch_finished() {
    if (!results_) return {};
    DIVISI_TRY(results_->close());
    if (!config_.plan->spec.batch.labels) return {};
    control::EvalRecord record;
    record.step = *results_step();
    score(results_->totals(), record);
    listener_.evaluated(record);
    return {};
}

Result<void> Engine::evaluation_finished(std::int64_t step) {
    control::EvalRecord record;
    record.step = step;
    const plan::TrainingGraph& training = *config_.plan->training;
    std::size_t next = 0;
    const auto mean = [&] { return eval_sums_[next++] / eval_count_; };
    record.loss = static_cast<float>(mean());
    for (const plan::Head& head : training.heads) {
        const float loss = training.multi_task ? static_cast<float>(mean()) : record.loss;
        std::optional<double> accuracy;
        if (head.accuracy != graph::no_value) accuracy = mean();
        if (training.multi_task) record.heads.push_back({head.name, loss, accuracy});
        else record.accuracy = accuracy;
    }
    eval_sums_.clear();
    eval_count_ = 0;
    last_step_end_ = clock_.now();  // do not count the evaluation in the next step's time
    listener_.evaluated(record);
    return judge(control::nonfinite_loss(record), evaluation_is_wrong_);
}

/// Ends the training if the loss is not a number, or reports the beginning of a series of such losses.
Result<void> Engine::judge(const std::optional<Error>& nonfinite, bool& known) {
    const bool said = std::exchange(known, nonfinite.has_value());
    if (!nonfinite || said) return {};
    if (config_.plan->spec.train.nonfinite == "stop") return stop_at(*nonfinite);
    listener_.trouble(*nonfinite);
    return {};
}

/// Checks the weights after the last update, because no later loss would show that they are damaged.
Result<void> Engine::check_weights() {
    if (!executor_ || config_.plan->spec.train.nonfinite != "stop") return {};
    const auto found = executor_->nonfinite_weight();
    if (!found) return {};
    const auto value = config_.plan->graph().initializers[static_cast<std::size_t>(*found)].value;
    return stop_at(control::nonfinite_weight(config_.plan->graph().values[static_cast<std::size_t>(value)].name,
                                             config_.plan->spec.train.steps));
}

control::InstanceLoad Engine::measure() {
    control::InstanceLoad load;
    const TimePoint now = clock_.now();
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
    const std::lock_guard lock(mutex_);
    if (doing_) {
        load.operation = doing_->what;
        load.operation_ms = (now - doing_->since) / std::chrono::milliseconds(1);
    }
    return load;
}

Engine::Work Engine::work() const {
    Work work;
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

}  // namespace divisi::instance
