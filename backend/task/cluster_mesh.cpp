// SPDX-License-Identifier: Apache-2.0
// Hosts, gateways and routers of a cluster file.
#include <algorithm>
#include <optional>
#include <set>

#include "backend/task/cluster_fields.h"
#include "backend/task/error_texts.h"
#include "backend/task/suggest.h"

namespace divisi::task {

namespace {

constexpr std::size_t longest_address = 255;
constexpr std::size_t most_hosts = 4096;
constexpr std::size_t most_routers = 4096;          // equals an orchestrator's limit on routers and gateways together
constexpr std::int64_t highest_first_port = 65534;  // the lane uses the next port
constexpr const char* orchestrators_name = "divisid";

const std::vector<std::string> host_keys = {"name", "address"};
const std::vector<std::string> device_keys = {"name", "host", "port", "key", "links", "metrics"};
const std::vector<std::string> gateway_keys = {"name", "host", "port", "key", "links", "metrics", "limits"};

/// Counts groups of up to four hexadecimal digits separated by colons. Returns -1 for any other text.
int ipv6_groups(std::string_view text) {
    if (text.empty()) return 0;
    int groups = 1, digits = 0;
    for (const unsigned char c : text) {
        if (c == ':' && digits > 0) ++groups, digits = 0;
        else if (c == ':' || c >= 0x80 || !std::isxdigit(c) || ++digits > 4) return -1;
    }
    return digits > 0 ? groups : -1;
}

bool is_ipv6(std::string_view text) {
    const std::size_t gap = text.find("::");
    if (gap == std::string_view::npos) return ipv6_groups(text) == 8;
    const int before = ipv6_groups(text.substr(0, gap)), after = ipv6_groups(text.substr(gap + 2));
    return before >= 0 && after >= 0 && before + after < 8;
}

/// Returns an address in the form used before a port, with IPv6 in brackets. In the file, the brackets are optional.
/// Empty if the text is not an address.
std::optional<std::string> before_port(const std::string& text) {
    const bool bracketed = text.size() > 2 && text.front() == '[' && text.back() == ']';
    const std::string bare = bracketed ? text.substr(1, text.size() - 2) : text;
    if (is_ipv6(bare)) return "[" + bare + "]";
    const bool named = std::ranges::all_of(
        bare, [](unsigned char c) { return (c < 0x80 && std::isalnum(c)) || c == '-' || c == '.'; });
    if (bracketed || bare.empty() || bare.size() > longest_address || !named) return std::nullopt;
    return bare;
}

std::vector<std::string> host_names(const ClusterSpec& spec) {
    std::vector<std::string> names;
    for (const ClusterHost& host : spec.hosts) names.push_back(host.name);
    return names;
}

Result<ClusterDevice> read_device(const Section& section, const ClusterSpec& spec,
                                  const std::vector<std::string>& keys = device_keys) {
    ClusterDevice device;
    DIVISI_TRY(check_keys(section.table, section.name, keys, section.filename));
    DIVISI_TRY(section.read("name", device.name));
    DIVISI_TRY(section.read("host", device.host));
    DIVISI_TRY(section.read("port", device.port));
    DIVISI_TRY(section.read("key", device.key));
    DIVISI_TRY(section.read("links", device.links));
    DIVISI_TRY(read_metrics(section, device.metrics));
    DIVISI_TRY(check_name(section, device.name));
    DIVISI_ASSIGN(device.address, address_of(section, device.host, spec));
    if (device.port < 1 || device.port > highest_first_port)
        return section.bad("port", error_text("device-port-out-of-range"),
                           {std::to_string(device.port), std::to_string(highest_first_port)});
    DIVISI_TRY(check_key(section, "key", device.key, false));
    return device;
}

/// A device and its section, for messages.
struct Placed {
    const ClusterDevice* device;
    Section section;
};

std::vector<Placed> placed_devices(const toml::table& root, const std::string& filename, const ClusterSpec& spec) {
    std::vector<Placed> all;
    const auto mics = tables(root, "mic", filename), routers = tables(root, "router", filename);
    for (std::size_t i = 0; i < spec.mics.size(); ++i)
        if (spec.mics[i].gateway)
            all.push_back({&*spec.mics[i].gateway, {*(*mics)[i]->get("gateway")->as_table(), "gateway", filename}});
    for (std::size_t i = 0; i < spec.routers.size(); ++i)
        all.push_back({&spec.routers[i], {*(*routers)[i], "router", filename}});
    return all;
}

Result<void> check_names_and_ports(const std::vector<Placed>& all) {
    std::set<std::string> names;
    std::set<std::pair<std::string, std::int64_t>> ports;
    for (const auto& [device, section] : all) {
        if (device->name == orchestrators_name)
            return section.bad("name", error_text("name-of-orchestrator"), {device->name});
        if (!names.insert(device->name).second)
            return section.bad("name", error_text("device-name-used-twice"), {device->name});
        for (const std::int64_t port : {device->port, device->port + 1})
            if (!ports.emplace(device->address, port).second)
                return section.bad("port", error_text("device-port-taken"),
                                   {std::to_string(device->port), device->host});
    }
    const std::vector<std::string> known(names.begin(), names.end());
    for (const auto& [device, section] : all)
        for (const std::string& link : device->links) {
            if (link == device->name) return section.bad("links", error_text("device-linked-to-itself"), {link});
            if (!names.contains(link))
                return section.bad("links", error_text("link-to-no-device"), {link, suggest(link, known)});
        }
    return {};
}

/// Checks that all keys differ: a program with the key of another program could impersonate that program.
Result<void> check_keys_differ(const toml::table& root, const std::string& filename, const ClusterSpec& spec,
                               const std::vector<Placed>& devices) {
    std::set<std::string> seen{spec.orchestrator_key};
    const auto check = [&](const Section& section, const std::string& key) -> Result<void> {
        if (key.empty() || seen.insert(key).second) return {};
        return section.bad("key", error_text("key-used-twice"));
    };
    DIVISI_ASSIGN(const auto mics, tables(root, "mic", filename));
    for (std::size_t i = 0; i < spec.mics.size(); ++i) {
        DIVISI_ASSIGN(const auto nodes, tables(*mics[i], "node", filename));
        for (std::size_t j = 0; j < nodes.size(); ++j)
            DIVISI_TRY(check({*nodes[j], "node", filename}, spec.mics[i].nodes[j].key));
    }
    for (const auto& [device, section] : devices) DIVISI_TRY(check(section, device->key));
    return {};
}

/// Returns the gateways that can be reached from this one through routers. Gateways do not forward.
std::set<std::string> reached_from(const ClusterSpec& spec, const std::string& gateway) {
    std::set<std::string> seen{gateway}, gateways;
    for (std::vector<std::string> open{gateway}; !open.empty();) {
        const std::string at = open.back();
        open.pop_back();
        for (const ClusterDevice* next : spec.devices()) {
            if (!spec.linked(at, next->name) || !seen.insert(next->name).second) continue;
            const bool router = std::ranges::find(spec.routers, next->name, &ClusterDevice::name) != spec.routers.end();
            if (router) open.push_back(next->name);
            else gateways.insert(next->name);
        }
    }
    return gateways;
}

}  // namespace

Result<void> read_hosts(const toml::table& root, const std::string& filename, ClusterSpec& spec) {
    DIVISI_ASSIGN(const auto hosts, tables(root, "host", filename));
    const Section cluster{*root.get("cluster")->as_table(), "cluster", filename};
    std::set<std::string> names;
    for (const toml::table* table : hosts) {
        const Section section{*table, "host", filename};
        ClusterHost host;
        DIVISI_TRY(check_keys(*table, "host", host_keys, filename));
        DIVISI_TRY(section.read("name", host.name));
        DIVISI_TRY(section.read("address", host.address));
        DIVISI_TRY(check_name(section, host.name));
        const auto address = before_port(host.address);
        if (!address)
            return host.address.empty() ? section.bad("address", error_text("host-address-missing"))
                                        : section.bad("address", error_text("no-host-address"), {host.address});
        host.address = *address;
        if (!names.insert(host.name).second)
            return section.bad("name", error_text("host-name-used-twice"), {host.name});
        if (names.size() > most_hosts)
            return section.bad("name", error_text("too-many-hosts"), {std::to_string(most_hosts)});
        spec.hosts.push_back(std::move(host));
    }
    if (!spec.hosts.empty() && spec.transport == Transport::ipc)
        return cluster.bad("transport", error_text("ipc-with-hosts"));
    if (spec.hosts.empty() && spec.host.empty()) return {};
    DIVISI_ASSIGN(const std::string address, address_of(cluster, spec.host, spec));
    return {};
}

Result<std::string> address_of(const Section& section, const std::string& host, const ClusterSpec& spec) {
    if (const ClusterHost* known = spec.find_host(host)) return known->address;
    if (host.empty()) return section.bad("host", error_text("no-host-given"));
    if (spec.hosts.empty()) return section.bad("host", error_text("host-not-in-file"), {host});
    return section.bad("host", error_text("no-host-of-file"), {host, suggest(host, host_names(spec))});
}

Result<void> read_gateway(const toml::table& mic, const std::string& filename, const ClusterSpec& spec,
                          ClusterMic& into) {
    const toml::node* node = mic.get("gateway");
    if (!node) return {};
    if (!node->as_table())
        return wrong_type(*node, "mic.gateway", place(filename, *node), error_text("gateway-wanted").what);
    DIVISI_ASSIGN(into.gateway, read_device({*node->as_table(), "gateway", filename}, spec, gateway_keys));
    return read_limits(*node->as_table(), filename, into.gateway->limits);
}

Result<void> read_routers(const toml::table& root, const std::string& filename, ClusterSpec& spec) {
    DIVISI_ASSIGN(const auto routers, tables(root, "router", filename));
    for (const toml::table* table : routers) {
        const Section section{*table, "router", filename};
        DIVISI_ASSIGN(ClusterDevice router, read_device(section, spec));
        spec.routers.push_back(std::move(router));
        if (spec.routers.size() > most_routers)
            return section.bad("name", error_text("too-many-routers"), {std::to_string(most_routers)});
    }
    return {};
}

Result<void> check_mesh(const toml::table& root, const std::string& filename, const ClusterSpec& spec) {
    const std::vector<Placed> all = placed_devices(root, filename, spec);
    DIVISI_TRY(check_keys_differ(root, filename, spec, all));
    if (all.empty()) return {};
    DIVISI_ASSIGN(const auto mics, tables(root, "mic", filename));
    for (std::size_t i = 0; i < spec.mics.size(); ++i)
        if (!spec.mics[i].gateway)
            return Section{*mics[i], "mic", filename}.bad("gateway", error_text("mic-without-gateway"),
                                                          {spec.mics[i].name});
    DIVISI_TRY(check_names_and_ports(all));
    for (std::size_t i = 0; i < spec.mics.size(); ++i) {
        const std::set<std::string> reached = reached_from(spec, all[i].device->name);
        for (const ClusterMic& other : spec.mics)
            if (&other != &spec.mics[i] && !reached.contains(other.gateway->name))
                return all[i].section.bad("links", error_text("gateways-not-connected"),
                                          {all[i].device->name, other.gateway->name});
    }
    return {};
}

std::string print_device(const ClusterDevice& device) {
    const auto line = [](const char* key, const std::string& value) { return std::string(key) + " = " + value + "\n"; };
    std::string text =
        line("name", literal(device.name)) + line("host", literal(device.host)) + line("port", literal(device.port));
    if (!device.key.empty()) text += line("key", literal(device.key));
    if (!device.links.empty()) text += line("links", literal(device.links));
    if (!device.metrics.empty()) text += line("metrics", literal(device.metrics));
    return text + print_limits(device.limits);
}

}  // namespace divisi::task
