// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMenu>
#include <QWidget>
#include <functional>
#include <vector>

#include "app/shell/desk.h"
#include "app/shell/workspace.h"

namespace divisi::shell {

/// Where a view lies. Of several in one area, those above and below the centre are tabs, those beside it are stacked.
enum class Area { centre, left, right, top, bottom };

/// Where a view lies in one workspace. The first view of an area says how much room the area has at first.
struct Place {
    Workspace workspace;
    Area area;
    int extent_px = 0;  ///< width beside the centre, height above or below it; 0: as the view wishes
};

/// A view of the console. To add one: a row in views.cpp.
struct ViewSpec {
    const char* name;           ///< untranslated title, and the object name of its dock
    const char* icon;           ///< a file of resources/icons, which no other view has
    std::vector<Place> places;  ///< the first is where it is gone to from elsewhere; at most one centre a workspace
    std::function<QWidget*(Desk& desk, QWidget* parent)> make;
    /// What it marks once that is selected, in this view or in another; the selection menu goes from view to view by
    /// it. Empty: rows of its own are selected in it, which no other view knows.
    std::vector<model::Selected::Kind> selects = {};
    /// Whether there is nothing to see in it now, as without a model: its dock takes no room then. Null: never. Asked
    /// when another model or task is on screen.
    bool (*empty)(const Desk& desk) = nullptr;
    /// Adds what can be done in the view now beyond its buttons: for the palette, which has those. Null: nothing.
    void (*offer)(QWidget& view, QMenu& menu) = nullptr;
};

/// All views, in the order of their tabs.
const std::vector<ViewSpec>& views();
/// The title of a view in the language of the window.
QString view_title(const ViewSpec& spec);

}  // namespace divisi::shell
