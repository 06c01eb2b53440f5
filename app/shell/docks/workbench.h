// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QDockWidget>
#include <QMainWindow>
#include <QStackedWidget>
#include <QTimer>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "app/shell/basics/dock_title.h"
#include "app/shell/docks/views.h"

namespace divisi::shell {

/// Arranges all views of the window in workspaces. Each workspace has at most one centre view, and docks in the layout
/// in which the user left them. The workbench is a main window inside the window, because Qt docks need one.
///
/// Every dock exists once. A workspace first shows the docks of its views; the user can show or hide docks in it. Its
/// layout is saved in the settings. A dock with an empty view is hidden until the view has content or the user opens
/// the dock.
class Workbench : public QMainWindow {
    Q_OBJECT
public:
    Workbench(AppContext& context, QWidget* parent);
    ~Workbench() override;

    Workspace workspace() const { return workspace_; }
    void set_workspace(Workspace workspace);
    /// Resets the current workspace to its initial layout.
    void reset_layout();
    /// Saves the layouts and the current workspace in the settings.
    void save();
    /// The layouts of all workspaces, and the current workspace.
    struct Arrangement {
        Workspace workspace;
        QByteArray shown;                      ///< current layout of `workspace`
        std::map<Workspace, QByteArray> kept;  ///< layouts of all workspaces as the user left them
        std::set<QDockWidget*> collapsed;
    };
    Arrangement arrangement() const;
    /// Restores the layout on screen. Docks whose views have become empty since arrangement() was called are hidden,
    /// and docks whose views have got content are shown.
    void bring_back(const Arrangement& arrangement);
    /// Hides or shows the titles of docks. Floating docks keep their titles, by which the user moves them. While titles
    /// are hidden, docks that would overlap are hidden too, beginning with the last one in the list of views.
    void set_bare(bool bare);

    /// Returns the view of this type. There is exactly one.
    template <typename View>
    View& view() const {
        auto* found = findChild<View*>();
        Q_ASSERT(found);
        return *found;
    }
    /// Shows a view: in the current workspace if the view has a place there, otherwise in the workspace of the view's
    /// first place.
    void show_view(QWidget& view);
    /// `spec` is an element of views().
    void show_view(const ViewSpec& spec);
    /// Shows a view if the view has a place in the current workspace. Otherwise does nothing.
    void raise_view(QWidget& view);
    /// Returns the view in the centre; null if the workspace has no centre view.
    QWidget* centre() const;
    /// Sets the page in the centre of the Split workspace while no model is open.
    void set_start_page(QWidget* page);

    /// Returns all views in the order of views().
    std::vector<std::pair<const ViewSpec*, QWidget*>> all_views() const;
    /// Returns one action per docked view, which goes to the view and gives it the focus.
    std::vector<QAction*> view_actions() const;
    /// Returns one action per dock, which shows or hides the dock in this workspace.
    std::vector<QAction*> dock_actions() const;

    /// Updates the titles to the window's language.
    void retranslate();
    /// Redraws the icons of the views in the palette's text colour.
    void update_icons(const QPalette& palette);

Q_SIGNALS:
    void workspaceChanged();

protected:
    void childEvent(QChildEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Entry {
        const ViewSpec* spec;
        QWidget* view = nullptr;
        QDockWidget* dock = nullptr;  ///< dock of the view; null for a centre view
        DockTitle* title = nullptr;   ///< title of the dock
        QAction* go = nullptr;        ///< action that shows the view; it has the view's icon
    };

    void make_views();
    void add_dock(Entry& entry);
    const Entry* entry_of(const QWidget& view) const;
    const Entry* centre_of(Workspace workspace) const;
    void hide_others();
    void arrange();
    void place(const Entry& entry, Area area);
    void raise_first();
    double granted_share() const;
    void give_room();
    void show_centre();
    void keep();
    void collapse();
    void expand();
    void ask_for(QDockWidget* dock);
    void show_titles();
    void show_tab_icons();
    bool fits() const;
    void hide_crowded();
    void show_crowded();
    void show_what_fits();
    void fit_docks();

    AppContext& context_;
    Workspace workspace_ = Workspace::split;
    QStackedWidget* stack_;
    QWidget* start_page_ = nullptr;
    std::vector<Entry> entries_;
    std::map<Workspace, QByteArray> kept_;  ///< layout of each workspace
    std::set<QDockWidget*> collapsed_;      ///< docks hidden because their views are empty
    std::set<QDockWidget*> crowded_;        ///< docks hidden because they do not fit while titles are hidden
    QDockWidget* asked_ = nullptr;          ///< dock that the user opened last; other docks are hidden first if docks
                                            ///< do not fit
    bool bare_ = false;
    QTimer fit_timer_;    ///< delays fitting, because minimum sizes change only some time after a text has changed
    bool grown_ = false;  ///< whether the window has grown since docks were hidden
    QTimer title_timer_;  ///< updates the titles once after several docks have moved
};

/// Returns the place of a view in a workspace; null if the view does not belong to the workspace.
const Place* place_in(const ViewSpec& spec, Workspace workspace);

}  // namespace divisi::shell
