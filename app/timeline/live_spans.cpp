// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/timeline/live_spans.h"

#include <utility>

namespace divisi::timeline {

LiveSpans::LiveSpans(client::Client* client, std::function<bool()> looks, QObject* parent)
    : QObject(parent), client_(client), looks_(std::move(looks)) {
    again_.setInterval(control::span_watch_again / std::chrono::milliseconds(1));
    connect(&again_, &QTimer::timeout, this, &LiveSpans::ask);
    if (!client_) return;
    again_.start();
    connect(client_, &client::Client::dataChanged, this, &LiveSpans::look);
}

void LiveSpans::set_task(const TaskId& task) {
    if (task == std::exchange(task_, task)) return;
    ask();
    look();
}

void LiveSpans::use_cursor(model::TimeCursor& cursor) {
    cursor_ = &cursor;
    connect(&cursor, &model::TimeCursor::moved, this, [this] {
        if (!cursor_->live()) look();
    });
    connect(&cursor, &model::TimeCursor::modeChanged, this, &LiveSpans::look);
}

void LiveSpans::set_programs(std::shared_ptr<const plan::Programs> programs) {
    if (programs == std::exchange(programs_, programs)) return;
    shown_.reset();
    look();
}

bool LiveSpans::awaits() const {
    if (!client_ || !client_->status().reaches()) return false;
    const auto& tasks = client_->data().state.tasks;
    const auto found = tasks.find(task_);
    return found != tasks.end() && found->second.generation > 0 && !found->second.over();
}

void LiveSpans::ask() {
    if (awaits() && looks_()) client_->watch_spans(task_);
}

void LiveSpans::look() {
    const bool live = !cursor_ || cursor_->live();
    const client::MeasuredStep* measured =
        client_ ? client_->data().spans.at(task_, live ? TimePoint::max() : cursor_->at()) : nullptr;
    std::optional<Shown> now;
    if (measured)
        now = Shown{measured->generation, measured->step, measured->instances.size(), client_->data().spans.lost()};
    if (now == shown_ && now.has_value() == (step_ != nullptr)) return;
    shown_ = now;
    step_ = measured ? std::make_shared<const model::LiveStep>(model::live_step(*measured, programs_.get())) : nullptr;
    Q_EMIT changed();
}

QString LiveSpans::note() const { return step_ ? model::live_note(*step_, shown_->lost) : QString(); }

}  // namespace divisi::timeline
