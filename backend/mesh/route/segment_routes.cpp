// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/route/segment_routes.h"

#include <algorithm>

namespace divisi::mesh::inline route {

RouteChanges changes(const std::vector<SegmentRoute>& installed, const std::vector<SegmentRoute>& wanted) {
    RouteChanges result;
    auto has = installed.begin();
    for (const SegmentRoute& route : wanted) {
        for (; has != installed.end() && has->destination < route.destination; ++has)
            result.remove.push_back(has->destination);
        if (has == installed.end() || has->destination != route.destination) result.add.push_back(route);
        else if (*has++ != route) result.replace.push_back(route);
    }
    for (; has != installed.end(); ++has) result.remove.push_back(has->destination);
    return result;
}

const Steering& SegmentRoutes::step(steering::Event event, TimePoint now) {
    now_ = now;
    visit([this](auto& one) { on(one); }, event);
    choose();
    want();
    return wanted_;
}

Path SegmentRoutes::path_to(RoutingId gateway) const {
    const auto target = targets_.find(gateway);
    return target == targets_.end() ? Path() : target->second.path;
}

void SegmentRoutes::on(steering::Table& event) {
    if (event.self != self_) targets_.clear();
    self_ = event.self;
    topology_ = std::move(event.topology);
    addresses_ = std::move(event.addresses);
    linked_.clear();
    std::map<RoutingId, Target> kept = std::exchange(targets_, {});
    const Device* here = topology_.device(self_);
    if (here == nullptr) return;
    for (const RoutingId id : topology_.neighbours(self_)) {
        if (!addresses_.contains(id)) continue;
        linked_.push_back(addresses_.at(id));
        if (here->role != DeviceRole::gateway || topology_.device(id)->role != DeviceRole::gateway) continue;
        const auto before = kept.find(id);
        const Ipv6& address = addresses_.at(id);
        // A neighbour must not claim the address of this gateway itself, or of the orchestrator.
        if (address == event.orchestrator || (addresses_.contains(self_) && address == addresses_.at(self_))) continue;
        targets_.emplace(id, before != kept.end() ? std::move(before->second) : Target{PathChooser(self_, id), {}});
        // Excludes the direct link, because the path must go through routers. The link is in the table, so this call
        // cannot fail.
        (void)topology_.set_up(link_key(self_, id), false);
    }
    for (const Device& device : std::vector<Device>(topology_.devices()))
        if (device.role == DeviceRole::router && !addresses_.contains(device.id))
            (void)topology_.set_up(device.id, false);
    std::ranges::sort(linked_);
}

void SegmentRoutes::on(steering::Neighbours& event) {
    for (auto& [gateway, target] : targets_) {
        for (const auto& [id, usable] : event.usable) {
            const Device* device = topology_.device(id);
            // If there is no room for the advice, the path will fail when it is tried.
            if (!usable && device && device->role == DeviceRole::router)
                (void)target.chooser.avoid(id, now_ + path_trial);
        }
        const auto usable = event.usable.find(gateway);
        if (usable != event.usable.end() && usable->second) works(target);
        else if (target.worked || now_ - target.since >= path_trial) give_up(target);
    }
}

void SegmentRoutes::works(Target& target) {
    target.worked = true;
    target.reached = now_;
    if (now_ - target.since < lost_path_avoided) return;
    for (const RoutingId id : target.path) target.avoided.erase(id);
}

void SegmentRoutes::give_up(Target& target) {
    for (std::size_t i = 1; i + 1 < target.path.size(); ++i) {
        Avoided& last = target.avoided[target.path[i]];
        const bool again = last.length > Duration() && target.reached && *target.reached > last.since;
        last = {again ? std::min(2 * last.length, longest_avoided) : lost_path_avoided, now_};
        (void)target.chooser.avoid(target.path[i], now_ + last.length);
    }
    target.worked = false;
    target.since = now_;
}

void SegmentRoutes::choose() {
    for (auto& [gateway, target] : targets_) {
        target.chooser.report(topology_, now_);
        const auto& paths = target.chooser.paths();
        Path path = paths ? paths->primary : Path();
        if (path == target.path) continue;
        target.path = std::move(path);
        target.worked = false;
        target.since = now_;
    }
}

void SegmentRoutes::want() {
    wanted_ = {};
    for (const auto& [gateway, target] : targets_)
        if (!target.path.empty()) wanted_.routes.push_back({addresses_.at(gateway), segments_of(target.path)});
    std::ranges::sort(wanted_.routes);
    const Device* here = topology_.device(self_);
    if (here && here->role == DeviceRole::router) wanted_.neighbours = linked_;
}

std::vector<Ipv6> SegmentRoutes::segments_of(const Path& path) const {
    std::vector<Ipv6> segments;
    for (std::size_t i = 1; i + 1 < path.size(); ++i) segments.push_back(addresses_.at(path[i]));
    return segments;
}

}  // namespace divisi::mesh::inline route
