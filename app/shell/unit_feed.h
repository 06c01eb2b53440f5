// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QWidget>

#include "app/shell/desk.h"

namespace divisi::shell {

/// Keeps the units of the task graph those of the followed task, with their states and what they do; without one, those
/// of the plan on screen, which is compiled only while `view` is seen. Dies with the view.
class UnitFeed : public QObject {
    Q_OBJECT
public:
    UnitFeed(Desk& desk, QWidget& view);

protected:
    bool eventFilter(QObject* of, QEvent* event) override;

private:
    void update();
    void show_none();
    void show_unplanned(const control::TaskView& task);

    Desk& desk_;
    QWidget& view_;
};

}  // namespace divisi::shell
