// SPDX-License-Identifier: Apache-2.0
#include "backend/control/instance_life.h"

#include <utility>

namespace divisi::control {
namespace {
constexpr std::uint64_t registration_correlation = 1;
}

instance::Output InstanceLife::step(const instance::Input& input, TimePoint now) {
    now_ = now;
    // Alone until the first connection: whatever else comes first does not start the time anew.
    if (!std::exchange(begun_, true)) alone_since_ = now;
    std::visit([this](const auto& one) { on(one); }, input);
    return std::exchange(output_, {});
}

void InstanceLife::on(const instance::Connected&) {
    alone_since_.reset();
    if (state_ == InstanceState::starting) {
        output_.sends.push_back({registration_correlation, registration_});
        return;
    }
    // A new connection is a new orchestrator's, which has ended the task of the old one.
    end("its orchestrator was restarted", 1);
}

void InstanceLife::on(const instance::Disconnected&) {
    if (!alone_since_) alone_since_ = now_;
}

void InstanceLife::on(const instance::FromOrchestrator& input) {
    if (const auto* deploy = std::get_if<Deploy>(&input.message)) {
        deploy_ = *deploy;
        state_ = InstanceState::registered;
    } else if (const auto* peers = std::get_if<Peers>(&input.message)) {
        if (deploy_ && state_ == InstanceState::registered) output_.prepare = instance::Prepare{*deploy_, peers->peers};
    } else if (const auto* begin = std::get_if<Begin>(&input.message)) {
        if (deploy_ && begin->generation == deploy_->generation && state_ == InstanceState::prepared) {
            state_ = InstanceState::running;
            output_.run = instance::Run{begin->eval_microbatches};
        }
    } else if (const auto* ending = std::get_if<EndInstance>(&input.message)) {
        end(ending->reason, 0);
    } else if (const auto* refused = std::get_if<Refused>(&input.message)) {
        if (input.correlation == registration_correlation) end(refused->error.message(), 1);
    }
}

void InstanceLife::on(const instance::Prepared& input) {
    if (state_ != InstanceState::registered) return;
    state_ = InstanceState::prepared;
    output_.sends.push_back({0, InstancePrepared{registration_.instance, input.plan_hash, input.eval_microbatches}});
}

void InstanceLife::on(const instance::StepFinished& input) {
    if (deploy_) output_.sends.push_back({0, StepReport{deploy_->task, registration_.instance, input.record}});
}

void InstanceLife::on(const instance::EvalFinished& input) {
    if (deploy_) output_.sends.push_back({0, EvalReport{deploy_->task, registration_.instance, input.record}});
}

void InstanceLife::on(const instance::LoadMeasured& input) { output_.sends.push_back({0, LoadReport{input.load}}); }

void InstanceLife::on(const instance::RunFinished& input) {
    if (state_ != InstanceState::running) return;
    state_ = InstanceState::finished;
    WeightsStored weights = input.weights;
    weights.instance = registration_.instance;
    if (deploy_) weights.task = deploy_->task;
    output_.sends.push_back({0, InstanceFinished{std::move(weights)}});
}

void InstanceLife::on(const instance::Trouble& input) { note(notes_.pass(input.error.message(), now_)); }

void InstanceLife::note(const std::optional<std::string>& line) {
    if (!line) return;
    const std::string task = deploy_ ? deploy_->task.value() : "";
    output_.sends.push_back({0, Note{{Severity::warning, "instance " + registration_.instance.value(), task, *line}}});
}

void InstanceLife::on(const instance::WorkFailed& input) {
    if (state_ == InstanceState::failed) return;
    state_ = InstanceState::failed;
    output_.sends.push_back({0, InstanceFailed{registration_.instance, input.error}});
    // The orchestrator answers with EndInstance; without one, Tick ends the process.
    alone_since_ = now_;
}

void InstanceLife::on(const instance::Tick&) {
    note(notes_.due(now_));
    if (alone_since_ && now_ >= *alone_since_ + orchestrator_grace) end("no orchestrator", 1);
}

void InstanceLife::on(const instance::Terminate&) { end("told to terminate", 0); }

void InstanceLife::end(const std::string& reason, int status) {
    output_.end_work = instance::EndWork{reason};
    output_.exit = status;
}

}  // namespace divisi::control
