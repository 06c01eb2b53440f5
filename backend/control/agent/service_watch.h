// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/control/types/service_types.h"
#include "backend/mesh/registry/registry_cache.h"

namespace divisi::control::inline agent {

/// A client's copy of the services that are registered, kept by asking again and again (WatchServices). It goes on
/// answering while the registry is away.
class ServiceWatch {
public:
    /// What to ask next.
    WatchServices next() const;
    /// Takes the answer to next(). What is new by it, in the order of revisions; of a snapshot, which replaces what was
    /// known, all of its rows once the last page is there.
    std::vector<ServiceRow> take(const ServiceChanges& answer, TimePoint now);

    /// Gateways and routers likewise, of the answer that take() took last.
    const std::vector<ServiceDevice>& devices() const { return devices_; }

    /// Whether a whole snapshot has come, so that what is not in services() is not registered.
    bool complete() const { return cache_.age({}).has_value(); }
    const mesh::RegistryCache& services() const { return cache_; }

private:
    std::vector<ServiceRow> take_page(const ServiceChanges& answer, TimePoint now);

    mesh::RegistryCache cache_;
    std::vector<ServiceDevice> devices_;
    std::vector<ServiceRow> page_rows_;  ///< of a snapshot that is not whole yet
    mesh::Epoch page_epoch_ = 0;
    mesh::Revision page_revision_ = 0;  ///< of its first page
    Sid after_;                         ///< the last of its rows; empty: no snapshot is being fetched
};

}  // namespace divisi::control::inline agent
