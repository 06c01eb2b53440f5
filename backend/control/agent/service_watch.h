// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/control/types/service_types.h"
#include "backend/mesh/registry/registry_cache.h"

namespace divisi::control::inline agent {

/// A client's copy of the registered services, kept up to date by repeated requests (WatchServices). The table stays
/// readable while the registry is away.
class ServiceWatch {
public:
    /// Returns the next request to send.
    WatchServices next() const;
    /// Applies the answer to next(). Returns the new rows, sorted by revision. A snapshot replaces everything known;
    /// its rows are all returned with the last page.
    std::vector<ServiceRow> take(const ServiceChanges& answer, TimePoint now);

    /// Returns the gateways and routers of the last answer given to take().
    const std::vector<ServiceDevice>& devices() const { return devices_; }

    /// Returns whether a whole snapshot has arrived. From then on, a service that is not in services() is not
    /// registered.
    bool complete() const { return cache_.age({}).has_value(); }
    const mesh::RegistryCache& services() const { return cache_; }

private:
    std::vector<ServiceRow> take_page(const ServiceChanges& answer, TimePoint now);

    mesh::RegistryCache cache_;
    std::vector<ServiceDevice> devices_;
    std::vector<ServiceRow> page_rows_;  ///< rows of a snapshot that is incomplete
    mesh::Epoch page_epoch_ = 0;
    mesh::Revision page_revision_ = 0;  ///< revision of the snapshot's first page
    Sid after_;                         ///< SID of the last row so far; empty: no snapshot is being fetched
};

}  // namespace divisi::control::inline agent
