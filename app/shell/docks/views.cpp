// SPDX-License-Identifier: GPL-3.0-or-later
// The list of all views. To add a view, add a row here. A view takes its input from the context and reports through the
// context.
#include "app/shell/docks/views.h"

#include <QCoreApplication>

#include "app/charts/telemetry_view.h"
#include "app/graphview/task_graph/unit_view.h"
#include "app/panels/cutting/inspector.h"
#include "app/panels/cutting/plans_panel.h"
#include "app/panels/cutting/split_panel.h"
#include "app/panels/faults/alerts_view.h"
#include "app/panels/faults/exceptions_view.h"
#include "app/panels/faults/logs_panel.h"
#include "app/panels/faults/recoveries_view.h"
#include "app/panels/forms/task_form.h"
#include "app/panels/ledger/ledger_view.h"
#include "app/panels/policy/modules_view.h"
#include "app/panels/policy/policies_view.h"
#include "app/panels/training/stores_view.h"
#include "app/panels/training/tasks_panel.h"
#include "app/panels/training/versions_view.h"
#include "app/shell/cutting/graph_page.h"
#include "app/shell/cutting/graph_selection.h"
#include "app/shell/docks/row_marks.h"
#include "app/shell/docks/unit_feed.h"
#include "app/timeline/timeline_view.h"
#include "app/topology/services_view.h"
#include "app/topology/signaling_view.h"
#include "app/topology/topology_page.h"
#include "app/topology/topology_view.h"

