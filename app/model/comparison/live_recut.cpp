// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/comparison/live_recut.h"

#include <cmath>

#include "app/model/comparison/recut_cost.h"
#include "app/model/wording/states.h"
#include "app/model/wording/text.h"
#include "backend/identity/role.h"
#include "backend/task/parse.h"

namespace divisi::model {

namespace {

/// Formats the duration of a stall, usually in milliseconds.
QString stall_text(double ms) { return ms < 1000 ? ms_text(ms) : duration_text(ms); }

QString text_of(const TaskId& task) { return QString::fromStdString(task.value()); }

QString listed(const std::vector<std::string>& names) {
    QStringList list;
    for (const std::string& name : names) list << QString::fromStdString(name);
    return list.join(QStringLiteral(", "));
}

}  // namespace

LiveRecut::LiveRecut(GraphDocument& document, TaskDraft& draft, PriceBoard& prices, client::Client* client,
                     QObject* parent)
    : QObject(parent), document_(document), draft_(draft), prices_(prices), client_(client) {
    if (!client_) return;
    connect(&document_, &GraphDocument::cutsChanged, this, &LiveRecut::cuts_changed);
    connect(&draft_, &TaskDraft::specChanged, this, &LiveRecut::refresh);
    connect(&prices_, &PriceBoard::pricesChanged, this, [this] {
        remember_step();
        if (in_force_) Q_EMIT changed();
    });
    connect(client_, &client::Client::dataChanged, this, &LiveRecut::refresh);
    connect(client_, &client::Client::statusChanged, this, &LiveRecut::refresh);
    client_->on_answer<control::Recut>(
        this, [this](const control::Recut& asked, const control::RecutDone& done) { take_done(asked.task, done); });
    client_->on_failure<control::Recut>(this, [this](const control::Recut& asked, const client::Answered& failed) {
        take_refused(asked.task, failed.why);
    });
    client_->on_answer<control::AskRecutAdvice>(
        this, [this](const control::AskRecutAdvice& asked, const control::RecutAdvised& advised) {
            take_advice(asked.task, advised.advice, {});
        });
    client_->on_failure<control::AskRecutAdvice>(
        this, [this](const control::AskRecutAdvice& asked, const client::Answered& failed) {
            take_advice(asked.task, {}, failed.why);
        });
}

void LiveRecut::show_task(const TaskId& task) {
    if (task == task_) return;
    task_ = task;
    force_ = {};
    in_force_.reset();
    dismissed_.reset();
    stall_ms_.reset();
    concluded_ = Stage::none;
    asks_advice_ = false;
    answer_.reset();
    dismissed_advice_.reset();
    advice_problem_.clear();
    refresh();
}

const control::TaskView* LiveRecut::live() const { return document_.model() ? running() : nullptr; }

const control::TaskView* LiveRecut::running() const {
    if (!client_) return nullptr;
    const auto& tasks = client_->data().state.tasks;
    const auto found = tasks.find(task_);
    return found != tasks.end() && found->second.runs() ? &found->second : nullptr;
}

std::optional<Cuts> LiveRecut::cuts_in_force(const control::TaskView& task) {
    const Result<task::TaskSpec> spec = task::parse_task(task.text, task.id.value());
    if (!spec.ok() || spec->task.kind != "train" || task.plan_hash.empty()) return {};
    if (!(source_of(*spec, QString::fromStdString(task.folder)) == document_.model()->source)) return {};
    // Hand-painted segments run without cuts.
    if (!spec->split.segments.empty() || spec->split.strategy == "block") return {};
    training_ = spec->train;
    Result<Cuts> cuts = document_.find_cuts(task.cuts);
    return cuts.ok() ? std::optional(*std::move(cuts)) : std::nullopt;
}

void LiveRecut::refresh() {
    const control::TaskView* task = live();
    Force force;
    if (task) force = {document_.model(), task->plan_hash, task->text, task->folder};
    if (force == force_) {
        const bool had_advice = std::exchange(had_advice_, advice() != nullptr);
        if (in_force_ || had_advice || had_advice_) Q_EMIT changed();
        return;
    }
    const bool same_model = force.model == force_.model;
    force_ = std::move(force);
    const std::optional<Cuts> before = std::exchange(in_force_, task ? cuts_in_force(*task) : std::nullopt);
    step_ms_ = 0;
    remember_step();
    const bool showed = same_model && before && document_.cuts() == *before;
    const bool still = !asked_.contains(task_) && !document_.previewing() && !document_.painting();
    if (in_force_ && before != in_force_ && showed && still) {
        concluded_ = Stage::none;
        document_.set_cuts(*in_force_, tr("Re-cut of %1").arg(text_of(task_)));
    }
    Q_EMIT changed();
}

void LiveRecut::cuts_changed() {
    if (!document_.previewing()) {
        if (in_force_ && document_.cuts() != *in_force_) concluded_ = Stage::none;
        if (dismissed_ && document_.cuts() != *dismissed_) dismissed_.reset();
        refresh();  // the user may have opened another model
    } else if (in_force_) {
        Q_EMIT changed();
    }
}

LiveRecut::Stage LiveRecut::stage() const {
    if (asked_.contains(task_)) return Stage::asked;
    if (concluded_ != Stage::none) return concluded_;
    const bool cut = in_force_ && !document_.painting() && !document_.split().as_in_task;
    const bool other = cut && document_.cuts() != *in_force_ && dismissed_ != document_.cuts();
    return other ? Stage::offered : advice_stage();
}

/// Remembers the predicted step time of the current plan, which is known while the cuts of that plan are shown.
void LiveRecut::remember_step() {
    const auto& prices = prices_.prices();
    if (prices && prices->ok() && in_force_ && prices->are_of({*in_force_, {}})) step_ms_ = prices->prediction.step_ms;
}

QString LiveRecut::step_note() const {
    if (!(training_ == draft_.spec().train)) return tr("Step: not predicted; the form describes another training");
    const auto& prices = prices_.prices();
    if (!prices || !prices->are_of(document_.shown_split())) return tr("Step: \u2026");
    if (!prices->ok()) return prices->problem;
    const double step_ms = prices->prediction.step_ms;
    if (step_ms_ <= 0) return tr("Step: %1 predicted").arg(ms_text(step_ms));
    const double share = step_ms / step_ms_ - 1;
    const QString gain = (share > 0 ? QStringLiteral("+") : QStringLiteral("\u2212")) + percent(std::abs(share));
    return tr("Step: %1 predicted, %2 now (%3)").arg(ms_text(step_ms), ms_text(step_ms_), gain);
}

QString LiveRecut::stall_note(const control::TaskView& task) const {
    if (stall_ms_) return tr("Stall: about %1, as at its last re-cut").arg(ms_text(*stall_ms_));
    if (const auto restart = last_restart_ms(client_->data().incidents, task.id))
        return tr("Stall: about %1, as at its last recovery").arg(ms_text(*restart));
    return tr("Stall: unknown, not measured yet");
}

QString LiveRecut::bring_note(const control::TaskView& task) const {
    const auto bytes =
        bytes_to_bring(*document_.model(), client_->data().state, task, *in_force_, document_.shown_cuts());
    return bytes ? tr("Data to send first: about %1").arg(bytes_text(*bytes))
                 : tr("Data to send first: unknown before a checkpoint");
}

QStringList LiveRecut::notes() const {
    const control::TaskView* task = live();
    if (!task || !in_force_ || document_.shown_painting() || document_.split().as_in_task) return {};
    if (document_.shown_cuts() == *in_force_) return {};
    const auto stages = static_cast<int>(document_.shown_cuts().size()) + 1;
    return {tr("Re-cut of %1, stages: %2").arg(text_of(task_)).arg(stages), step_note(), stall_note(*task),
            bring_note(*task)};
}

QString LiveRecut::why_not() const {
    if (!client_ || client_->status().connection != client::Connection::connected)
        return tr("There is no connection to a cluster.");
    if (client_->status().replayed) return client::why_not_replayed(client_->status());
    if (!identity::allowed(client_->status().role, identity::Right::submit))
        return tr("Your role is read-only. Operators and admins re-cut tasks.");
    return {};
}

void LiveRecut::confirm() {
    document_.settle();
    const control::TaskView* task = live();
    if (!task || stage() != Stage::offered || !why_not().isEmpty()) return;
    control::Recut wanted;
    wanted.task = task_;
    wanted.plan = task->plan_hash;
    wanted.cuts = document_.cut_names();
    if (wanted.cuts.empty()) wanted.stages = 1;
    ask(wanted, {document_.model(), *in_force_, document_.cuts(), task->cuts});
}

void LiveRecut::ask(const control::Recut& wanted, Asked asked) {
    asked_[wanted.task] = std::move(asked);
    client_->ask(wanted);
    Q_EMIT changed();
}

std::optional<LiveRecut::Asked> LiveRecut::take_asked(const TaskId& task) {
    const auto found = asked_.find(task);
    if (found == asked_.end()) return std::nullopt;
    Asked asked = std::move(found->second);
    asked_.erase(found);
    return asked;
}

void LiveRecut::back() {
    document_.settle();
    if (in_force_) document_.set_cuts(*in_force_, tr("Back to the cuts of %1").arg(text_of(task_)));
}

void LiveRecut::dismiss() {
    if (stage() == Stage::advised) {
        answer_.reset();
        advice_problem_.clear();
        if (const control::TaskView* task = running()) dismissed_advice_ = task->advice;
        Q_EMIT changed();
        return;
    }
    concluded_ = Stage::none;
    dismissed_ = document_.cuts();
    Q_EMIT changed();
}

void LiveRecut::take_done(const TaskId& task, const control::RecutDone& done) {
    const std::optional<Asked> asked = take_asked(task);
    if (!asked) return;
    QString outcome =
        tr("%1 trains with the new plan as generation %2, after step %3. Stalled for %4, steps repeated: %5, sent: %6.")
            .arg(text_of(task))
            .arg(done.generation)
            .arg(done.step)
            .arg(stall_text(done.stall_ms), count_text(done.again), bytes_text(done.brought));
    const bool undone_here = task == task_ && asked->model && asked->model == document_.model();
    outcome += u' ' + (undone_here ? tr("Use Undo to go back.") : way_back(*asked));
    if (task != task_) {
        Q_EMIT told(outcome, false, false);
        return;
    }
    stall_ms_ = done.stall_ms;
    if (undone_here) record(task, *asked);
    conclude(Stage::done, asked->cuts, outcome);
}

/// Returns a hint about how to return to the previous cuts, for cases in which undo does not restore them.
QString LiveRecut::way_back(const Asked& asked) {
    if (asked.names_before.empty())
        return tr("To go back, choose the task in Tasks, open its model, and re-cut the task without any cut.");
    return tr("To go back, choose the task in Tasks, open its model, and re-cut the task at the cuts after %1.")
        .arg(listed(asked.names_before));
}

/// Records the re-cut as one undo step, even if several moves led to its cuts. Moves made while the re-cut was being
/// prepared become a separate step after it. A running gesture continues.
void LiveRecut::record(const TaskId& task, const Asked& asked) {
    const Split now = document_.split();
    const std::optional<Split> gesture = document_.previewing() ? std::optional(document_.shown_split()) : std::nullopt;
    document_.record_split({asked.before, {}}, {asked.cuts, {}}, tr("Re-cut of %1").arg(text_of(task)));
    document_.set_split(now, tr("Cuts moved during the re-cut of %1").arg(text_of(task)));
    if (gesture) document_.preview(*gesture);
}

void LiveRecut::take_refused(const TaskId& task, const QString& why) {
    const std::optional<Asked> asked = take_asked(task);
    if (!asked) return;
    const QString outcome = tr("%1 was not re-cut: %2").arg(text_of(task), why);
    if (task != task_) {
        Q_EMIT told(outcome, true, false);
        return;
    }
    if (document_.cuts() == asked->cuts) back();
    conclude(Stage::refused, asked->cuts, outcome);
}

void LiveRecut::conclude(Stage stage, const Cuts& asked, const QString& outcome) {
    outcome_ = outcome;
    // If the user moved a cut during the re-cut, offer that change next.
    concluded_ = stage == Stage::refused || document_.cuts() == asked ? stage : Stage::none;
    refresh();
    Q_EMIT changed();
    Q_EMIT told(outcome, stage == Stage::refused, concluded_ == stage);
}

}  // namespace divisi::model

#include "moc_live_recut.cpp"
