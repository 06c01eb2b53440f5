// SPDX-License-Identifier: GPL-3.0-or-later
// The part of LiveRecut about advice: requests it, shows it and applies it.
#include "app/model/comparison/live_recut.h"
#include "app/model/wording/advice_text.h"

namespace divisi::model {

LiveRecut::Stage LiveRecut::advice_stage() const {
    if (!running()) return Stage::none;
    if (asks_advice_) return Stage::advising;
    return advice_failed() || advice() ? Stage::advised : Stage::none;
}

/// Returns the advice to show. Requested advice is always shown; other advice is shown only if the re-cut pays off.
/// Advice belongs to one plan, and expires when the plan is replaced.
const control::RecutAdvice* LiveRecut::advice() const {
    const control::TaskView* task = running();
    if (!task) return nullptr;
    if (answer_ && answer_->plan == task->plan_hash) return &*answer_;
    const bool told = task->advice && task->advice->worth && task->advice->plan == task->plan_hash;
    return told && dismissed_advice_ != task->advice ? &*task->advice : nullptr;
}

QString LiveRecut::advice_note() const {
    if (advice_failed()) return advice_problem_;
    const control::RecutAdvice* found = advice();
    return found ? recut_advice_text(*found) : QString();
}

bool LiveRecut::can_show_advice() const {
    const control::RecutAdvice* found = advice();
    return found && !found->cuts.empty() && in_force_ && document_.find_cuts(found->cuts).ok();
}

QString LiveRecut::why_no_advice() const {
    if (!client_ || client_->status().connection != client::Connection::connected)
        return tr("There is no connection to a cluster.");
    if (!running()) return tr("Choose a training task in Tasks.");
    return asks_advice_ ? tr("Searching for better cuts.") : QString();
}

void LiveRecut::ask_advice() {
    if (!can_ask_advice()) return;
    asks_advice_ = true;
    concluded_ = Stage::none;
    answer_.reset();
    advice_problem_.clear();
    client_->ask(control::AskRecutAdvice{task_});
    Q_EMIT changed();
}

void LiveRecut::take_advice(const TaskId& task, const std::optional<control::RecutAdvice>& advice,
                            const QString& problem) {
    if (task != task_ || !std::exchange(asks_advice_, false)) return;
    answer_ = advice;
    if (answer_) answer_->task = task;
    advice_problem_ = problem;
    Q_EMIT advised(advice_note());
    Q_EMIT changed();
}

void LiveRecut::show_advice() {
    if (!can_show_advice()) return;
    document_.settle();
    const Result<Cuts> cuts = document_.find_cuts(advice()->cuts);
    if (!cuts.ok()) return;
    dismissed_.reset();
    document_.set_cuts(*cuts, tr("Cuts advised for %1").arg(QString::fromStdString(task_.value())));
    Q_EMIT changed();
}

void LiveRecut::apply_advice() {
    const control::RecutAdvice* found = advice();
    if (!found || found->cuts.empty() || asked_.contains(task_) || !why_not().isEmpty()) return;
    if (can_show_advice()) {
        show_advice();
        return confirm();
    }
    control::Recut wanted;
    wanted.task = task_;
    wanted.plan = found->plan;
    wanted.cuts = found->cuts;
    ask(wanted, {nullptr, {}, document_.cuts(), running()->cuts});
}

}  // namespace divisi::model
