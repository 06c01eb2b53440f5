// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMenu>
#include <QWidget>
#include <functional>
#include <vector>

#include "app/shell/basics/app_context.h"
#include "app/shell/basics/workspace.h"

namespace divisi::shell {

/// The area of a view. Views in an area above or below the centre are tabs; views in an area beside the centre are
/// above each other.
enum class Area { centre, left, right, top, bottom };

/// The position of a view in one workspace. The first view of an area sets the area's initial size.
struct Place {
    Workspace workspace;
    Area area;
    int extent_px = 0;  ///< width beside the centre, height above or below it; 0: the view's own size
};

/// A view of the console. To add a view, add a row in views.cpp.
struct ViewSpec {
    const char* name;           ///< untranslated title, and the object name of its dock
    const char* icon;           ///< file of resources/icons, unique to this view
    std::vector<Place> places;  ///< places in workspaces, with at most one centre view per workspace; elsewhere,
                                ///< showing the view goes to the first place
    std::function<QWidget*(AppContext& context, QWidget* parent)> make;
    /// The kinds of selected elements that the view marks. The selection menu uses these kinds to find the views for an
    /// element. Empty: the view does not take part in the common selection.
    std::vector<model::Selected::Kind> selects = {};
    /// Returns whether the view has no content now, as when no model is open. Its dock is then hidden. Null: the view
    /// is never empty. Called when a different model or task is opened.
    bool (*empty)(const AppContext& context) = nullptr;
    /// Adds further actions that the view offers now to the palette, in addition to the view's buttons. Null: there are
    /// no further actions.
    void (*offer)(QWidget& view, QMenu& menu) = nullptr;
};

/// Returns all views in the order of their tabs.
const std::vector<ViewSpec>& views();
/// Returns the title of a view in the window's language.
QString view_title(const ViewSpec& spec);

}  // namespace divisi::shell
