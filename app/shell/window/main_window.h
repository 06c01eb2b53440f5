// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QMainWindow>
#include <QMenu>
#include <QPointer>
#include <QSettings>
#include <QTabBar>
#include <QToolBar>
#include <QUndoStack>
#include <QWidget>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "app/shell/basics/app_context.h"
#include "app/shell/basics/language.h"
#include "app/shell/basics/theme.h"
#include "app/shell/basics/workspace.h"

namespace divisi::panels {
class TaskForm;
}

namespace divisi::testing {
struct WindowParts;
}

namespace divisi::shell {

class AlertController;
class CloseGuard;
class CommandPalette;
class DesktopController;
class GraphPage;
class Guide;
class MessageBar;
class PlaceKeeper;
class Presenter;
class RecentFiles;
class Recordings;
class SelectionMenu;
class SplitController;
class TaskController;
class WelcomePage;
class Workbench;

/// The console's window: menus, toolbar, workspace tabs, messages and status around the workbench. Owns the context.
/// The client, if there is one, must outlive the window.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    MainWindow(QSettings& settings, client::Client* client, QWidget* parent = nullptr);
    ~MainWindow() override;

    AppContext& context() { return context_; }
    Workbench& workbench() { return *bench_; }
    Recordings& recordings() { return *recordings_; }

    /// Asks the user first if changes would be lost, as open_path() does.
    void open_model(model::ModelSource source);
    /// Opens an .onnx model, a .toml task file or a recording, according to its name.
    void open_path(const QString& path);
    void set_workspace(Workspace workspace);
    void set_language(const QString& language);
    /// Sets the theme and saves it, so that the window no longer follows the system.
    void set_theme(Theme theme);
    /// Keeps a session as DesktopController::keep_session() does, and also saves the layout of the window.
    void keep_session(const QString& folder, bool restore);
    /// Starts presenter mode with the named scenario; without one if the name is empty.
    void present(const QString& scenario);

Q_SIGNALS:
    /// The user wants a new window for the cluster of this connection file. This window stays connected to its cluster.
    void connectRequested(const QString& file);
    /// The user wants a new window that shows this recording.
    void replayRequested(const QString& file);
    /// The user wants a new window with a cluster on this machine, because this window has no cluster.
    void clusterRequested();

protected:
    bool event(QEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void changeEvent(QEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    friend struct testing::WindowParts;

    void fit_on_screen(bool placed);
    void build_centre();
    void build_status_bar();
    void build_menus();
    QMenu* menu(std::string_view title) const;
    void on(const char* id, std::function<void()> run);
    void on_graph(const char* id, std::function<void()> run);
    void connect_actions();
    void connect_file_actions();
    void connect_graph_actions();
    void connect_view_actions();
    void connect_setting_actions();
    void connect_views();
    void connect_recent();
    void open_recent(const QString& path);
    void connect_start();
    void build_presenter();
    void tell_lasting_problem(const client::Status& status);
    void show_workspace();
    void set_toolbar_text(bool text);
    void use_theme(Theme theme);
    void follow_system();
    void retranslate();
    void step_history(void (QUndoStack::*way)());
    void tell_recut(const QString& outcome, bool refused, bool shown);
    void allow(std::initializer_list<const char*> ids, const QString& why_not);
    QString why_no_model() const;
    QString why_not_stopped() const;
    void update_actions();
    void update_cut_actions();
    void update_task_actions();
    void update_view_actions();
    void choose_file();
    void choose_zoo();
    void choose_cluster();
    void leave();
    void save_layout();
    void show_palette();
    void update_title();

    Language language_;
    Theme theme_ = Theme::dark;
    bool follows_system_ = false;  ///< whether the window uses the desktop's theme
    AppContext context_;
    bool leaving_ = false;  ///< whether the user has been asked, so that the next close event closes the window

    QTabBar* tabs_ = nullptr;  ///< one tab per workspace
    MessageBar* messages_ = nullptr;
    Workbench* bench_ = nullptr;
    WelcomePage* welcome_ = nullptr;
    GraphPage* graph_ = nullptr;
    panels::TaskForm* form_ = nullptr;
    TaskController* controller_ = nullptr;
    SplitController* splitter_ = nullptr;
    AlertController* alert_controller_ = nullptr;
    DesktopController* desktop_ = nullptr;
    PlaceKeeper* place_ = nullptr;
    CloseGuard* guard_ = nullptr;
    QString told_problem_;  ///< connection problem that the message bar has already shown
    RecentFiles* recent_ = nullptr;
    SelectionMenu* selection_menu_ = nullptr;
    Recordings* recordings_ = nullptr;
    Guide* guide_ = nullptr;
    Presenter* presenter_ = nullptr;
    QPointer<CommandPalette> palette_;
    std::unique_ptr<QWidget> offers_;  ///< owner of the palette's entries for files and views, replaced when the
                                       ///< palette is opened again
    QLabel* hint_ = nullptr;
    QToolBar* toolbar_ = nullptr;
    std::vector<std::pair<const char*, QMenu*>> menus_;
};

}  // namespace divisi::shell
