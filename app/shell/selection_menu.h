// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QMenu>
#include <QObject>
#include <utility>
#include <vector>

#include "app/shell/desk.h"
#include "app/shell/workbench.h"

namespace divisi::shell {

/// Goes to the selected thing in another view: an entry for each view that marks things of its kind.
class SelectionMenu : public QObject {
    Q_OBJECT
public:
    /// `menu` holds the entries and is its parent; it is grey while no view has what is selected, or nothing is.
    SelectionMenu(Desk& desk, Workbench& bench, QMenu& menu);

    /// Those for what is selected now.
    std::vector<QAction*> actions() const;
    /// Takes the titles of the language of the window.
    void retranslate();

private:
    void show(const model::Selected& now);
    void explain();

    Desk& desk_;
    QMenu& menu_;
    std::vector<std::pair<const ViewSpec*, QAction*>> entries_;
};

}  // namespace divisi::shell
