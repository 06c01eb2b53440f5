// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/route_table.h"

#include <algorithm>

#include "backend/base/text.h"
#include "backend/mesh/service_path.h"

namespace divisi::mesh {
namespace {

Result<void> check(const PrefixEntry& entry) {
    const auto invalid = [&](const char* what) {
        return Error{ErrorCode::invalid_input, what, "prefix \"" + legible(entry.prefix, 100) + "\"", ""};
    };
    if (!is_service_path(entry.prefix)) return invalid("not a service prefix");
    if (entry.mic.value().empty() || entry.mic.value().size() > most_text_bytes) return invalid("no proper MIC");
    if (entry.gateway == RoutingId()) return invalid("no gateway");
    if (entry.health < Health::pending || entry.health > Health::faulted) return invalid("no such health");
    if (entry.sids.size() > most_sids_per_entry)
        return Error{ErrorCode::exhausted, "too many instances", "prefix \"" + entry.prefix + "\"", ""};
    for (const Sid& sid : entry.sids)
        if (!is_service_path(sid.value()) || !is_under(sid.value(), entry.prefix))
            return invalid("an instance that does not lie below it");
    return {};
}

}  // namespace

Result<void> RouteTable::apply(TableUpdate update) {
    const auto conflict = [&](const char* what) {
        return Error{ErrorCode::conflict, what, "revision " + std::to_string(update.revision),
                     "this device has revision " + std::to_string(revision_)};
    };
    if (update.whole && update.revision < revision_) return conflict("an old table");
    if (!update.whole && update.revision <= revision_) return {};
    if (!update.whole && update.revision != revision_ + 1) return conflict("a change before this one is missing");
    if (update.entries.size() + (update.whole ? 0 : size_) > most_prefix_entries)
        return Error{ErrorCode::exhausted, "too many prefixes", "revision " + std::to_string(update.revision), ""};
    for (const PrefixEntry& entry : update.entries) DIVISI_TRY(check(entry));

    if (update.whole) {
        prefixes_.clear();
        size_ = 0;
    }
    for (const auto& removal : update.removed) remove(removal);
    for (PrefixEntry& entry : update.entries) put(std::move(entry));
    revision_ = update.revision;
    return {};
}

void RouteTable::put(PrefixEntry entry) {
    auto& entries = prefixes_[entry.prefix];
    const auto at = std::ranges::lower_bound(entries, entry.mic, {}, &PrefixEntry::mic);
    if (at != entries.end() && at->mic == entry.mic) {
        *at = std::move(entry);
        return;
    }
    entries.insert(at, std::move(entry));
    ++size_;
}

void RouteTable::remove(const TableUpdate::Removal& removal) {
    const auto at = prefixes_.find(removal.prefix);
    if (at == prefixes_.end()) return;
    size_ -= std::erase_if(at->second, [&](const PrefixEntry& entry) { return entry.mic == removal.mic; });
    if (at->second.empty()) prefixes_.erase(at);
}

std::span<const PrefixEntry> RouteTable::find(std::string_view sid) const {
    if (!is_service_path(sid)) return {};
    for (std::size_t length = sid.size(); length != std::string_view::npos; length = sid.rfind('/', length - 1))
        if (const auto at = prefixes_.find(sid.substr(0, length)); at != prefixes_.end()) return at->second;
    return {};
}

void RouteTable::set_topology(Topology topology) {
    topology_ = std::move(topology);
    next_hops_ = next_hops(topology_, self_);
}

Result<void> RouteTable::change(const std::function<Result<void>(Topology&)>& changes) {
    auto result = changes(topology_);
    next_hops_ = next_hops(topology_, self_);
    return result;
}

std::optional<RoutingId> RouteTable::next_hop(RoutingId destination) const {
    const auto at = topology_.index(destination);
    return at ? next_hops_[*at] : std::nullopt;
}

}  // namespace divisi::mesh
