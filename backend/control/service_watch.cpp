// SPDX-License-Identifier: Apache-2.0
#include "backend/control/service_watch.h"

#include <memory>
#include <tuple>
#include <utility>

namespace divisi::control {
namespace {

mesh::ServicePtr service_of(const ServiceRow& row) {
    return std::make_shared<const mesh::Service>(mesh::Service{row.said, row.revision, row.stale});
}

}  // namespace

WatchServices ServiceWatch::next() const {
    if (!after_.value().empty()) return {page_epoch_, page_revision_, after_};
    if (cache_.needs_snapshot()) return {};
    return {cache_.epoch(), cache_.revision(), Sid()};
}

std::vector<ServiceRow> ServiceWatch::take(const ServiceChanges& answer, TimePoint now) {
    if (answer.snapshot) return take_page(answer, now);
    mesh::Changes changes{answer.epoch, answer.revision - answer.rows.size(), {}};
    for (const ServiceRow& row : answer.rows) changes.changes.push_back({row.revision, row.removed, service_of(row)});
    return cache_.apply(mesh::WatchAnswer(changes), now) ? answer.rows : std::vector<ServiceRow>();
}

/// Pages of two lives of the registry make no snapshot.
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
    cache_.apply(snapshot, now);
    return std::exchange(page_rows_, {});
}

}  // namespace divisi::control
