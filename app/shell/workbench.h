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

#include "app/shell/dock_title.h"
#include "app/shell/views.h"

namespace divisi::shell {

/// All views of the window, arranged by workspaces: of each its centre, and its docks as the person left them. A main
/// window of its own within the window, as docks know no other home.
///
/// Every dock exists once. A workspace shows those that belong to it until somebody shows or hides some; each keeps its
/// arrangement in the settings. A dock whose view is empty takes no room, until there is something to see or somebody
/// asks for it.
class Workbench : public QMainWindow {
    Q_OBJECT
public:
    Workbench(Desk& desk, QWidget* parent);
    ~Workbench() override;

    Workspace workspace() const { return workspace_; }
    void set_workspace(Workspace workspace);
    /// Arranges the workspace that is shown as it was at first.
    void reset_layout();
    /// Keeps the arrangements and the workspace in the settings.
    void save();
    /// How all workspaces are arranged, and which one is shown.
    struct Arrangement {
        Workspace workspace;
        QByteArray shown;                      ///< of that one, as it is
        std::map<Workspace, QByteArray> kept;  ///< of all, as they were left
        std::set<QDockWidget*> collapsed;
    };
    Arrangement arrangement() const;
    /// Goes back to it, as far as it is seen; what became empty or got something to see since then goes or comes.
    void bring_back(const Arrangement& arrangement);
    /// Without the titles of docks, but those that float: a title moves them. As long as it is bare, docks that would
    /// lie over others for want of room are hidden, the last of the list of views first.
    void set_bare(bool bare);

    /// The view of this type, which there is exactly once.
    template <typename View>
    View& view() const {
        auto* found = findChild<View*>();
        Q_ASSERT(found);
        return *found;
    }
    /// Brings a view to the front: in the workspace that is shown, where it belongs there, else in its own.
    void show_view(QWidget& view);
    /// Of views().
    void show_view(const ViewSpec& spec);
    /// Likewise where it belongs to the workspace that is shown; else does nothing.
    void raise_view(QWidget& view);
    /// The view in the centre; null where there is none, as the docks have all the room.
    QWidget* centre() const;
    /// What the Split workspace has in its centre while no model is open.
    void set_start_page(QWidget* page);

    /// All, in the order of views().
    std::vector<std::pair<const ViewSpec*, QWidget*>> all_views() const;
    /// One for each view in a dock, which goes to it and gives it the keys.
    std::vector<QAction*> view_actions() const;
    /// One for each dock, which shows or hides it in this workspace.
    std::vector<QAction*> dock_actions() const;

    /// Takes the titles of the language of the window.
    void retranslate();
    /// Draws the icons of the views anew, in the palette's text colour.
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
        QDockWidget* dock = nullptr;  ///< null for what lies in a centre
        DockTitle* title = nullptr;   ///< of the dock
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

    Desk& desk_;
    Workspace workspace_ = Workspace::split;
    QStackedWidget* stack_;
    QWidget* start_page_ = nullptr;
    std::vector<Entry> entries_;
    std::map<Workspace, QByteArray> kept_;  ///< arrangements
    std::set<QDockWidget*> collapsed_;      ///< docks hidden for want of something to see
    std::set<QDockWidget*> crowded_;        ///< docks hidden for want of room, while it is bare
    QDockWidget* asked_ = nullptr;          ///< the last that somebody asked for: the others make room for it
    bool bare_ = false;
    QTimer fit_timer_;    ///< least sizes follow the text a little later
    bool grown_ = false;  ///< since docks were hidden for want of room
    QTimer title_timer_;  ///< docks move one by one: their titles follow once
};

/// Where a view lies in a workspace; null where it does not belong there.
const Place* place_in(const ViewSpec& spec, Workspace workspace);

}  // namespace divisi::shell
