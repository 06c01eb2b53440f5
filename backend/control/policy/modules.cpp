// SPDX-License-Identifier: Apache-2.0
#include "backend/control/policy/modules.h"

#include <algorithm>

#include "backend/control/policy/observations.h"
#include "backend/control/protocol/input_limits.h"
#include "backend/control/state/curve.h"
#include "backend/control/types/advice_history.h"
#include "backend/control/types/error_texts.h"

namespace divisi::control::inline policy {
namespace {

constexpr std::size_t longest_module_name = 64, newest_answers = 8;

bool is_name(const std::string& text) {
    return !text.empty() && text.size() <= longest_module_name && std::ranges::all_of(text, [](unsigned char c) {
        return (c < 0x80 && std::isalnum(c)) || c == '-' || c == '_' || c == '.' || c == '+';
    });
}

std::string called(const ModuleInfo& info) { return info.name + " " + info.version; }

}  // namespace

// --- connected modules --------------------------------------------------------------------------

Result<void> Modules::check(PeerId peer, const ModuleInfo& info) const {
    const auto bad = [&](const ErrorText& text, std::vector<std::string> args = {}) {
        return make_error(text, "module '" + clipped(info.name) + "'", std::move(args));
    };
    if (!is_name(info.name) || !is_name(info.version)) return bad(error_text("module-name"));
    if (info.inputs.empty() || info.inputs.size() > most_modules) return bad(error_text("module-without-inputs"));
    if (info.advice.empty() || info.advice.size() > most_modules) return bad(error_text("module-without-advice"));
    if (info.period_ms < least_period_ms || info.period_ms > most_period_ms)
        return bad(error_text("module-period"), {std::to_string(info.period_ms)});
    const Credentials& credentials = context_.sessions().at(peer).credentials;
    if (!credentials.owner && credentials.name != info.name)
        return make_error(error_text("module-key-of-another"), info.name, {credentials.name});
    for (const Process& one : processes_)
        if (one.view.state == ModuleState::cut_off && one.view.info.name == info.name &&
            one.view.info.version == info.version && context_.lived() < one.closed_until)
            return make_error(error_text("module-was-cut-off"), called(info), {one.view.detail});
    return {};
}

void Modules::handle(const Received& received, const DescribeModule& message) {
    const ModuleInfo& info = message.module;
    if (auto checked = check(received.peer, info); !checked) return context_.deny(received, checked.error());
    if (Process* known = find(received.peer)) {
        if (!within_rate(*known, 0))
            return context_.refuse(received, make_error(error_text("module-describes-itself-again"), info.name));
        if (known->view.info.name == info.name && known->view.info.version == info.version)
            return context_.answer(received, Done{});
        return context_.refuse(
            received, make_error(error_text("module-of-another-connection"), info.name, {called(known->view.info)}));
    }
    // The process has reconnected: remove its old entry, which has the same name and version.
    std::erase_if(processes_, [&](const Process& one) {
        return !one.peer && one.view.info.name == info.name && one.view.info.version == info.version;
    });
    while (processes_.size() >= most_modules) {
        const auto gone = std::ranges::find_if(processes_, [](const Process& one) { return !one.peer; });
        if (gone == processes_.end())
            return context_.refuse(received, make_error(error_text("all-modules-taken"), info.name));
        processes_.erase(gone);
    }
    Process process;
    process.view.info = info;
    process.view.state = ModuleState::stands_by;
    process.view.heard = context_.now();
    process.peer = received.peer;
    process.rate = mesh::TokenBucket(advice_per_s, advice_burst);
    process.next_at = context_.lived();
    say(process, Severity::info, "version " + info.version + " is connected");
    processes_.push_back(std::move(process));
    context_.answer(received, Done{});
    settle(info.name);
}

Modules::Process* Modules::find(PeerId peer) {
    const auto found = std::ranges::find_if(processes_, [&](const Process& one) { return one.peer == peer; });
    return found == processes_.end() ? nullptr : &*found;
}

Modules::Process* Modules::advising(const std::string& name) {
    const auto found = std::ranges::find_if(
        processes_, [&](const Process& one) { return one.view.info.name == name && one.advises(); });
    return found == processes_.end() ? nullptr : &*found;
}

void Modules::revoke(const std::string& name, const std::string& why) {
    book_.revoke(name, why);
    for (Process& one : processes_)
        if (one.view.info.name == name) end_all(one.view, why, context_.now());
}

/// Updates the states of a module's processes. Unless policy has switched the module off, one process advises. If no
/// process of the module advises yet, the process that connected last becomes the adviser.
void Modules::settle(const std::string& name) {
    const bool on = policies_.module_is_on(name);
    if (!on) revoke(name, "the module is off");
    for (Process& one : processes_) {
        if (one.view.info.name != name || !one.peer) continue;
        if (!on) one.view.state = ModuleState::off;
        else if (one.view.state == ModuleState::off) one.view.state = ModuleState::stands_by;
    }
    if (on && advising(name) == nullptr)
        for (auto one = processes_.rbegin(); one != processes_.rend(); ++one) {
            if (one->view.info.name != name || !one->peer) continue;
            one->view.state = ModuleState::advises;
            one->next_at = context_.lived();
            say(*one, Severity::info, "version " + one->view.info.version + " advises");
            break;
        }
    for (Process& one : processes_)
        if (one.view.info.name == name && one.peer) tell(one);
    advice_changed_ = true;
}

/// Sends Control to a process whose state (ControlModule) has changed.
void Modules::tell(Process& process) {
    const bool off = process.view.state == ModuleState::off;
    ControlModule now{process.advises(), policies_.without(process.view.info.name), false,
                      process.advises() ? ""
                      : off             ? "is off"
                                        : "stands by"};
    process.view.without.clear();
    for (const TaskId& task : now.without) process.view.without.push_back(task.value());
    const bool same = process.told && process.told->advises == now.advises && process.told->without == now.without;
    if (same) return;
    process.told = now;
    context_.send(*process.peer, std::move(now));
}

void Modules::peer_gone(PeerId peer, const std::string& why, bool left) {
    Process* process = find(peer);
    if (process == nullptr) return;
    process->peer.reset();
    process->told.reset();
    process->view.state = ModuleState::gone;
    process->view.detail = why;
    say(*process, left ? Severity::info : Severity::warning,
        "version " + process->view.info.version + (left ? " left: " : " is gone: ") + why +
            "; its advice stays in force until it expires");
    settle(std::string(process->view.info.name));
}

void Modules::handle(const Received& received, const ChangeModule& message) {
    Process* wanted = nullptr;
    bool known = false;
    const auto meant = [&](const Process& one) {
        const bool any_version = message.stop && message.version.empty();
        return one.view.info.name == message.name && one.peer &&
               (any_version || one.view.info.version == message.version);
    };
    for (Process& one : processes_) {
        if (one.view.info.name != message.name || !one.peer) continue;
        known = true;
        if (meant(one)) wanted = &one;
    }
    if (wanted == nullptr)
        return context_.refuse(received,
                               make_error(known ? error_text("no-such-module-version") : error_text("no-such-module"),
                                          message.name + (message.version.empty() ? "" : " " + message.version)));
    const std::string author = context_.sessions().at(received.peer).credentials.name;
    context_.answer(received, Done{});
    if (message.stop) {
        say(*wanted, Severity::info,
            (message.version.empty() ? "" : "version " + message.version + " ") + ("is stopped by " + author));
        for (Process& one : processes_)
            if (meant(one)) context_.send(*one.peer, ControlModule{false, {}, true, "stopped by " + author});
        return;
    }
    if (wanted->view.state != ModuleState::stands_by) return;
    if (Process* now = advising(message.name)) now->view.state = ModuleState::stands_by;
    wanted->view.state = ModuleState::advises;
    wanted->next_at = context_.lived();
    say(*wanted, Severity::info, "version " + message.version + " advises, by " + author);
    settle(message.name);
}

void Modules::handle(const Received& received, const QueryModules&) {
    ModulesState answer;
    for (const Process& one : processes_) answer.modules.push_back(one.view);
    std::ranges::stable_sort(answer.modules, {}, [](const ModuleView& one) { return one.info.name; });
    answer.time = context_.now();
    context_.answer(received, std::move(answer));
}

// --- observations -------------------------------------------------------------------------------

void Modules::ask(Process& process, bool placing) {
    if (process.asked == process.answered) process.asked_at = context_.lived();
    const NodeUse use = queue_.use();
    const std::vector<InstanceLoad> loads = reports_.loads();
    const auto& policies = context_.state().policies;
    const std::vector<PolicyEntry> none;
    const ObservationInputs sources{context_.state(),
                                    devices_,
                                    services_.registry(),
                                    policies.empty() ? none : policies.rbegin()->second.entries,
                                    use,
                                    loads};
    Observe message{++process.asked, context_.now(), placing, observe(process.view.info.inputs, sources)};
    process.next_at = context_.lived() + std::chrono::milliseconds(process.view.info.period_ms);
    context_.send(*process.peer, std::move(message));
}

void Modules::check_deadlines() {
    const TimePoint now = context_.lived();
    for (Process& one : processes_) {
        if (const auto line = one.notes.due(context_.now())) say(one, Severity::warning, *line);
        if (!one.peer) continue;
        if (one.asked != one.answered && now - one.asked_at >= module_patience) {
            cut_off(one, "the module did not answer an observation for 10 s");
            continue;
        }
        if (one.advises() && one.asked == one.answered && now >= one.next_at) ask(one, false);
    }
}

bool Modules::consult_before_placement() {
    const TimePoint now = context_.lived();
    if (!question_) {
        question_ = Question{now + sync_answer, {}};
        for (Process& one : processes_) {
            if (!one.advises() || !one.view.info.sync || one.missed >= most_missed || !queue_.anybody_waits()) continue;
            ask(one, true);
            question_->open.push_back(*one.peer);
        }
    }
    if (!question_->open.empty() && now < question_->until) return false;
    for (const PeerId peer : std::exchange(question_->open, {}))
        if (Process* late = find(peer)) {
            ++late->view.missed;
            if (++late->missed == most_missed)
                say(*late, Severity::warning,
                    "did not answer within 10 ms three times: the module is not asked before placements "
                    "until it answers again");
        }
    return true;
}

std::optional<TimePoint> Modules::question_due() const {
    if (!question_ || question_->open.empty()) return std::nullopt;
    return question_->until;
}

std::optional<TimePoint> Modules::next_deadline() const {
    std::optional<TimePoint> next = book_.next_deadline();
    const auto consider = [&](std::optional<TimePoint> at) {
        if (at && (!next || *at < *next)) next = at;
    };
    consider(question_due());
    for (const Process& one : processes_) {
        if (!one.peer) continue;
        if (one.asked != one.answered) consider(one.asked_at + module_patience);
        else if (one.advises()) consider(one.next_at);
    }
    return next;
}

// --- advice -------------------------------------------------------------------------------------

void Modules::handle(const Received& received, const Advise& message) {
    Process* process = find(received.peer);
    if (process == nullptr) return context_.refuse(received, make_error(error_text("advice-of-no-module"), ""));
    process->view.heard = context_.now();
    if (message.observed > process->answered && message.observed <= process->asked) {
        process->answered = message.observed;
        process->missed = 0;
        process->answers_ms.push_back(to_ms(context_.lived() - process->asked_at));
        if (process->answers_ms.size() > newest_answers) process->answers_ms.erase(process->answers_ms.begin());
        process->view.answer_ms = median(process->answers_ms);
        process->asked_at = context_.lived();
        if (question_) std::erase(question_->open, received.peer);
    }
    if (within_rate(*process, message.advice.size())) weigh(*process, message.advice);
}

/// Returns whether the messages are within the rate. Messages beyond the rate are counted and otherwise ignored.
bool Modules::within_rate(Process& process, std::size_t advices) {
    if (process.rate.take(context_.lived(), 1 + static_cast<double>(advices))) {
        process.excess = 0;
        return true;
    }
    process.view.given += advices;
    process.view.refused += advices;
    process.excess += 1 + advices;
    note(process, Severity::warning, "sends more than 20 messages or pieces of advice a second; the excess is refused");
    if (process.excess > most_excess)
        cut_off(process, "the module kept sending more than 20 messages or pieces of advice a second");
    return false;
}

void Modules::weigh(Process& process, const std::vector<Advice>& advice) {
    Echo answer;
    const ModuleInfo& info = process.view.info;
    for (const Advice& one : advice) {
        const std::uint64_t number = ++process.view.given;
        AdviceEcho echo{number, one, AdviceOutcome::refused, "", "", {}};
        if (!process.advises()) echo.why = std::string("the module ") + to_string(process.view.state);
        else if (std::ranges::find(info.advice, one.kind) == info.advice.end())
            echo.why = "its description does not list this kind of advice";
        else echo = book_.consider(info.name, number, one);
        record(process, echo);
        answer.echoes.push_back(std::move(echo));
    }
    if (answer.echoes.empty()) return;
    advice_changed_ = true;
    context_.send(*process.peer, std::move(answer));
    if (process.refused >= most_refused)
        cut_off(process,
                "a hundred pieces of its advice in a row were invalid; the last: " + process.view.refusals.front().why);
}

void Modules::record(Process& process, const AdviceEcho& echo) {
    remember(process.view, echo, context_.now());
    const std::string text = "advice " + std::to_string(echo.number) + " (" + to_text(echo.advice) + ") is ";
    if (echo.outcome == AdviceOutcome::taken) {
        process.refused = 0;
        if (echo.change.ends_with(", as before")) return;
        say(process, Severity::info, text + "taken: " + echo.change + "; because " + echo.advice.reason);
        const std::string& name = process.view.info.name;
        taken_.push_back({name, echo.advice, policies_.without(name)});
    } else {
        ++process.refused;
        note(process, Severity::warning, text + "refused: " + echo.why);
    }
}

void Modules::cut_off(Process& process, const std::string& why) {
    if (!process.peer) return;
    cut_off_.push_back({*process.peer, make_error(error_text("module-cut-off"), called(process.view.info), {why})});
    process.peer.reset();
    process.told.reset();
    process.view.state = ModuleState::cut_off;
    process.view.detail = why;
    process.closed_until = context_.lived() + cut_off_time;
    say(process, Severity::error, "is cut off: " + why);
    const std::string name = process.view.info.name;
    revoke(name, "the module is cut off");
    settle(name);
}

void Modules::poll() {
    if (std::exchange(standing_changed_, false)) {
        std::set<std::string> names;
        for (const Process& one : processes_) names.insert(one.view.info.name);
        for (const std::string& name : names) settle(name);
    }
    for (const AdviceBook::News& news : book_.poll()) {
        advice_changed_ = true;
        for (Process& one : processes_)
            if (one.view.info.name == news.module) update(one.view, news.echo, context_.now());
        Process* process = advising(news.module);
        if (process == nullptr) continue;
        context_.send(*process->peer, Echo{{news.echo}});
    }
    if (std::exchange(advice_changed_, false)) queue_.advise(book_.nodes());
}

void Modules::follow(const Event& event) {
    standing_changed_ |= holds_alternative<PolicyChanged>(event.body) && !processes_.empty();
    book_.follow(event);
}

/// Logs a line about a module, at a limited rate.
void Modules::note(Process& process, Severity severity, const std::string& text) {
    if (const auto line = process.notes.pass(text, context_.now())) say(process, severity, *line);
}

void Modules::say(const Process& process, Severity severity, const std::string& text) {
    context_.append(Noted{severity, "module " + process.view.info.name, "", text});
}

}  // namespace divisi::control::inline policy
