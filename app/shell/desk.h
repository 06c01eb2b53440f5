// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QSettings>
#include <QTimer>
#include <memory>

#include "app/client/past_client.h"
#include "app/model/document_opener.h"
#include "app/model/graph_document.h"
#include "app/model/link_wires.h"
#include "app/model/live_recut.h"
#include "app/model/planning.h"
#include "app/model/pool_watch.h"
#include "app/model/price_board.h"
#include "app/model/selection.h"
#include "app/model/task_check.h"
#include "app/model/task_draft.h"
#include "app/model/time_cursor.h"
#include "app/model/unit_graph.h"
#include "app/model/unit_plan.h"
#include "app/shell/actions.h"

class QMenu;

namespace divisi::shell {

/// What one window is about, without any widget: the task on screen and its model, where it would run and at what
/// price, the cluster, the task that is followed, the one selection and the one time cursor. Views are made of it and
/// talk to each other through its signals only, so that none knows another.
class Desk : public QObject {
    Q_OBJECT
public:
    /// `client` may be null; it and the settings outlive the desk.
    Desk(QSettings& settings, client::Client* client);

    // In the order in which they need each other.
    QSettings& settings;
    client::Client* const client;
    const std::unique_ptr<client::PastClient> past;  ///< null without a running cluster
    /// The client as views have it that go back with the time cursor; a recording goes back as a whole.
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

    /// Whose units and figures show; empty: the draft's.
    const TaskId& followed() const { return followed_; }
    void follow(const TaskId& task);
    bool connected() const { return client && client->status().reaches(); }
    /// Sends nothing any more: its views are about to go.
    void fall_silent();

Q_SIGNALS:
    void taskFollowed(const divisi::TaskId& task);
    /// A sentence for the status bar.
    void hint(const QString& text);
    /// A view is about to open a menu over what is selected: whoever knows where else it shows adds that.
    void menuOpens(QMenu* menu);
    /// A task of the exception queue is to be run again otherwise.
    void editRequested(std::uint64_t exception, const QString& text, const QString& folder);

private:
    void show_moment();

    TaskId followed_;
    QTimer tick_;  ///< moves the time cursor
};

}  // namespace divisi::shell
