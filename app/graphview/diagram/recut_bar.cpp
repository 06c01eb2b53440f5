// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/diagram/recut_bar.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QStyle>
#include <QVBoxLayout>
#include <algorithm>

namespace divisi::graphview {

using Stage = model::LiveRecut::Stage;

RecutBar::RecutBar(GraphView& view, model::LiveRecut& recut, QWidget* parent)
    : QFrame(parent),
      view_(view),
      recut_(recut),
      message_(new QLabel(this)),
      now_(new QPushButton(this)),
      back_(new QPushButton(this)),
      close_(new QToolButton(this)) {
    setObjectName(QStringLiteral("recutBar"));
    message_->setObjectName(QStringLiteral("recutMessage"));
    message_->setWordWrap(true);
    message_->setTextFormat(Qt::PlainText);
    now_->setObjectName(QStringLiteral("recutNow"));
    now_->setProperty("primary", true);
    back_->setObjectName(QStringLiteral("recutBack"));
    close_->setObjectName(QStringLiteral("recutClose"));
    close_->setText(QStringLiteral("\u2715"));
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    buttons->addStretch(1);
    buttons->addWidget(back_);
    buttons->addWidget(now_);
    auto* rows = new QVBoxLayout;
    rows->setSpacing(8);
    rows->addWidget(message_);
    rows->addLayout(buttons);
    auto* whole = new QHBoxLayout(this);
    whole->setContentsMargins(16, 8, 8, 8);
    whole->setSpacing(8);
    whole->addLayout(rows, 1);
    whole->addWidget(close_, 0, Qt::AlignTop);
    connect(now_, &QPushButton::clicked, this, [this] {
        view_.setFocus();  // the button with the focus is hidden, so move the focus
        if (recut_.stage() == Stage::advised) recut_.apply_advice();
        else recut_.confirm();
    });
    connect(back_, &QPushButton::clicked, this, [this] {
        view_.setFocus();
        if (recut_.stage() == Stage::advised) recut_.show_advice();
        else recut_.back();
    });
    connect(close_, &QToolButton::clicked, this, [this] {
        view_.setFocus();
        recut_.dismiss();
    });
    connect(&recut_, &model::LiveRecut::changed, this, &RecutBar::refresh);
    retranslate();
}

void RecutBar::refresh() {
    view_.cut_card().set_notes(recut_.notes());
    const Stage stage = recut_.stage();
    setVisible(stage != Stage::none);
    if (stage == Stage::none) return;
    const QString task = QString::fromStdString(recut_.task().value()), why = recut_.why_not();
    QString text = recut_.outcome();
    if (stage == Stage::offered) text = recut_.notes().join(QStringLiteral("   \u00b7   "));
    if (stage == Stage::asked) text = tr("%1 trains with its old plan until the new one is ready\u2026").arg(task);
    if (stage == Stage::advising) text = tr("Looking for better cuts for %1\u2026").arg(task);
    if (stage == Stage::advised) text = recut_.advice_note();
    if (message_->text() != text) message_->setText(text);
    const bool failed = stage == Stage::refused || (stage == Stage::advised && recut_.advice_failed());
    const QString role = failed ? QStringLiteral("error") : QString();
    if (message_->property("role").toString() != role) {
        message_->setProperty("role", role);
        message_->style()->polish(message_);
    }
    const control::RecutAdvice* advice = stage == Stage::advised ? recut_.advice() : nullptr;
    const bool applicable = advice && !advice->cuts.empty();
    now_->setVisible(stage == Stage::offered || applicable);
    back_->setVisible(stage == Stage::offered || (applicable && recut_.can_show_advice()));
    now_->setEnabled(why.isEmpty());
    now_->setText(applicable ? tr("Apply") : tr("Re-cut %1 now").arg(task));
    back_->setText(applicable ? tr("Show") : tr("Back"));
    now_->setToolTip(!why.isEmpty() ? why
                                    : tr("The task trains until the new plan is ready, then resumes with it after its "
                                         "last checkpoint, with the same losses"));
    back_->setToolTip(applicable ? tr("Show the advised cuts on the graph, with the cost of a re-cut to them")
                                 : tr("Show the current cuts of %1 again").arg(task));
    close_->setVisible(stage != Stage::asked && stage != Stage::advising);
    close_->setToolTip(stage == Stage::offered ? tr("Keep these cuts for another task") : tr("Close this message"));
    close_->setAccessibleName(close_->toolTip());
    fit();
}

/// Makes the bar high enough for the wrapped text and the buttons, because the layout would reserve only one line.
void RecutBar::fit() { setMinimumHeight(std::max(0, layout()->totalHeightForWidth(width()))); }

void RecutBar::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    fit();
}

void RecutBar::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) retranslate();
    QFrame::changeEvent(event);
}

void RecutBar::retranslate() { refresh(); }

}  // namespace divisi::graphview

#include "moc_recut_bar.cpp"
