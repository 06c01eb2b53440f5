// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QWidget>

#include "app/shell/basics/app_context.h"

namespace divisi::shell {

/// Updates the units of the task graph from the states and the load of the followed task. Without a followed task,
/// shows the units of the plan on screen, which is compiled only while `view` is visible. The view owns this object.
class UnitFeed : public QObject {
    Q_OBJECT
public:
    UnitFeed(AppContext& context, QWidget& view);

protected:
    bool eventFilter(QObject* of, QEvent* event) override;

private:
    void update();
    void show_none();
    void show_unplanned(const control::TaskView& task);

    AppContext& context_;
    QWidget& view_;
};

}  // namespace divisi::shell
