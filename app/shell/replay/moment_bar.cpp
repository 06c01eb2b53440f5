// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/replay/moment_bar.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLocale>
#include <QMenu>
#include <QSignalBlocker>
#include <algorithm>
#include <chrono>
#include <utility>

#include "app/model/wording/states.h"
#include "app/shell/basics/theme.h"

namespace divisi::shell {
namespace {

constexpr int track_ms = 1000;
constexpr int least_track = 60, most_track = 160, track_height = 22;

int whole_ms(Duration length) {
    return static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(length).count());
}

constexpr double play_speeds[] = {0.25, 0.5, 1, 2, 4, 8};
constexpr std::chrono::seconds step_back{10};

QString times_text(double speed) { return QStringLiteral("\u00d7") + QLocale().toString(speed); }

}  // namespace

MomentBar::MomentBar(model::TimeCursor& cursor, const client::Client* client, const client::PastClient* past,
                     QWidget* parent)
    : QWidget(parent),
      cursor_(cursor),
      client_(client),
      past_(past),
      pause_(new QToolButton(this)),
      now_(new QToolButton(this)),
      track_(new TransportTrack(this)),
      sign_(new TimeCursorButton(cursor, this)) {
    build();
    using model::TimeCursor;
    connect(pause_, &QToolButton::clicked, this, [this] { TimeCursorButton::toggle(cursor_); });
    connect(now_, &QToolButton::clicked, &cursor_, &TimeCursor::go_live);
    connect(track_, &QSlider::valueChanged, this, &MomentBar::go);
    connect(track_, &QSlider::sliderReleased, this, &MomentBar::show_track);
    connect(&cursor_, &TimeCursor::modeChanged, this, &MomentBar::refresh);
    connect(&cursor_, &TimeCursor::moved, this, [this] {
        if (!cursor_.live()) show_track();  // while live, the track does not follow the time
    });
    if (client_) connect(client_, &client::Client::statusChanged, this, &MomentBar::refresh);
    passing_.setInterval(track_ms);
    connect(&passing_, &QTimer::timeout, this, [this] {
        if (isVisible()) show_track();
    });
    passing_.start();
    show_icons();
    retranslate();
}

void MomentBar::build() {
    setObjectName(QStringLiteral("momentBar"));
    pause_->setObjectName(QStringLiteral("momentPause"));
    now_->setObjectName(QStringLiteral("momentNow"));
    track_->setObjectName(QStringLiteral("momentTrack"));
    track_->setMinimumWidth(least_track);
    track_->setMaximumWidth(most_track);
    track_->setFixedHeight(track_height);
    for (QToolButton* button : {pause_, now_}) button->setAutoRaise(true);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(2);
    row->addWidget(pause_);
    row->addWidget(track_);
    row->addWidget(now_);
    row->addWidget(sign_);
}

void MomentBar::refresh() {
    const bool connected = client_ && client_->status().connection != client::Connection::none;
    setVisible(connected || !cursor_.live());
    if (cursor_.moves() != shown_moving_) show_icons();
    pause_->setToolTip(cursor_.moves() ? tr("Pause: all views with history stay at this moment (Ctrl+Space)")
                                       : tr("Play from this moment (Ctrl+Space)"));
    pause_->setAccessibleName(cursor_.moves() ? tr("Pause") : tr("Play"));
    now_->setEnabled(!cursor_.live());
    show_track();
}

/// Updates the track, but not while the user drags its handle, because its ends must not change during a drag.
void MomentBar::show_track() {
    if (track_->isSliderDown()) return;
    const TimePoint now = cursor_.now();
    begin_ = std::min(past_ ? past_->kept_from().value_or(now) : now, now);
    const QSignalBlocker quiet(track_);
    track_->setRange(0, whole_ms(now - begin_));
    track_->setValue(cursor_.live() ? track_->maximum() : whole_ms(std::max(cursor_.at(), begin_) - begin_));
    track_->setEnabled(track_->maximum() > 0);
    track_->setAccessibleDescription(sign_->text());
    const QString from = model::date_text(begin_);
    const QString tip = tr("From %1, the earliest moment kept, to now. Drag the handle, or use the arrows, Page Up and "
                           "Page Down; at the right end the window is live")
                            .arg(from);
    if (track_->toolTip() != tip) track_->setToolTip(tip);
}

void MomentBar::go(int ms) {
    if (ms >= track_->maximum()) return cursor_.go_live();
    cursor_.set(begin_ + std::chrono::milliseconds(ms));
}

/// Shows the icons in the colours of the theme.
void MomentBar::show_icons() {
    shown_moving_ = cursor_.moves();
    pause_->setIcon(themed_icon(shown_moving_ ? QStringLiteral("pause") : QStringLiteral("run"), palette()));
    now_->setIcon(themed_icon(QStringLiteral("to_end"), palette()));
}

void MomentBar::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) retranslate();
    if (event->type() == QEvent::PaletteChange) show_icons();
    QWidget::changeEvent(event);
}

void MomentBar::retranslate() {
    setAccessibleName(tr("The moment shown"));
    track_->setAccessibleName(tr("The moment shown"));
    now_->setToolTip(tr("Back to now (Ctrl+L)"));
    now_->setAccessibleName(tr("Back to now"));
    refresh();
}

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

#include "moc_moment_bar.cpp"