namespace divisi::shell {
namespace {

/// Creates a view that needs only the cluster.
template <typename View>
QWidget* of_cluster(AppContext& context, QWidget* parent) {
    return new View(context.client, parent);
}

/// Creates a view of the followed task.
template <typename View>
View* of_task(AppContext& context, QWidget* parent) {
    auto* view = new View(context.client, parent);
    QObject::connect(&context, &AppContext::taskFollowed, view, &View::show_task);
    return view;
}

/// Adds marks to the named table or tree of a view that returns the subjects of its rows.
template <typename View>
View* marked(AppContext& context, View* view, const char* rows,
             RowMarks::ScrollPolicy scroll_policy = RowMarks::ScrollPolicy::reveal) {
    auto* table = view->template findChild<QAbstractItemView*>(QString::fromLatin1(rows));
    const auto about = [view](const QModelIndex& row) { return view->about(row); };
    new RowMarks(*table, context, about, scroll_policy);  // the table owns it
    return view;
}

/// Adds marks to a table whose rows are stages or segments and contain their numbers.
void mark_stages(AppContext& context, QWidget& view, const char* rows,
                 std::vector<model::Selected> (*about)(const AppContext& context, std::int32_t number)) {
    auto* table = view.findChild<QAbstractItemView*>(QString::fromLatin1(rows));
    new RowMarks(*table, context, [&context, about](const QModelIndex& row) {
        return about(context, row.siblingAtColumn(0).data(Qt::UserRole).toInt());
    });
}

QWidget* make_graph(AppContext& context, QWidget* parent) {
    auto* page = new GraphPage(context, parent);
    new GraphSelection(context, *page);  // the page owns it
    return page;
}

QWidget* make_unit_view(AppContext& context, QWidget* parent) {
    auto* view = new graphview::UnitView(context.units, parent);
    view->use(context.selection);
    view->use_wires(context.wires);
    new UnitFeed(context, *view);
    return view;
}

QWidget* make_topology(AppContext& context, QWidget* parent) {
    auto* view = new topology::TopologyPage(context.settings, context.shown, parent);
    view->use(context.selection);
    QObject::connect(&context, &AppContext::taskFollowed, view, &topology::TopologyPage::show_task);
    QObject::connect(view, &topology::TopologyPage::hint, &context, &AppContext::hint);
    return view;
}

QWidget* make_nodes(AppContext& context, QWidget* parent) {
    return marked(context, new topology::TopologyView(context.shown, parent), "topologyTree");
}

QWidget* make_services(AppContext& context, QWidget* parent) {
    return marked(context, new topology::ServicesView(context.client, parent), "serviceTable");
}

QWidget* make_recoveries(AppContext& context, QWidget* parent) {
    return marked(context, of_task<panels::RecoveriesView>(context, parent), "incidentTable");
}

QWidget* make_alerts(AppContext& context, QWidget* parent) {
    return marked(context, new panels::AlertsView(context.client, parent), "alertTable");
}

QWidget* make_split(AppContext& context, QWidget* parent) {
    auto* view = new panels::SplitPanel(context.document, context.prices, parent);
    mark_stages(context, *view, "segmentTable", about_segment);
    return view;
}

void offer_drain(QWidget& view, QMenu& menu) { static_cast<topology::TopologyView&>(view).offer(menu); }

QWidget* make_signaling(AppContext& context, QWidget* parent) {
    auto* view = new topology::SignalingView(context.client, parent);
    view->use(context.selection);
    return view;
}

QWidget* make_plans(AppContext& context, QWidget* parent) {
    auto* view = new panels::PlansPanel(context.document, context.prices, context.client, context.planning, parent);
    QObject::connect(&context, &AppContext::taskFollowed, view, &panels::PlansPanel::show_task);
    mark_stages(context, *view, "runTable", about_stage);
    return view;
}

QWidget* make_telemetry(AppContext& context, QWidget* parent) {
    auto* view = of_task<charts::TelemetryView>(context, parent);
    view->chart_cursor().follow(context.cursor);
    view->mark().follow(context.selection);
    const QString order = QStringLiteral("telemetry_order");
    view->grid().set_order(context.settings.value(order).toStringList());
    QObject::connect(&view->grid(), &charts::ChartGrid::orderChanged, &context,
                     [&context, view, order] { context.settings.setValue(order, view->grid().order()); });
    QObject::connect(context.actions.get("reset_layout"), &QAction::triggered, view, [&context, view, order] {
        if (!view->isVisible()) return;  // the layout hides and shows views while it restores another workspace
        context.settings.remove(order);
        view->grid().set_order({});
    });
    return view;
}

QWidget* make_logs(AppContext& context, QWidget* parent) {
    auto* view = new panels::LogsPanel(context.client, parent);
    view->use_cursor(context.cursor);
    return marked(context, view, "logTable",
                  RowMarks::ScrollPolicy::keep);  // the log scrolls by itself: to its end, or to the displayed time
}

QWidget* make_timeline(AppContext& context, QWidget* parent) {
    auto* view = new timeline::TimelineView(context.document, context.draft, context.client, context.planning, parent);
    view->use_selection(context.selection);
    view->use_wires(context.wires);
    view->use_cursor(context.cursor);
    QObject::connect(&context, &AppContext::taskFollowed, view, &timeline::TimelineView::show_task);
    QObject::connect(view, &timeline::TimelineView::menuOpens, &context, &AppContext::menuOpens);
    return view;
}

QWidget* make_form(AppContext& context, QWidget* parent) {
    auto* form = new panels::TaskForm(context.draft, context.document, context.check, parent);
    const QString all = QStringLiteral("all_fields");
    form->set_all(context.settings.value(all, false).toBool());
    QObject::connect(form, &panels::TaskForm::allChanged, &context,
                     [&context, all](bool shown) { context.settings.setValue(all, shown); });
    return form;
}

QWidget* make_tasks(AppContext& context, QWidget* parent) {
    auto* view = new panels::TasksPanel(context.client, parent);
    QObject::connect(view, &panels::TasksPanel::taskChosen, &context, [&context](const QString& name) {
        const TaskId task(name.toStdString());
        context.follow(task);
        if (task != TaskId()) context.selection.select(model::Selected::of_task(task));
    });
    QObject::connect(&context.selection, &model::Selection::changed, view, [view](const model::Selected& now) {
        if (now.kind == model::Selected::Kind::task && now.task != view->current()) view->select(now.task);
    });
    return view;
}

QWidget* make_exceptions(AppContext& context, QWidget* parent) {
    auto* view = new panels::ExceptionsView(context.client, parent);  // NOLINT(bugprone-throw-keyword-missing): a view
    QObject::connect(view, &panels::ExceptionsView::editRequested, &context, &AppContext::editRequested);
    return marked(context, view, "exceptionTable");
}

QWidget* make_versions(AppContext& context, QWidget* parent) {
    auto* view = new panels::VersionsView(context.client, parent);
    QObject::connect(
        view, &panels::VersionsView::startRequested, &context,
        [&context](const QString& text, const QString& folder) { context.editRequested(0, text, folder); });
    return view;
}

bool without_model(const AppContext& context) { return context.document.model() == nullptr; }

/// Returns whether the view of plans is empty. If a task is followed, the view is not empty, because it compares the
/// run with its plan, even if another model or no model is open.
bool without_plan(const AppContext& context) { return without_model(context) && context.followed() == TaskId(); }

/// Returns the views of the workspaces Split and Train.
std::vector<ViewSpec> views_of_models_and_runs() {
    using enum Workspace;
    using enum Area;
    using Kind = model::Selected::Kind;
    return {
        {QT_TRANSLATE_NOOP("Views", "Model graph"),
         "graph",
         {{split, centre}},
         make_graph,
         {Kind::model_block, Kind::unit, Kind::instance}},
        {QT_TRANSLATE_NOOP("Views", "Task graph"),
         "units",
         {{train, centre}},
         make_unit_view,
         {Kind::unit, Kind::instance, Kind::link}},
        {QT_TRANSLATE_NOOP("Views", "Topology"),
         "topology",
         {{mesh, centre}},
         make_topology,
         {Kind::unit, Kind::instance, Kind::node, Kind::mic, Kind::device, Kind::link}},
        {QT_TRANSLATE_NOOP("Views", "New task"), "new_task", {{split, left, 376}}, make_form},
        {QT_TRANSLATE_NOOP("Views", "Split"),
         "split",
         {{split, right, 430}},
         make_split,
         {Kind::model_block, Kind::unit, Kind::instance},
         without_model},
        {QT_TRANSLATE_NOOP("Views", "Inspector"),
         "inspector",
         {{split, right}},
         [](AppContext& context, QWidget* parent) { return new panels::Inspector(context.document, parent); },
         {Kind::model_block},
         without_model},
        {QT_TRANSLATE_NOOP("Views", "Tasks"), "tasks", {{train, top, 170}}, make_tasks, {Kind::task}},
        {QT_TRANSLATE_NOOP("Views", "Telemetry"),
         "telemetry",
         {{train, bottom, 280}},
         make_telemetry,
         {Kind::unit, Kind::instance, Kind::link, Kind::step}},
        {QT_TRANSLATE_NOOP("Views", "Timeline"),
         "timeline",
         {{train, bottom}},
         make_timeline,
         {Kind::unit, Kind::instance, Kind::link, Kind::step}},
        {QT_TRANSLATE_NOOP("Views", "Plans"),
         "plans",
         {{split, bottom, 200}, {train, bottom}},
         make_plans,
         {Kind::unit, Kind::instance},
         without_plan},
    };
}

/// Returns the views of the workspaces Mesh, Faults and Models.
std::vector<ViewSpec> views_of_clusters() {
    using enum Workspace;
    using enum Area;
    using Kind = model::Selected::Kind;
    return {
        {QT_TRANSLATE_NOOP("Views", "Signaling"), "signaling", {{mesh, bottom, 240}}, make_signaling, {Kind::link}},
        {QT_TRANSLATE_NOOP("Views", "Services"),
         "services",
         {{mesh, bottom}},
         make_services,
         {Kind::unit, Kind::instance, Kind::node, Kind::device}},
        {QT_TRANSLATE_NOOP("Views", "Nodes"),
         "nodes",
         {{mesh, bottom}},
         make_nodes,
         {Kind::unit, Kind::instance, Kind::node, Kind::mic},
         nullptr,
         offer_drain},
        {QT_TRANSLATE_NOOP("Views", "Policies"), "policies", {{mesh, bottom}}, of_cluster<panels::PoliciesView>},
        {QT_TRANSLATE_NOOP("Views", "Modules"), "modules", {{mesh, bottom}}, of_cluster<panels::ModulesView>},
        {QT_TRANSLATE_NOOP("Views", "Recoveries"),
         "recoveries",
         {{faults, top, 320}},
         make_recoveries,
         {Kind::task, Kind::unit, Kind::instance, Kind::node}},
        {QT_TRANSLATE_NOOP("Views", "Exceptions"),
         "exceptions",
         {{faults, bottom, 400}},
         make_exceptions,
         {Kind::task, Kind::unit, Kind::instance, Kind::node}},
        {QT_TRANSLATE_NOOP("Views", "Alerts"), "alerts", {{faults, bottom}}, make_alerts, {Kind::task, Kind::node}},
        {QT_TRANSLATE_NOOP("Views", "Logs"),
         "logs",
         {{faults, bottom}},
         make_logs,
         {Kind::task, Kind::unit, Kind::instance, Kind::node, Kind::device}},
        {QT_TRANSLATE_NOOP("Views", "State stores"), "stores", {{faults, bottom}}, of_cluster<panels::StoresView>},
        {QT_TRANSLATE_NOOP("Views", "Model versions"), "versions", {{models, top, 360}}, make_versions},
        {QT_TRANSLATE_NOOP("Views", "Leases"), "leases", {{models, bottom}}, of_cluster<panels::LedgerView>},
    };
}

std::vector<ViewSpec> list_views() {
    std::vector<ViewSpec> all = views_of_models_and_runs();
    const std::vector<ViewSpec> others = views_of_clusters();
    all.insert(all.end(), others.begin(), others.end());
    return all;
}

}  // namespace

const std::vector<ViewSpec>& views() {
    static const std::vector<ViewSpec> specs = list_views();
    return specs;
}

QString view_title(const ViewSpec& spec) { return QCoreApplication::translate("Views", spec.name); }

}  // namespace divisi::shell
