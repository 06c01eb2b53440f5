// SPDX-License-Identifier: Apache-2.0
#include "backend/control/route_adverts.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace divisi::control {
namespace {

// What a message and a row of it cost to make and to send, with room to spare: orders of magnitude, for a bound on how
// much of the time goes into it.
constexpr Duration cost_of_message = std::chrono::microseconds(20), cost_of_row = std::chrono::microseconds(1);
/// However large the mesh, no route is older than this.
constexpr Duration longest_wait = std::chrono::seconds(1);
/// Whole tables that fall due together go out in parts of this length, between other work.
constexpr Duration longest_repeat = std::chrono::milliseconds(20);
/// Devices report twice a second.
constexpr Duration patience = std::chrono::seconds(5);

auto key(const TableDevice& device) { return std::tie(device.name); }
auto key(const TableLink& link) { return std::tie(link.a, link.b); }
auto key(const TablePlace& place) { return std::tie(place.task, place.sid); }

/// Both are in the order of their keys: calls `gone` for what only the first has, `come` for what the second has anew
/// or otherwise.
template <typename Row, typename Gone, typename Come>
void compare(const std::vector<Row>& before, const std::vector<Row>& after, Gone gone, Come come) {
    auto old = before.begin();
    for (const Row& row : after) {
        for (; old != before.end() && key(*old) < key(row); ++old) gone(*old);
        const bool known = old != before.end() && key(*old) == key(row);
        if (!known || !(*old == row)) come(row, known);
        if (known) ++old;
    }
    for (; old != before.end(); ++old) gone(*old);
}

/// What has come; none where anything has gone or changed.
template <typename Row>
std::optional<std::vector<Row>> additions(const std::vector<Row>& before, const std::vector<Row>& after) {
    std::vector<Row> added;
    bool only = true;
    compare(
        before, after, [&](const Row&) { only = false; },
        [&](const Row& row, bool known) {
            only = only && !known;
            added.push_back(row);
        });
    if (!only) return std::nullopt;
    return added;
}

template <typename Row>
void put(std::vector<Row>& rows, const std::vector<Row>& added) {
    for (const Row& row : added) {
        const auto at =
            std::lower_bound(rows.begin(), rows.end(), row, [](const Row& a, const Row& b) { return key(a) < key(b); });
        if (at != rows.end() && key(*at) == key(row)) *at = row;
        else rows.insert(at, row);
    }
}

std::size_t rows_of(const MeshTable& table) { return table.devices.size() + table.links.size() + table.places.size(); }
std::size_t rows_of(const MeshChange& change) {
    return change.devices.size() + change.links.size() + change.places.size() + change.ended.size();
}

Duration cost(std::size_t messages, std::size_t rows) { return messages * (cost_of_message + rows * cost_of_row); }

std::string describe(const std::string& head, const std::vector<TablePlace>& places, const MeshTable& table) {
    std::map<std::uint32_t, const TableDevice*> gateways;
    for (const TableDevice& device : table.devices) gateways[device.id] = &device;
    std::string text = head;
    for (std::size_t i = 0; i < std::min(places.size(), most_described); ++i) {
        const TablePlace& place = places[i];
        const auto gateway = gateways.find(place.gateway);
        text += "\n" + place.sid.value() + " " + mesh::to_string(place.health);
        if (gateway != gateways.end()) text += ", " + gateway->second->mic.value() + " at " + gateway->second->name;
    }
    if (places.size() > most_described) text += "\nand " + std::to_string(places.size() - most_described) + " more";
    return text;
}

}  // namespace

std::string describe(const MeshTable& table) {
    return describe("revision " + std::to_string(table.revision) +
                        ", whole table: " + std::to_string(table.devices.size()) + " devices, " +
                        std::to_string(table.links.size()) + " links, " + std::to_string(table.places.size()) + " SIDs",
                    table.places, table);
}

