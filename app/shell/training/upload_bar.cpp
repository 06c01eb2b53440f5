// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/training/upload_bar.h"

#include <QEvent>
#include <QHBoxLayout>

#include "app/model/wording/text.h"

namespace divisi::shell {

namespace {

constexpr int bar_width = 120;
constexpr int whole = 1000;  ///< number of steps of the progress bar, more than it has pixels

}  // namespace

UploadBar::UploadBar(client::Client* client, QWidget* parent)
    : QWidget(parent),
      client_(client),
      text_(new QLabel(this)),
      progress_(new QProgressBar(this)),
      cancel_(new QToolButton(this)) {
    setObjectName(QStringLiteral("uploadBar"));
    text_->setObjectName(QStringLiteral("uploadText"));
    progress_->setFixedWidth(bar_width);
    progress_->setTextVisible(false);
    cancel_->setObjectName(QStringLiteral("cancelUpload"));
    cancel_->setText(QStringLiteral("\u2715"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 8, 0);
    row->setSpacing(8);
    row->addWidget(text_);
    row->addWidget(progress_);
    row->addWidget(cancel_);
    if (client_) {
        connect(client_, &client::Client::uploadChanged, this, &UploadBar::refresh);
        connect(cancel_, &QToolButton::clicked, client_, [this] { client_->order(client::CancelUpload{}); });
    }
    retranslate();
}

void UploadBar::refresh() {
    const std::optional<client::Upload> upload = client_ ? client_->upload() : std::nullopt;
    setVisible(upload.has_value());
    if (!upload) return;
    if (upload->total == 0) {
        text_->setText(tr("Reading the files of the task"));
        return progress_->setRange(0, 0);
    }
    text_->setText(tr("Sending files to the nodes: %1 of %2")
                       .arg(model::bytes_text(upload->done), model::bytes_text(upload->total)));
    progress_->setRange(0, whole);
    progress_->setValue(
        static_cast<int>(whole * static_cast<double>(upload->done) / static_cast<double>(upload->total)));
    progress_->setAccessibleName(text_->text());
}

void UploadBar::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) retranslate();
    QWidget::changeEvent(event);
}

void UploadBar::retranslate() {
    // Reserve the maximum width, so that the bar does not move.
    const QString most = QStringLiteral("999.9 MiB");
    text_->setMinimumWidth(
        text_->fontMetrics().horizontalAdvance(tr("Sending files to the nodes: %1 of %2").arg(most, most)));
    cancel_->setToolTip(tr("Cancel; data received is kept"));
    cancel_->setAccessibleName(tr("Cancel the transfer"));
    refresh();
}

}  // namespace divisi::shell

#include "moc_upload_bar.cpp"
