// SPDX-License-Identifier: Apache-2.0
#include "backend/control/agent/service_watch.h"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

namespace divisi::control::inline agent {
namespace {

mesh::ServicePtr service_of(const ServiceRow& row) {
    return std::make_shared<const mesh::Service>(mesh::Service{row.said, row.revision, row.stale});
}

mesh::DevicePtr device_of(const ServiceDevice& row) {
    mesh::DeviceRow device;
    device.said.name = row.name;
    device.said.role = row.role;
    device.id = mesh::RoutingId(static_cast<std::uint16_t>(row.id));
    device.revision = row.revision;
    device.stale = row.stale;
    return std::make_shared<const mesh::DeviceRow>(std::move(device));
}

/// Returns the changes of services and devices, sorted by revision.
mesh::Changes changes_of(const ServiceChanges& answer) {
    mesh::Changes changes{answer.epoch, answer.revision - answer.rows.size() - answer.devices.size(), {}};
    for (const ServiceRow& row : answer.rows) changes.changes.push_back({row.revision, row.removed, service_of(row)});
    for (const ServiceDevice& row : answer.devices)
        changes.changes.push_back({row.revision, row.removed, device_of(row)});
    std::ranges::sort(changes.changes, {}, &mesh::Change::revision);
    return changes;
}

}  // namespace

WatchServices ServiceWatch::next() const {
    if (!after_.value().empty()) return {page_epoch_, page_revision_, after_};
    if (cache_.needs_snapshot()) return {};
    return {cache_.epoch(), cache_.revision(), Sid()};
}

std::vector<ServiceRow> ServiceWatch::take(const ServiceChanges& answer, TimePoint now) {
    devices_.clear();
    if (answer.snapshot) return take_page(answer, now);
    if (!cache_.apply(mesh::WatchAnswer(changes_of(answer)), now)) return {};
    devices_ = answer.devices;
    return answer.rows;
}

/// Stores a page of a snapshot. Drops the pages if the registry's epoch changed between them.
std::vector<ServiceRow> ServiceWatch::take_page(const ServiceChanges& answer, TimePoint now) {
    const bool first = after_.value().empty();
    if (!first && answer.epoch != page_epoch_) {
        after_ = Sid();
        page_rows_.clear();
        return {};
    }
    if (first) page_rows_.clear();
    if (first) std::tie(page_epoch_, page_revision_) = std::pair(answer.epoch, answer.revision);
    page_rows_.insert(page_rows_.end(), answer.rows.begin(), answer.rows.end());
    after_ = answer.more && !answer.rows.empty() ? answer.rows.back().said.sid : Sid();
    if (answer.more) return {};
    mesh::Snapshot snapshot{page_epoch_, page_revision_, {}, {}};
    for (const ServiceRow& row : page_rows_) snapshot.services.push_back(service_of(row));
    for (const ServiceDevice& row : answer.devices) snapshot.devices.push_back(device_of(row));
    devices_ = answer.devices;
    cache_.apply(snapshot, now);
    return std::exchange(page_rows_, {});
}

}  // namespace divisi::control::inline agent
