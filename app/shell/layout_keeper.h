// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMainWindow>
#include <QTimer>
#include <functional>

namespace divisi::shell {

/// Keeps the arrangement of docks soon after somebody has changed it, so that a program that is killed loses none.
class LayoutKeeper : public QObject {
public:
    /// A change is kept after so long.
    static constexpr int keep_after_ms = 2000;

    /// `docks`, whose docks are all there, must outlive it; `save` keeps their arrangement.
    LayoutKeeper(QMainWindow& docks, std::function<void()> save, QObject* parent);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void look();

    QMainWindow& docks_;
    std::function<void()> save_;
    QByteArray kept_;
    QTimer timer_;
};

}  // namespace divisi::shell
