// SPDX-License-Identifier: Apache-2.0
#include "backend/control/network/route_adverts.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace divisi::control::inline network {
namespace {

// Rough upper estimates of the cost to build and send a message, and of the additional cost of each row. The estimates
// bound the share of time spent on advertisements.
constexpr Duration cost_of_message = std::chrono::microseconds(20), cost_of_row = std::chrono::microseconds(1);
/// Maximum time that a route may be out of date, however large the mesh.
constexpr Duration longest_wait = std::chrono::seconds(1);
/// Whole tables that are due together are sent in batches. Sending one batch takes about this time, so that other work
/// can be done between batches.
constexpr Duration longest_repeat = std::chrono::milliseconds(20);
/// Time after which a device that has fallen behind gets the whole table. Devices report twice a second.
constexpr Duration patience = std::chrono::seconds(5);

std::size_t rows_of(const MeshTable& table) { return table.devices.size() + table.links.size() + table.places.size(); }
std::size_t rows_of(const MeshChange& change) {
    return change.devices.size() + change.links.size() + change.places.size() + change.ended.size();
}

Duration cost(std::size_t messages, std::size_t rows) { return messages * (cost_of_message + rows * cost_of_row); }

}  // namespace

void RouteAdverts::send(OrchestratorContext& context, MeshTable table, const std::vector<PeerId>& devices) {
    const MeshTable before = std::exchange(table_, std::move(table));
    const auto change = change_between(before, table_);
    std::size_t whole = 0;
    for (const PeerId device : devices) {
        Told& told = told_[device];
        if (told.applied == told.sent) told.behind_since = context.lived();
        if (change && told.sent > 0 && told.sent == before.revision) {
            context.send(device, *change);
            told.sent = table_.revision;
        } else {
            send_whole(context, device);
            ++whole;
        }
    }
    // Every device gets either the change or the whole table. Record each of the two texts once for clients that watch
    // the signaling.
    if (change && whole < devices.size()) said_.push_back({std::nullopt, describe(*change, table_)});
    if (whole > 0) said_.push_back({whole == 1 ? std::optional(last_whole_) : std::nullopt, describe(table_)});
    const Duration spent = cost(whole, rows_of(table_)) + cost(devices.size() - whole, change ? rows_of(*change) : 0);
    free_at_ = context.lived() + std::min(longest_wait, spent);
}

void RouteAdverts::send_whole(OrchestratorContext& context, PeerId device) {
    Told& told = told_[device];
    told.sent = table_.revision;
    whole_.erase({told.whole_at, device});
    told.whole_at = context.lived() + between_whole();
    whole_.insert({told.whole_at, device});
    last_whole_ = device;
    context.send(device, table_);
}

Duration RouteAdverts::between_whole() const {
    const Duration all = cost(told_.size(), rows_of(table_));
    return std::max(whole_interval, std::chrono::duration_cast<Duration>(all / most_for_whole));
}

void RouteAdverts::forget(PeerId device) {
    const auto known = told_.find(device);
    if (known == told_.end()) return;
    whole_.erase({known->second.whole_at, device});
    told_.erase(known);
}

std::optional<TimePoint> RouteAdverts::whole_due() const {
    if (whole_.empty()) return std::nullopt;
    return whole_.begin()->first;
}

void RouteAdverts::repeat(OrchestratorContext& context) {
    std::size_t told = 0;
    const auto is_due = [&] { return !whole_.empty() && whole_.begin()->first <= context.lived(); };
    for (; is_due() && (told == 0 || cost(told, rows_of(table_)) < longest_repeat); ++told)
        send_whole(context, PeerId(whole_.begin()->second));
    if (told > 0) said_.push_back({told == 1 ? std::optional(last_whole_) : std::nullopt, describe(table_)});
}

void RouteAdverts::heard(OrchestratorContext& context, PeerId device, std::uint64_t revision) {
    const auto known = told_.find(device);
    if (known == told_.end()) return;
    Told& told = known->second;
    if (std::exchange(told.applied, revision) != revision) told.behind_since = context.lived();
    if (revision == told.sent || context.lived() < told.behind_since + patience) return;
    told.behind_since = context.lived();
    send_whole(context, device);
    said_.push_back({device, describe(table_)});
}

}  // namespace divisi::control::inline network
