// SPDX-License-Identifier: Apache-2.0
#include "backend/control/types/advice_history.h"

#include <algorithm>

namespace divisi::control::inline types {
namespace {

bool same(const Advice& a, const Advice& b) {
    return a.kind == b.kind && a.from == b.from && a.to == b.to && a.value == b.value;
}

void count_refusal(ModuleView& view, const std::string& why) {
    const auto known = std::ranges::find(view.refusals, why, &RefusalReason::why);
    RefusalReason reason{why, 1};
    if (known != view.refusals.end()) {
        reason.count += known->count;
        view.refusals.erase(known);
    }
    view.refusals.insert(view.refusals.begin(), std::move(reason));
    if (view.refusals.size() > most_refusal_reasons) view.refusals.pop_back();
}

/// Returns the entry with the same advice and outcome, or null.
AdviceView* said_before(ModuleView& view, const AdviceEcho& echo) {
    const auto found = std::ranges::find_if(view.newest, [&](const AdviceView& one) {
        const bool still = holds(echo) ? holds(one.echo) : one.echo.outcome == echo.outcome && one.echo.why == echo.why;
        return still && same(one.echo.advice, echo.advice);
    });
    return found == view.newest.end() ? nullptr : &*found;
}

/// Marks the valid entries for the same target as expired, since newer advice replaces them.
void replace_standing(ModuleView& view, const Advice& advice, TimePoint now) {
    for (AdviceView& one : view.newest) {
        const Advice& old = one.echo.advice;
        if (!holds(one.echo) || old.kind != advice.kind || old.from != advice.from || old.to != advice.to) continue;
        one.echo.outcome = AdviceOutcome::expired;
        one.echo.why = "newer advice replaced it";
        one.until = now;
        ++view.expired;
    }
}

}  // namespace

void remember(ModuleView& view, const AdviceEcho& echo, TimePoint now) {
    const bool taken = holds(echo);
    ++(taken ? view.taken : view.refused);
    if (!taken) count_refusal(view, echo.why);
    const TimePoint until = taken ? now + std::chrono::milliseconds(echo.advice.valid_ms) : TimePoint{};
    if (AdviceView* known = said_before(view, echo)) {
        known->echo.advice = echo.advice;
        known->given = now;
        known->until = until;
        ++known->again;
        return;
    }
    if (taken) replace_standing(view, echo.advice, now);
    view.newest.insert(view.newest.begin(), {echo, now, until, 0});
    if (view.newest.size() > most_shown_advice) view.newest.pop_back();
}

void update(ModuleView& view, const AdviceEcho& echo, TimePoint now) {
    for (AdviceView& one : view.newest) {
        if (one.echo.number != echo.number || !holds(one.echo) || !same(one.echo.advice, echo.advice)) continue;
        const Advice advice = one.echo.advice;  // the advice as it was last given
        one.echo = echo;
        one.echo.advice = advice;
        if (holds(echo)) return;
        one.until = now;
        ++view.expired;
        return;
    }
}

void end_all(ModuleView& view, const std::string& why, TimePoint now) {
    for (AdviceView& one : view.newest) {
        if (!holds(one.echo)) continue;
        one.echo.outcome = AdviceOutcome::expired;
        one.echo.why = why;
        one.until = now;
        ++view.expired;
    }
}

}  // namespace divisi::control::inline types
