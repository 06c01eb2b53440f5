// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMenu>
#include <QWidget>
#include <functional>
#include <vector>

#include "app/shell/basics/app_context.h"
#include "app/shell/basics/workspace.h"

namespace divisi::shell {

/// The area of a view. Views of one area are tabs if above or below the centre, and stacked if beside it.
enum class Area { centre, left, right, top, bottom };

/// The position of a view in one workspace. The first view of an area sets the area's initial size.
struct Place {
    Workspace workspace;
    Area area;
    int extent_px = 0;  ///< width beside the centre, height above or below it; 0: the view's own size
};

/// A view of the console. To add one: a row in views.cpp.
struct ViewSpec {
    const char* name;           ///< untranslated title, and the object name of its dock
    const char* icon;           ///< file of resources/icons, unique to this view
    std::vector<Place> places;  ///< the first one is used when coming from elsewhere; at most one centre per workspace
    std::function<QWidget*(AppContext& context, QWidget* parent)> make;
    /// The kinds of selection that the view marks, whether made here or elsewhere. The selection menu goes from view to
    /// view by these kinds. Empty: the view has only a private selection of rows.
    std::vector<model::Selected::Kind> selects = {};
    /// Returns whether the view has no content now, as when no model is open. Its dock then takes no room. Null: the
    /// view is never empty. Called when another model or task is opened.
    bool (*empty)(const AppContext& context) = nullptr;
    /// Adds further actions that the view offers now, for the palette, which already has the view's buttons. Null:
    /// none.
    void (*offer)(QWidget& view, QMenu& menu) = nullptr;
};

/// Returns all views in the order of their tabs.
const std::vector<ViewSpec>& views();
/// Returns the title of a view in the window's language.
QString view_title(const ViewSpec& spec);

}  // namespace divisi::shell
