// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/estimates/pool_watch.h"

#include "backend/submit/placement.h"

namespace divisi::model {

namespace {

/// Interval of checks for prices measured by another program. A check needs only two system calls.
constexpr std::chrono::milliseconds price_watch_interval{1000};

}  // namespace

PoolWatch::PoolWatch(TaskDraft& draft, client::Client* client, PlanningService& planning, std::filesystem::path data,
                     QObject* parent)
    : QObject(parent), draft_(draft), client_(client), data_(std::move(data)), line_(planning) {
    stored_prices_ = seen_prices_ = submit::prices_signature(data_);
    connect(&price_watch_, &QTimer::timeout, this, &PoolWatch::watch_prices);
    price_watch_.start(price_watch_interval);
    connect(&draft_, &TaskDraft::specChanged, this, &PoolWatch::update);
    if (client_) connect(client_, &client::Client::dataChanged, this, &PoolWatch::update);
    update();
}

/// Checks whether the stored prices have changed. A measuring program stores prices one by one, so reports the change
/// only when no more prices arrive.
void PoolWatch::watch_prices() {
    std::string stored = submit::prices_signature(data_);
    const bool settled = stored == seen_prices_;
    seen_prices_ = std::move(stored);
    if (!settled || stored_prices_ == seen_prices_) return;
    stored_prices_ = seen_prices_;
    update();
}

void PoolWatch::update() {
    const control::ClusterState none;
    const control::ClusterState& state = client_ ? client_->data().state : none;
    const task::PlaceSection& place = draft_.spec().place;
    const std::string signature = submit::nodes_signature(state) + stored_prices_;
    if (signature == known_nodes_ && place == known_place_) return;
    known_nodes_ = signature;
    known_place_ = place;
    line_.ask([nodes = submit::nodes_and_links(state), place,
               data = data_](const JobContext&) { return submit::placement_of(nodes, place, data); },
              [this](const price::NodePool& pool) { Q_EMIT poolChanged(pool); });
}

}  // namespace divisi::model

#include "moc_pool_watch.cpp"
