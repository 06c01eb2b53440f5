// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDockWidget>
#include <QLabel>
#include <QMainWindow>
#include <QSettings>
#include <QStackedWidget>
#include <memory>

#include "app/charts/telemetry_view.h"
#include "app/client/client.h"
#include "app/graphview/graph_view.h"
#include "app/graphview/landscape_strip.h"
#include "app/graphview/minimap.h"
#include "app/graphview/paint_bar.h"
#include "app/graphview/search_bar.h"
#include "app/graphview/unit_view.h"
#include "app/model/cut_animation.h"
#include "app/model/document_opener.h"
#include "app/model/graph_document.h"
#include "app/model/live_recut.h"
#include "app/model/planning.h"
#include "app/model/pool_watch.h"
#include "app/model/price_board.h"
#include "app/model/task_check.h"
#include "app/model/task_draft.h"
#include "app/model/unit_plan.h"
#include "app/panels/exceptions_view.h"
#include "app/panels/inspector.h"
#include "app/panels/ledger_view.h"
#include "app/panels/logs_panel.h"
#include "app/panels/modules_view.h"
#include "app/panels/plans_panel.h"
#include "app/panels/policies_view.h"
#include "app/panels/recoveries_view.h"
#include "app/panels/split_panel.h"
#include "app/panels/task_form.h"
#include "app/panels/tasks_panel.h"
#include "app/shell/actions.h"
#include "app/shell/close_guard.h"
#include "app/shell/connection_label.h"
#include "app/shell/guide_dock.h"
#include "app/shell/language.h"
#include "app/shell/message_bar.h"
#include "app/shell/recent_files.h"
#include "app/shell/recordings.h"
#include "app/shell/task_ends.h"
#include "app/shell/task_saver.h"
#include "app/shell/theme.h"
#include "app/shell/welcome_page.h"
#include "app/topology/services_view.h"
#include "app/topology/signaling_view.h"
#include "app/topology/topology_page.h"
#include "app/topology/topology_view.h"

namespace divisi::shell {

/// The console's window. Owns the document; the client, if there is one, must outlive it.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    MainWindow(QSettings& settings, client::Client* client, QWidget* parent = nullptr);
    ~MainWindow() override;

    model::GraphDocument& document() { return document_; }
    model::ModelLoader& loader() { return opener_.loader(); }
    graphview::GraphView& graph_view() { return *view_; }
    Actions& actions() { return actions_; }
    const model::UnitGraph& units() const { return units_; }
    model::TaskDraft& draft() { return draft_; }
    panels::TaskForm& task_form() { return *form_; }
    model::PriceBoard& prices() { return prices_; }
    const model::PoolWatch& pool() const { return pool_; }
    Recordings& recordings() { return *recordings_; }

    /// Each asks first where changes would be lost.
    void open_model(model::ModelSource source);
    /// An .onnx model, a .toml task file or a recording, told by its name.
    void open_path(const QString& path);
    void set_language(const QString& language);
    void set_theme(Theme theme);

Q_SIGNALS:
    /// A window on the cluster of this connection file is wanted; this one keeps its own.
    void connectRequested(const QString& file);
    /// A window that shows this recording is wanted.
    void replayRequested(const QString& file);
    /// A window with a cluster on this machine is wanted; this one has none.
    void clusterRequested();

protected:
    void closeEvent(QCloseEvent* event) override;
    void changeEvent(QEvent* event) override;
    void childEvent(QChildEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void fit_on_screen();
    void build_views();
    void build_docks();
    void build_menus();
    void connect_actions();
    void connect_faults();
    void explain_faults(QMenu* menu);
    void connect_views();
    void connect_recent();
    void connect_start();
    QDockWidget* add_dock(const char* name, QWidget* widget, Qt::DockWidgetArea area);
    void on(const char* id, std::function<void()> run);
    void retranslate();
    void update_actions();
    void choose_file();
    void choose_zoo();
    void choose_cluster();
    void run_task();
    void leave();
    void new_task();
    void edit_failed(std::uint64_t exception, const QString& text, const QString& folder);
    void edit_again(const TaskId& task);
    void show_dock(QWidget* widget);
    void show_view(QWidget* view);
    void make_room(bool for_topology);
    void update_units();
    void follow_task(const TaskId& task);
    void connect_client();
    void connect_panels();
    void split_equally();
    void optimize();
    void take_found(const model::FoundCuts& found);
    void show_palette();
    void back_to_cuts();
    void update_title();
    void show_segment_menu(int segment, const QPoint& global);
    void add_block_actions(QMenu& menu);
    void show_context_menu(const QPoint& global, int cut, std::int32_t legal);

    QSettings& settings_;
    client::Client* client_;
    Language language_;
    Theme theme_ = Theme::dark;
    model::PlanningService planning_;  ///< outlives all that asks it
    model::GraphDocument document_;
    model::TaskDraft draft_;
    model::TaskCheck check_;
    model::PriceBoard prices_;
    model::PoolWatch pool_;
    model::CutAnimation animation_;
    model::LiveRecut recut_;
    model::DocumentOpener opener_;
    Actions actions_;
    TaskSaver* saver_ = nullptr;
    CloseGuard* guard_ = nullptr;
    TaskEnds* ends_ = nullptr;
    RecentFiles* recent_ = nullptr;
    Recordings* recordings_ = nullptr;
    GuideDock* guide_ = nullptr;
    bool leaving_ = false;  ///< nothing is lost any more: the next close closes

    QStackedWidget* stack_ = nullptr;
    WelcomePage* welcome_ = nullptr;
    QWidget* graph_page_ = nullptr;
    graphview::GraphView* view_ = nullptr;
    graphview::Minimap* minimap_ = nullptr;
    graphview::SearchBar* search_ = nullptr;
    graphview::PaintBar* paint_ = nullptr;
    graphview::LandscapeStrip* strip_ = nullptr;
    MessageBar* messages_ = nullptr;
    panels::SplitPanel* split_ = nullptr;
    panels::Inspector* inspector_ = nullptr;
    panels::TaskForm* form_ = nullptr;
    panels::TasksPanel* tasks_ = nullptr;
    panels::LogsPanel* logs_ = nullptr;
    panels::PlansPanel* plans_ = nullptr;
    charts::TelemetryView* telemetry_ = nullptr;
    topology::TopologyView* nodes_ = nullptr;
    topology::TopologyPage* topology_ = nullptr;
    topology::ServicesView* services_ = nullptr;
    topology::SignalingView* signaling_ = nullptr;
    panels::LedgerView* ledger_ = nullptr;
    panels::ExceptionsView* exceptions_ = nullptr;
    panels::RecoveriesView* recoveries_ = nullptr;
    panels::PoliciesView* policies_ = nullptr;
    panels::ModulesView* modules_ = nullptr;
    std::vector<QDockWidget*> made_room_;  ///< docks that are hidden while the topology is shown
    model::UnitGraph units_;
    model::UnitPlan unit_plan_;
    graphview::UnitView* unit_view_ = nullptr;
    TaskId followed_;  ///< whose units and figures show; empty: the draft's
    ConnectionLabel* connection_ = nullptr;
    QLabel* hint_ = nullptr;
    QToolBar* toolbar_ = nullptr;
    std::vector<std::pair<const char*, QMenu*>> menus_;
    std::vector<std::pair<const char*, QDockWidget*>> docks_;
    std::map<QDockWidget*, QLabel*> dock_titles_;  ///< of docks that stand alone
};

}  // namespace divisi::shell
