// SPDX-License-Identifier: Apache-2.0
#include "agents/module/port.h"

#include <unistd.h>

#include "backend/base/version.h"
#include "backend/process/lifeline.h"

namespace divisi::module {
namespace {

constexpr Duration answer_deadline = std::chrono::seconds(10);
/// Interval between attempts to register. The orchestrator admits an excluded module again after a minute, and an
/// attempt costs little.
constexpr Duration again_after = std::chrono::seconds(5);

}  // namespace

Port::Port(link::EventLoop& loop, link::Context& context, PortConfig config, std::unique_ptr<Module> module)
    : Agent(loop),
      config_(std::move(config)),
      module_(std::move(module)),
      transport_(context, loop, config_.uplink.security.keys),
      orchestrator_(loop, transport_, config_.uplink,
                    {"divisi-module " + config_.name, version, control::Role::module, ""}, answer_deadline),
      lines_(loop.clock(), orchestrator_, "divisi-module " + config_.name) {}

Result<void> Port::start() {
    orchestrator_.start(events(), registration());
    return {};
}

metrics::Figures Port::figures() {
    figures_.module = config_.name;
    figures_.version = module_->describe().version;
    figures_.connected = orchestrator_.up();
    figures_.advises = advises_;
    figures_.routes = features_.routes().size();
    figures_.links = features_.links().size();
    return figures_of(figures_);
}

void Port::terminate(const std::string& reason) {
    orchestrator_.send(0, control::Goodbye{reason});
    end();
}

link::AgentLink::Events Port::events() {
    link::AgentLink::Events events;
    events.up = [this] { lines_.print_new("connected to the orchestrator at " + orchestrator_.target().endpoint); };
    events.down = [this] {
        advises_ = false;
        features_ = {};  // observations are missing since the connection was lost, so start with empty windows
    };
    events.message = [this](std::uint64_t, const control::Message& message) { take(message); };
    events.waiting = [this](const std::string& why) { lines_.print_new("the orchestrator cannot be reached: " + why); };
    return events;
}

link::AgentRegistration Port::registration() {
    link::AgentRegistration registration;
    registration.request = [this] {
        control::ModuleInfo info = module_->describe();
        info.name = config_.name;
        info.pid = ::getpid();
        return control::Message(control::DescribeModule{std::move(info)});
    };
    registration.refused = [this](const Error& error) { lines_.print_new("not registered: " + error.message()); };
    registration.failed = [this](const Error& error) {
        set_failure(error);
        end();
    };
    registration.transient = ErrorCode::exhausted;
    registration.again_after = again_after;
    return registration;
}

void Port::take(const control::Message& message) {
    if (const auto* observed = get_if<control::Observe>(&message)) return take(*observed);
    if (const auto* control = get_if<control::ControlModule>(&message)) return take(*control);
    if (const auto* echo = get_if<control::Echo>(&message)) {
        for (const control::AdviceEcho& one : echo->echoes) {
            if (one.outcome == control::AdviceOutcome::refused)
                lines_.print_new("advice " + to_text(one.advice) + " is refused: " + one.why);
            ++figures_.outcomes[one.outcome];
            module_->hear(one);
        }
        return;
    }
    if (const auto* refused = get_if<control::Refused>(&message)) return lines_.print_new(refused->error.message());
    if (const auto* goodbye = get_if<control::Goodbye>(&message)) {
        lines_.print_new("the cluster ends: " + goodbye->reason);
        end(process::exit_dismissed);
    }
}

/// Answers an observation even if there is no advice, because the orchestrator sends the next observation only after
/// the answer.
void Port::take(const control::Observe& observed) {
    features_.take(observed);
    control::Advise answer{observed.number, {}};
    if (advises_) answer.advice = module_->advise(features_);
    ++figures_.observations;
    figures_.advice += answer.advice.size();
    orchestrator_.send(0, answer);
    if (!advises_ || observed.placing) return;
    for (const Question& question : module_->ask(features_)) ask(question);
}

void Port::ask(const Question& question) {
    const auto message = visit([](const auto& one) { return control::Message(one); }, question);
    orchestrator_.request(message, [this, question](const Result<control::Message>& answer) {
        if (!answer) lines_.print_new("its request was refused: " + answer.error().message());
        module_->answered(question, answer);
    });
}

void Port::take(const control::ControlModule& control) {
    advises_ = control.advises;
    features_.leave_out(control.without);
    if (control.stop) {
        lines_.print_new(control.reason);
        orchestrator_.send(0, control::Goodbye{control.reason});
        return end(process::exit_stopped);
    }
    lines_.print_new(advises_ ? "its advice is used" : "it " + control.reason);
}

}  // namespace divisi::module
