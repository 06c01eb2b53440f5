// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "agents/router/settings_file.h"
#include "backend/base/result.h"
#include "backend/mesh/route/segment_routes.h"

namespace divisi::router {

/// Routing protocol number that marks the routes installed by Divisi, see /etc/iproute2/rt_protos. Only routes with
/// this mark are changed or removed.
inline constexpr const char* route_protocol = "213";
/// The smallest metric. The host's own route to the address has a larger metric, so the kernel keeps both routes.
inline constexpr const char* route_metric = "1";

/// Manages the SRv6 routes in this host's kernel with `ip`; used by a gateway.
class HostRoutes {
public:
    /// Removes the routes of a predecessor, and tests whether the kernel accepts an SRv6 route. Fails with `denied`
    /// without CAP_NET_ADMIN, `unsupported` if the kernel has no SRv6, `not_found` without `ip`.
    Result<void> check();
    /// Installs exactly these routes. If a route cannot be installed, the other routes are still installed.
    Result<void> set(const std::vector<mesh::SegmentRoute>& wanted);
    /// Removes the installed routes.
    void clear();

private:
    Result<std::vector<mesh::SegmentRoute>> installed() const;
};

/// Controls on which interfaces this host accepts packets with a segment; used by a router. The kernel treats each
/// address of the host as a segment (RFC 8754, 4.3.1) if the interface allows it.
class HostSegments {
public:
    /// `file` stores the original value of each setting that is changed, until the value is restored.
    explicit HostSegments(SettingsFile file) : file_(std::move(file)) {}

    /// Takes over the changes of a killed predecessor; set() and clear() then restore the original settings. Fails with
    /// `unsupported` if the kernel has no SRv6, `denied` if its settings cannot be written, `invalid_input` if the host
    /// does not forward IPv6, `not_found` without `ip`.
    Result<void> check();
    /// Allows segments on the interfaces that lead to these neighbours. Restores the settings of other interfaces.
    Result<void> set(const std::vector<mesh::Ipv6>& neighbours);
    void clear();

private:
    Result<void> allow(const std::string& interface);
    void restore(const std::string& interface);

    SettingsFile file_;
    Settings before_;
};

}  // namespace divisi::router
