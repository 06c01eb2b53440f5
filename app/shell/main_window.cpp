// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/main_window.h"

#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QMenuBar>
#include <QMimeData>
#include <QScreen>
#include <QStatusBar>
#include <QStyle>
#include <QTabBar>
#include <QToolBar>
#include <QVBoxLayout>

#include "app/client/embedded_host.h"
#include "app/graphview/recut_bar.h"
#include "app/shell/command_palette.h"
#include "app/shell/key_list.h"
#include "app/shell/upload_bar.h"
#include "app/shell/zoo_dialog.h"
#include "backend/search/equal_flops.h"

namespace divisi::shell {

namespace {

/// Raised whenever the docks change, so that an old arrangement is not restored onto new ones.
constexpr int layout_version = 6;

}  // namespace

MainWindow::MainWindow(QSettings& settings, client::Client* client, QWidget* parent)
    : QMainWindow(parent),
      settings_(settings),
      client_(client),
      draft_(document_),
      check_(draft_, document_, planning_),
      prices_(document_, draft_, planning_),
      pool_(draft_, client, planning_, client::default_data_folder()),
      animation_(document_),
      recut_(document_, draft_, prices_, client),
      opener_(document_, draft_, prices_, planning_),
      actions_(this),
      unit_plan_(draft_, document_, units_, planning_) {
    setObjectName(QStringLiteral("mainWindow"));
    setAcceptDrops(true);
    setDockNestingEnabled(true);
    resize(1600, 1000);
    build_views();
    build_docks();
    saver_ = new TaskSaver(
        draft_, [this] { return form_->problem(); }, *this);
    guard_ = new CloseGuard(client_, *this);
    ends_ = new TaskEnds(client_, this);
    recent_ = new RecentFiles(settings_, *this);
    recordings_ = new Recordings(client_, actions_, *messages_, *this);
    build_menus();
    connect_actions();
    connect_views();
    language_.use(settings_.value(QStringLiteral("language"), Language::of_system()).toString());
    set_theme(parse_theme(settings_.value(QStringLiteral("theme")).toString()));
    retranslate();
    update_actions();
    restoreGeometry(settings_.value(QStringLiteral("geometry")).toByteArray());
    restoreState(settings_.value(QStringLiteral("layout")).toByteArray(), layout_version);
    guide_->hide();  // no scenario is under way
    fit_on_screen();
}

MainWindow::~MainWindow() {
    // The views hear the document's signals; they must not while they are taken down.
    document_.disconnect();
    document_.undo_stack().disconnect();
    draft_.disconnect();
    check_.disconnect();
}

/// What lies off a small screen cannot be reached: the status bar, and the docks below.
void MainWindow::fit_on_screen() {
    if (isMaximized() || isFullScreen()) return;
    const QSize room = screen()->availableSize() - QSize(0, style()->pixelMetric(QStyle::PM_TitleBarHeight));
    resize(size().boundedTo(room));
}

void MainWindow::build_views() {
    stack_ = new QStackedWidget(this);
    welcome_ = new WelcomePage(stack_);
    graph_page_ = new QWidget(stack_);
    view_ = new graphview::GraphView(document_, graph_page_);
    minimap_ = new graphview::Minimap(*view_, document_, graph_page_);
    search_ = new graphview::SearchBar(*view_, document_, graph_page_);
    paint_ = new graphview::PaintBar(*view_, document_, graph_page_);
    messages_ = new MessageBar(this);

    auto* row = new QHBoxLayout;
    row->setSpacing(0);
    row->addWidget(view_, 1);
    row->addWidget(minimap_);
    auto* page = new QVBoxLayout(graph_page_);
    page->setContentsMargins(0, 0, 0, 0);
    page->setSpacing(0);
    strip_ = new graphview::LandscapeStrip(document_, prices_, graph_page_);
    page->addWidget(search_);
    page->addLayout(row, 1);
    page->addWidget(paint_);  // below: it comes and grows while the pointer is on the graph, which must not move
    page->addWidget(new graphview::RecutBar(*view_, recut_, graph_page_));
    page->addWidget(strip_);
    stack_->addWidget(welcome_);
    unit_view_ = new graphview::UnitView(units_, stack_);
    stack_->addWidget(graph_page_);
    stack_->addWidget(unit_view_);
    topology_ = new topology::TopologyPage(settings_, client_, stack_);
    stack_->addWidget(topology_);

    auto* centre = new QWidget(this);
    auto* column = new QVBoxLayout(centre);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(messages_);
    column->addWidget(stack_, 1);
    setCentralWidget(centre);

    hint_ = new QLabel(this);
    hint_->setObjectName(QStringLiteral("hint"));
    hint_->setContentsMargins(16, 0, 8, 0);
    connection_ = new ConnectionLabel(client_, this);
    statusBar()->addWidget(hint_, 1);
    statusBar()->addPermanentWidget(new UploadBar(client_, this));
    statusBar()->addPermanentWidget(connection_);
    statusBar()->setSizeGripEnabled(false);
}

QDockWidget* MainWindow::add_dock(const char* name, QWidget* widget, Qt::DockWidgetArea area) {
    auto* dock = new QDockWidget(this);
    dock->setObjectName(QString::fromLatin1(name));
    dock->setWidget(widget);
    addDockWidget(area, dock);
    // Tabs name the docks below; the others have a title that gives every script its height.
    if (area == Qt::BottomDockWidgetArea) {
        dock->setTitleBarWidget(new QWidget(dock));
    } else {
        auto* title = new QLabel(dock);
        title->setProperty("role", QStringLiteral("dock"));
        dock->setTitleBarWidget(title);
        dock_titles_[dock] = title;
    }
    docks_.emplace_back(name, dock);
    return dock;
}

void MainWindow::build_docks() {
    split_ = new panels::SplitPanel(document_, prices_, this);
    inspector_ = new panels::Inspector(document_, this);
    form_ = new panels::TaskForm(draft_, document_, check_, this);
    add_dock(QT_TR_NOOP("New task"), form_, Qt::LeftDockWidgetArea);
    add_dock(QT_TR_NOOP("Split"), split_, Qt::RightDockWidgetArea);
    add_dock(QT_TR_NOOP("Inspector"), inspector_, Qt::RightDockWidgetArea);
    tasks_ = new panels::TasksPanel(client_, this);
    telemetry_ = new charts::TelemetryView(client_, this);
    nodes_ = new topology::TopologyView(client_, this);
    services_ = new topology::ServicesView(client_, this);
    ledger_ = new panels::LedgerView(client_, this);
    exceptions_ = new panels::ExceptionsView(client_, this);  // NOLINT(bugprone-throw-keyword-missing): a view
    recoveries_ = new panels::RecoveriesView(client_, this);
    policies_ = new panels::PoliciesView(client_, this);
    modules_ = new panels::ModulesView(client_, this);
    signaling_ = new topology::SignalingView(client_, this);
    logs_ = new panels::LogsPanel(client_, this);
    plans_ = new panels::PlansPanel(document_, prices_, client_, planning_, this);
    QDockWidget* first = add_dock(QT_TR_NOOP("Tasks"), tasks_, Qt::BottomDockWidgetArea);
    for (QDockWidget* dock : {add_dock(QT_TR_NOOP("Telemetry"), telemetry_, Qt::BottomDockWidgetArea),
                              add_dock(QT_TR_NOOP("Plans"), plans_, Qt::BottomDockWidgetArea),
                              add_dock(QT_TR_NOOP("Nodes"), nodes_, Qt::BottomDockWidgetArea),
                              add_dock(QT_TR_NOOP("Services"), services_, Qt::BottomDockWidgetArea),
                              add_dock(QT_TR_NOOP("Leases"), ledger_, Qt::BottomDockWidgetArea),
                              add_dock(QT_TR_NOOP("Exceptions"), exceptions_, Qt::BottomDockWidgetArea),
                              add_dock(QT_TR_NOOP("Recoveries"), recoveries_, Qt::BottomDockWidgetArea),
                              add_dock(QT_TR_NOOP("Policies"), policies_, Qt::BottomDockWidgetArea),
                              add_dock(QT_TR_NOOP("Modules"), modules_, Qt::BottomDockWidgetArea),
                              add_dock(QT_TR_NOOP("Signaling"), signaling_, Qt::BottomDockWidgetArea),
                              add_dock(QT_TR_NOOP("Logs"), logs_, Qt::BottomDockWidgetArea)})
        tabifyDockWidget(first, dock);
    guide_ = new GuideDock(actions_, document_, client_, this);
    addDockWidget(Qt::RightDockWidgetArea, guide_);
    guide_->hide();
    first->raise();
    setTabPosition(Qt::BottomDockWidgetArea, QTabWidget::North);
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    resizeDocks({first}, {240}, Qt::Vertical);
    resizeDocks({docks_[0].second, docks_[1].second}, {376, 540}, Qt::Horizontal);
}

void MainWindow::build_menus() {
    toolbar_ = addToolBar(QString());
    toolbar_->setObjectName(QStringLiteral("toolbar"));
    toolbar_->setMovable(false);
    toolbar_->setIconSize({20, 20});
    std::string_view last;
    QMenu* menu = nullptr;
    for (const auto& [spec, action] : actions_.all()) {
        if (spec.menu != last) {
            last = spec.menu;
            menu = menuBar()->addMenu(QString());
            menus_.emplace_back(spec.menu, menu);
            if (*spec.icon && menus_.size() > 1) toolbar_->addSeparator();
        }
        menu->addAction(action);
        if (*spec.icon) toolbar_->addAction(action);
    }
    for (const auto& [title, view] : menus_) {
        if (std::string_view(title) == "&File") view->insertMenu(actions_.get("save"), &recent_->menu());
        if (std::string_view(title) != "&View") continue;
        view->addSeparator();
        for (const auto& [name, dock] : docks_) view->addAction(dock->toggleViewAction());
    }
}

void MainWindow::on(const char* id, std::function<void()> run) {
    connect(actions_.get(id), &QAction::triggered, this, std::move(run));
}

void MainWindow::connect_actions() {
    on("open", [this] { choose_file(); });
    on("zoo", [this] { choose_zoo(); });
    on("connect", [this] { choose_cluster(); });
    on("save", [this] { saver_->save(false); });
    on("save_as", [this] { saver_->save(true); });
    on("run", [this] { run_task(); });
    on("new_task", [this] { new_task(); });
    on("close", [this] { saver_->let_go([this] { opener_.close(); }); });
    on("quit", [this] { close(); });
    on("undo", [this] {
        document_.settle();
        document_.undo_stack().undo();
    });
    on("redo", [this] {
        document_.settle();
        document_.undo_stack().redo();
    });
    on("find", [this] { search_->open(); });
    on("find_next", [this] { search_->go(1); });
    on("find_previous", [this] { search_->go(-1); });
    on("add_cut", [this] { view_->addCut(); });
    on("remove_cut", [this] { view_->removeCut(); });
    on("equal", [this] { split_equally(); });
    on("optimize", [this] { optimize(); });
    on("clear_cuts", [this] { document_.clear_cuts(); });
    on("paint", [this] {
        show_view(graph_page_);
        view_->setPainting(!view_->painting());
    });
    on("new_segment", [this] {
        view_->setPainting(true);
        if (!view_->paint_selection(view_->segment_count())) view_->setBrush(view_->segment_count());
    });
    on("mend", [this] { view_->mend(); });
    on("to_cuts", [this] { back_to_cuts(); });
    on("next_cut", [this] { view_->nextCut(); });
    on("previous_cut", [this] { view_->previousCut(); });
    const auto shown = [this](auto in_graph, auto in_units, auto in_topology) {
        if (stack_->currentWidget() == topology_) (topology_->map().*in_topology)();
        else if (stack_->currentWidget() == unit_view_) (unit_view_->*in_units)();
        else (view_->*in_graph)();
    };
    using graphview::GraphView, graphview::UnitView, topology::MeshMap;
    on("zoom_in", [shown] { shown(&GraphView::zoomIn, &UnitView::zoomIn, &MeshMap::zoomIn); });
    on("zoom_out", [shown] { shown(&GraphView::zoomOut, &UnitView::zoomOut, &MeshMap::zoomOut); });
    on("fit", [shown] { shown(&GraphView::fitAll, &UnitView::fit, &MeshMap::fit); });
    on("centre", [shown] { shown(&GraphView::centre, &UnitView::fit, &MeshMap::fit); });
    on("zoom_reset",
       [this] { stack_->currentWidget() == topology_ ? topology_->map().zoomReset() : view_->zoomReset(); });
    on("model_graph", [this] { show_view(graph_page_); });
    on("task_graph", [this] { show_view(unit_view_); });
    on("topology", [this] { show_view(topology_); });
    connect_faults();
    on("stop", [this] { tasks_->stopCurrent(); });
    on("fit_width", [this] { view_->fitWidth(); });
    on("open_all", [this] { view_->openAll(); });
    on("close_all", [this] { view_->closeAll(); });
    on("dark", [this] { set_theme(theme_ == Theme::dark ? Theme::light : Theme::dark); });
    on("english", [this] { set_language(QStringLiteral("en")); });
    on("chinese", [this] { set_language(QStringLiteral("zh_CN")); });
    on("palette", [this] { show_palette(); });
    on("keys", [this] { (new KeyList(actions_, this))->open(); });
    for (const char* id : {"dark", "english", "chinese", "model_graph", "task_graph", "topology", "paint"})
        actions_.get(id)->setCheckable(true);
}

/// What demonstrators do to links and processes, on clusters that take it: elsewhere nobody sees it.
void MainWindow::connect_faults() {
    using topology::TopologyPage;
    const std::pair<const char*, void (TopologyPage::*)()> faults[] = {
        {"cut_link", &TopologyPage::cut_link},       {"slow_link", &TopologyPage::slow_link},
        {"kill_router", &TopologyPage::kill_router}, {"kill_instance", &TopologyPage::kill_instance},
        {"kill_node", &TopologyPage::kill_node},     {"pause_instance", &TopologyPage::pause_instance},
        {"heal_link", &TopologyPage::heal_link},     {"heal_all", &TopologyPage::heal_all}};
    for (const auto& [id, what] : faults)
        on(id, [this, what = what] {
            show_view(topology_);
            (topology_->*what)();
        });
    const auto show = [this, faults] {
        const bool allowed = topology_->allows_faults();
        for (const auto& [id, what] : faults) actions_.get(id)->setVisible(allowed);
        for (const auto& [title, menu] : menus_)
            if (std::string_view(title) == "&Demonstrate") menu->menuAction()->setVisible(allowed);
    };
    connect(topology_, &TopologyPage::faultsAllowedChanged, this, show);
    connect(topology_, &TopologyPage::hint, hint_, &QLabel::setText);
    show();
    for (const auto& [title, menu] : menus_)
        if (std::string_view(title) == "&Demonstrate") explain_faults(menu);
}

/// While the menu is open, faults of processes that cannot be made of what is selected are grey and say why; from the
/// command palette the hint says it.
void MainWindow::explain_faults(QMenu* menu) {
    using Kind = topology::Element::Kind;
    const auto each = [this](auto&& visit) {
        for (const auto& [id, kind] : {std::pair{"kill_instance", Kind::instance},
                                       {"kill_node", Kind::node},
                                       {"pause_instance", Kind::instance}})
            visit(actions_.get(id), topology_->why_not_struck(kind));
    };
    menu->setToolTipsVisible(true);
    connect(menu, &QMenu::aboutToShow, this, [each] {
        each([](QAction* action, const QString& why) {
            action->setEnabled(why.isEmpty());
            action->setToolTip(why);
        });
    });
    connect(menu, &QMenu::aboutToHide, this,
            [each] { each([](QAction* action, const QString&) { action->setEnabled(true); }); });
}

void MainWindow::connect_views() {
    connect(welcome_, &WelcomePage::openRequested, this, [this] { choose_file(); });
    connect(welcome_, &WelcomePage::zooRequested, this, [this] { choose_zoo(); });
    connect(&opener_, &model::DocumentOpener::reading, this,
            [this](const QString& title) { messages_->show_progress(tr("Reading %1...").arg(title)); });
    connect(&opener_, &model::DocumentOpener::done, messages_, &QWidget::hide);
    connect(&opener_, &model::DocumentOpener::failed, messages_, &MessageBar::show_error);
    connect(messages_, &MessageBar::cancelRequested, &opener_, &model::DocumentOpener::cancel);
    connect(messages_, &MessageBar::cancelRequested, &prices_, &model::PriceBoard::cancel_search);
    connect(&document_, &model::GraphDocument::modelChanged, this, &MainWindow::update_actions);
    connect(&document_, &model::GraphDocument::cutsChanged, this, &MainWindow::update_actions);
    connect(&document_.undo_stack(), &QUndoStack::indexChanged, this, &MainWindow::update_actions);
    connect(view_, &graphview::GraphView::hint, hint_, &QLabel::setText);
    connect(view_, &graphview::GraphView::focusedCutChanged, this, &MainWindow::update_actions);
    connect(view_, &graphview::GraphView::focusedCutChanged, &prices_, &model::PriceBoard::set_moving);
    connect(view_, &graphview::GraphView::paintingChanged, this, &MainWindow::update_actions);
    connect(paint_, &graphview::PaintBar::cutsRequested, this, &MainWindow::back_to_cuts);
    connect(paint_, &graphview::PaintBar::segmentMenuRequested, this, &MainWindow::show_segment_menu);
    connect(strip_, &graphview::LandscapeStrip::hint, hint_, &QLabel::setText);
    connect(strip_, &graphview::LandscapeStrip::cutTaken, view_, &graphview::GraphView::show_cut);
    connect(view_, &graphview::GraphView::blockSelected, inspector_, &panels::Inspector::show_block);
    connect(view_, &graphview::GraphView::contextMenuRequested, this, &MainWindow::show_context_menu);
    connect(&prices_, &model::PriceBoard::searching, this,
            [this](int percent) { messages_->show_progress(tr("Looking for the fastest cuts: %1 %").arg(percent)); });
    connect(&prices_, &model::PriceBoard::searchEnded, messages_, &MessageBar::end_progress);
    connect(&prices_, &model::PriceBoard::searchFailed, messages_, &MessageBar::show_error);
    connect(&prices_, &model::PriceBoard::found, this, &MainWindow::take_found);
    const auto show_price = [this] { view_->set_price(strip_->price_text()); };
    connect(&prices_, &model::PriceBoard::pricesChanged, view_, show_price);
    connect(&document_, &model::GraphDocument::cutsChanged, view_, show_price);
    connect(&pool_, &model::PoolWatch::poolChanged, &prices_, &model::PriceBoard::set_pool);
    connect(&draft_, &model::TaskDraft::specChanged, this,
            [this] { document_.set_stage_nodes(draft_.spec().place.stages); });
    connect(saver_, &TaskSaver::saved, this, [this](const QString& path) { hint_->setText(tr("Saved %1").arg(path)); });
    connect(saver_, &TaskSaver::failed, messages_, &MessageBar::show_error);
    connect(guard_, &CloseGuard::hint, hint_, &QLabel::setText);
    connect_recent();
    connect_start();
    connect_panels();
    if (client_) connect_client();
}

void MainWindow::connect_panels() {
    connect(form_, &panels::TaskForm::modelChosen, &opener_, &model::DocumentOpener::show_chosen);
    connect(form_, &panels::TaskForm::saveRequested, this, [this] { saver_->save(false); });
    connect(form_, &panels::TaskForm::runRequested, this, &MainWindow::run_task);
    connect(form_, &panels::TaskForm::validityChanged, this, &MainWindow::update_actions);
    connect(&draft_, &model::TaskDraft::stateChanged, this, &MainWindow::update_actions);
    connect(split_, &panels::SplitPanel::equalRequested, this, [this] { split_equally(); });
    connect(split_, &panels::SplitPanel::optimumRequested, this, &MainWindow::optimize);
    connect(split_, &panels::SplitPanel::cutChosen, this, [this](int which) { view_->show_cut(which); });
    connect(split_, &panels::SplitPanel::segmentChosen, view_, &graphview::GraphView::selectSegment);
    connect(tasks_, &panels::TasksPanel::taskChosen, this,
            [this](const QString& task) { follow_task(TaskId(task.toStdString())); });
    connect(exceptions_, &panels::ExceptionsView::editRequested, this, &MainWindow::edit_failed);
    connect(&document_, &model::GraphDocument::cutsChanged, this, [this] {
        if (!document_.previewing()) update_units();
    });
    connect(&draft_, &model::TaskDraft::specChanged, this, &MainWindow::update_units);
}

void MainWindow::connect_client() {
    connect(client_, &client::Client::statusChanged, this, &MainWindow::update_actions);
    connect(client_, &client::Client::dataChanged, this, [this] {
        actions_.get("stop")->setEnabled(tasks_->can_stop());
        if (followed_ != TaskId()) update_units();
    });
    connect(client_, &client::Client::submitted, this, [this](const QString& task) {
        hint_->setText(tr("Task %1 was submitted").arg(task));
        tasks_->select(TaskId(task.toStdString()));
        follow_task(TaskId(task.toStdString()));
        show_dock(telemetry_);
    });
    connect(client_, &client::Client::resultsSaved, this,
            [this](const QString& file) { hint_->setText(tr("Results were written to %1").arg(file)); });
    connect(client_, &client::Client::refused, messages_, &MessageBar::show_error);
    connect(ends_, &TaskEnds::ended, this, [this](const QString&, const QString& how) {
        hint_->setText(how);
        QApplication::alert(this);  // does nothing while the window is in use
    });
    connect(ends_, &TaskEnds::failed, this, [this](const QString& task, const QString& why) {
        if (client_->status().role == control::Role::viewer) return messages_->show_error(why);
        messages_->show_failure(why, tr("Edit and resubmit\u2026"),
                                [this, task] { edit_again(TaskId(task.toStdString())); });
    });
}

void MainWindow::follow_task(const TaskId& task) {
    followed_ = task;
    ends_->watch(task);
    telemetry_->show_task(task);
    plans_->show_task(task);
    topology_->show_task(task);
    recoveries_->show_task(task);
    recut_.show_task(task);
    update_units();
    update_actions();
}

void MainWindow::show_view(QWidget* view) {
    make_room(view == topology_);
    stack_->setCurrentWidget(view);
    if (view == unit_view_) update_units();
    if (view == topology_) topology_->setFocus();
    update_actions();
}

/// The docks at the sides are about a model: the topology is shown without them.
void MainWindow::make_room(bool for_topology) {
    if (!for_topology) {
        for (QDockWidget* dock : std::exchange(made_room_, {})) dock->show();
    } else if (stack_->currentWidget() != topology_) {
        for (const auto& [name, dock] : docks_)
            if (dock->isVisible() && dockWidgetArea(dock) != Qt::BottomDockWidgetArea) made_room_.push_back(dock);
        for (QDockWidget* dock : made_room_) dock->hide();
    }
}

void MainWindow::update_units() {
    if (client_) {
        const auto& tasks = client_->data().state.tasks;
        const auto found = tasks.find(followed_);
        if (found != tasks.end()) {
            unit_plan_.leave();
            return units_.show_live(found->second.units);
        }
    }
    if (stack_->currentWidget() == unit_view_) unit_plan_.show();  // else compiling a plan for nobody
}

void MainWindow::open_model(model::ModelSource source) {
    saver_->let_go([this, source = std::move(source)] { opener_.open_model(source); });
}

void MainWindow::back_to_cuts() {
    if (!document_.painting()) return;
    const bool all = document_.paint_to_cuts();
    view_->setPainting(false);
    if (!all)
        messages_->show_error(
            tr("Cuts cannot keep segments that lie between each other: these are joined now. "
               "Undo brings them back."));
}

void MainWindow::run_task() {
    document_.settle();
    if (!client_ || !form_->can_run()) return;
    const std::uint64_t failed = draft_.exception();
    if (client_->data().state.exceptions.contains(failed)) client_->resubmit(failed, draft_.text(), draft_.folder());
    else client_->submit(draft_.text(), draft_.folder());
}

void MainWindow::new_task() {
    saver_->let_go([this] {
        opener_.new_task();
        show_dock(form_);
        form_->begin();
    });
}

/// A task of the exception queue, to be run again otherwise.
void MainWindow::edit_failed(std::uint64_t exception, const QString& text, const QString& folder) {
    saver_->let_go([this, exception, text, folder] {
        opener_.open_failed(exception, text, folder, tr("the failed task"));
        show_dock(form_);
        form_->begin();
    });
}

/// A task of the cluster. Where it stands in the exception queue, running it again takes it out of there.
void MainWindow::edit_again(const TaskId& task) {
    const control::ClusterState& cluster = client_->data().state;
    const auto found = cluster.tasks.find(task);
    if (found == cluster.tasks.end()) return;
    const control::ExceptionEntry* entry = control::exception_of(cluster, task);
    edit_failed(entry ? entry->number : 0, QString::fromStdString(found->second.text),
                QString::fromStdString(found->second.folder));
}

void MainWindow::show_dock(QWidget* widget) {
    for (const auto& [name, dock] : docks_) {
        if (dock->widget() != widget) continue;
        dock->show();
        dock->raise();
    }
}

void MainWindow::open_path(const QString& path) {
    if (Recordings::is_recording(path)) return recordings_->open(path);
    if (path.endsWith(QStringLiteral(".toml"), Qt::CaseInsensitive))
        return saver_->let_go([this, path] { opener_.open_task(path); });
    model::ModelSource source;
    source.onnx = QFileInfo(path).absoluteFilePath().toStdString();
    open_model(std::move(source));
}

void MainWindow::choose_file() {
    const QString folder = settings_.value(QStringLiteral("folder")).toString();
    const QString path = QFileDialog::getOpenFileName(this, tr("Open model or task"), folder,
                                                      tr("Models and tasks (*.onnx *.toml);;All files (*)"));
    if (path.isEmpty()) return;
    settings_.setValue(QStringLiteral("folder"), QFileInfo(path).absolutePath());
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

void MainWindow::split_equally() {
    const Result<void> done = document_.split_equally(split_->stages());
    if (!done.ok()) messages_->show_error(QString::fromStdString(done.error().message()));
}

void MainWindow::optimize() {
    if (!document_.model()) return;
    opener_.forget_split();
    if (split_->stages() > 1) prices_.request_fastest(split_->stages());
    else document_.clear_cuts();
}

void MainWindow::take_found(const model::FoundCuts& found) {
    if (found.asked_by_task && document_.split().as_in_task) return document_.take_found({found.cuts});
    const auto& prices = prices_.prices();
    const bool as_many = found.cuts.size() == document_.cuts().size();
    if (as_many && prices && prices->cuts == document_.cuts() && prices->prediction.step_ms <= found.step_ms)
        return hint_->setText(tr("No faster plan of %1 stages was found").arg(found.cuts.size() + 1));
    if (!as_many) {  // begin with as many, so that all are seen to move
        const model::LoadedModel& model = *document_.model();
        const auto start =
            search::equal_flops(model.graph, model.cuts, model.cost, static_cast<std::int32_t>(found.cuts.size()) + 1);
        if (start.ok()) document_.preview(*start);
    }
    animation_.go(found.cuts, tr("Optimize"));
}

void MainWindow::set_language(const QString& language) {
    language_.use(language);
    settings_.setValue(QStringLiteral("language"), language_.current());
}

void MainWindow::set_theme(Theme theme) {
    theme_ = theme;
    apply_theme(*qApp, theme);
    settings_.setValue(QStringLiteral("theme"), name(theme));
    actions_.update_icons(qApp->palette());
    update_actions();
}

void MainWindow::update_actions() {
    const bool model = document_.model() != nullptr;
    const bool legal = document_.legal_count() > 0;
    const bool units = stack_->currentWidget() == unit_view_, mesh = stack_->currentWidget() == topology_;
    if (!units && !mesh) stack_->setCurrentWidget(model ? graph_page_ : welcome_);
    for (const char* id : {"close", "find", "find_next", "find_previous", "fit_width", "open_all", "close_all"})
        actions_.get(id)->setEnabled(model);
    for (const char* id : {"zoom_in", "zoom_out", "fit", "centre"})
        actions_.get(id)->setEnabled(model || units || mesh);
    actions_.get("zoom_reset")->setEnabled(model || mesh);
    actions_.get("model_graph")->setChecked(!units && !mesh);
    actions_.get("topology")->setChecked(mesh);
    actions_.get("paint")->setChecked(view_->painting());
    for (const char* id : {"paint", "new_segment"}) actions_.get(id)->setEnabled(model);
    actions_.get("mend")->setEnabled(!document_.shown_cycle().empty());
    actions_.get("to_cuts")->setEnabled(document_.painting() != nullptr);
    actions_.get("task_graph")->setChecked(units);
    for (const char* id : {"add_cut", "equal", "optimize"}) actions_.get(id)->setEnabled(legal);
    for (const char* id : {"clear_cuts", "next_cut", "previous_cut"})
        actions_.get(id)->setEnabled(!document_.cuts().empty());
    actions_.get("remove_cut")->setEnabled(view_->focused_cut() >= 0);
    const bool connected = client_ && client_->status().reaches();
    for (const char* id : {"save", "save_as"}) actions_.get(id)->setEnabled(form_->valid());
    form_->set_connected(connected);
    actions_.get("run")->setEnabled(form_->can_run());
    if (client_ && client_->status().replayed)
        for (const char* id : {"run", "stop", "record"})
            actions_.get(id)->setToolTip(client::why_not_replayed(client_->status()));
    actions_.get("stop")->setEnabled(tasks_->can_stop());
    actions_.get("undo")->setEnabled(document_.undo_stack().canUndo());
    actions_.get("redo")->setEnabled(document_.undo_stack().canRedo());
    actions_.get("dark")->setChecked(theme_ == Theme::dark);
    actions_.get("english")->setChecked(language_.current() == QStringLiteral("en"));
    actions_.get("chinese")->setChecked(language_.current() == QStringLiteral("zh_CN"));
    update_title();
}

/// "gpt-text.toml* - gpt - Divisi": the task's file or name, a mark where it is not saved, and its model.
void MainWindow::update_title() {
    QStringList parts;
    const QString file = QFileInfo(draft_.path()).fileName();
    if (document_.model() || draft_.modified())
        parts << (file.isEmpty() ? QString::fromStdString(draft_.spec().task.name) : file) + QStringLiteral("[*]");
    if (document_.model()) parts << document_.model()->source.title();
    parts << QStringLiteral("Divisi");
    setWindowTitle(parts.join(QStringLiteral(" \u2013 ")));
    setWindowModified(draft_.modified());
}

void MainWindow::show_palette() {
    std::vector<QAction*> all;
    for (const auto& [spec, action] : actions_.all())
        if (action->isVisible()) all.push_back(action);
    for (const auto& [name, dock] : docks_) all.push_back(dock->toggleViewAction());
    (new CommandPalette(all, this))->show();
}

/// What a segment's brush offers: the node that runs it.
void MainWindow::show_segment_menu(int segment, const QPoint& global) {
    const model::Painting painting = document_.start_painting();
    const auto number = static_cast<std::size_t>(segment);
    if (number >= painting.places.size()) return;
    std::vector<std::string> nodes{""};
    if (client_)
        for (const auto& [id, node] : client_->data().state.nodes) nodes.push_back(id.value());
    const std::string& now = painting.places[number];
    if (std::find(nodes.begin(), nodes.end(), now) == nodes.end()) nodes.push_back(now);
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(QStringLiteral("segmentMenu"));
    menu->addSection(tr("Run segment %1 on").arg(segment + 1));
    for (const std::string& node : nodes) {
        QAction* action = menu->addAction(node.empty() ? tr("Any node") : QString::fromStdString(node));
        action->setCheckable(true);
        action->setChecked(node == now);
        connect(action, &QAction::triggered, this, [this, number, node] {
            model::Painting placed = document_.start_painting();
            if (number >= placed.places.size()) return;
            placed.places[number] = node;
            document_.set_split({{}, std::move(placed)}, tr("Place segment %1").arg(number + 1));
        });
    }
    menu->popup(global);
}

/// What a selected block offers: the segment that it is painted with, and whether it may leave secure nodes.
void MainWindow::add_block_actions(QMenu& menu) {
    QMenu* paint = menu.addMenu(tr("Paint with segment"));
    for (int segment = 0; segment <= view_->segment_count(); ++segment) {
        const bool fresh = segment == view_->segment_count();
        QAction* action = paint->addAction(model::segment_swatch(segment, model::colours_of(palette())),
                                           fresh ? tr("New segment") : tr("Segment %1").arg(segment + 1));
        connect(action, &QAction::triggered, this, [this, segment] { view_->paint_selection(segment); });
    }
    const model::Block& block = document_.model()->tree.blocks[view_->selected_block()];
    const std::string pattern = block.is_operator() ? block.path : block.path + "/*";
    QAction* sensitive = menu.addAction(tr("Sensitive: stays on secure nodes"));
    sensitive->setCheckable(true);
    sensitive->setChecked(draft_.is_sensitive(pattern));
    connect(sensitive, &QAction::toggled, this, [this, pattern](bool on) {
        draft_.set_sensitive(pattern, on);
        const QString name = QString::fromStdString(pattern);
        hint_->setText(on ? tr("%1 runs on secure nodes only").arg(name) : tr("%1 may run on any node").arg(name));
    });
    menu.addSeparator();
}

void MainWindow::show_context_menu(const QPoint& global, int cut, std::int32_t legal) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(QStringLiteral("graphMenu"));
    const bool painted = view_->painting() || document_.painting();
    if (view_->selected_block() >= 0) add_block_actions(*menu);
    if (painted) {
        menu->addAction(actions_.get("to_cuts"));
    } else if (cut >= 0) {
        connect(menu->addAction(tr("Remove this cut")), &QAction::triggered, this,
                [this, cut] { document_.remove_cut(static_cast<std::size_t>(cut)); });
    } else if (legal >= 0) {
        const QString name = QString::fromStdString(document_.model()->graph.nodes[document_.position(legal)].name);
        connect(menu->addAction(tr("Add cut after %1").arg(name)), &QAction::triggered, this,
                [this, legal] { document_.add_cut(legal); });
    }
    menu->addAction(actions_.get("equal"));
    menu->addAction(actions_.get("clear_cuts"));
    menu->addSeparator();
    for (const char* id : {"open_all", "close_all", "fit", "fit_width"}) menu->addAction(actions_.get(id));
    menu->popup(global);
}

/// Tabs of docks that have no room are scrolled: eleven of them as "Ta..." and "Te..." name nothing.
void MainWindow::childEvent(QChildEvent* event) {
    QMainWindow::childEvent(event);
    auto* tabs = event->type() == QEvent::ChildPolished ? qobject_cast<QTabBar*>(event->child()) : nullptr;
    if (tabs == nullptr) return;
    tabs->setElideMode(Qt::ElideNone);
    tabs->setUsesScrollButtons(true);
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (leaving_ || (!draft_.modified() && !guard_->needed())) {
        make_room(false);
        settings_.setValue(QStringLiteral("geometry"), saveGeometry());
        settings_.setValue(QStringLiteral("layout"), saveState(layout_version));
        return event->accept();
    }
    event->ignore();
    leave();
}

/// Closes once neither changes nor running tasks are lost by it.
void MainWindow::leave() {
    guard_->stay();
    saver_->let_go([this] {
        guard_->let_go([this] {
            leaving_ = true;
            close();
        });
    });
}

void MainWindow::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) retranslate();
    QMainWindow::changeEvent(event);
}

void MainWindow::retranslate() {
    actions_.retranslate();
    for (const auto& [title, menu] : menus_) menu->setTitle(Actions::menu_title(title));
    for (const auto& [name, dock] : docks_) dock->setWindowTitle(tr(name));
    for (const auto& [dock, title] : dock_titles_) title->setText(dock->windowTitle());
    recent_->menu().setTitle(tr("Open &recent"));
    toolbar_->setWindowTitle(tr("Toolbar"));
    toolbar_->setAccessibleName(tr("Toolbar"));
    view_->setAccessibleName(tr("Model graph"));
    unit_view_->setAccessibleName(tr("Task graph"));
    minimap_->setAccessibleName(tr("Overview of the graph"));
    stack_->setAccessibleName(tr("Graph"));
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
