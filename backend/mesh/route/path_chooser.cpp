// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/route/path_chooser.h"

namespace divisi::mesh::inline route {
namespace {

template <typename Map, typename Key>
Result<void> note(Map& map, const Key& key, TimePoint until) {
    if (map.size() >= most_avoided && !map.contains(key))
        return Error{ErrorCode::exhausted, "too many devices or links to avoid", "path choice", ""};
    map[key] = until;
    return {};
}

bool usable(const Topology& topology, const Path& path, const Avoid& avoid) {
    return path_cost(topology, path).has_value() && avoids(path, avoid);
}

}  // namespace

Result<void> PathChooser::avoid(RoutingId device, TimePoint until) { return note(devices_, device, until); }

Result<void> PathChooser::avoid(LinkKey link, TimePoint until) {
    return note(links_, link_key(link.first, link.second), until);
}

Avoid PathChooser::avoided(TimePoint now) {
    const auto over = [&](const auto& entry) { return entry.second <= now; };
    std::erase_if(devices_, over);
    std::erase_if(links_, over);
    Avoid avoid;
    for (const auto& [device, until] : devices_) avoid.devices.insert(device);
    for (const auto& [link, until] : links_) avoid.links.insert(link);
    return avoid;
}

bool PathChooser::report(const Topology& topology, TimePoint now) {
    Avoid avoid = avoided(now);
    auto best = two_paths(topology, from_, to_, avoid);
    if (!best) {
        avoid = {};
        best = two_paths(topology, from_, to_);
    }
    const auto before = paths_;
    if (best) paths_ = choose(topology, avoid, std::move(*best));
    else paths_.reset();
    if (!best) better_ = 0;
    return paths_ != before;
}

Paths PathChooser::choose(const Topology& topology, const Avoid& avoid, Paths best) {
    const bool keep = paths_ && usable(topology, paths_->primary, avoid);
    const bool pays = keep && static_cast<double>(*path_cost(topology, best.primary)) <=
                                  worthwhile_share * static_cast<double>(*path_cost(topology, paths_->primary));
    better_ = pays && best.primary != paths_->primary ? better_ + 1 : 0;
    if (!keep || better_ >= reports_to_switch) {
        better_ = 0;
        return best;
    }
    Paths kept = *paths_;
    Path backup = kept.primary == best.primary ? best.backup : backup_of(topology, kept.primary, avoid);
    const bool keep_backup = !kept.backup.empty() && usable(topology, kept.backup, avoid) &&
                             shared_parts(kept.primary, kept.backup) <= shared_parts(kept.primary, backup);
    if (!keep_backup) kept.backup = std::move(backup);
    return kept;
}

}  // namespace divisi::mesh::inline route
