// SPDX-License-Identifier: Apache-2.0
#include "agents/module/port.h"

#include <unistd.h>

#include <cstdio>

#include "backend/base/version.h"

namespace divisi::module {
namespace {

constexpr Duration answer_deadline = std::chrono::seconds(10);
/// Interval of new attempts. A module that was excluded is admitted again after a minute; asking costs nothing.
constexpr Duration again_after = std::chrono::seconds(5);
/// Interval of updates; Prometheus scrapes every few seconds.
constexpr Duration figures_interval = std::chrono::seconds(1);

}  // namespace

Port::Port(link::EventLoop& loop, link::Context& context, PortConfig config, Module& module)
    : loop_(loop),
      config_(std::move(config)),
      module_(module),
      transport_(context, loop, config_.security.keys),
      orchestrator_(loop, transport_, config_.orchestrator,
                    {"divisi-module " + config_.name, version, control::Role::module, ""}, answer_deadline) {}

void Port::start() {
    orchestrator_.start(events());
    if (!board_) return;
    show_figures();
    loop_.every(figures_interval, [this] { show_figures(); });
}

void Port::show_figures() {
    figures_.module = config_.name;
    figures_.version = module_.describe().version;
    figures_.connected = orchestrator_.up();
    figures_.advises = advises_;
    figures_.routes = features_.routes().size();
    figures_.links = features_.links().size();
    board_->show(figures_of(figures_));
}

void Port::terminate(const std::string& reason) {
    orchestrator_.send(0, control::Goodbye{reason});
    loop_.stop();
}

link::AgentLink::Events Port::events() {
    link::AgentLink::Events events;
    events.up = [this] {
        tell("connected to the orchestrator at " + config_.orchestrator.endpoint);
        describe();
    };
    events.down = [this] {
        advises_ = false;
        features_ = {};  // after a pause, windows begin anew
    };
    events.message = [this](std::uint64_t, const control::Message& message) { take(message); };
    events.waiting = [this](const std::string& why) {
        tell("the orchestrator cannot be reached: " + why);
        // A restarted orchestrator may have another address.
        auto connection = link::read_connection(config_.connection_file);
        if (!connection) return;
        config_.orchestrator = std::move(*connection);
        orchestrator_.retarget(config_.orchestrator);
    };
    return events;
}

void Port::describe() {
    if (!orchestrator_.up()) return;
    control::ModuleInfo info = module_.describe();
    info.name = config_.name;
    info.pid = ::getpid();
    orchestrator_.request(control::DescribeModule{std::move(info)}, [this](const Result<control::Message>& answer) {
        if (!answer) refused(answer.error());
    });
}

void Port::refused(const Error& error) {
    tell("it is not let in: " + error.message());
    if (error.code == ErrorCode::deadline || error.code == ErrorCode::unavailable) return;  // a reconnect follows
    if (error.code == ErrorCode::exhausted) {
        loop_.after(again_after, [this] { describe(); });
        return;
    }
    failure_ = error;
    loop_.stop();
}

void Port::take(const control::Message& message) {
    if (const auto* observed = get_if<control::Observe>(&message)) return take(*observed);
    if (const auto* control = get_if<control::ControlModule>(&message)) return take(*control);
    if (const auto* echo = get_if<control::Echo>(&message)) {
        for (const control::AdviceEcho& one : echo->echoes) {
            if (one.outcome == control::AdviceOutcome::refused)
                tell("advice " + to_text(one.advice) + " is refused: " + one.why);
            ++figures_.outcomes[one.outcome];
            module_.hear(one);
        }
        return;
    }
    if (const auto* refused = get_if<control::Refused>(&message)) return tell(refused->error.message());
    if (const auto* goodbye = get_if<control::Goodbye>(&message)) {
        tell("the cluster ends: " + goodbye->reason);
        dismissed_ = true;
        loop_.stop();
    }
}

/// Answers an observation even if there is no advice, since the next observation waits for the answer.
void Port::take(const control::Observe& observed) {
    features_.take(observed);
    control::Advise answer{observed.number, {}};
    if (advises_) answer.advice = module_.advise(features_);
    ++figures_.observations;
    figures_.advice += answer.advice.size();
    orchestrator_.send(0, answer);
    if (!advises_ || observed.placing) return;
    for (const Question& question : module_.ask(features_)) ask(question);
}

void Port::ask(const Question& question) {
    const auto message = visit([](const auto& one) { return control::Message(one); }, question);
    orchestrator_.request(message, [this, question](const Result<control::Message>& answer) {
        if (!answer) tell("what it asks is refused: " + answer.error().message());
        module_.answered(question, answer);
    });
}

void Port::take(const control::ControlModule& control) {
    advises_ = control.advises;
    features_.leave_out(control.without);
    if (control.stop) {
        tell(control.reason);
        stopped_ = true;
        return terminate(control.reason);
    }
    tell(advises_ ? "its advice counts" : "it " + control.reason);
}

/// Prints a line unless it repeats the last one.
void Port::tell(const std::string& text) {
    if (std::exchange(told_, text) == text) return;
    std::fprintf(stderr, "divisi-module %s: %s\n", config_.name.c_str(), text.c_str());
}

}  // namespace divisi::module
