// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/basics/message_bar.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QStyle>
#include <utility>

namespace divisi::shell {

MessageBar::MessageBar(QWidget* parent)
    : QFrame(parent),
      label_(new QLabel(this)),
      offer_(new QPushButton(this)),
      cancel_(new QPushButton(this)),
      close_(new QToolButton(this)) {
    setObjectName(QStringLiteral("messageBar"));
    label_->setObjectName(QStringLiteral("messageText"));
    label_->setTextFormat(Qt::PlainText);
    label_->setWordWrap(true);
    label_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    offer_->setObjectName(QStringLiteral("messageOffer"));
    close_->setText(QStringLiteral("\u2715"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(16, 8, 8, 8);
    row->setSpacing(8);
    row->addWidget(label_, 1);
    row->addWidget(offer_);
    row->addWidget(cancel_);
    row->addWidget(close_);
    connect(offer_, &QPushButton::clicked, this, [this] {
        hide();
        if (run_) std::exchange(run_, nullptr)();
    });
    connect(cancel_, &QPushButton::clicked, this, &MessageBar::cancelRequested);
    connect(close_, &QToolButton::clicked, this, &QWidget::hide);
    retranslate();
    hide();
}

/// Sets the kind, which also colours the edge.
void MessageBar::set_kind(const QString& kind) {
    if (property("kind").toString() == kind) return;
    setProperty("kind", kind);
    style()->unpolish(this);
    style()->polish(this);
}

void MessageBar::show_error(const QString& text) { show_failure(text, {}, nullptr); }

void MessageBar::show_failure(const QString& text, const QString& offer, std::function<void()> run) {
    set_kind(QStringLiteral("error"));
    show_offer(text, offer, std::move(run));
}

void MessageBar::show_notice(const QString& text, const QString& offer, std::function<void()> run) {
    set_kind(QStringLiteral("notice"));
    show_offer(text, offer, std::move(run));
}

void MessageBar::show_offer(const QString& text, const QString& offer, std::function<void()> run) {
    label_->setText(text);
    offer_->setText(offer);
    offer_->setVisible(!offer.isEmpty());
    run_ = std::move(run);
    cancel_->hide();
    close_->show();
    show();
}

void MessageBar::show_progress(const QString& text) {
    set_kind(QStringLiteral("progress"));
    label_->setText(text);
    offer_->hide();
    cancel_->show();
    close_->hide();
    show();
}

void MessageBar::end_progress() {
    if (property("kind").toString() == QStringLiteral("progress")) hide();
}

void MessageBar::end_notice() {
    if (property("kind").toString() == QStringLiteral("notice")) hide();
}

void MessageBar::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) retranslate();
    QFrame::changeEvent(event);
}

void MessageBar::retranslate() {
    cancel_->setText(tr("Cancel"));
    close_->setToolTip(tr("Close this message"));
    close_->setAccessibleName(close_->toolTip());
}

}  // namespace divisi::shell

#include "moc_message_bar.cpp"
