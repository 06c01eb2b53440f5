// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <filesystem>
#include <string>

#include "app/client/client.h"
#include "app/model/documents/task_draft.h"
#include "app/model/estimates/planning.h"
#include "backend/price/node_pool.h"

namespace divisi::model {

/// Provides the nodes on which the open task would run: the cluster's nodes or, without a cluster, this machine.
/// Reports a change if nodes or links appear or disappear, if the task requests other nodes, or if any program stores
/// measured prices.
class PoolWatch : public QObject {
    Q_OBJECT
public:
    /// `client` may be null. `data` is the folder of measured prices.
    PoolWatch(TaskDraft& draft, client::Client* client, PlanningService& planning, std::filesystem::path data,
              QObject* parent = nullptr);

    /// Returns whether a pool is still being read.
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
    std::string seen_prices_, stored_prices_;  ///< stored prices at the last check, and after they had settled
    std::string known_nodes_{"?"};             ///< signature of the nodes of the last pool
    task::PlaceSection known_place_;
    PlanningLine line_;
};

}  // namespace divisi::model
