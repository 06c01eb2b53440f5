// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDockWidget>
#include <QLabel>

namespace divisi::shell {

/// The title of a dock, with which the user can drag the dock. Hidden while a tab names the dock.
class DockTitle : public QLabel {
    Q_OBJECT
public:
    explicit DockTitle(QDockWidget& dock);

    void set_shown(bool shown);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

private:
    bool shown_ = true;
};

}  // namespace divisi::shell
