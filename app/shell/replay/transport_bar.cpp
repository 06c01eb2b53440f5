// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/replay/transport_bar.h"

#include <QEvent>
#include <QLocale>

#include "app/model/wording/states.h"
#include "app/shell/basics/theme.h"

namespace divisi::shell {

namespace {

constexpr double replay_speeds[] = {0.25, 0.5, 1, 2, 4, 8, 16, 32, 64};

/// Formats a duration as "3:07" or "1:02:40".
QString span_text(int ms) {
    const int seconds = ms / 1000;
    const QString rest = QStringLiteral("%1:%2")
                             .arg(seconds / 60 % 60, seconds >= 3600 ? 2 : 1, 10, QLatin1Char('0'))
                             .arg(seconds % 60, 2, 10, QLatin1Char('0'));
    return seconds >= 3600 ? QStringLiteral("%1:").arg(seconds / 3600) + rest : rest;
}

}  // namespace

TransportBar::TransportBar(model::ReplayPlayer& player, QWidget* parent)
    : QToolBar(parent),
      player_(player),
      play_(new QToolButton(this)),
      back_(new QToolButton(this)),
      next_(new QToolButton(this)),
      end_(new QToolButton(this)),
      track_(new TransportTrack(this)),
      time_(new QLabel(this)),
      speed_(new QComboBox(this)) {
    setObjectName(QStringLiteral("transportBar"));
    setMovable(false);
    setContextMenuPolicy(Qt::PreventContextMenu);  // the user must not hide the only control of time
    toggleViewAction()->setVisible(false);
    build();
    using model::ReplayPlayer;
    connect(play_, &QToolButton::clicked, &player_, &ReplayPlayer::toggle);
    connect(end_, &QToolButton::clicked, &player_, &ReplayPlayer::go_end);
    connect(back_, &QToolButton::clicked, this, [this] { track_->go_to_mark(-1); });
    connect(next_, &QToolButton::clicked, this, [this] { track_->go_to_mark(1); });
    connect(track_, &QSlider::valueChanged, this,
            [this](int ms) { player_.go(player_.begin() + std::chrono::milliseconds(ms)); });
    connect(speed_, &QComboBox::currentIndexChanged, this,
            [this](int index) { player_.set_speed(speed_->itemData(index).toDouble()); });
    connect(&player_, &ReplayPlayer::changed, this, &TransportBar::refresh);
    show_icons();
    retranslate();
}

void TransportBar::build() {
    play_->setObjectName(QStringLiteral("replayPlay"));
    back_->setObjectName(QStringLiteral("replayBack"));
    next_->setObjectName(QStringLiteral("replayNext"));
    end_->setObjectName(QStringLiteral("replayEnd"));
    time_->setObjectName(QStringLiteral("replayTime"));
    speed_->setObjectName(QStringLiteral("replaySpeed"));
    track_->setRange(0, ms_since_begin(player_.end()));
    track_->set_marks(player_.client().marks());
    connect(&player_.client(), &client::ReplayClient::scanned, this,
            [this] { track_->set_marks(player_.client().marks()); });
    track_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    for (const double speed : replay_speeds) speed_->addItem(QString(), speed);
    speed_->setCurrentIndex(speed_->findData(1.0));
    addWidget(play_);
    addWidget(back_);
    addWidget(next_);
    addWidget(track_);
    addWidget(time_);
    addWidget(speed_);
    addWidget(end_);
}

/// Returns the time since the start, rounded up to ms, so that the last value of the slider is the end of the
/// recording.
int TransportBar::ms_since_begin(TimePoint at) const {
    return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(at - player_.begin()).count());
}

void TransportBar::refresh() {
    const QSignalBlocker quiet_track(track_), quiet_speed(speed_);
    const int now = ms_since_begin(player_.at());
    if (!track_->isSliderDown()) track_->setValue(now);
    const QString text = tr("%1 of %2").arg(span_text(now), span_text(track_->maximum()));
    time_->setText(text + QStringLiteral(" \u00b7 ") + model::clock_text(player_.at()));
    track_->setAccessibleDescription(text);
    if (player_.playing() != shown_playing_) show_icons();
    play_->setToolTip(player_.playing() ? tr("Pause") : tr("Play"));
    play_->setAccessibleName(play_->toolTip());
    const int shown = speed_->findData(player_.cursor().speed());
    if (shown >= 0) speed_->setCurrentIndex(shown);
    end_->setEnabled(player_.at() < player_.end());
}

/// Shows the icons in the colours of the theme.
void TransportBar::show_icons() {
    shown_playing_ = player_.playing();
    play_->setIcon(themed_icon(shown_playing_ ? QStringLiteral("pause") : QStringLiteral("run"), palette()));
    back_->setIcon(themed_icon(QStringLiteral("mark_back"), palette()));
    next_->setIcon(themed_icon(QStringLiteral("mark_next"), palette()));
    end_->setIcon(themed_icon(QStringLiteral("to_end"), palette()));
}

void TransportBar::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) retranslate();
    if (event->type() == QEvent::PaletteChange) show_icons();
    QToolBar::changeEvent(event);
}

void TransportBar::retranslate() {
    setWindowTitle(tr("Replay"));
    setAccessibleName(tr("Replay of a recording"));
    track_->setAccessibleName(tr("Position in the recording"));
    speed_->setAccessibleName(tr("Speed"));
    speed_->setToolTip(tr("Playback speed"));
    for (int i = 0; i < speed_->count(); ++i)
        speed_->setItemText(i, QStringLiteral("\u00d7") + QLocale().toString(speed_->itemData(i).toDouble()));
    const std::pair<QToolButton*, QString> tips[] = {{back_, tr("To the previous re-cut, fault or incident")},
                                                     {next_, tr("To the next re-cut, fault or incident")},
                                                     {end_, tr("To the end")}};
    for (const auto& [button, tip] : tips) {
        button->setToolTip(tip);
        button->setAccessibleName(tip);
    }
    refresh();
}

}  // namespace divisi::shell

#include "moc_transport_bar.cpp"
