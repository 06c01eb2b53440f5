// SPDX-License-Identifier: Apache-2.0
#include "backend/control/agent/instance_life.h"

#include <utility>

#include "backend/control/protocol/connection_messages.h"
#include "backend/control/protocol/log_messages.h"
#include "backend/control/state/encoded_size.h"
#include "backend/control/state/incarnation.h"
#include "backend/control/types/error_texts.h"
#include "backend/mesh/base/service_path.h"

namespace divisi::control::inline agent {
namespace {

constexpr std::uint64_t registration_correlation = 1;
/// Correlation numbers above this one belong to requests of ServiceLease.
constexpr std::uint64_t service_correlations = 1'000;

mesh::Health health_of(InstanceState state) {
    switch (state) {
        case InstanceState::running: return mesh::Health::active;
        case InstanceState::finished:
        case InstanceState::stopped: return mesh::Health::draining;
        case InstanceState::failed: return mesh::Health::faulted;
        default: return mesh::Health::pending;
    }
}

}  // namespace

instance::Output InstanceLife::step(const instance::Input& input, TimePoint now) {
    now_ = now;
    lived_ = time_.at(now);
    // The time without a connection is counted from the first input on.
    if (!std::exchange(begun_, true)) alone_since_ = lived_;
    visit([this](const auto& one) { on(one); }, input);
    if (!output_.exit) tell_registry();
    return std::exchange(output_, {});
}

/// Updates the registration, as one of the replicas under the unit's prefix, and sends the message that is due, if any.
void InstanceLife::tell_registry() {
    if (!deploy_) return;
    mesh::Registration said;
    said.sid = registration_.sid;
    said.prefix = std::string(mesh::parent(said.sid.value()));
    said.incarnation = incarnation_of(registration_.instance);
    said.task = deploy_->task;
    said.generation = deploy_->generation;
    said.health = health_of(state_);
    said.input_schema = prepared_.input_schema;
    said.output_schema = prepared_.output_schema;
    service_.say(std::move(said));
    if (!caught_up_) return;
    if (auto question = service_.due(lived_))
        output_.sends.push_back({service_correlations + question->number, std::move(question->message)});
}

void InstanceLife::on(const instance::Connected&) {
    farewell_ = false;
    alone_since_.reset();
    registration_.state = state_;
    registration_.kept_from = 0;
    for (const auto& report : reports_) {
        const auto* step = get_if<StepRecord>(&report);
        if (!step) continue;
        if (registration_.kept_from == 0) registration_.kept_from = step->step;
        registration_.step = step->step;
    }
    output_.sends.push_back({registration_correlation, registration_});
}

void InstanceLife::on(const instance::Disconnected&) {
    caught_up_ = false;
    // Release the hold now, since no message over the broken connection can release it later. An orchestrator that
    // waits for the hold will notice that this instance does not hold.
    if (std::exchange(held_, false)) output_.hold = 0;
    service_.disconnected();
    if (!alone_since_) alone_since_ = lived_;
}

void InstanceLife::on(const instance::FromOrchestrator& input) {
    if (input.correlation > service_correlations)
        return service_.answered(input.correlation - service_correlations, input.message, lived_);
    if (const auto* deploy = get_if<Deploy>(&input.message)) {
        if (state_ != InstanceState::starting || deploy->instance != registration_.instance) return;
        deploy_ = *deploy;
        registration_.task = deploy->task;
        registration_.generation = deploy->generation;
        state_ = InstanceState::registered;
        caught_up_ = true;
        if (deploy->stage == standby_stage) output_.warm_up = instance::WarmUp{*deploy};
        for (const std::string& line : std::exchange(early_notes_, {})) note(line);
    } else if (const auto* resume = get_if<ResumeInstance>(&input.message)) {
        catch_up(*resume);
    } else if (const auto* peers = get_if<Peers>(&input.message)) {
        if (!deploy_ || peers->generation != deploy_->generation) return;
        if (preparing_) output_.reconnect = instance::Reconnect{*peers};
        else if (state_ == InstanceState::registered) output_.prepare = instance::Prepare{*deploy_, *peers};
        preparing_ = preparing_ || output_.prepare.has_value();
    } else if (const auto* begin = get_if<Begin>(&input.message)) {
        if (deploy_ && begin->generation == deploy_->generation && state_ == InstanceState::prepared) {
            state_ = InstanceState::running;
            output_.run = instance::Run{begin->eval_microbatches, begin->samples};
        }
    } else if (const auto* spans = get_if<ReportSpans>(&input.message)) {
        const bool mine = deploy_ && spans->task == deploy_->task && spans->generation == deploy_->generation;
        if (mine && spans->every > 0) output_.measure_spans = instance::MeasureSpans{spans->every};
    } else if (const auto* snapshot = get_if<TakeSnapshot>(&input.message)) {
        take_snapshot(*snapshot);
    } else if (const auto* held = get_if<HoldSteps>(&input.message)) {
        hold(*held);
    } else if (const auto* next = get_if<PreparePlan>(&input.message)) {
        prepare_plan(*next);
    } else if (const auto* ending = get_if<EndInstance>(&input.message)) {
        if (ending->instance == registration_.instance) end(ending->reason, 0);
    } else if (holds_alternative<Goodbye>(input.message)) {
        farewell_ = true;
    } else if (const auto* refused = get_if<Refused>(&input.message)) {
        if (input.correlation != registration_correlation) return;
        // `unavailable`: the connection broke; register again over the next connection. `deadline`: the answer is late;
        // register again.
        if (refused->error.code == ErrorCode::unavailable) return;
        if (refused->error.code == ErrorCode::deadline) return on(instance::Connected{});
        end(refused->error.message(), 1);
    }
}

/// Sends again the messages that may have been lost with a broken connection and are still needed.
void InstanceLife::catch_up(const ResumeInstance& resume) {
    if (!deploy_ || resume.generation != deploy_->generation) return;
    caught_up_ = true;
    MissedReports missed{deploy_->task, registration_.instance, {}, {}};
    EncodedSize filled;
    const auto send = [&] {
        filled = {};
        if (!missed.steps.empty() || !missed.evaluations.empty()) output_.sends.push_back({0, missed});
        missed.steps.clear();
        missed.evaluations.clear();
    };
    for (const auto& report : reports_) {
        const auto* step = get_if<StepRecord>(&report);
        const auto* evaluation = get_if<EvalRecord>(&report);
        if (step ? step->step <= resume.step : evaluation->step <= resume.evaluation) continue;
        const EncodedSize more = step ? encoded_size(*step) : encoded_size(*evaluation);
        if (!(filled + more).within(page_fill)) send();
        filled += more;
        if (step) missed.steps.push_back(*step);
        else missed.evaluations.push_back(*evaluation);
        if (missed.steps.size() + missed.evaluations.size() >= missed_reports_limit) send();
    }
    send();
    for (const SnapshotTaken& snapshot : snapshots_) output_.sends.push_back({0, snapshot});
    say_activated();
    if (state_ == InstanceState::prepared)
        output_.sends.push_back(
            {0, InstancePrepared{registration_.instance, prepared_.plan_hash, prepared_.eval_microbatches,
                                 deploy_->generation, prepared_.samples}});
    if (state_ == InstanceState::finished) output_.sends.push_back({0, InstanceFinished{weights_}});
    if (state_ == InstanceState::failed) say_failed();
}

void InstanceLife::on(const instance::Prepared& input) {
    if (state_ != InstanceState::registered) return;
    state_ = InstanceState::prepared;
    prepared_ = input;
    if (!caught_up_) return;
    output_.sends.push_back({0, InstancePrepared{registration_.instance, input.plan_hash, input.eval_microbatches,
                                                 deploy_->generation, input.samples}});
}

void InstanceLife::on(const instance::StepFinished& input) {
    if (!deploy_) return;
    report(input.record);
    if (!caught_up_) return;
    output_.sends.push_back({0, StepReport{deploy_->task, registration_.instance, input.record}});
}

void InstanceLife::on(const instance::EvalFinished& input) {
    if (!deploy_) return;
    EvalRecord record = input.record;
    record.generation = deploy_->generation;
    report(record);
    if (!caught_up_) return;
    output_.sends.push_back({0, EvalReport{deploy_->task, registration_.instance, std::move(record)}});
}

void InstanceLife::report(std::variant<StepRecord, EvalRecord> record) {
    const auto bytes = [](const auto& report) {
        return visit([](const auto& one) { return encoded_size(one).bytes; }, report);
    };
    reports_.push_back(std::move(record));
    report_bytes_ += bytes(reports_.back());
    while (reports_.size() > kept_reports || (reports_.size() > 1 && report_bytes_ > kept_report_bytes)) {
        report_bytes_ -= bytes(reports_.front());
        reports_.pop_front();
    }
}

/// Reports the load if the instance is registered. A lost report does not matter, since the next report replaces it.
void InstanceLife::on(const instance::LoadMeasured& input) {
    if (!caught_up_ || !deploy_) return;
    LoadReport report{input.load};
    report.load.generation = deploy_->generation;
    report.load.measured = now_;
    output_.sends.push_back({0, std::move(report)});
}

/// Drops span reports while disconnected; the next report says how many were dropped.
void InstanceLife::on(const instance::SpansMeasured& input) {
    if (!deploy_) return;
    if (!caught_up_) {
        ++dropped_spans_;
        return;
    }
    SpanReport report{input.spans};
    report.spans.task = deploy_->task;
    report.spans.instance = registration_.instance;
    report.spans.generation = deploy_->generation;
    report.spans.sent = now_;
    report.spans.dropped = std::exchange(dropped_spans_, 0);
    output_.sends.push_back({0, std::move(report)});
}

void InstanceLife::on(const instance::RunFinished& input) {
    if (state_ != InstanceState::running) return;
    state_ = InstanceState::finished;
    WeightsStored weights = input.weights;
    weights.instance = registration_.instance;
    if (deploy_) weights.task = deploy_->task;
    if (deploy_) weights.generation = deploy_->generation;
    weights_ = weights;
    if (!caught_up_) return;
    output_.sends.push_back({0, InstanceFinished{std::move(weights)}});
}

void InstanceLife::on(const instance::Activated& input) {
    activated_ = input;
    if (caught_up_) say_activated();
}

void InstanceLife::say_activated() {
    if (!activated_ || !deploy_) return;
    output_.sends.push_back(
        {0, InstanceActivated{registration_.instance, deploy_->lease, deploy_->share, activated_->gateway}});
}

void InstanceLife::take_snapshot(const TakeSnapshot& order) {
    if (!deploy_ || order.task != deploy_->task || order.generation != deploy_->generation) return;
    if (state_ == InstanceState::running) {
        output_.take_snapshot = order.step;
        return;
    }
    SnapshotTaken none;
    none.step = order.step;
    none.error = make_error(error_text("snapshot-while-not-training"), registration_.instance.value());
    on(instance::SnapshotWritten{std::move(none)});
}

void InstanceLife::on(const instance::SnapshotWritten& input) {
    if (!deploy_) return;
    SnapshotTaken said = input.snapshot;
    said.task = deploy_->task;
    said.instance = registration_.instance;
    said.generation = deploy_->generation;
    snapshots_.push_back(said);
    if (snapshots_.size() > kept_snapshots) snapshots_.pop_front();
    if (caught_up_) output_.sends.push_back({0, std::move(said)});
}

void InstanceLife::hold(const HoldSteps& order) {
    if (!deploy_ || order.task != deploy_->task || order.generation != deploy_->generation) return;
    if (state_ != InstanceState::running) return;
    held_ = order.after > 0;
    output_.hold = order.after;
}

void InstanceLife::prepare_plan(const PreparePlan& order) {
    if (!deploy_ || order.task != deploy_->task || order.instance != registration_.instance) return;
    const bool idle = deploy_->stage == standby_stage && state_ == InstanceState::prepared;
    if (idle || state_ == InstanceState::running) {
        output_.prepare_plan = order;
        return;
    }
    PlanPrepared none;
    none.order = order.order;
    none.error = make_error(error_text("recut-while-not-training"), registration_.instance.value());
    on(instance::PlanCompiled{std::move(none)});
}

/// Reports the prepared plan. The report is not repeated after a lost connection, since the orchestrator notices the
/// lost connection too.
void InstanceLife::on(const instance::PlanCompiled& input) {
    if (!deploy_ || !caught_up_) return;
    PlanPrepared said = input.told;
    said.task = deploy_->task;
    said.instance = registration_.instance;
    output_.sends.push_back({0, std::move(said)});
}

void InstanceLife::on(const instance::NonFatalError& input) { note(notes_.pass(input.error.message(), now_)); }

void InstanceLife::note(const std::optional<std::string>& line) {
    if (!line) return;
    if (!deploy_) return early_notes_.push_back(*line);  // the instance's identity is not known yet
    const std::string source = "instance " + registration_.instance.value();
    output_.sends.push_back({0, Note{{Severity::warning, source, deploy_->task.value(), *line}}});
}

void InstanceLife::on(const instance::WorkFailed& input) {
    if (state_ == InstanceState::failed) return;
    state_ = InstanceState::failed;
    failure_ = input.error;
    say_failed();
}

/// Reports the failure. The orchestrator answers with EndInstance; without that answer, Tick ends the process.
void InstanceLife::say_failed() {
    if (!caught_up_) return;
    output_.sends.push_back({0, InstanceFailed{registration_.instance, failure_}});
    failed_since_ = lived_;
}

void InstanceLife::on(const instance::Tick&) {
    note(notes_.due(now_));
    if (alone_since_ && lived_ >= *alone_since_ + (farewell_ ? last_word_grace : orchestrator_grace))
        end("no orchestrator", 1);
    if (caught_up_ && failed_since_ && lived_ >= *failed_since_ + last_word_grace) end(failure_.message(), 1);
}

void InstanceLife::on(const instance::Terminate&) { end("told to terminate", 0); }

void InstanceLife::end(const std::string& reason, int status) {
    output_.end_work = instance::EndWork{reason};
    output_.exit = status;
}

}  // namespace divisi::control::inline agent
