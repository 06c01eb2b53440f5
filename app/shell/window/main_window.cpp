// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/window/main_window.h"

#include <QCloseEvent>
#include <QDir>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenuBar>
#include <QMimeData>
#include <QScreen>
#include <QStatusBar>
#include <QStyle>
#include <QVBoxLayout>
#include <algorithm>
#include <string_view>

#include "app/client/embedded_host.h"
#include "app/graphview/task_graph/unit_view.h"
#include "app/panels/cutting/inspector.h"
#include "app/panels/cutting/measure_bar.h"
#include "app/shell/basics/command_palette.h"
#include "app/shell/basics/key_list.h"
#include "app/shell/basics/message_bar.h"
#include "app/shell/cutting/graph_page.h"
#include "app/shell/cutting/graph_tools.h"
#include "app/shell/cutting/split_controller.h"
#include "app/shell/desktop/desktop_controller.h"
#include "app/shell/desktop/layout_keeper.h"
#include "app/shell/desktop/place_keeper.h"
#include "app/shell/desktop/recent_files.h"
#include "app/shell/docks/alert_controller.h"
#include "app/shell/docks/fault_menu.h"
#include "app/shell/docks/graph_keys.h"
#include "app/shell/docks/selection_menu.h"
#include "app/shell/docks/table_menu.h"
#include "app/shell/docks/view_offers.h"
#include "app/shell/docks/workbench.h"
#include "app/shell/presenting/guide_dock.h"
#include "app/shell/presenting/presenter.h"
#include "app/shell/replay/recordings.h"
#include "app/shell/training/close_guard.h"
#include "app/shell/training/task_controller.h"
#include "app/shell/training/upload_bar.h"
#include "app/shell/training/zoo_dialog.h"
#include "app/shell/window/status_buttons.h"
#include "app/shell/window/welcome_page.h"
#include "app/timeline/timeline_canvas.h"
#include "app/topology/topology_page.h"

