// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/presenting/guide_dock.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QVBoxLayout>
#include <utility>

namespace divisi::shell {

namespace {

constexpr int guide_width = 300;

}  // namespace

GuideDock::GuideDock(Guide& guide, QWidget* parent)
    : QDockWidget(parent),
      guide_(guide),
      title_(new QLabel(this)),
      count_(new QLabel(this)),
      step_title_(new QLabel(this)),
      note_(new QLabel(this)),
      where_(new QLabel(this)),
      state_(new QLabel(this)),
      why_not_(new QLabel(this)),
      do_(new QPushButton(this)),
      back_(new QPushButton(this)),
      next_(new QPushButton(this)),
      close_(new QToolButton(this)) {
    setObjectName(QStringLiteral("Guide"));
    setFeatures(DockWidgetMovable);  // no buttons in the title bar, since they would have no icons
    build();
    connect(back_, &QPushButton::clicked, &guide_, &Guide::back);
    connect(next_, &QPushButton::clicked, &guide_, &Guide::next);
    connect(do_, &QPushButton::clicked, &guide_, &Guide::do_action);
    connect(close_, &QToolButton::clicked, this, [this] {
        guide_.end();
        hide();
    });
    connect(&guide_, &Guide::begun, this, [this] {
        if (aside_) return;
        show();
        raise();
    });
    connect(&guide_, &Guide::changed, this, &GuideDock::refresh);
    connect(this, &QDockWidget::visibilityChanged, this, [this](bool) {
        if (isHidden() && !aside_) guide_.pause();
    });
}

void GuideDock::build() {
    title_->setProperty("role", QStringLiteral("heading"));
    count_->setProperty("role", QStringLiteral("faint"));
    step_title_->setObjectName(QStringLiteral("guideStep"));
    step_title_->setProperty("role", QStringLiteral("title"));
    note_->setObjectName(QStringLiteral("guideNote"));
    where_->setObjectName(QStringLiteral("guideWhere"));
    where_->setProperty("role", QStringLiteral("faint"));
    state_->setObjectName(QStringLiteral("guideState"));
    why_not_->setObjectName(QStringLiteral("guideWhyNot"));
    do_->setObjectName(QStringLiteral("guideDo"));
    back_->setObjectName(QStringLiteral("guideBack"));
    next_->setObjectName(QStringLiteral("guideNext"));
    next_->setProperty("primary", true);
    auto* inside = new QWidget(this);
    auto* column = new QVBoxLayout(inside);
    column->setContentsMargins(16, 16, 16, 16);
    column->setSpacing(12);
    close_->setObjectName(QStringLiteral("guideClose"));
    close_->setText(QStringLiteral("\u2715"));
    close_->setAutoRaise(true);
    auto* head = new QHBoxLayout;
    head->addWidget(title_, 1);
    head->addWidget(close_, 0, Qt::AlignTop);
    title_->setWordWrap(true);
    column->addLayout(head);
    for (QLabel* label : {count_, step_title_, note_, where_, state_, why_not_}) {
        label->setWordWrap(true);
        column->addWidget(label);
    }
    column->addWidget(do_);
    column->addStretch();
    auto* row = new QHBoxLayout;
    row->addWidget(back_);
    row->addWidget(next_);
    column->addLayout(row);
    inside->setMinimumWidth(guide_width);
    setWidget(inside);
}

void GuideDock::stand_aside(bool aside) {
    if (aside == aside_) return;
    if (aside) {
        aside_ = true;
        shown_before_ = !isHidden();
        return hide();
    }
    const bool back = std::exchange(shown_before_, false) && guide_.active();
    setVisible(back);
    aside_ = false;
    if (!back) guide_.end();
}

void GuideDock::refresh() {
    setWindowTitle(tr("Guide"));
    back_->setText(tr("Back"));
    do_->setText(tr("Do it for me"));
    close_->setToolTip(tr("End the guide"));
    close_->setAccessibleName(close_->toolTip());
    const StepControl& steps = guide_.steps();
    const GuideStep* step = steps.current();
    if (!step) return hide();
    title_->setText(steps.title());
    count_->setText(tr("Step %1 of %2").arg(steps.step() + 1).arg(steps.count()));
    step_title_->setText(step->title);
    note_->setText(step->note);
    const QAction* about = guide_.action();
    where_->setText(guide_.where_text());
    where_->setVisible(about != nullptr);
    do_->setVisible(about != nullptr);
    do_->setEnabled(guide_.can_do());
    state_->setText(guide_.state_text());
    why_not_->setText(guide_.why_not());
    why_not_->setVisible(!why_not_->text().isEmpty());
    back_->setEnabled(!steps.first());
    const bool goes_on = steps.done() || step->until.isEmpty();
    next_->setText(steps.last() ? tr("Finish") : goes_on ? tr("Next") : tr("Skip"));
}

void GuideDock::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) refresh();
    QDockWidget::changeEvent(event);
}

}  // namespace divisi::shell

#include "moc_guide_dock.cpp"
