// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/topology/mesh_watch.h"

#include <algorithm>
#include <utility>

namespace divisi::topology {

void MeshWatch::take(control::MeshState mesh, Time now) {
    mesh_ = std::move(mesh);
    names_.clear();
    index_.clear();
    for (const control::DeviceView& device : mesh_.devices) {
        names_[device.id] = device.info.name;
        index_.emplace(device.info.name, index_.size());
    }
    set_clocks(now);
    std::map<std::string, Last> last;
    for (const control::DeviceView& device : mesh_.devices) {
        const auto known = last_.find(device.info.name);
        const Last* before = known == last_.end() ? nullptr : &known->second;
        Last& one = last[device.info.name];
        const bool same_report = before && before->report == device.heard && before->pid == device.info.pid;
        if (!same_report) take_lanes(device, before && before->pid == device.info.pid);
        if (same_report && before->heard) one = *before;
        else one = {device.heard, by_our_clock(device.heard, now), device.info.pid};
    }
    last_ = std::move(last);
    std::erase_if(lanes_, [&](const auto& lane) { return !last_.contains(lane.first); });
}

void MeshWatch::shift(Time::duration by, Time now) {
    if (clocks_) clocks_->second += by;
    for (auto& [name, one] : last_) {
        if (one.heard) *one.heard += by;
        if (one.heard && *one.heard > now) one.heard.reset();
    }
}

/// Sets the pair of clocks from the newest report of a device that is up. Devices that are away are ignored, because
/// they may have been silent for long.
void MeshWatch::set_clocks(Time now) {
    std::optional<TimePoint> newest;
    for (const control::DeviceView& device : mesh_.devices)
        if (device.up) newest = std::max(newest.value_or(device.heard), device.heard);
    if (newest) clocks_ = {*newest, now};
}

std::optional<MeshWatch::Time> MeshWatch::by_our_clock(TimePoint report, Time now) const {
    if (!clocks_) return std::nullopt;
    const auto older = std::chrono::duration_cast<Time::duration>(clocks_->first - report);
    return std::min(now, clocks_->second - older);
}

void MeshWatch::take_lanes(const control::DeviceView& device, bool same_process) {
    std::map<std::string, Lane> known = std::exchange(lanes_[device.info.name], {});
    for (const control::NeighbourReport& one : device.neighbours) {
        const std::string& to = name_of(one.id);
        if (to.empty()) continue;
        Lane lane = std::move(known[to]);
        if (!same_process || (!lane.sent.empty() && one.sent_bytes < lane.sent.back().bytes)) lane.sent.clear();
        // If no view has requested the mesh for a while, the bytes since the last report are not the current traffic,
        // so drop the older reports.
        if (!lane.sent.empty() && device.heard - lane.sent.back().report > traffic_window) lane.sent.clear();
        lane.sent.push_back({device.heard, one.sent_bytes});
        while (lane.sent.size() > 2 && device.heard - lane.sent[1].report >= traffic_window) lane.sent.pop_front();
        const double seconds = to_ms(device.heard - lane.sent.front().report) / 1000;
        LaneFigures& figures = lane.figures;
        figures.bytes_per_s.reset();
        if (seconds > 0) figures.bytes_per_s = static_cast<double>(one.sent_bytes - lane.sent.front().bytes) / seconds;
        figures.sent = one.sent_bytes;
        figures.queued = one.queued_bytes;
        figures.credit = one.credit_bytes;
        figures.most_credit = std::max(figures.most_credit, figures.credit);
        figures.usable = one.usable;
        lanes_[device.info.name][to] = std::move(lane);
    }
}

const control::DeviceView* MeshWatch::device(const std::string& name) const {
    const auto found = index_.find(name);
    return found == index_.end() ? nullptr : &mesh_.devices[found->second];
}

const std::string& MeshWatch::name_of(std::uint32_t id) const {
    static const std::string none;
    const auto found = names_.find(id);
    return found == names_.end() ? none : found->second;
}

std::optional<MeshWatch::Time> MeshWatch::heard(const std::string& name) const {
    const auto found = last_.find(name);
    return found == last_.end() ? std::nullopt : found->second.heard;
}

const control::LinkFault* MeshWatch::fault(const std::string& a, const std::string& b) const {
    for (const control::LinkFault& fault : mesh_.faults)
        if ((fault.a == a && fault.b == b) || (fault.a == b && fault.b == a)) return &fault;
    return nullptr;
}

const LaneFigures* MeshWatch::lane(const std::string& from, const std::string& to) const {
    const auto sender = lanes_.find(from);
    if (sender == lanes_.end()) return nullptr;
    const auto found = sender->second.find(to);
    return found == sender->second.end() ? nullptr : &found->second.figures;
}

}  // namespace divisi::topology
