// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QMenu>
#include <QObject>
#include <utility>
#include <vector>

#include "app/shell/basics/app_context.h"
#include "app/shell/docks/workbench.h"

namespace divisi::shell {

/// A menu that goes to the selected element in another view: one entry for each view that marks elements of its kind.
class SelectionMenu : public QObject {
    Q_OBJECT
public:
    /// `menu` contains the entries and is the parent of this object. The menu is disabled while nothing is selected or
    /// no view shows the selection.
    SelectionMenu(AppContext& context, Workbench& bench, QMenu& menu);

    /// Returns the entries for the current selection.
    std::vector<QAction*> actions() const;
    /// Updates the titles to the window's language.
    void retranslate();

private:
    void show(const model::Selected& now);
    void explain();

    AppContext& context_;
    QMenu& menu_;
    std::vector<std::pair<const ViewSpec*, QAction*>> entries_;
};

}  // namespace divisi::shell
