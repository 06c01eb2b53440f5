// SPDX-License-Identifier: Apache-2.0
// Assigns micro-batches to data instances at a gateway: sets the data instances and the rule, and reports the counts
// for each data instance.
#include "agents/router/device.h"
#include "backend/frame/end.h"
#include "backend/mesh/base/service_path.h"

namespace divisi::router {

void Device::set_servers() {
    mesh::DealServers servers;
    for (const control::TablePlace& place : table_.places) {
        if (!place.dealt) continue;
        const std::string& sid = place.sid.value();
        servers[frame::flow_id(mesh::parent(sid))].push_back(
            {frame::flow_id(sid), sid, place.flops_per_s, place.health});
    }
    port_.set_servers(std::move(servers));
}

/// Sets the balancing rule; without a policy, data instances take turns.
void Device::set_balancing() {
    if (!dealer_) return;
    mesh::Balancing rule = mesh::Balancing::round_robin;
    for (const control::PolicyEntry& entry : policy_.entries)
        if (entry.key == control::PolicyKey::balancing) rule = static_cast<mesh::Balancing>(entry.value);
    dealer_->set_rule(rule);
}

std::vector<control::DealtReport> Device::dealt() const {
    std::vector<control::DealtReport> rows;
    if (!dealer_) return rows;
    for (const mesh::Dealer::ServerView& one : dealer_->servers())
        if (one.microbatches > 0 && rows.size() < control::most_reported_dealt)
            rows.push_back({Sid(one.name), one.microbatches, one.dealt_again, one.outstanding});
    return rows;
}

}  // namespace divisi::router
