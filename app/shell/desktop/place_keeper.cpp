// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/desktop/place_keeper.h"

#include <array>
#include <utility>

namespace divisi::shell {

namespace {

using model::Selected;
using Kind = Selected::Kind;

constexpr std::array<std::pair<Kind, const char*>, 9> kinds{{{Kind::task, "task"},
                                                             {Kind::unit, "unit"},
                                                             {Kind::instance, "instance"},
                                                             {Kind::node, "node"},
                                                             {Kind::mic, "mic"},
                                                             {Kind::device, "device"},
                                                             {Kind::link, "link"},
                                                             {Kind::model_block, "block"},
                                                             {Kind::step, "step"}}};

QString selection_key() { return QStringLiteral("place/selection"); }
QString steps_key() { return QStringLiteral("place/steps"); }

/// Returns the selection as words: kind, name, second part of the name, task and number. Empty if nothing is selected.
QStringList words_of(const Selected& what) {
    for (const auto& [kind, word] : kinds)
        if (kind == what.kind)
            return {QString::fromLatin1(word), QString::fromStdString(what.id), QString::fromStdString(what.other),
                    QString::fromStdString(what.task.value()), QString::number(what.number)};
    return {};
}

/// Parses a selection; empty if the words come from a different version.
Selected selected_of(const QStringList& words) {
    for (const auto& [kind, word] : kinds)
        if (words.size() == 5 && words[0] == QLatin1String(word))
            return {kind, words[1].toStdString(), words[2].toStdString(), TaskId(words[3].toStdString()),
                    words[4].toULongLong()};
    return {};
}

}  // namespace

PlaceKeeper::PlaceKeeper(AppContext& context, charts::TelemetryView& telemetry, QObject* parent)
    : QObject(parent), context_(context), telemetry_(telemetry) {
    timer_.setSingleShot(true);
    connect(&timer_, &QTimer::timeout, this, &PlaceKeeper::write);
}

void PlaceKeeper::begin(bool restore) {
    if (restore) this->restore();
    const auto later = [this] {
        const Selected& now = context_.selection.current();
        // if the user has selected something else, forget the saved selection
        if (pending_ && now && now != Selected::of_task(pending_->task)) pending_.reset();
        timer_.start(write_after_ms);
    };
    connect(&context_.selection, &model::Selection::changed, this, later);
    connect(&telemetry_.zoom(), &charts::ZoomRanges::stepsChosen, this, later);
}

void PlaceKeeper::restore() {
    const QStringList steps = context_.settings.value(steps_key()).toStringList();
    if (steps.size() == 3)
        telemetry_.zoom().show_steps(TaskId(steps[0].toStdString()), {steps[1].toDouble(), steps[2].toDouble()});
    const Selected what = selected_of(context_.settings.value(selection_key()).toStringList());
    const bool of_task = what.task != TaskId() && what.kind != Kind::task;
    if (!of_task && what.kind != Kind::model_block) return context_.selection.select(what);
    pending_ = what;
    if (of_task) {
        connect(&context_, &AppContext::taskFollowed, this, [this](const TaskId& task) {
            if (pending_ && pending_->task == task) take_pending();
        });
        context_.selection.select(Selected::of_task(what.task));  // the task is then followed
    } else {
        connect(&context_.opener, &model::DocumentOpener::opened, this, &PlaceKeeper::take_pending);
    }
}

/// Selects the pending item after all other receivers of the same signal have finished.
void PlaceKeeper::take_pending() {
    const std::optional<Selected> what = std::exchange(pending_, std::nullopt);
    if (!what) return;
    QMetaObject::invokeMethod(
        this, [this, what = *what] { context_.selection.select(what); }, Qt::QueuedConnection);
}

void PlaceKeeper::write() {
    if (pending_) return;  // do not overwrite the saved selection before it is restored
    context_.settings.setValue(selection_key(), words_of(context_.selection.current()));
    QStringList steps;
    if (const auto range = telemetry_.zoom().shown_steps())
        steps = {QString::fromStdString(context_.followed().value()), QString::number(range->first, 'g', 17),
                 QString::number(range->second, 'g', 17)};
    context_.settings.setValue(steps_key(), steps);
}

}  // namespace divisi::shell

#include "moc_place_keeper.cpp"
