// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/welcome_page.h"

#include <QEvent>
#include <QFileInfo>
#include <QHBoxLayout>

namespace divisi::shell {

namespace {

/// What has room on the page; the menu has more.
constexpr qsizetype most_recent = 5;

}  // namespace

WelcomePage::WelcomePage(QWidget* parent)
    : QWidget(parent),
      title_(new QLabel(this)),
      text_(new QLabel(this)),
      recent_title_(new QLabel(this)),
      drop_(new QLabel(this)),
      open_(new QPushButton(this)),
      zoo_(new QPushButton(this)),
      recent_(new QVBoxLayout) {
    setObjectName(QStringLiteral("welcomePage"));
    title_->setProperty("role", QStringLiteral("title"));
    drop_->setProperty("role", QStringLiteral("faint"));
    zoo_->setProperty("primary", true);
    recent_title_->setProperty("role", QStringLiteral("heading"));
    recent_title_->hide();
    for (QLabel* label : {title_, text_, recent_title_, drop_}) {
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
    column->addWidget(recent_title_);
    column->addLayout(recent_);
    column->addWidget(drop_);
    column->addStretch(3);
    connect(open_, &QPushButton::clicked, this, &WelcomePage::openRequested);
    connect(zoo_, &QPushButton::clicked, this, &WelcomePage::zooRequested);
    retranslate();
}

void WelcomePage::show_recent(const QStringList& paths) {
    for (QPushButton* button : recent_buttons_) delete button;
    recent_buttons_.clear();
    for (const QString& path : paths.mid(0, most_recent)) {
        QString name = QFileInfo(path).fileName();
        auto* button = new QPushButton(name.replace(u'&', QStringLiteral("&&")), this);
        button->setObjectName(QStringLiteral("recent%1").arg(recent_buttons_.size()));
        button->setToolTip(path);
        button->setAccessibleDescription(path);
        recent_->addWidget(button, 0, Qt::AlignHCenter);
        // Queued: what it opens makes these buttons anew.
        connect(
            button, &QPushButton::clicked, this, [this, path] { Q_EMIT recentRequested(path); }, Qt::QueuedConnection);
        recent_buttons_.push_back(button);
    }
    recent_title_->setVisible(!recent_buttons_.empty());
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
    recent_title_->setText(tr("Opened last"));
    drop_->setText(tr("Or drop an .onnx model or a .toml task file anywhere in this window. Press ? for all keys."));
}

}  // namespace divisi::shell
