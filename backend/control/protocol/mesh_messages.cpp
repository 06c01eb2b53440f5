// SPDX-License-Identifier: Apache-2.0
#include "backend/control/protocol/mesh_messages.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "backend/base/log.h"

namespace divisi::control::inline protocol {
namespace {

auto key(const TableDevice& device) { return std::tie(device.name); }
auto key(const TableLink& link) { return std::tie(link.a, link.b); }
auto key(const TablePlace& place) { return std::tie(place.task, place.sid); }

/// Compares two tables in the order of their keys. Calls `gone` for rows that exist only in `before`, and `come` for
/// rows that `after` adds or changes.
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

/// Returns the rows that were added. Returns none if a row was removed or changed.
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
                       " links and " + std::to_string(change.places.size()) + " SIDs were added or changed, " +
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

}  // namespace divisi::control::inline protocol
