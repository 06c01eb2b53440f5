// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/wording/advice_text.h"

#include <QCoreApplication>
#include <algorithm>

#include "app/client/refusal_text.h"
#include "app/model/wording/states.h"
#include "app/model/wording/text.h"
#include "backend/control/protocol/recut_cause.h"

namespace divisi::model {

namespace {

struct Advice {
    Q_DECLARE_TR_FUNCTIONS(divisi::model::Advice)
};

}  // namespace

double payback_s(const control::RecutAdvice& advice) {
    return static_cast<double>(advice.payback_steps) * std::max(advice.step_ms - advice.gain_ms, 0.0) / 1000;
}

namespace {

QString verdict_text(const control::RecutAdvice& advice) {
    const QString task = QString::fromStdString(advice.task.value());
    if (advice.cuts.empty())
        return Advice::tr(
                   "The cuts of %1 are the best ones found. Its busiest stage does %2 of the mean work of a "
                   "stage.")
            .arg(task, percent(advice.imbalance));
    const QString faster = percent(advice.step_ms > 0 ? advice.gain_ms / advice.step_ms : 0);
    const QString stall =
        advice.stall_measured ? Advice::tr("stall about %1, as last time") : Advice::tr("stall about %1");
    const QString costs = stall.arg(ms_text(advice.stall_ms));
    if (!advice.worth)
        return Advice::tr("Other cuts of %1 would be %2 faster, %3: not worth it, %4")
            .arg(task, faster, costs, client::quoted(control::verdict_of(advice)));
    return Advice::tr("A better cut for %1: %2 faster, %3, pays back in %4 (steps: %5 of %6 left)")
        .arg(task, faster, costs, duration_text(payback_s(advice) * 1000), count_text(advice.payback_steps),
             count_text(advice.steps_left));
}

}  // namespace

QString recut_advice_text(const control::RecutAdvice& advice) {
    const QString cause = client::quoted(control::cause_of(advice));
    if (cause.isEmpty()) return verdict_text(advice);
    return Advice::tr("%1 (cause of this check: %2)").arg(verdict_text(advice), cause);
}

}  // namespace divisi::model
