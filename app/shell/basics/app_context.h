// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QSettings>
#include <QTimer>
#include <memory>

#include "app/client/past_client.h"
#include "app/model/comparison/live_recut.h"
#include "app/model/comparison/unit_plan.h"
#include "app/model/documents/graph_document.h"
#include "app/model/documents/task_draft.h"
#include "app/model/estimates/document_opener.h"
#include "app/model/estimates/planning.h"
#include "app/model/estimates/pool_watch.h"
#include "app/model/estimates/price_board.h"
#include "app/model/estimates/task_check.h"
#include "app/model/tracking/link_wires.h"
#include "app/model/tracking/selection.h"
#include "app/model/tracking/time_cursor.h"
#include "app/model/tracking/unit_graph.h"
#include "app/shell/basics/actions.h"

class QMenu;

namespace divisi::shell {

/// Contains the objects, but not the widgets, of one window: the task and its model, its nodes and price, the cluster,
/// the followed task, the selection and the time cursor. Views are built on the context and communicate only through
/// its signals, so that no view depends on another view.
class AppContext : public QObject {
    Q_OBJECT
public:
    /// `client` may be null. `client` and `settings` must outlive the context.
    AppContext(QSettings& settings, client::Client* client);

    // Members are in order of dependency.
    QSettings& settings;
    client::Client* const client;
    const std::unique_ptr<client::PastClient> past;  ///< client for the past; null without a running cluster
    /// The client as seen by views that follow the time cursor. For a recording, this is `client`, which can show past
    /// times.
    client::Client* const shown;
    model::PlanningService planning;
    model::GraphDocument document;
    model::TaskDraft draft;
    model::TaskCheck check;
    model::PriceBoard prices;
    model::PoolWatch pool;
    model::LiveRecut recut;
    model::DocumentOpener opener;
    model::UnitGraph units;
    model::UnitPlan unit_plan;
    model::Selection selection;
    model::LinkWires wires;
    model::TimeCursor cursor;
    Actions actions;

    /// Returns the task whose units and figures are shown; empty: the task being edited is shown.
    const TaskId& followed() const { return followed_; }
    void follow(const TaskId& task);
    bool connected() const { return client && client->status().reaches(); }
    /// Disconnects the views, which are about to be destroyed.
    void disconnect_views();

Q_SIGNALS:
    void taskFollowed(const divisi::TaskId& task);
    /// Shows a sentence in the status bar.
    void hint(const QString& text);
    /// A view is about to open a menu about the selection. Receivers add entries for other views of the selection.
    void menuOpens(QMenu* menu);
    /// The user wants to edit and resubmit a task of the exception queue.
    void editRequested(std::uint64_t exception, const QString& text, const QString& folder);

private:
    void show_moment();

    TaskId followed_;
    QTimer tick_;  ///< moves the time cursor
};

}  // namespace divisi::shell