namespace divisi::shell {
namespace {

QString toolbar_text_key() { return QStringLiteral("toolbar_text"); }
/// Returns the key of the theme's setting. If it is unset, the window follows the theme of the system.
QString theme_key() { return QStringLiteral("theme"); }

}  // namespace

MainWindow::MainWindow(QSettings& settings, client::Client* client, QWidget* parent)
    : QMainWindow(parent), context_(settings, client) {
    setObjectName(QStringLiteral("mainWindow"));
    setAcceptDrops(true);
    resize(1600, 1000);
    build_centre();
    build_status_bar();
    guard_ = new CloseGuard(client, *this);
    recent_ = new RecentFiles(settings, *this);
    recordings_ = new Recordings(client, context_.past.get(), context_.actions, context_.cursor, *messages_, *this);
    guide_ = new Guide(context_.actions, context_.document, client, this);
    build_menus();
    build_presenter();
    connect_actions();
    connect_views();
    desktop_ = new DesktopController(context_, controller_->saver(), *guard_, *recent_, *messages_, *this);
    connect(desktop_, &DesktopController::kept, this, &MainWindow::save_layout);
    new GraphKeys(context_, *bench_, *graph_, *this);
    place_ = new PlaceKeeper(context_, bench_->view<charts::TelemetryView>(), this);
    language_.use(settings.value(QStringLiteral("language"), Language::of_system()).toString());
    if (settings.contains(theme_key())) set_theme(parse_theme(settings.value(theme_key()).toString()));
    else follow_system();
    set_toolbar_text(settings.value(toolbar_text_key(), true).toBool());
    retranslate();
    show_workspace();
    const bool restored = restoreGeometry(settings.value(QStringLiteral("geometry")).toByteArray());
    fit_on_screen(restored);
}

MainWindow::~MainWindow() {
    presenter_->end();
    // Disconnect the views from the context, so that they receive no signals while they are destroyed.
    context_.disconnect_views();
}

/// Keeps the window on the screen, so that the status bar and the lower docks stay reachable. A saved position may be
/// for another screen.
void MainWindow::fit_on_screen(bool placed) {
    if (isMaximized() || isFullScreen()) return;
    const QRect room = screen()->availableGeometry().adjusted(0, style()->pixelMetric(QStyle::PM_TitleBarHeight), 0, 0);
    resize(size().boundedTo(room.size()));
    if (!placed || room.contains(geometry())) return;
    const int right = std::max(room.left(), room.right() + 1 - width());
    const int below = std::max(room.top(), room.bottom() + 1 - height());
    setGeometry({QPoint(std::clamp(x(), room.left(), right), std::clamp(y(), room.top(), below)), size()});
}

void MainWindow::build_centre() {
    tabs_ = new QTabBar(this);
    tabs_->setObjectName(QStringLiteral("workspaces"));
    tabs_->setExpanding(false);
    tabs_->setDrawBase(false);
    tabs_->setIconSize({20, 20});
    for (std::size_t i = 0; i < all_workspaces.size(); ++i) tabs_->addTab(QString());
    messages_ = new MessageBar(this);
    bench_ = new Workbench(context_, this);
    welcome_ = new WelcomePage(bench_);
    bench_->set_start_page(welcome_);
    graph_ = &bench_->view<GraphPage>();
    form_ = &bench_->view<panels::TaskForm>();
    controller_ = new TaskController(context_, *bench_, *messages_, *this);
    splitter_ = new SplitController(context_, *graph_, bench_->view<panels::SplitPanel>(), *messages_, this);
    new GraphTools(context_, *graph_, bench_->view<panels::SplitPanel>(), *messages_, *this);
    alert_controller_ = new AlertController(context_, *bench_, this);
    new TableMenu(context_, *bench_);

    auto* centre = new QWidget(this);
    auto* column = new QVBoxLayout(centre);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(tabs_);
    column->addWidget(messages_);
    column->addWidget(bench_, 1);
    setCentralWidget(centre);
}

void MainWindow::build_status_bar() {
    hint_ = new QLabel(this);
    hint_->setObjectName(QStringLiteral("hint"));
    hint_->setContentsMargins(16, 0, 8, 0);
    statusBar()->addWidget(hint_, 1);
    auto* alerts = new AlertButton(context_.client, this);
    connect(alerts, &QToolButton::clicked, alert_controller_, &AlertController::show_alerts);
    statusBar()->addPermanentWidget(alerts);
    statusBar()->addPermanentWidget(new UploadBar(context_.client, this));
    statusBar()->addPermanentWidget(new ConnectionLabel(context_.client, this));
    statusBar()->setSizeGripEnabled(false);
}

void MainWindow::build_menus() {
    toolbar_ = addToolBar(QString());
    toolbar_->setObjectName(QStringLiteral("toolbar"));
    toolbar_->setMovable(false);
    toolbar_->setIconSize({20, 20});
    std::string_view last;
    QMenu* shown = nullptr;
    for (const auto& [spec, action] : context_.actions.all()) {
        // Workspace actions are not in the toolbar, because workspaces have their own tabs.
        const bool in_toolbar = *spec.icon && !std::string_view(spec.id).starts_with("workspace_");
        if (spec.menu != last) {
            last = spec.menu;
            shown = menuBar()->addMenu(QString());
            shown->setToolTipsVisible(true);  // tooltips show why actions are disabled
            menus_.emplace_back(spec.menu, shown);
            if (!toolbar_->actions().isEmpty() && !toolbar_->actions().back()->isSeparator()) toolbar_->addSeparator();
        }
        shown->addAction(action);
        if (in_toolbar) toolbar_->addAction(action);
    }
    if (const auto added = toolbar_->actions(); added.back()->isSeparator()) toolbar_->removeAction(added.back());
    menu("&File")->insertMenu(context_.actions.get("save"), &recent_->menu());
    QMenu* selection = menu("&View")->addMenu(QString());
    selection->setObjectName(QStringLiteral("selectionMenu"));
    selection->setToolTipsVisible(true);
    selection_menu_ = new SelectionMenu(context_, *bench_, *selection);
    connect(&context_, &AppContext::menuOpens, selection_menu_, [this](QMenu* opening) {
        for (QAction* action : selection_menu_->actions()) opening->addAction(action);
    });
    menu("&View")->addSeparator();
    for (QAction* action : bench_->dock_actions()) menu("&View")->addAction(action);
    new FaultMenu(context_, *bench_, *menu("&Demonstrate"));
}

/// Creates the guide's dock and the strip of presenter mode.
void MainWindow::build_presenter() {
    auto* dock = new GuideDock(*guide_, this);
    addDockWidget(Qt::RightDockWidgetArea, dock);
    dock->hide();                                 // hidden because no scenario is active
    dock->toggleViewAction()->setVisible(false);  // it has no content without a scenario
    auto* strip = new GuideStrip(*guide_, centralWidget());
    centralWidget()->layout()->addWidget(strip);
    presenter_ = new Presenter(context_, *bench_, *guide_, *dock, *strip, *toolbar_, *this,
                               [this] { apply_theme(*qApp, theme_); });
    presenter_->set_escape_taken([this] {
        const QWidget* focus = focusWidget();
        const auto* lanes = qobject_cast<const timeline::TimelineCanvas*>(focus);
        if (lanes && lanes->selected()) return true;
        if (context_.document.previewing() || (focus && graph_->search().isAncestorOf(focus))) return true;
        graphview::GraphView& view = graph_->view();
        if (focus && (focus == &view || view.isAncestorOf(focus)) && view.scopes().layouts().service().busy())
            return true;
        const bool hears = focus == &view || focus == &graph_->score();
        return hears && (view.brush().painting() || view.cut_focus().cut() >= 0);
    });
    connect(presenter_, &Presenter::beginning, this, &MainWindow::save_layout);
}

void MainWindow::present(const QString& scenario) {
    presenter_->begin();
    if (!scenario.isEmpty()) guide_->begin(scenario);
}

QMenu* MainWindow::menu(std::string_view title) const {
    for (const auto& [name, shown] : menus_)
        if (name == title) return shown;
    return nullptr;
}

void MainWindow::on(const char* id, std::function<void()> run) {
    connect(context_.actions.get(id), &QAction::triggered, this, std::move(run));
}

/// Connects an action that acts on the graph. The action first shows the graph, because its effect would otherwise be
/// invisible.
void MainWindow::on_graph(const char* id, std::function<void()> run) {
    on(id, [this, run = std::move(run)] {
        if (bench_->centre() != graph_) bench_->show_view(*graph_);
        run();
    });
}

void MainWindow::connect_actions() {
    for (const char* id : {"dark", "system_theme", "english", "chinese", "model_graph", "score", "task_graph",
                           "topology", "paint", "toolbar_text", "go_to_train"})
        context_.actions.get(id)->setCheckable(true);
    for (const Workspace workspace : all_workspaces) context_.actions.get(action_of(workspace))->setCheckable(true);
    connect_file_actions();
    connect_graph_actions();
    connect_view_actions();
    connect_setting_actions();
}

void MainWindow::connect_file_actions() {
    on("open", [this] { choose_file(); });
    on("zoo", [this] { choose_zoo(); });
    on("connect", [this] { choose_cluster(); });
    on("start_cluster", [this] { Q_EMIT clusterRequested(); });
    on("save", [this] { controller_->saver().save(false); });
    on("save_as", [this] { controller_->saver().save(true); });
    on("run", [this] { controller_->run(); });
    on("stop", [this] { bench_->view<panels::TasksPanel>().stopCurrent(); });
    on("new_task", [this] { controller_->begin(); });
    on("close", [this] { controller_->close_model(); });
    on("quit", [this] { close(); });
}

void MainWindow::connect_graph_actions() {
    graphview::GraphView& view = graph_->view();
    on("undo", [this] { step_history(&QUndoStack::undo); });
    on("redo", [this] { step_history(&QUndoStack::redo); });
    on_graph("find", [this] { graph_->search().open(); });
    on_graph("find_next", [this] { graph_->search().go(1); });
    on_graph("find_previous", [this] { graph_->search().go(-1); });
    on_graph("add_cut", [this] { graph_->add_cut(); });
    on_graph("remove_cut", [&view] { view.cut_focus().remove(); });
    on_graph("equal", [this] { splitter_->split_equally(); });
    on_graph("optimize", [this] { splitter_->optimize(); });
    on_graph("clear_cuts", [this] { context_.document.clear_cuts(); });
    on("measure", [this] {
        bench_->show_view(bench_->view<panels::SplitPanel>());
        bench_->view<panels::MeasureBar>().offer();
    });
    on_graph("paint", [&brush = view.brush()] { brush.set_painting(!brush.painting()); });
    on_graph("new_segment", [&brush = view.brush()] {
        brush.set_painting(true);
        if (!brush.paint_selection(brush.segment_count())) brush.choose(brush.segment_count());
    });
    on_graph("mend", [&view] { view.brush().mend(); });
    on_graph("to_cuts", [this] { splitter_->back_to_cuts(); });
    on_graph("next_cut", [&view] { view.cut_focus().next(); });
    on_graph("previous_cut", [&view] { view.cut_focus().previous(); });
    on_graph("fit_width", [this] { graph_->fit_width(); });
    on_graph("open_all", [&view] { view.scopes().open_all(); });
    on_graph("close_all", [&view] { view.scopes().close_all(); });
}

/// Undoes or redoes an edit. If the edit leads to an offer to re-cut a task, shows the offer.
void MainWindow::step_history(void (QUndoStack::*way)()) {
    model::GraphDocument& document = context_.document;
    document.settle();
    const model::Cuts before = document.cuts();
    (document.undo_stack().*way)();
    const bool offers = context_.recut.stage() == model::LiveRecut::Stage::offered && document.cuts() != before;
    if (offers && bench_->centre() != graph_) bench_->show_view(*graph_);
}

/// Shows the outcome of a re-cut in the message bar or the status bar, unless the bar below the graph shows the
/// outcome.
void MainWindow::tell_recut(const QString& outcome, bool refused, bool shown) {
    if (shown && graph_->isVisible()) return;
    if (refused) messages_->show_error(outcome);
    else Q_EMIT context_.hint(outcome);
}

void MainWindow::connect_view_actions() {
    auto& topology = bench_->view<topology::TopologyPage>();
    auto& units = bench_->view<graphview::UnitView>();
    const auto shown = [this, &topology, &units](auto in_graph, auto in_units, auto in_topology) {
        if (bench_->centre() == &topology) (topology.map().*in_topology)();
        else if (bench_->centre() == &units) (units.*in_units)();
        else if (bench_->centre()) (graph_->*in_graph)();
    };
    using graphview::UnitView, topology::MeshMap;
    on("zoom_in", [shown] { shown(&GraphPage::zoom_in, &UnitView::zoomIn, &MeshMap::zoomIn); });
    on("zoom_out", [shown] { shown(&GraphPage::zoom_out, &UnitView::zoomOut, &MeshMap::zoomOut); });
    on("fit", [shown] { shown(&GraphPage::fit, &UnitView::fit, &MeshMap::fit); });
    on("centre", [shown] { shown(&GraphPage::centre, &UnitView::centre, &MeshMap::centre); });
    on("zoom_reset",
       [this, &topology] { bench_->centre() == &topology ? topology.map().zoomReset() : graph_->zoom_reset(); });
    const auto choose = [this](bool score) {
        graph_->choose_score(score);
        bench_->show_view(*graph_);
        update_actions();  // restores the check mark, which choosing the action has removed
    };
    on("model_graph", [choose] { choose(false); });
    on("score", [this, choose] { choose(!graph_->shows_score() || bench_->centre() != graph_); });
    for (const auto& [id, view] : {std::pair<const char*, QWidget*>{"task_graph", &units}, {"topology", &topology}})
        on(id, [this, view = view] {
            bench_->show_view(*view);
            update_actions();  // restores the check mark, which choosing the action has removed
        });
    for (const Workspace workspace : all_workspaces)
        on(action_of(workspace).c_str(), [this, workspace] {
            bench_->set_workspace(workspace);
            if (QWidget* centre = bench_->centre()) centre->setFocus();
            update_actions();
        });
    on("go_live", [this] { context_.cursor.go_live(); });
    connect(&context_.cursor, &model::TimeCursor::modeChanged, this, &MainWindow::update_actions);
    on("reset_layout", [this] { bench_->reset_layout(); });
    on("palette", [this] { show_palette(); });
    on("keys", [this] { (new KeyList(context_.actions, this))->open(); });
    connect(tabs_, &QTabBar::currentChanged, this, [this](int tab) {
        if (tab >= 0) bench_->set_workspace(all_workspaces.at(static_cast<std::size_t>(tab)));
    });
    connect(bench_, &Workbench::workspaceChanged, this, &MainWindow::show_workspace);
}

void MainWindow::connect_setting_actions() {
    on("dark", [this] { set_theme(theme_ == Theme::dark ? Theme::light : Theme::dark); });
    on("system_theme", [this] { follows_system_ ? set_theme(theme_) : follow_system(); });
    on("english", [this] { set_language(QStringLiteral("en")); });
    on("chinese", [this] { set_language(QStringLiteral("zh_CN")); });
    on("toolbar_text", [this] { set_toolbar_text(toolbar_->toolButtonStyle() == Qt::ToolButtonIconOnly); });
    on("go_to_train", [this] {
        controller_->set_goes_to_train(!controller_->goes_to_train());
        update_actions();
    });
}

void MainWindow::connect_views() {
    connect(welcome_, &WelcomePage::openRequested, this, [this] { choose_file(); });
    connect(welcome_, &WelcomePage::zooRequested, this, [this] { choose_zoo(); });
    model::DocumentOpener& opener = context_.opener;
    connect(&opener, &model::DocumentOpener::reading, this,
            [this](const QString& title) { messages_->show_progress(tr("Reading %1...").arg(title)); });
    connect(&opener, &model::DocumentOpener::done, messages_, &MessageBar::end_progress);
    connect(&opener, &model::DocumentOpener::failed, messages_, &MessageBar::show_error);
    connect(messages_, &MessageBar::cancelRequested, &opener, &model::DocumentOpener::cancel);
    connect(&context_, &AppContext::hint, hint_, &QLabel::setText);
    connect(guard_, &CloseGuard::hint, hint_, &QLabel::setText);
    connect(&context_.document, &model::GraphDocument::modelChanged, this, &MainWindow::update_actions);
    connect(&context_.document, &model::GraphDocument::cutsChanged, this, [this] {
        if (!context_.document.previewing()) update_actions();  // a drag does not affect the actions
    });
    connect(&context_.document.undo_stack(), &QUndoStack::indexChanged, this, &MainWindow::update_actions);
    connect(&context_.draft, &model::TaskDraft::stateChanged, this, &MainWindow::update_actions);
    connect(&context_.recut, &model::LiveRecut::told, this, &MainWindow::tell_recut);
    connect(graph_, &GraphPage::stateChanged, this, &MainWindow::update_actions);
    connect(graph_, &GraphPage::blockSelected, &bench_->view<panels::Inspector>(), &panels::Inspector::show_block);
    connect(controller_, &TaskController::changed, this, &MainWindow::update_actions);
    if (context_.client) {
        connect(context_.client, &client::Client::statusChanged, this, &MainWindow::update_actions);
        connect(context_.client, &client::Client::dataChanged, this,
                [this] { context_.actions.allow("stop", why_not_stopped()); });
    }
    connect_recent();
    connect_start();
}

void MainWindow::connect_recent() {
    connect(&context_.draft, &model::TaskDraft::stateChanged, recent_, [this] { recent_->add(context_.draft.path()); });
    connect(&context_.document, &model::GraphDocument::modelChanged, recent_, [this] {
        if (context_.document.model() && context_.draft.path().isEmpty())
            recent_->add(QString::fromStdString(context_.document.model()->source.onnx));
    });
    connect(this, &MainWindow::replayRequested, recent_, [this](const QString& path) {
        // A path that starts with ':' is a resource of the program, not a file of the user.
        if (!path.startsWith(u':')) recent_->add(QFileInfo(path).absoluteFilePath());
    });
    connect(recent_, &RecentFiles::chosen, this, &MainWindow::open_recent);
    connect(welcome_, &WelcomePage::recentRequested, this, &MainWindow::open_recent);
    connect(recent_, &RecentFiles::changed, welcome_, [this] { welcome_->show_recent(recent_->paths()); });
    welcome_->show_recent(recent_->paths());
}

/// Connects the guide's menu entries, and the buttons of the start page except those for models and recent files.
void MainWindow::connect_start() {
    connect(recordings_, &Recordings::openRequested, this, &MainWindow::replayRequested);
    connect(recordings_, &Recordings::wentBack, this, [this] {
        hint_->clear();
        messages_->end_notice();
    });
    connect(welcome_, &WelcomePage::recordingRequested, this, [this](const QString& path) {
        path.isEmpty() ? context_.actions.get("open_recording")->trigger() : recordings_->open(path);
    });
    connect(welcome_, &WelcomePage::connectRequested, this, [this] { choose_cluster(); });
    connect(welcome_, &WelcomePage::clusterRequested, this, &MainWindow::clusterRequested);
    connect(welcome_, &WelcomePage::guideRequested, guide_, &Guide::begin);
    for (const auto& [id, scenario] : {std::pair{"guide_cut", "cut-and-train"}, std::pair{"guide_link", "break-a-link"},
                                       std::pair{"guide_recut", "move-a-cut"}})
        on(id, [this, scenario = QString::fromLatin1(scenario)] { guide_->begin(scenario); });
    const auto show_status = [this] {
        const client::Status status = context_.client ? context_.client->status() : client::Status();
        welcome_->show_cluster(status);
        context_.actions.get("start_cluster")->setVisible(WelcomePage::offers_cluster(status));
        tell_lasting_problem(status);
    };
    if (context_.client) connect(context_.client, &client::Client::statusChanged, welcome_, show_status);
    show_status();
}

/// Shows a permanent connection problem only once, although it is reported every few seconds.
void MainWindow::tell_lasting_problem(const client::Status& status) {
    if (status.connection == client::Connection::connected) told_problem_.clear();
    if (!status.lasting || status.problem == told_problem_) return;
    told_problem_ = status.problem;
    messages_->show_error(tr("This cluster cannot be used from here: %1").arg(status.problem));
}

void MainWindow::open_model(model::ModelSource source) { controller_->open_model(std::move(source)); }

void MainWindow::set_workspace(Workspace workspace) { bench_->set_workspace(workspace); }

void MainWindow::open_path(const QString& path) {
    if (Recordings::is_recording(path)) return recordings_->open(path);
    controller_->open_path(path);
}

/// Opens a recent file. If it no longer exists, removes it from the list.
void MainWindow::open_recent(const QString& path) {
    if (QFileInfo::exists(path)) return open_path(path);
    recent_->remove(path);
    messages_->show_error(tr("%1 no longer exists. It was removed from the list.").arg(QDir::toNativeSeparators(path)));
}

void MainWindow::choose_file() {
    const QString folder = context_.settings.value(QStringLiteral("folder")).toString();
    const QString path = QFileDialog::getOpenFileName(this, tr("Open model or task"), folder,
                                                      tr("Models and tasks (*.onnx *.toml);;All files (*)"));
    if (path.isEmpty()) return;
    context_.settings.setValue(QStringLiteral("folder"), QFileInfo(path).absolutePath());
    open_path(path);
}

void MainWindow::choose_zoo() {
    auto* dialog = new ZooDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] { open_model(dialog->source()); });
    dialog->open();
}

