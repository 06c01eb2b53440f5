// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/presenting/speaker_notes.h"

#include <QGuiApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QScreen>
#include <QScrollArea>
#include <QVBoxLayout>

namespace divisi::shell {

namespace {

constexpr int notes_tick_ms = 1000;
constexpr QSize notes_size(560, 420);

/// Returns a screen that does not show the window; null if there is only one screen.
const QScreen* other_screen(const QWidget& window) {
    for (const QScreen* screen : QGuiApplication::screens())
        if (screen != window.screen()) return screen;
    return nullptr;
}

}  // namespace

QString minutes_text(qint64 seconds) {
    return QStringLiteral("%1:%2").arg(seconds / 60).arg(seconds % 60, 2, 10, QLatin1Char('0'));
}

/// A tool window passes the keys that it does not handle to its parent.
SpeakerNotes::SpeakerNotes(Guide& guide, QWidget& window)
    : QWidget(&window, Qt::Tool),
      guide_(guide),
      window_(window),
      count_(new QLabel(this)),
      time_(new QLabel(this)),
      title_(new QLabel(this)),
      notes_(new QLabel(this)),
      next_(new QLabel(this)) {
    setObjectName(QStringLiteral("speakerNotes"));
    title_->setProperty("role", QStringLiteral("title"));
    title_->setWordWrap(true);
    count_->setProperty("role", QStringLiteral("faint"));
    time_->setObjectName(QStringLiteral("speakerTime"));
    notes_->setObjectName(QStringLiteral("speakerText"));
    notes_->setWordWrap(true);
    notes_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    next_->setObjectName(QStringLiteral("speakerNext"));
    next_->setProperty("role", QStringLiteral("faint"));
    next_->setWordWrap(true);
    auto* heads = new QHBoxLayout;
    heads->addWidget(count_);
    heads->addStretch();
    heads->addWidget(time_);
    auto* scroll = new QScrollArea(this);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setWidget(notes_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 16, 16, 16);
    column->setSpacing(12);
    column->addLayout(heads);
    column->addWidget(title_);
    column->addWidget(scroll, 1);
    column->addWidget(next_);
    resize(notes_size);
    tick_.setInterval(notes_tick_ms);
    connect(&tick_, &QTimer::timeout, this, &SpeakerNotes::show_time);
    connect(&guide_, &Guide::changed, this, &SpeakerNotes::refresh);
    refresh();
}

void SpeakerNotes::open() {
    if (!placed_) {
        placed_ = true;
        const QScreen* other = other_screen(window_);
        const QRect room = (other ? other : window_.screen())->availableGeometry();
        QRect place(QPoint(), size().boundedTo(room.size()));
        if (other) place.moveCenter(room.center());
        else place.moveBottomRight(room.bottomRight());
        setGeometry(place);
    }
    show();
    raise();
}

void SpeakerNotes::refresh() {
    setWindowTitle(tr("Speaker notes"));
    const StepControl& steps = guide_.steps();
    const GuideStep* step = guide_.active() ? steps.current() : nullptr;
    count_->setText(step ? tr("Step %1 of %2").arg(steps.step() + 1).arg(steps.count()) : QString());
    title_->setText(step ? step->title : tr("No scenario is under way"));
    const QString lines = step ? QString(step->notes).replace(u'\n', QStringLiteral("\n\u2022 ")) : QString();
    notes_->setText(!step             ? tr("Start a scenario in the Help menu.")
                    : lines.isEmpty() ? tr("This step has no notes.")
                                      : QStringLiteral("\u2022 ") + lines);
    const GuideStep* next = step ? steps.next() : nullptr;
    next_->setText(next ? tr("Next: %1").arg(next->title) : step ? tr("This is the last step.") : QString());
    show_time();
}

void SpeakerNotes::show_time() { time_->setText(guide_.active() ? minutes_text(guide_.seconds()) : QString()); }

void SpeakerNotes::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) refresh();
    QWidget::changeEvent(event);
}

void SpeakerNotes::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) close();
    else QWidget::keyPressEvent(event);
}

void SpeakerNotes::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    tick_.start();
    Q_EMIT visibleChanged();
}

void SpeakerNotes::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    tick_.stop();
    Q_EMIT visibleChanged();
}

}  // namespace divisi::shell

#include "moc_speaker_notes.cpp"
