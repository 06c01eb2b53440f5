// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLineEdit>
#include <QTableWidget>
#include <QWidget>

#include "app/client/client.h"

namespace divisi::panels {

/// The cluster's latest events but steps, newest last, with a filter. Follows the end unless scrolled up.
class LogsPanel : public QWidget {
    Q_OBJECT
public:
    explicit LogsPanel(client::Client* client, QWidget* parent = nullptr);

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void refresh();
    void append(const control::Event& event);
    void filter();
    void retranslate();

    client::Client* client_;
    QLineEdit* filter_;
    QTableWidget* table_;
    std::uint64_t last_ = 0;  ///< sequence of the newest event shown
};

}  // namespace divisi::panels
