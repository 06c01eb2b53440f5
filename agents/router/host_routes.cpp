// SPDX-License-Identifier: Apache-2.0
#include "agents/router/host_routes.h"

#include <fstream>
#include <set>

#include "backend/process/tool.h"

namespace divisi::router {
namespace {

/// Address from the discard-only block (RFC 6666), which no host has.
constexpr const char* probe_address = "100::6469";
constexpr const char* all_interfaces = "all";

Result<std::string> ip(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "-6");
    auto printed = process::run_tool("ip", arguments);
    if (printed || printed.error().code != ErrorCode::not_found) return printed;
    return Error{ErrorCode::not_found, "SRv6 needs the program 'ip'", "--srv6", "install the package iproute2"};
}

Result<EgressInterface> egress_interface(const mesh::Ipv6& address) {
    DIVISI_ASSIGN(const std::string printed, ip({"-o", "route", "get", to_text(address)}));
    if (const auto way = parse_egress_interface(printed)) return *way;
    return Error{ErrorCode::unavailable, "no interface leads to this address", to_text(address), "see `ip -6 route`"};
}

std::vector<std::string> route_words(const char* verb, const std::string& to, const std::string& segments,
                                     const std::string& device) {
    return {"route",  verb,  to,     "encap", "seg6",         "mode",   "encap",     "segs",
            segments, "dev", device, "proto", route_protocol, "metric", route_metric};
}

Result<void> install(const char* verb, const mesh::SegmentRoute& route) {
    std::string segments;
    for (const mesh::Ipv6& segment : route.segments) {
        segments += (segments.empty() ? "" : ",") + to_text(segment);
        // Later segments need no route from this host, since only the preceding router must reach them.
        if (const auto way = egress_interface(segment); way && way->local)
            return Error{ErrorCode::conflict, "the router with this address is on the gateway's own host",
                         to_text(segment), "run gateways and routers that use --srv6 on separate hosts"};
    }
    DIVISI_ASSIGN(const EgressInterface way, egress_interface(route.segments.front()));
    DIVISI_TRY(ip(route_words(verb, to_text(route.destination), segments, way.device)));
    return {};
}

Result<void> removed(const mesh::Ipv6& destination) {
    DIVISI_TRY(ip({"route", "del", to_text(destination), "proto", route_protocol, "metric", route_metric}));
    return {};
}

Error explained(const Error& error) {
    if (error.what.find("not permitted") != std::string::npos)
        return {ErrorCode::denied, "the kernel does not let this process change routes", "--srv6",
                "run it as root, or with the capability CAP_NET_ADMIN (in a systemd unit: "
                "AmbientCapabilities=CAP_NET_ADMIN)"};
    if (error.what.find("not supported") != std::string::npos)
        return {ErrorCode::unsupported, "this kernel has no SRv6 routes", "--srv6",
                "use a kernel with CONFIG_IPV6_SEG6_LWTUNNEL, such as Debian's, or omit --srv6"};
    return error;
}

std::string setting(const std::string& interface) { return "/proc/sys/net/ipv6/conf/" + interface + "/seg6_enabled"; }

std::string read(const std::string& path) {
    std::string value;
    std::ifstream(path) >> value;
    return value;
}

bool write(const std::string& path, const std::string& value) {
    std::ofstream file(path);
    return static_cast<bool>(file << value << std::flush);
}

/// Checks the name of an interface, because the name comes from `ip` and becomes part of a path.
bool is_interface(const std::string& name) {
    return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos;
}

}  // namespace

Result<void> HostRoutes::check() {
    clear();
    if (auto tried = ip(route_words("add", probe_address, "::1", "lo")); !tried) return explained(tried.error());
    clear();
    return {};
}

Result<void> HostRoutes::set(const std::vector<mesh::SegmentRoute>& wanted) {
    // Query the installed routes each time: the kernel drops routes with their interface, and an administrator may also
    // remove routes.
    DIVISI_ASSIGN(const std::vector<mesh::SegmentRoute> has, installed());
    const mesh::RouteChanges changes = mesh::changes(has, wanted);
    Result<void> outcome;
    const auto note = [&](Result<void> done) {
        if (!done && outcome) outcome = done;
    };
    for (const mesh::Ipv6& destination : changes.remove) note(removed(destination));
    for (const mesh::SegmentRoute& route : changes.replace) note(install("replace", route));
    for (const mesh::SegmentRoute& route : changes.add) note(install("add", route));
    return outcome;
}