std::string describe(const MeshChange& change, const MeshTable& table) {
    std::string head = "revision " + std::to_string(change.revision) + " after " + std::to_string(change.since) + ": " +
                       std::to_string(change.devices.size()) + " devices, " + std::to_string(change.links.size()) +
                       " links and " + std::to_string(change.places.size()) + " SIDs came or changed, " +
                       std::to_string(change.ended.size()) + " SIDs ended";
    for (std::size_t i = 0; i < std::min(change.ended.size(), most_described); ++i)
        head += "\n" + change.ended[i].value() + " ended";
    return describe(head, change.places, table);
}

std::optional<MeshChange> change_between(const MeshTable& before, const MeshTable& after) {
    auto devices = additions(before.devices, after.devices);
    auto links = additions(before.links, after.links);
    if (!devices || !links) return std::nullopt;
    MeshChange change{before.revision, after.revision, *std::move(devices), *std::move(links), {}, {}};
    compare(
        before.places, after.places, [&](const TablePlace& gone) { change.ended.push_back(gone.sid); },
        [&](const TablePlace& row, bool) { change.places.push_back(row); });
    return change;
}

bool apply(MeshTable& table, const MeshChange& change) {
    if (table.revision != change.since) return false;
    put(table.devices, change.devices);
    put(table.links, change.links);
    const std::set<Sid> ended(change.ended.begin(), change.ended.end());
    std::erase_if(table.places, [&](const TablePlace& place) { return ended.contains(place.sid); });
    put(table.places, change.places);
    table.revision = change.revision;
    return true;
}

void RouteAdverts::send(Desk& desk, MeshTable table, const std::vector<PeerId>& devices) {
    const MeshTable before = std::exchange(table_, std::move(table));
    const auto change = change_between(before, table_);
    std::size_t whole = 0;
    for (const PeerId device : devices) {
        Told& told = told_[device];
        if (told.applied == told.sent) told.behind_since = desk.lived();
        if (change && told.sent > 0 && told.sent == before.revision) {
            desk.send(device, *change);
            told.sent = table_.revision;
        } else {
            send_whole(desk, device);
            ++whole;
        }
    }
    // All that is sent is one of the two; who reads needs no copy for each device.
    if (change && whole < devices.size()) said_.push_back({std::nullopt, describe(*change, table_)});
    if (whole > 0) said_.push_back({whole == 1 ? std::optional(last_whole_) : std::nullopt, describe(table_)});
    const Duration spent = cost(whole, rows_of(table_)) + cost(devices.size() - whole, change ? rows_of(*change) : 0);
    free_at_ = desk.lived() + std::min(longest_wait, spent);
}

void RouteAdverts::send_whole(Desk& desk, PeerId device) {
    Told& told = told_[device];
    told.sent = table_.revision;
    whole_.erase({told.whole_at, device});
    told.whole_at = desk.lived() + between_whole();
    whole_.insert({told.whole_at, device});
    last_whole_ = device;
    desk.send(device, table_);
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

void RouteAdverts::repeat(Desk& desk) {
    std::size_t told = 0;
    const auto is_due = [&] { return !whole_.empty() && whole_.begin()->first <= desk.lived(); };
    for (; is_due() && (told == 0 || cost(told, rows_of(table_)) < longest_repeat); ++told)
        send_whole(desk, PeerId(whole_.begin()->second));
    if (told > 0) said_.push_back({told == 1 ? std::optional(last_whole_) : std::nullopt, describe(table_)});
}

void RouteAdverts::heard(Desk& desk, PeerId device, std::uint64_t revision) {
    const auto known = told_.find(device);
    if (known == told_.end()) return;
    Told& told = known->second;
    if (std::exchange(told.applied, revision) != revision) told.behind_since = desk.lived();
    if (revision == told.sent || desk.lived() < told.behind_since + patience) return;
    told.behind_since = desk.lived();
    send_whole(desk, device);
    said_.push_back({device, describe(table_)});
}

}  // namespace divisi::control
