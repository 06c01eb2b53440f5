// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/flow_table.h"

#include <utility>

namespace divisi::mesh::inline forwarding {

RelayFlow* FlowTable::find(const FlowKey& key) {
    const auto flow = flows_.find(key);
    return flow == flows_.end() ? nullptr : &flow->second;
}

const RelayFlow* FlowTable::find(const FlowKey& key) const {
    const auto flow = flows_.find(key);
    return flow == flows_.end() ? nullptr : &flow->second;
}

RelayFlow* FlowTable::find(const FlowName& name) {
    const auto key = names_.find(name);
    return key == names_.end() ? nullptr : find(key->second);
}

bool FlowTable::has_either_path(const FlowKey& key) const {
    return flows_.contains(key) || flows_.contains(with_other_path(key));
}

RelayFlow& FlowTable::add(const FlowKey& key, const FlowName& name, FlowSids sids) {
    RelayFlow& flow = flows_[key];
    flow.key = key;
    flow.name = name;
    flow.sids = std::move(sids);
    names_[name] = key;
    return flow;
}

void FlowTable::erase(const FlowKey& key) {
    const auto flow = flows_.find(key);
    if (flow == flows_.end()) return;
    names_.erase(flow->second.name);
    flows_.erase(flow);
}

FlowName FlowTable::unused_name(RoutingId source, RoutingId destination) {
    FlowName name{source, destination, 0};
    do name.number = ++last_number_;
    while (name.number == 0 || names_.contains(name));
    return name;
}

}  // namespace divisi::mesh::inline forwarding
