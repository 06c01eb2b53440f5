// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/timeline/live_spans.h"

#include <QStringList>
#include <utility>

namespace divisi::timeline {

LiveSpans::LiveSpans(client::Client* client, std::function<bool()> looks, QObject* parent)
    : QObject(parent), client_(client), looks_(std::move(looks)) {
    again_.setInterval(control::span_watch_again / std::chrono::milliseconds(1));
    connect(&again_, &QTimer::timeout, this, &LiveSpans::ask);
    if (!client_) return;
    again_.start();
    connect(client_, &client::Client::dataChanged, this, &LiveSpans::poll);
}

void LiveSpans::set_task(const TaskId& task) {
    if (task == std::exchange(task_, task)) return;
    wanted_.reset();
    ask();
    poll();
}

void LiveSpans::use_cursor(model::TimeCursor& cursor) {
    cursor_ = &cursor;
    connect(&cursor, &model::TimeCursor::moved, this, [this] {
        if (!cursor_->live()) follow_cursor();
    });
    connect(&cursor, &model::TimeCursor::modeChanged, this, &LiveSpans::follow_cursor);
}

void LiveSpans::follow_cursor() {
    if (wanted_.has_value()) return show_step(std::nullopt);
    poll();
}

void LiveSpans::show_step(std::optional<std::int64_t> number) {
    if (number == std::exchange(wanted_, number)) return;
    shown_.reset();
    step_.reset();
    poll();
    if (!step_) Q_EMIT changed();  // also notify the view if the chosen step is not kept
}

std::vector<std::int64_t> LiveSpans::kept() const {
    return client_ ? client_->data().spans.steps(task_) : std::vector<std::int64_t>();
}

void LiveSpans::set_programs(std::shared_ptr<const plan::Programs> programs, Generation since) {
    since_ = since;
    if (programs == std::exchange(programs_, programs)) return;
    shown_.reset();
    poll();
}

bool LiveSpans::awaits() const {
    if (!client_ || !client_->status().reaches()) return false;
    const auto& tasks = client_->data().state.tasks;
    const auto found = tasks.find(task_);
    return found != tasks.end() && found->second.generation > 0 && !found->second.over();
}

void LiveSpans::ask() {
    if (awaits() && looks_()) client_->order(control::WatchSpans{task_});
}

Generation LiveSpans::plan_since() const {
    if (!client_) return 0;
    const auto& tasks = client_->data().state.tasks;
    const auto found = tasks.find(task_);
    return found == tasks.end() ? 0 : found->second.plan_since;
}

const client::MeasuredStep* LiveSpans::find() const {
    if (!client_) return nullptr;
    const client::SpanBook& book = client_->data().spans;
    const client::MeasuredStep* chosen = wanted_ ? book.step(task_, *wanted_) : nullptr;
    if (chosen) return chosen;
    const bool live = !cursor_ || cursor_->live();
    return book.at(task_, live ? TimePoint::max() : cursor_->at());
}

void LiveSpans::poll() {
    const client::MeasuredStep* measured = find();
    const Generation plan = plan_since();
    std::optional<Shown> now;
    if (measured)
        now =
            Shown{measured->generation, measured->step, measured->instances.size(), client_->data().spans.lost(), plan};
    if (now == shown_ && now.has_value() == (step_ != nullptr)) return;
    shown_ = now;
    // Compare the generations to find out whether the step ran under this plan, because a re-cut may keep the number of
    // stages.
    const bool same = measured && since_ == plan && measured->generation >= plan;
    step_ = measured
                ? std::make_shared<const model::LiveStep>(model::live_step(*measured, same ? programs_.get() : nullptr))
                : nullptr;
    Q_EMIT changed();
}

QString LiveSpans::note() const {
    QStringList notes;
    const bool missed = wanted_ && (!step_ || shown_->step != *wanted_);
    if (missed)
        notes << tr("step %1 was not measured: only some steps are measured, and only while the task runs and this "
                    "view is open")
                     .arg(*wanted_);
    if (step_) notes << model::live_note(*step_, shown_->lost, shown_->plan_since);
    notes.removeAll(QString());
    return notes.join(QStringLiteral("; "));
}

}  // namespace divisi::timeline

#include "moc_live_spans.cpp"
