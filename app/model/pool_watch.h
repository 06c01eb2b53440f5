// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <filesystem>
#include <string>

#include "app/client/client.h"
#include "app/model/planning.h"
#include "app/model/task_draft.h"
#include "backend/price/node_pool.h"

namespace divisi::model {

/// Where the task on screen would run: on the cluster's nodes or, without any, on this machine. Tells anew when nodes
/// or links come and go, when the task wants other ones, and when any program stores what it measured.
class PoolWatch : public QObject {
    Q_OBJECT
public:
    /// `client` may be null; `data` is the folder where measured prices are stored.
    PoolWatch(TaskDraft& draft, client::Client* client, PlanningService& planning, std::filesystem::path data,
              QObject* parent = nullptr);

    /// Whether a pool is still being read.
    bool busy() const { return line_.busy(); }

Q_SIGNALS:
    void poolChanged(const divisi::price::NodePool& pool);

private:
    void watch_prices();
    void update();

    TaskDraft& draft_;
    client::Client* client_;
    std::filesystem::path data_;
    QTimer price_watch_;
    std::string seen_prices_, stored_prices_;  ///< what was stored when last looked, and once it had settled
    std::string known_nodes_{"?"};             ///< what the last pool counts on
    task::PlaceSection known_place_;
    PlanningLine line_;
};

}  // namespace divisi::model
