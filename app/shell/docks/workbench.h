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

/// Arranges all views of the window in workspaces. Each has a centre, and docks as the user left them. It is a main
/// window inside the window, because Qt docks need one.
///
/// Every dock exists once. A workspace shows its own docks until the user shows or hides some. Its layout is saved in
/// the settings. A dock whose view is empty takes no room until it has content or the user asks for it.
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
        QByteArray shown;                      ///< current layout of that workspace
        std::map<Workspace, QByteArray> kept;  ///< layouts of all workspaces as they were left
        std::set<QDockWidget*> collapsed;
    };
    Arrangement arrangement() const;
    /// Restores the layout on screen. Docks that became empty meanwhile are hidden, and docks that got content are
    /// shown.
    void bring_back(const Arrangement& arrangement);
    /// Hides the titles of docks, except floating ones, which are moved by their title. While titles are hidden, docks
    /// that would overlap for lack of room are hidden too, the last in the list of views first.
    void set_bare(bool bare);

    /// Returns the view of this type. There is exactly one.
    template <typename View>
    View& view() const {
        auto* found = findChild<View*>();
        Q_ASSERT(found);
        return *found;
    }
    /// Shows a view: in the current workspace if it belongs there, else in its own workspace.
    void show_view(QWidget& view);
    /// `spec` is an element of views().
    void show_view(const ViewSpec& spec);
    /// Shows a view if it belongs to the current workspace. Otherwise does nothing.
    void raise_view(QWidget& view);
    /// Returns the view in the centre; null if the docks take all the room.
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
        QDockWidget* dock = nullptr;  ///< null for a centre view
        DockTitle* title = nullptr;   ///< title of the dock
        QAction* go = nullptr;        ///< shows the dock; its icon is the view's
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
    std::set<QDockWidget*> collapsed_;      ///< docks hidden for lack of content
    std::set<QDockWidget*> crowded_;        ///< docks hidden for lack of room, while bare
    QDockWidget* asked_ = nullptr;          ///< dock the user asked for last; others make room for it
    bool bare_ = false;
    QTimer fit_timer_;    ///< delays fitting: minimum sizes follow a changed text only a little later
    bool grown_ = false;  ///< the window has grown since docks were hidden
    QTimer title_timer_;  ///< docks move one by one; their titles are updated once
};

/// Returns the place of a view in a workspace; null if it does not belong there.
const Place* place_in(const ViewSpec& spec, Workspace workspace);

}  // namespace divisi::shell
