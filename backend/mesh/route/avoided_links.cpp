// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/route/avoided_links.h"

#include <algorithm>

namespace divisi::mesh::inline route {

void AvoidedLinks::refused(LinkKey link, TimePoint now) {
    Refusal& last = links_.try_emplace(link, Refusal{Duration(), now, false}).first->second;
    if (last.avoided) return;
    last.length = last.length > Duration() ? std::min(2 * last.length, longest_avoidance) : first_avoidance;
    last.until = now + last.length;
    last.avoided = true;
}

void AvoidedLinks::passed(const Path& path) {
    for (std::size_t i = 1; i < path.size() && !links_.empty(); ++i) {
        const auto link = links_.find(link_key(path[i - 1], path[i]));
        if (link != links_.end() && !link->second.avoided) links_.erase(link);
    }
}

bool AvoidedLinks::tick(TimePoint now) {
    bool ended = false;
    for (auto& [link, last] : links_)
        if (last.avoided && now >= last.until) {
            last.avoided = false;
            ended = true;
        }
    std::erase_if(links_, [&](const auto& entry) {
        return !entry.second.avoided && now - entry.second.until >= longest_avoidance;
    });
    return ended;
}

void AvoidedLinks::keep_only(const Topology& topology) {
    std::erase_if(links_, [&](const auto& entry) { return !topology.link(entry.first.first, entry.first.second); });
}

void AvoidedLinks::add_to(Avoid& avoid) const {
    for (const auto& [link, last] : links_)
        if (last.avoided) avoid.links.insert(link);
}

bool AvoidedLinks::doubts(const Path& path, TimePoint now) const {
    for (std::size_t i = 1; i < path.size() && !links_.empty(); ++i) {
        const auto link = links_.find(link_key(path[i - 1], path[i]));
        if (link == links_.end()) continue;
        if (link->second.avoided || now - link->second.until < longest_trial) return true;
    }
    return false;
}

}  // namespace divisi::mesh::inline route
