// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/presenting/guide_strip.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>

namespace divisi::shell {

GuideStrip::GuideStrip(Guide& guide, QWidget* parent)
    : QFrame(parent),
      guide_(guide),
      count_(new QLabel(this)),
      title_(new QLabel(this)),
      state_(new QLabel(this)),
      note_(new QLabel(this)),
      why_not_(new QLabel(this)),
      do_(new QPushButton(this)),
      back_(new QPushButton(this)),
      next_(new QPushButton(this)) {
    setObjectName(QStringLiteral("guideStrip"));
    count_->setObjectName(QStringLiteral("stripCount"));
    count_->setProperty("role", QStringLiteral("faint"));
    title_->setObjectName(QStringLiteral("stripTitle"));
    title_->setProperty("role", QStringLiteral("title"));
    state_->setObjectName(QStringLiteral("stripState"));
    note_->setObjectName(QStringLiteral("stripNote"));
    why_not_->setObjectName(QStringLiteral("stripWhyNot"));
    // Every label may wrap its text, so that the strip grows with its texts in narrow windows and in every language.
    for (QLabel* label : {title_, state_, note_, why_not_}) label->setWordWrap(true);
    do_->setObjectName(QStringLiteral("stripDo"));
    back_->setObjectName(QStringLiteral("stripBack"));
    next_->setObjectName(QStringLiteral("stripNext"));
    next_->setProperty("primary", true);
    auto* heads = new QHBoxLayout;
    heads->setSpacing(16);
    heads->addWidget(count_);
    heads->addWidget(title_, 1);
    auto* texts = new QVBoxLayout;
    texts->setSpacing(4);
    texts->addLayout(heads);
    texts->addWidget(state_);
    texts->addWidget(note_);
    texts->addWidget(why_not_);
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(24, 12, 24, 12);
    row->setSpacing(8);
    row->addLayout(texts, 1);
    for (QPushButton* button : {do_, back_, next_}) {
        button->setFocusPolicy(Qt::NoFocus);  // keep the keyboard focus in the current view
        row->addWidget(button);
    }
    hide();
    connect(do_, &QPushButton::clicked, &guide_, &Guide::do_action);
    connect(back_, &QPushButton::clicked, &guide_, &Guide::back);
    connect(next_, &QPushButton::clicked, &guide_, &Guide::next);
    connect(&guide_, &Guide::changed, this, &GuideStrip::refresh);
    refresh();
}

void GuideStrip::set_wanted(bool wanted) {
    wanted_ = wanted;
    refresh();
}

void GuideStrip::refresh() {
    setAccessibleName(tr("Guide"));
    do_->setText(tr("Do it"));
    back_->setText(tr("Back"));
    next_->setText(tr("Next"));
    const StepControl& steps = guide_.steps();
    const GuideStep* step = steps.current();
    setVisible(wanted_ && guide_.active());
    if (!step) return;
    count_->setText(tr("%1 of %2").arg(steps.step() + 1).arg(steps.count()));
    title_->setText(step->title);
    state_->setText(guide_.state_text());
    note_->setText(step->note);
    why_not_->setText(guide_.why_not());
    why_not_->setVisible(!why_not_->text().isEmpty());
    do_->setVisible(guide_.action() != nullptr);
    do_->setEnabled(guide_.can_do());
    do_->setToolTip(guide_.where_text());
    back_->setEnabled(!steps.first());
    next_->setEnabled(!steps.last());
}

/// Sets the minimum height to the full height of the texts, so that a window that is too low shrinks its other parts
/// instead.
void GuideStrip::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    hold_height();
}

void GuideStrip::hold_height() {
    // Before the first layout the height is unknown.
    const int least = std::max(layout()->totalHeightForWidth(width()), 0);
    if (least != minimumHeight()) setMinimumHeight(least);
}

bool GuideStrip::event(QEvent* event) {
    const bool done = QFrame::event(event);
    if (event->type() == QEvent::LayoutRequest) hold_height();
    return done;
}

void GuideStrip::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) refresh();
    QFrame::changeEvent(event);
}

}  // namespace divisi::shell

#include "moc_guide_strip.cpp"
