// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/desktop/layout_keeper.h"

#include <QDockWidget>
#include <QEvent>
#include <utility>

namespace divisi::shell {

LayoutKeeper::LayoutKeeper(QMainWindow& docks, std::function<void()> save, QObject* parent)
    : QObject(parent), docks_(docks), save_(std::move(save)), kept_(docks.saveState()) {
    timer_.setSingleShot(true);
    timer_.setInterval(keep_after_ms);
    connect(&timer_, &QTimer::timeout, this, &LayoutKeeper::poll);
    const auto changed = [this] {
        if (!timer_.isActive()) timer_.start();
    };
    for (const QDockWidget* dock : docks_.findChildren<QDockWidget*>()) {
        connect(dock, &QDockWidget::dockLocationChanged, this, changed);
        connect(dock, &QDockWidget::topLevelChanged, this, changed);
        connect(dock, &QDockWidget::visibilityChanged, this, changed);
    }
    docks_.installEventFilter(this);
}

/// Also receives the window's events, because the user drags the lines between docks on the window itself.
bool LayoutKeeper::eventFilter(QObject* watched, QEvent* event) {
    const bool may_change = event->type() == QEvent::Resize || event->type() == QEvent::MouseButtonRelease;
    if (may_change && !timer_.isActive()) timer_.start();
    return QObject::eventFilter(watched, event);
}

/// Saves a changed layout. Saving may briefly show docks that are hidden because they are empty; this does not count as
/// a change.
void LayoutKeeper::poll() {
    if (docks_.saveState() == kept_) return;
    save_();
    kept_ = docks_.saveState();
}

}  // namespace divisi::shell
