// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/quality_reports.h"

#include <algorithm>

namespace divisi::mesh::inline forwarding {

bool QualityReports::try_begin_period() {
    if (context_.now - measured_ < quality_period) return false;
    measured_ = context_.now;
    ++period_;
    return true;
}

std::vector<FlowKey> QualityReports::flows_by(RoutingId neighbour) const {
    std::vector<FlowKey> found;
    for (const auto& [key, flow] : flows_)
        if (flow.is_owed_by(neighbour) || flow.exit.device == neighbour) found.push_back(key);
    return found;
}

void QualityReports::report(AbnormalKind kind, RoutingId neighbour, TimePoint since,
                            const std::vector<FlowKey>& flows) {
    relay::Abnormal abnormal{kind, neighbour, since, {}};
    for (const FlowKey& key : flows)
        if (const RelayFlow* flow = flows_.find(key)) abnormal.flows.push_back({flow->sids, flow->path});
    context_.actions.abnormal.push_back(std::move(abnormal));
}

/// Returns the flows whose chunks have not fitted into their promise for a while, with the start of this condition.
/// Blobs are excluded, because they are expected to wait. The two paths of a flow are reported as one.
std::map<QualityReports::FullBuffer, TimePoint> QualityReports::full_buffers() {
    std::map<FullBuffer, TimePoint> full;
    for (auto& [key, flow] : flows_) {
        if (key.flow_class == FlowClass::blob) continue;
        for (auto& [id, upstream] : flow.upstream) {
            const Promise& promise = upstream.promise;
            if (promise.window() - promise.held() >= frame::max_chunk_bytes) upstream.full.reset();
            else if (!upstream.full) upstream.full = context_.now;
            if (!upstream.full) continue;
            FlowKey both = key;
            both.path_index = 0;
            // A reported state stays reported while the buffer is full, even if a new policy sets a longer time limit.
            const bool told = full_.contains({both, id});
            if (!told && context_.now - *upstream.full < full_for_) continue;
            TimePoint& since = full.try_emplace({both, id}, *upstream.full).first->second;
            since = std::min(since, *upstream.full);
        }
    }
    return full;
}

void QualityReports::report_full_buffers() {
    std::map<FullBuffer, TimePoint> full = full_buffers();
    const auto say = [&](AbnormalKind kind, const FullBuffer& one, TimePoint since) {
        const FlowKey& flow = one.first;
        const FlowKey key = flows_.contains(flow) ? flow : with_other_path(flow);
        if (flows_.contains(key)) report(kind, one.second, since, {key});
    };
    for (const auto& [one, since] : full_)
        if (!full.contains(one)) say(AbnormalKind::buffer_free, one, context_.now);
    for (const auto& [one, since] : full)
        if (!full_.contains(one)) say(AbnormalKind::buffer_full, one, since);
    full_ = std::move(full);
}

}  // namespace divisi::mesh::inline forwarding
