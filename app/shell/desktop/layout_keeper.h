// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMainWindow>
#include <QTimer>
#include <functional>

namespace divisi::shell {

/// Saves the layout of docks soon after a change, so that a killed program does not lose it.
class LayoutKeeper : public QObject {
public:
    /// Time in ms after which a change is saved.
    static constexpr int keep_after_ms = 2000;

    /// `docks` must outlive this object and already contain all its docks. `save` saves the layout.
    LayoutKeeper(QMainWindow& docks, std::function<void()> save, QObject* parent);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void poll();

    QMainWindow& docks_;
    std::function<void()> save_;
    QByteArray kept_;
    QTimer timer_;
};

}  // namespace divisi::shell