void MainWindow::choose_cluster() {
    const QString folder = QString::fromStdString(client::default_data_folder().string());
    auto* dialog =
        new QFileDialog(this, tr("Connect to cluster"), folder, tr("Connection files (*.toml);;All files (*)"));
    dialog->setObjectName(QStringLiteral("connectDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, &MainWindow::connectRequested);
    dialog->open();
}

void MainWindow::show_workspace() {
    const auto at = std::ranges::find(all_workspaces, bench_->workspace());
    tabs_->setCurrentIndex(static_cast<int>(at - all_workspaces.begin()));
    update_actions();
}

void MainWindow::set_toolbar_text(bool text) {
    toolbar_->setToolButtonStyle(text ? Qt::ToolButtonTextBesideIcon : Qt::ToolButtonIconOnly);
    context_.settings.setValue(toolbar_text_key(), text);
    context_.actions.get("toolbar_text")->setChecked(text);
}

void MainWindow::set_language(const QString& language) {
    language_.use(language);
    hint_->clear();  // its text is in the previous language
    context_.settings.setValue(QStringLiteral("language"), language_.current());
    update_actions();  // update their texts to the current language
}

void MainWindow::set_theme(Theme theme) {
    follows_system_ = false;
    context_.settings.setValue(theme_key(), name(theme));
    use_theme(theme);
}

void MainWindow::follow_system() {
    follows_system_ = true;
    context_.settings.remove(theme_key());
    use_theme(system_theme());
}

void MainWindow::use_theme(Theme theme) {
    theme_ = theme;
    apply_theme(*qApp, theme);
    context_.actions.update_icons(qApp->palette());
    bench_->update_icons(qApp->palette());
    for (int tab = 0; tab < tabs_->count(); ++tab)
        tabs_->setTabIcon(tab,
                          context_.actions.get(action_of(all_workspaces.at(static_cast<std::size_t>(tab))))->icon());
    update_actions();
}

void MainWindow::allow(std::initializer_list<const char*> ids, const QString& why_not) {
    for (const char* id : ids) context_.actions.allow(id, why_not);
}

void MainWindow::update_actions() {
    const Actions& actions = context_.actions;
    update_view_actions();
    update_cut_actions();
    update_task_actions();
    alert_controller_->update_advice();
    actions.get("paint")->setChecked(graph_->view().brush().painting());
    actions.get("dark")->setChecked(theme_ == Theme::dark);
    actions.get("system_theme")->setChecked(follows_system_);
    actions.get("go_to_train")->setChecked(controller_->goes_to_train());
    actions.get("english")->setChecked(language_.current() == QStringLiteral("en"));
    actions.get("chinese")->setChecked(language_.current() == QStringLiteral("zh_CN"));
    update_title();
}

QString MainWindow::why_no_model() const { return context_.document.model() ? QString() : tr("Open a model first."); }

void MainWindow::update_cut_actions() {
    const model::GraphDocument& document = context_.document;
    const QString no_model = why_no_model();
    const auto unless = [&](bool can, const QString& why) {
        return can ? QString() : no_model.isEmpty() ? why : no_model;
    };
    allow(
        {"close", "find", "find_next", "find_previous", "fit_width", "paint", "new_segment", "export_graph", "measure"},
        no_model);
    allow({"add_cut", "equal", "optimize"},
          unless(document.legal_count() > 0, tr("This model has no legal cut position.")));
    allow({"clear_cuts", "next_cut", "previous_cut"}, unless(!document.cuts().empty(), tr("There is no cut.")));
    allow({"remove_cut"}, unless(graph_->view().cut_focus().cut() >= 0,
                                 tr("No cut is selected. Press Tab in the graph to select one.")));
    allow({"mend"}, unless(!document.shown_cycle().empty(), tr("No painted segments wait for each other.")));
    allow({"to_cuts"}, unless(document.painting() != nullptr, tr("No segments are painted.")));
    const QUndoStack& stack = context_.document.undo_stack();
    allow({"undo"}, stack.canUndo() ? QString() : tr("Nothing to undo."));
    allow({"redo"}, stack.canRedo() ? QString() : tr("Nothing to redo."));
}

void MainWindow::update_task_actions() {
    const QString forbidden = context_.client ? client::why_not_operated(context_.client->status()) : QString();
    form_->set_connected(context_.connected());
    form_->set_forbidden(forbidden);
    allow({"save", "save_as"}, form_->valid() ? QString() : form_->problem());
    allow({"run"}, forbidden.isEmpty() ? form_->why_not_run() : forbidden);
    allow({"stop"}, why_not_stopped());
    allow({"record"}, recordings_->why_not_recorded());
}

QString MainWindow::why_not_stopped() const {
    const panels::TasksPanel& tasks = bench_->view<panels::TasksPanel>();
    if (tasks.can_stop()) return {};
    if (!context_.client) return tr("There is no cluster.");
    const QString forbidden = client::why_not_operated(context_.client->status());
    if (!forbidden.isEmpty()) return forbidden;
    return tasks.current() == TaskId() ? tr("Choose a task in Tasks first.") : tr("The chosen task has ended.");
}

void MainWindow::update_view_actions() {
    const Actions& actions = context_.actions;
    const QWidget* centre = bench_->centre();
    const bool mesh = centre == &bench_->view<topology::TopologyPage>();
    const bool units = centre == &bench_->view<graphview::UnitView>();
    const bool score = centre == graph_ && graph_->shows_score();
    const QString no_model = why_no_model(), no_graph = centre == graph_ ? no_model : tr("No graph is on screen.");
    allow({"zoom_in", "zoom_out", "fit", "centre"}, units || mesh ? QString() : no_graph);
    allow({"zoom_reset"}, mesh ? QString() : units ? tr("The task graph has no actual size.") : no_graph);
    allow({"score"}, no_model);
    const QString in_score = graph_->shows_score()
                                 ? tr("The score always colours operators by their segment. Show the model graph to "
                                      "change the colouring.")
                                 : QString();
    allow({"open_all", "close_all"}, no_model.isEmpty() ? in_score : no_model);
    allow({"colour_next", "colour_nothing", "colour_segment", "colour_time", "colour_memory", "colour_bytes"},
          in_score);
    allow({"go_live"}, context_.cursor.live() ? tr("The window already shows the present.") : QString());
    actions.get("model_graph")->setChecked(centre == graph_ && !score);
    actions.get("score")->setChecked(score);
    actions.get("task_graph")->setChecked(units);
    actions.get("topology")->setChecked(mesh);
    for (const Workspace workspace : all_workspaces)
        actions.get(action_of(workspace))->setChecked(workspace == bench_->workspace());
}

/// Updates the title, such as "gpt-text.toml* - gpt - Divisi": the task's file or name, a mark for unsaved changes, and
/// the model.
void MainWindow::update_title() {
    const model::TaskDraft& draft = context_.draft;
    const model::GraphDocument& document = context_.document;
    QStringList parts;
    const QString file = QFileInfo(draft.path()).fileName();
    if (document.model() || draft.modified())
        parts << (file.isEmpty() ? QString::fromStdString(draft.spec().task.name) : file) + QStringLiteral("[*]");
    if (document.model()) parts << document.model()->source.title();
    parts << QStringLiteral("Divisi");
    setWindowTitle(parts.join(QStringLiteral(" \u2013 ")));
    setWindowModified(draft.modified());
}

void MainWindow::show_palette() {
    std::vector<QAction*> all;
    for (const auto& [spec, action] : context_.actions.all())
        if (action->isVisible()) all.push_back(action);
    for (QAction* action : bench_->view_actions()) all.push_back(action);
    for (QAction* action : selection_menu_->actions()) all.push_back(action);
    delete palette_;  // delete an old palette first, because it refers to the entries that are deleted below
    offers_ = std::make_unique<QWidget>();
    for (QAction* action : recent_->menu().actions()) {
        auto* open =
            new QAction(plain_text(recent_->menu().title()) + QStringLiteral(": ") + action->text(), offers_.get());
        connect(open, &QAction::triggered, action, &QAction::trigger);
        all.push_back(open);
    }
    for (QAction* action : view_offers(*bench_, *offers_)) all.push_back(action);
    palette_ = new CommandPalette(all, this);
    palette_->show();
}

void MainWindow::keep_session(const QString& folder, bool restore) {
    place_->begin(restore);  // the saved selection is restored when the restored task is open
    desktop_->keep_session(folder, restore);
    new LayoutKeeper(
        *bench_, [this] { save_layout(); }, this);
}

void MainWindow::save_layout() {
    if (presenter_->holds_layout()) return;  // the layout was saved when presenter mode started
    context_.settings.setValue(QStringLiteral("geometry"), saveGeometry());
    bench_->save();
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (!leaving_ && (context_.draft.modified() || guard_->needed())) {
        event->ignore();
        leave();
        if (!leaving_) return;  // the window closes later, after the user was asked
    }
    save_layout();
    presenter_->end();
    desktop_->end_session();
    event->accept();
}

/// Closes the window when neither changes nor running tasks would be lost.
void MainWindow::leave() {
    guard_->stay();
    controller_->saver().let_go([this] {
        guard_->let_go([this] {
            leaving_ = true;
            close();
        });
    });
}

/// Updates the theme if the desktop's theme has changed and the window follows the system.
bool MainWindow::event(QEvent* event) {
    if (event->type() == QEvent::ThemeChange && follows_system_) follow_system();
    return QMainWindow::event(event);
}

void MainWindow::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) retranslate();
    QMainWindow::changeEvent(event);
}

void MainWindow::retranslate() {
    context_.actions.retranslate();
    for (const auto& [title, shown] : menus_) shown->setTitle(Actions::menu_title(title));
    bench_->retranslate();
    selection_menu_->retranslate();
    guide_->retranslate();
    for (int tab = 0; tab < tabs_->count(); ++tab) {
        const QAction* action = context_.actions.get(action_of(all_workspaces.at(static_cast<std::size_t>(tab))));
        tabs_->setTabText(tab, action->iconText());
        tabs_->setTabToolTip(tab, action->toolTip());
    }
    tabs_->setAccessibleName(tr("Workspaces"));
    recent_->menu().setTitle(tr("Open recen&t"));
    recent_->explain();
    toolbar_->setWindowTitle(tr("Toolbar"));
    toolbar_->setAccessibleName(tr("Toolbar"));
    update_actions();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    const QList<QUrl> urls = event->mimeData()->urls();
    if (urls.size() == 1 && urls.front().isLocalFile()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    event->acceptProposedAction();
    open_path(event->mimeData()->urls().front().toLocalFile());
}

}  // namespace divisi::shell

#include "moc_main_window.cpp"
