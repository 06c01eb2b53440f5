// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/basics/app_context.h"

#include <chrono>

#include "app/client/embedded_host.h"
#include "app/client/replay_client.h"
#include "app/model/wording/states.h"

namespace divisi::shell {

namespace {

constexpr int cursor_tick_ms = 100;  ///< smooth enough for a cursor line that moves across a chart

TimePoint system_time() { return TimePoint(std::chrono::system_clock::now().time_since_epoch()); }

std::unique_ptr<client::PastClient> past_of(client::Client* cluster) {
    if (!cluster || qobject_cast<client::ReplayClient*>(cluster)) return nullptr;
    return std::make_unique<client::PastClient>(*cluster, model::date_text);
}

}  // namespace

AppContext::AppContext(QSettings& kept, client::Client* cluster)
    : settings(kept),
      client(cluster),
      past(past_of(cluster)),
      shown(past ? past.get() : cluster),
      draft(document),
      check(draft, document, planning),
      prices(document, draft, planning),
      pool(draft, cluster, planning, client::default_data_folder()),
      recut(document, draft, prices, cluster),
      opener(document, draft, prices, planning),
      unit_plan(draft, document, units, planning),
      wires(selection, shown),
      cursor([cluster] { return cluster ? cluster->now() : system_time(); }),
      actions(nullptr) {
    connect(&pool, &model::PoolWatch::poolChanged, &prices, &model::PriceBoard::set_pool);
    connect(&draft, &model::TaskDraft::specChanged, &document,
            [this] { document.set_stage_nodes(draft.spec().place.stages); });
    connect(&tick_, &QTimer::timeout, &cursor, &model::TimeCursor::tick);
    tick_.start(cursor_tick_ms);
    if (!past) return;
    connect(past.get(), &client::Client::refused, client, &client::Client::refused);
    connect(&cursor, &model::TimeCursor::moved, this, &AppContext::show_moment);
    connect(&cursor, &model::TimeCursor::modeChanged, this, &AppContext::show_moment);
}

void AppContext::show_moment() { past->show(cursor.live() ? std::nullopt : std::optional(cursor.at())); }

void AppContext::follow(const TaskId& task) {
    followed_ = task;
    recut.show_task(task);
    Q_EMIT taskFollowed(task);
}

void AppContext::disconnect_views() {
    document.disconnect();
    document.undo_stack().disconnect();
    draft.disconnect();
    check.disconnect();
    units.disconnect();
    selection.disconnect();
    wires.disconnect();
    cursor.disconnect();
    if (past) past->disconnect();
    disconnect();
}

}  // namespace divisi::shell

#include "moc_app_context.cpp"
