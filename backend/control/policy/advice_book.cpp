// SPDX-License-Identifier: Apache-2.0
#include "backend/control/policy/advice_book.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "backend/control/protocol/input_limits.h"
#include "backend/control/state/curve.h"
#include "backend/control/state/incarnation.h"
#include "backend/control/types/error_texts.h"

namespace divisi::control::inline policy {
namespace {

constexpr std::size_t longest_target = 255, most_effects = 4;

bool about_node(AdviceKind kind) { return kind == AdviceKind::node_avoidance || kind == AdviceKind::drain; }

bool same_target(const Advice& a, const Advice& b) { return a.kind == b.kind && a.from == b.from && a.to == b.to; }

PolicyEntry entry_of(const Advice& advice) {
    const PolicyKey key = advice.kind == AdviceKind::traffic ? PolicyKey::window : PolicyKey::share;
    return {key, advice.from, advice.to, advice.value};
}

std::string author(const std::string& module) { return module_authors + module; }

bool names_sids(const Advice& advice) { return advice.from.find('/') != std::string::npos; }

std::string seconds_text(Duration time) {
    char text[24];
    std::snprintf(text, sizeof text, "%.3g s", to_ms(time) / 1e3);
    return text;
}

Error bad(const Advice& advice, const ErrorText& text, std::vector<std::string> args = {}) {
    return make_error(text, "advice '" + to_text(advice) + "'", std::move(args));
}

}  // namespace

// --- taking advice ------------------------------------------------------------------------------

Result<void> AdviceBook::check(const std::string& module, const Advice& advice) const {
    if (advice.from.size() > longest_target || advice.to.size() > longest_target)
        return make_error(error_text("advice-name-length"), "advice");
    if (advice.reason.empty()) return bad(advice, error_text("advice-without-reason"));
    if (!std::isfinite(advice.confidence) || advice.confidence < 0 || advice.confidence > 1)
        return bad(advice, error_text("advice-confidence-range"));
    if (advice.confidence < least_confidence) return bad(advice, error_text("advice-unsure"));
    const auto least = least_validity / std::chrono::milliseconds(1),
               most = most_validity / std::chrono::milliseconds(1);
    if (advice.valid_ms < least || advice.valid_ms > most)
        return bad(advice, error_text("advice-validity"), {std::to_string(advice.valid_ms)});
    if (!about_node(advice.kind) && advice.kind != AdviceKind::traffic && advice.from.empty())
        return bad(advice, error_text("advice-without-flow"));
    if (about_node(advice.kind)) return check_node(advice);
    return check_tasks(module, advice);
}

/// Refuses advice that would affect a task for which the module is switched off. Advice about all flows between two
/// gateways also affects such a task.
Result<void> AdviceBook::check_tasks(const std::string& module, const Advice& advice) const {
    for (const TaskId& task : policies_.without(module)) {
        const auto view = context_.state().tasks.find(task);
        if (view == context_.state().tasks.end() || !view->second.runs()) continue;
        if (names_sids(advice) && task_of(Sid(advice.from)) != task) continue;
        return make_error(error_text("advice-on-task-without-module"), "advice '" + to_text(advice) + "'",
                          {task.value()});
    }
    return {};
}

Result<void> AdviceBook::check_node(const Advice& advice) const {
    const auto& nodes = context_.state().nodes;
    const auto node = nodes.find(NodeId(advice.from));
    if (node == nodes.end() || node->second.state != NodeState::ready)
        return make_error(error_text("advice-node-not-ready"), "advice '" + to_text(advice) + "'", {advice.from});
    if (advice.kind == AdviceKind::node_avoidance) return {};
    const auto ready =
        std::ranges::count_if(nodes, [](const auto& entry) { return entry.second.state == NodeState::ready; });
    std::set<std::string> drained{advice.from};
    for (const Taken& one : taken_)
        if (one.echo.advice.kind == AdviceKind::drain) drained.insert(one.echo.advice.from);
    if (2 * static_cast<std::ptrdiff_t>(drained.size()) <= ready) return {};
    return bad(advice, error_text("advice-drains-too-many"));
}

AdviceBook::Taken* AdviceBook::standing(const std::string& module, const Advice& advice) {
    const auto found = std::ranges::find_if(
        taken_, [&](const Taken& one) { return one.module == module && same_target(one.echo.advice, advice); });
    return found == taken_.end() ? nullptr : &*found;
}

AdviceEcho AdviceBook::consider(const std::string& module, std::uint64_t number, const Advice& advice) {
    AdviceEcho echo{number, advice, AdviceOutcome::refused, "", "", {}};
    echo.advice.reason = clipped(advice.reason);
    const auto refuse = [&](const Error& error) {
        echo.why = clipped(error.message());
        return echo;
    };
    if (auto checked = check(module, advice); !checked) return refuse(checked.error());
    const TimePoint now = context_.lived();
    const std::string target = to_text(advice).substr(0, to_text(advice).find('='));
    Taken* const old = standing(module, advice);
    const bool renewed = old != nullptr && old->echo.advice.value == advice.value;
    const auto last = changed_.find(target);
    if (!renewed && last != changed_.end() && now - last->second < advice_dwell)
        return refuse(make_error(error_text("advice-changes-too-often"), target));
    if (old == nullptr && taken_.size() >= most_taken_advice)
        return refuse(make_error(error_text("too-much-advice"), target));
    echo.outcome = AdviceOutcome::taken;
    Taken next{module, echo, std::nullopt, now, now + std::chrono::milliseconds(advice.valid_ms), {}, false};
    auto change = act(next, old);
    if (!change) {
        echo.outcome = AdviceOutcome::refused;
        return refuse(change.error());
    }
    next.echo.change = echo.change = *change;
    if (renewed) {
        old->until = next.until;
        return echo;
    }
    changed_[target] = now;
    if (old != nullptr) taken_.remove_if([&](const Taken& one) { return &one == old; });
    begin_steps(next);
    taken_.push_back(std::move(next));
    return echo;
}

/// Applies the advice and returns a description of the change. Traffic advice is applied by the policy, which logs it
/// as a new version. Advice about a node takes effect when placement calls nodes().
Result<std::string> AdviceBook::act(Taken& taken, const Taken* old) {
    const Advice& advice = taken.echo.advice;
    if (about_node(advice.kind)) {
        const std::string change =
            std::string(advice.kind == AdviceKind::drain ? "nothing is placed on " : "placement avoids ") + advice.from;
        if (old == nullptr)
            note(taken.module,
                 change + " for " + seconds_text(taken.until - taken.taken) + ": " + taken.echo.advice.reason);
        return change + (old == nullptr ? "" : ", as before");
    }
    DIVISI_ASSIGN(const Policies::Taken set,
                  policies_.take_advice(entry_of(advice), author(taken.module), taken.echo.advice.reason));
    taken.before = old != nullptr ? old->before : set.before;
    return set.version == 0 ? set.change : "policy " + std::to_string(set.version) + ": " + set.change;
}

// --- expiry and revocation ----------------------------------------------------------------------

void AdviceBook::take_back(const Taken& taken, const std::string& why) {
    const Advice& advice = taken.echo.advice;
    if (about_node(advice.kind))
        return note(taken.module,
                    advice.from +
                        (advice.kind == AdviceKind::drain ? " is no longer drained: " : " is no longer avoided: ") +
                        why);
    (void)policies_.take_back(entry_of(advice), taken.before, author(taken.module), why);
}

void AdviceBook::revoke(const std::string& module, const std::string& why) {
    for (const Taken& one : taken_)
        if (one.module == module) take_back(one, why);
    taken_.remove_if([&](const Taken& one) { return one.module == module; });
}

std::vector<AdviceBook::News> AdviceBook::poll() {
    std::vector<News> news;
    const TimePoint now = context_.lived();
    for (Taken& one : taken_) {
        if (!one.measured && measure(one)) {
            one.echo.outcome = AdviceOutcome::held;
            news.push_back({one.module, one.echo});
        }
        if (now < one.until) continue;
        one.echo.outcome = AdviceOutcome::expired;
        one.echo.why = "it is not valid any longer";
        take_back(one, one.echo.why);
        news.push_back({one.module, one.echo});
    }
    taken_.remove_if([&](const Taken& one) { return now >= one.until; });
    std::erase_if(changed_, [&](const auto& entry) { return now - entry.second >= advice_dwell; });
    return news;
}

std::optional<TimePoint> AdviceBook::next_deadline() const {
    std::optional<TimePoint> next;
    for (const Taken& one : taken_)
        if (!next || one.until < *next) next = one.until;
    return next;
}

std::map<NodeId, NodeAdvice> AdviceBook::nodes() const {
    std::map<NodeId, NodeAdvice> nodes;
    for (const Taken& one : taken_) {
        if (!about_node(one.echo.advice.kind)) continue;
        NodeAdvice& node = nodes[NodeId(one.echo.advice.from)];
        node.drain |= one.echo.advice.kind == AdviceKind::drain;
        node.module = one.module;
        const std::vector<TaskId> without = policies_.without(one.module);
        node.without.insert(without.begin(), without.end());
    }
    return nodes;
}

// --- effect -------------------------------------------------------------------------------------

/// Records the recent step times of the affected running tasks before the change takes effect.
void AdviceBook::begin_steps(Taken& taken) const {
    const Advice& advice = taken.echo.advice;
    if (about_node(advice.kind)) return;
    for (const auto& [id, task] : context_.state().tasks) {
        if (!task.runs() || task.history.empty() || taken.steps.size() == most_effects) continue;
        if (names_sids(advice) && task_of(Sid(advice.from)) != id) continue;
        taken.steps[id].before_ms = recent_step_ms(task.history, effect_steps);
    }
}

void AdviceBook::follow(const Event& event) {
    const auto* step = get_if<StepDone>(&event.body);
    if (step == nullptr) return;
    for (Taken& one : taken_) {
        const auto steps = one.steps.find(step->task);
        const bool shows = context_.lived() - one.taken >= effect_delay;
        if (one.measured || steps == one.steps.end() || !shows) continue;
        if (steps->second.after_ms.size() < effect_steps) steps->second.after_ms.push_back(step->record.step_ms);
    }
}

/// Returns whether the effect of the advice has just become known, and records and logs it.
bool AdviceBook::measure(Taken& taken) {
    if (taken.steps.empty() || !std::ranges::all_of(taken.steps, [](const auto& entry) {
            return entry.second.after_ms.size() == effect_steps;
        }))
        return false;
    taken.measured = true;
    std::string text;
    for (const auto& [task, steps] : taken.steps) {
        const double after = median(steps.after_ms);
        taken.echo.effects.push_back({task, steps.before_ms, after});
        char line[96];
        std::snprintf(line, sizeof line, " took %.4g ms before and %.4g ms after", steps.before_ms, after);
        text += (text.empty() ? "a step of " : ", of ") + task.value() + line;
    }
    note(taken.module,
         "advice " + std::to_string(taken.echo.number) + " (" + to_text(taken.echo.advice) + "): " + text);
    return true;
}

void AdviceBook::note(const std::string& module, const std::string& text) const {
    context_.append(Noted{Severity::info, author(module), "", text});
}

}  // namespace divisi::control::inline policy
