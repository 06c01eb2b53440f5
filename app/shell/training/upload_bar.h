// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QProgressBar>
#include <QToolButton>
#include <QWidget>

#include "app/client/client.h"

namespace divisi::shell {

/// Shows the progress of a file transfer to the nodes in the status bar, with a button to cancel it.
class UploadBar : public QWidget {
    Q_OBJECT
public:
    explicit UploadBar(client::Client* client, QWidget* parent = nullptr);

protected:
    void changeEvent(QEvent* event) override;

private:
    void refresh();
    void retranslate();

    client::Client* client_;
    QLabel* text_;
    QProgressBar* progress_;
    QToolButton* cancel_;
};

}  // namespace divisi::shell
