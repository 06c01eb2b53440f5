// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/placing/layout_notice.h"

#include <QEvent>
#include <QHBoxLayout>
#include <algorithm>
#include <utility>

#include "app/model/wording/text.h"

namespace divisi::graphview {

namespace {

/// Milliseconds until the message about a running layout appears.
constexpr int notice_delay_ms = 150;
constexpr int notice_margin = 12, notice_text_width = 460;

}  // namespace

LayoutNotice::LayoutNotice(QWidget* parent)
    : QFrame(parent),
      text_(new QLabel(this)),
      cancel_(new QPushButton(this)),
      again_(new QPushButton(this)),
      score_(new QPushButton(this)),
      close_(new QToolButton(this)) {
    setObjectName(QStringLiteral("layoutNotice"));
    setFrameShape(QFrame::StyledPanel);
    setAutoFillBackground(true);
    text_->setObjectName(QStringLiteral("layoutText"));
    text_->setTextFormat(Qt::PlainText);
    text_->setWordWrap(true);
    cancel_->setObjectName(QStringLiteral("layoutCancel"));
    again_->setObjectName(QStringLiteral("layoutAgain"));
    score_->setObjectName(QStringLiteral("layoutScore"));
    close_->setObjectName(QStringLiteral("layoutClose"));
    close_->setText(QStringLiteral("\u2715"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(16, 8, 8, 8);
    row->setSpacing(8);
    row->addWidget(text_, 1);
    for (QWidget* button : std::initializer_list<QWidget*>{cancel_, again_, score_, close_}) row->addWidget(button);
    wait_.setSingleShot(true);
    wait_.setInterval(notice_delay_ms);
    connect(&wait_, &QTimer::timeout, this, &LayoutNotice::refresh);
    connect(cancel_, &QPushButton::clicked, this, &LayoutNotice::cancelRequested);
    connect(again_, &QPushButton::clicked, this, &LayoutNotice::againRequested);
    connect(score_, &QPushButton::clicked, this, &LayoutNotice::scoreRequested);
    connect(close_, &QToolButton::clicked, this, &LayoutNotice::finish);
    hide();
}

void LayoutNotice::begin(std::int32_t operators) {
    operators_ = operators;
    const bool stands_there = std::exchange(state_, State::under_way) == State::under_way && !isHidden();
    if (stands_there) return refresh();
    hide();
    if (!wait_.isActive()) wait_.start();
}

void LayoutNotice::finish() {
    state_ = State::nothing;
    refresh();
}

void LayoutNotice::show_cancelled(bool blank) {
    state_ = State::cancelled;
    blank_ = blank;
    refresh();
}

void LayoutNotice::refresh() {
    wait_.stop();
    const bool cancelled = state_ == State::cancelled;
    if (state_ == State::nothing) return hide();
    QString text = tr("Laying out %1 operators\u2026").arg(model::count_text(operators_));
    if (cancelled)
        text = blank_ ? tr("The graph is not laid out. Close scopes to lay out less, or use the score, which needs no "
                           "layout.")
                      : tr("The graph stays as it was. Close scopes to lay out less, or use the score, which needs no "
                           "layout.");
    text_->setText(text);
    setAccessibleName(text);
    cancel_->setVisible(!cancelled);
    again_->setVisible(cancelled);
    score_->setVisible(cancelled);
    close_->setVisible(cancelled && !blank_);  // the message stays in an empty view
    cancel_->setText(tr("Cancel"));
    cancel_->setToolTip(tr("Keep the graph as it is (Esc)"));
    again_->setText(tr("Lay out"));
    again_->setToolTip(tr("Restart the layout"));
    score_->setText(tr("Score"));
    score_->setToolTip(tr("Show the operators of the model along their predicted time"));
    close_->setToolTip(tr("Close this message"));
    close_->setAccessibleName(close_->toolTip());
    show();
    place();
}

void LayoutNotice::place() {
    if (state_ == State::nothing) return;
    const QRect around = parentWidget()->rect();
    const int wanted = text_->fontMetrics().horizontalAdvance(text_->text()) + 8;
    text_->setMinimumWidth(std::min({wanted, notice_text_width, around.width() / 2}));
    layout()->activate();
    const int width = std::min(sizeHint().width(), around.width() - 2 * notice_margin);
    const int height = hasHeightForWidth() ? heightForWidth(width) : sizeHint().height();
    const bool middle = state_ == State::cancelled && blank_;
    setGeometry((around.width() - width) / 2, middle ? (around.height() - height) / 2 : notice_margin, width, height);
    raise();
}

void LayoutNotice::changeEvent(QEvent* event) {
    QFrame::changeEvent(event);
    if (!isVisible()) return;
    if (event->type() == QEvent::LanguageChange) refresh();
    // The label and buttons get the font later, so their sizes are known only after this event.
    if (event->type() == QEvent::FontChange) QTimer::singleShot(0, this, &LayoutNotice::place);
}

}  // namespace divisi::graphview

#include "moc_layout_notice.cpp"
