// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/replay/time_cursor_button.h"

#include <QEvent>
#include <QLocale>
#include <QMenu>
#include <algorithm>
#include <chrono>
#include <utility>

#include "app/model/wording/states.h"

namespace divisi::shell {

namespace {

constexpr double play_speeds[] = {0.25, 0.5, 1, 2, 4, 8};
constexpr std::chrono::seconds step_back{10};

QString times_text(double speed) { return QStringLiteral("\u00d7") + QLocale().toString(speed); }

}  // namespace

TimeCursorButton::TimeCursorButton(model::TimeCursor& cursor, QWidget* parent) : QToolButton(parent), cursor_(cursor) {
    setObjectName(QStringLiteral("momentSign"));
    setAutoRaise(true);
    setPopupMode(QToolButton::InstantPopup);
    setMenu(new QMenu(this));
    toggle_ = offer("momentToggle", [this] { toggle(cursor_); });
    back_ = offer("momentBack", [this] { cursor_.set(cursor_.at() - step_back); });
    menu()->addSeparator();
    for (const double speed : play_speeds) {
        speeds_.push_back(offer("momentSpeed", [this, speed] { cursor_.play(speed); }));
        speeds_.back()->setData(speed);
        speeds_.back()->setCheckable(true);
    }
    menu()->addSeparator();
    live_ = offer("momentLive", [this] { cursor_.go_live(); });
    connect(&cursor_, &model::TimeCursor::moved, this, [this] {
        if (!cursor_.live()) refresh();  // while live, the text does not change
    });
    connect(&cursor_, &model::TimeCursor::modeChanged, this, &TimeCursorButton::refresh);
    retranslate();
}

QAction* TimeCursorButton::offer(const char* name, std::function<void()> what) {
    QAction* action = menu()->addAction(QString());
    action->setObjectName(QString::fromLatin1(name));
    connect(action, &QAction::triggered, this, std::move(what));
    return action;
}

void TimeCursorButton::toggle(model::TimeCursor& cursor) {
    if (cursor.moves()) cursor.pause();
    else cursor.play();
}

/// Returns the size for the longest text, so that the buttons beside this one do not move when the text changes.
QSize TimeCursorButton::sizeHint() const {
    const QString longest =
        QStringLiteral("\u25b6 ") + tr("%1, playing %2").arg(QStringLiteral("00:00:00"), times_text(-10));
    const QSize now = QToolButton::sizeHint();
    const int more = fontMetrics().horizontalAdvance(longest) - fontMetrics().horizontalAdvance(text());
    return {now.width() + std::max(0, more), now.height()};
}

void TimeCursorButton::refresh() {
    const bool plays = cursor_.mode() == model::TimeCursor::Mode::playing;
    const QString when = model::clock_text(cursor_.at());
    const QString now = cursor_.live() ? QStringLiteral("\u25cf ") + tr("Live")
                        : plays
                            ? QStringLiteral("\u25b6 ") + tr("%1, playing %2").arg(when, times_text(cursor_.speed()))
                            : QStringLiteral("\u2016 ") + tr("%1, paused").arg(when);
    if (text() != now) setText(now);
    toggle_->setText(cursor_.moves() ? tr("&Pause") : tr("&Play from here"));
    live_->setEnabled(!cursor_.live());
    for (QAction* speed : speeds_) speed->setChecked(plays && speed->data().toDouble() == cursor_.speed());
}

void TimeCursorButton::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) retranslate();
    QToolButton::changeEvent(event);
}

void TimeCursorButton::retranslate() {
    setToolTip(tr(
        "Curves, timeline, log, topology, nodes and task graph show this moment; other tables show the present. This "
        "window records topology and states while it is open, and drops the oldest first. Press Ctrl+L to go back to "
        "now."));
    setAccessibleName(tr("The moment shown"));
    back_->setText(tr("&Back by %1 s").arg(step_back.count()));
    live_->setText(tr("Back to &now"));
    for (QAction* speed : speeds_) speed->setText(tr("Play %1").arg(times_text(speed->data().toDouble())));
    refresh();
}

}  // namespace divisi::shell

#include "moc_time_cursor_button.cpp"