/// Removes routes one by one, because routes of another program may also have the number 213.
void HostRoutes::clear() {
    const auto has = installed();
    if (!has) return;
    for (const mesh::SegmentRoute& route : *has) (void)removed(route.destination);
}

Result<std::vector<mesh::SegmentRoute>> HostRoutes::installed() const {
    DIVISI_ASSIGN(const std::string printed,
                  ip({"-o", "route", "show", "proto", route_protocol, "metric", route_metric}));
    return parse_routes(printed);
}

Result<void> HostSegments::check() {
    DIVISI_ASSIGN(before_, file_.read());
    std::erase_if(before_, [](const auto& one) { return !is_interface(one.first); });
    const std::string path = setting(all_interfaces);
    const std::string value = read(path);
    if (value.empty())
        return Error{ErrorCode::unsupported, "this kernel has no SRv6", path,
                     "use a kernel with CONFIG_IPV6_SEG6_LWTUNNEL, such as Debian's, or omit --srv6"};
    if (!write(path, value))
        return Error{ErrorCode::denied, "the kernel's settings cannot be written", path,
                     "run it as root or with CAP_NET_ADMIN, where /proc/sys is not read-only"};
    const std::string forwarding = "/proc/sys/net/ipv6/conf/all/forwarding";
    if (read(forwarding) != "1")
        return Error{ErrorCode::invalid_input, "this host does not forward IPv6", forwarding,
                     "sysctl -w net.ipv6.conf.all.forwarding=1, and keep it by a file in /etc/sysctl.d"};
    DIVISI_TRY(ip({"-V"}));
    return {};
}

Result<void> HostSegments::set(const std::vector<mesh::Ipv6>& neighbours) {
    Result<void> outcome;
    std::set<std::string> wanted;
    for (const mesh::Ipv6& neighbour : neighbours) {
        const auto way = egress_interface(neighbour);
        if (way) wanted.insert(way->device);
        else outcome = way.error();
    }
    for (const std::string& interface : wanted)
        if (auto allowed = allow(interface); !allowed) outcome = allowed;
    if (!outcome) return outcome;  // an interface is unknown or failed, so restore no setting
    for (const auto& [interface, value] : std::map(before_))
        if (interface != all_interfaces && !wanted.contains(interface)) restore(interface);
    return outcome;
}

void HostSegments::clear() {
    while (!before_.empty()) restore(std::string(before_.begin()->first));
}

/// Allows segments on the interface. The kernel checks both the setting for all interfaces and the setting of the
/// interface.
Result<void> HostSegments::allow(const std::string& interface) {
    if (!is_interface(interface)) return Error{ErrorCode::invalid_input, "no interface's name", interface, ""};
    for (const std::string& one : {interface, std::string(all_interfaces)}) {
        const std::string value = read(setting(one));
        if (value == "1") continue;
        if (value.empty())
            return Error{ErrorCode::unavailable, "the kernel's setting cannot be read", setting(one), ""};
        // Store the old value first, so that it can be restored if this process is killed.
        if (before_.emplace(one, value).second) {
            if (auto kept = file_.keep(before_); !kept) {
                before_.erase(one);
                return kept;
            }
        }
        if (write(setting(one), "1")) continue;
        before_.erase(one);
        (void)file_.keep(before_);
        return Error{ErrorCode::denied, "the kernel's setting cannot be written", setting(one), ""};
    }
    return {};
}

/// Restores the setting of the interface, unless another program has changed it meanwhile.
void HostSegments::restore(const std::string& interface) {
    const auto before = before_.extract(interface);
    if (before.empty()) return;
    if (read(setting(interface)) == "1") write(setting(interface), before.mapped());
    (void)file_.keep(before_);
}

}  // namespace divisi::router
