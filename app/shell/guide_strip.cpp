// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/guide_strip.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QVBoxLayout>

namespace divisi::shell {

GuideStrip::GuideStrip(Guide& guide, QWidget* parent)
    : QFrame(parent),
      guide_(guide),
      count_(new QLabel(this)),
      title_(new QLabel(this)),
      state_(new QLabel(this)),
      note_(new QLabel(this)),
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
    note_->setWordWrap(true);
    do_->setObjectName(QStringLiteral("stripDo"));
    back_->setObjectName(QStringLiteral("stripBack"));
    next_->setObjectName(QStringLiteral("stripNext"));
    next_->setProperty("primary", true);
    auto* heads = new QHBoxLayout;
    heads->setSpacing(16);
    for (QLabel* label : {count_, title_, state_}) heads->addWidget(label);
    heads->addStretch();
    auto* texts = new QVBoxLayout;
    texts->setSpacing(4);
    texts->addLayout(heads);
    texts->addWidget(note_);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(24, 12, 24, 12);
    row->setSpacing(8);
    row->addLayout(texts, 1);
    for (QPushButton* button : {do_, back_, next_}) {
        button->setFocusPolicy(Qt::NoFocus);  // the keys stay with the view that is shown
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
    do_->setVisible(guide_.action() != nullptr);
    do_->setEnabled(guide_.can_do());
    do_->setToolTip(guide_.where_text());
    back_->setEnabled(!steps.first());
    next_->setEnabled(!steps.last());
}

void GuideStrip::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) refresh();
    QFrame::changeEvent(event);
}

}  // namespace divisi::shell
