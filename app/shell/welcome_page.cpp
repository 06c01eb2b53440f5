// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/welcome_page.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QVBoxLayout>

namespace divisi::shell {

WelcomePage::WelcomePage(QWidget* parent)
    : QWidget(parent),
      title_(new QLabel(this)),
      text_(new QLabel(this)),
      drop_(new QLabel(this)),
      open_(new QPushButton(this)),
      zoo_(new QPushButton(this)) {
    setObjectName(QStringLiteral("welcomePage"));
    title_->setProperty("role", QStringLiteral("title"));
    drop_->setProperty("role", QStringLiteral("faint"));
    zoo_->setProperty("primary", true);
    for (QLabel* label : {title_, text_, drop_}) {
        label->setAlignment(Qt::AlignHCenter);
        label->setWordWrap(true);
    }
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(16);
    buttons->addStretch();
    buttons->addWidget(zoo_);
    buttons->addWidget(open_);
    buttons->addStretch();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(32, 32, 32, 32);
    column->setSpacing(16);
    column->addStretch(2);
    column->addWidget(title_);
    column->addWidget(text_);
    column->addSpacing(8);
    column->addLayout(buttons);
    column->addSpacing(8);
    column->addWidget(drop_);
    column->addStretch(3);
    connect(open_, &QPushButton::clicked, this, &WelcomePage::openRequested);
    connect(zoo_, &QPushButton::clicked, this, &WelcomePage::zooRequested);
    retranslate();
}

void WelcomePage::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) retranslate();
    QWidget::changeEvent(event);
}

void WelcomePage::retranslate() {
    title_->setText(tr("Open a model to cut it"));
    text_->setText(
        tr("Its graph appears here. Drag the cuts, read what each would cost, and run the segments "
           "on this machine or a cluster."));
    zoo_->setText(tr("Model from the zoo"));
    open_->setText(tr("Open a file"));
    drop_->setText(tr("Or drop an .onnx model or a .toml task file anywhere in this window. Press ? for all keys."));
}

}  // namespace divisi::shell
