// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "agents/router/settings_file.h"
#include "backend/base/result.h"
#include "backend/mesh/route/segment_routes.h"

namespace divisi::router {

/// Divisi's mark on the routes that it installs (a routing protocol number, see /etc/iproute2/rt_protos): only those
/// that bear it are ever changed or removed.
inline constexpr const char* route_protocol = "213";
/// The lowest that there is, so that the host's own route to an address, with its higher one, stays beside ours.
inline constexpr const char* route_metric = "1";

/// The SRv6 routes of this host's kernel, by `ip`. A gateway's.
class HostRoutes {
public:
    /// Removes what a predecessor left, and tries whether the kernel takes such a route: `denied` without
    /// CAP_NET_ADMIN, `unsupported` where it has no SRv6, `not_found` without `ip`.
    Result<void> check();
    /// Makes the installed routes these. What cannot be installed now does not keep the others from being.
    Result<void> set(const std::vector<mesh::SegmentRoute>& wanted);
    /// Removes what is installed.
    void clear();

private:
    Result<std::vector<mesh::SegmentRoute>> installed() const;
};

/// The interfaces by which this host takes packets with a segment of its own. A router's: the kernel treats each
/// address of the host as a segment (RFC 8754, 4.3.1) where the interface allows it.
class HostSegments {
public:
    /// The file has the settings as they were, from before each is changed until after it is put back.
    explicit HostSegments(SettingsFile file) : file_(std::move(file)) {}

    /// Takes over what a predecessor that was killed has changed, which set() and clear() then put back. `unsupported`
    /// where the kernel has no SRv6, `denied` where its settings cannot be written, `invalid_input` where the host does
    /// not forward IPv6.
    Result<void> check();
    /// Allows it on the interfaces that lead to these neighbours, and no others.
    Result<void> set(const std::vector<mesh::Ipv6>& neighbours);
    void clear();

private:
    Result<void> allow(const std::string& interface);
    void restore(const std::string& interface);

    SettingsFile file_;
    Settings before_;
};

}  // namespace divisi::router
