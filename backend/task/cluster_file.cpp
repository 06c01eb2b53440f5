// SPDX-License-Identifier: Apache-2.0
#include "backend/task/cluster_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <span>

#include "backend/base/quantity.h"
#include "backend/task/cluster_fields.h"
#include "backend/task/error_texts.h"
#include "backend/task/suggest.h"

namespace divisi::task {

namespace {

constexpr std::size_t most_nodes = 4096;
constexpr std::size_t most_links = 4096;
constexpr std::size_t most_pools = 256;
constexpr std::size_t most_weights = 4096;
constexpr std::int64_t most_instances = 1024;  // instances per node
constexpr double largest_weight = 1e6;
constexpr double longest_latency_s = 60;      // a peer would miss heartbeats at a much lower latency
constexpr double largest_bytes_per_s = 1e15;  // above the rate of any network, but too small to cause an overflow

const std::vector<std::string> cluster_keys = {
    "name", "transport", "orchestrator", "orchestrator_key", "trusted_network", "metrics", "host"};
const std::vector<std::string> mic_keys = {"name", "node", "gateway"};
const std::vector<std::string> node_keys = {
    "name", "host",  "endpoint",         "key",     "devices",          "cores", "memory", "secure",
    "type", "flops", "memory_bandwidth", "metrics", "metrics_instances"};
const std::vector<std::string> key_keys = {"name", "role", "public"};
const std::vector<std::string> link_keys = {"from", "to", "latency", "bandwidth"};
const std::vector<std::string> pool_keys = {"name", "type", "nodes", "shared", "instances"};
const std::vector<std::string> disciplines = {"fcfs", "priority", "share"};
const std::vector<std::string> roles = {"viewer", "operator", "agent", "admin", "module"};

}  // namespace

Result<Bytes> read_size(const Section& section, std::string_view key) {
    const toml::node* node = section.table.get(key);
    if (!node) return Bytes{0};
    if (const auto* number = node->as_integer(); number && number->get() >= 0) return Bytes{number->get()};
    if (const auto* text = node->as_string()) {
        constexpr std::pair<std::string_view, int> units[] = {{"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40}};
        const std::string& written = text->get();
        const std::size_t digits = std::min(written.find_first_not_of("0123456789"), written.size());
        const std::size_t unit = std::min(written.find_first_not_of(' ', digits), written.size());
        for (const auto& [name, shift] : units)
            if (digits > 0 && digits <= 7 && std::string_view(written).substr(unit) == name)
                return Bytes{std::stoll(written.substr(0, digits))} << shift;
    }
    return section.bad(key, error_text("no-size"));
}

std::string quantity(double value, const char* unit) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    return literal(std::string(text, end) + " " + unit);
}

namespace {

/// Converts "40 TFLOP/s" to FLOP/s; prefixes are powers of 1000. Returns 0 for anything else.
double rate_of(std::string_view written, std::string_view unit) {
    constexpr std::pair<std::string_view, double> prefixes[] = {{"", 1},    {"k", 1e3},  {"M", 1e6},
                                                                {"G", 1e9}, {"T", 1e12}, {"P", 1e15}};
    double number = 0;
    const auto [end, error] = std::from_chars(written.data(), written.data() + written.size(), number);
    if (error != std::errc()) return 0;
    written.remove_prefix(static_cast<std::size_t>(end - written.data()));
    written.remove_prefix(std::min(written.find_first_not_of(' '), written.size()));
    for (const auto& [prefix, factor] : prefixes)
        if (written.starts_with(prefix) && written.substr(prefix.size()) == unit) return number * factor;
    return 0;
}

/// Reads a rate as rate_of() does, or a number; returns 0 if the key is absent.
Result<double> read_rate(const Section& section, std::string_view key, std::string_view unit, const char* example) {
    const toml::node* node = section.table.get(key);
    if (!node) return 0.0;
    double rate = 0;
    if (const auto* number = node->as_floating_point()) rate = number->get();
    else if (const auto* whole = node->as_integer()) rate = static_cast<double>(whole->get());
    else if (const auto* text = node->as_string()) rate = rate_of(text->get(), unit);
    if (std::isfinite(rate) && rate > 0) return rate;
    return section.bad(key, error_text("no-rate"), {example});
}

/// Reads "0.2 ms": a number and one of the units. Empty if the key is absent.
Result<std::optional<double>> read_quantity(const Section& section, std::string_view key, std::span<const Unit> units,
                                            double least, double most, const std::string& example) {
    const toml::node* node = section.table.get(key);
    if (!node) return std::optional<double>();
    const auto* text = node->as_string();
    if (!text) return section.bad(key, error_text("no-quantity"), {example});
    const std::string& written = text->get();
    const auto parsed = parse_quantity(written, units);
    if (!parsed) return section.bad(key, error_text("unreadable-quantity"), {written, parsed.error().what, example});
    const double value = *parsed;
    if (!std::isfinite(value) || value < least || value > most)
        return section.bad(key, error_text("quantity-out-of-range"), {written, example});
    return std::optional(value);
}

/// Reads the section [cluster].
Result<void> read_cluster(const toml::table& root, const std::string& filename, ClusterSpec& spec) {
    const toml::node* node = root.get("cluster");
    if (!node || !node->as_table()) return make_error(error_text("no-cluster-section"), filename);
    const Section section{*node->as_table(), "cluster", filename};
    DIVISI_TRY(check_keys(section.table, "cluster", cluster_keys, filename));
    std::string transport = to_string(spec.transport);
    DIVISI_TRY(section.read("name", spec.name));
    DIVISI_TRY(section.read("transport", transport));
    DIVISI_TRY(section.read("orchestrator", spec.orchestrator));
    DIVISI_TRY(section.read("orchestrator_key", spec.orchestrator_key));
    DIVISI_TRY(section.read("trusted_network", spec.trusted_network));
    DIVISI_TRY(section.read("host", spec.host));
    DIVISI_TRY(check_name(section, spec.name));
    if (transport != "ipc" && transport != "tcp")
        return section.bad("transport", error_text("value-not-known"), {transport, suggest(transport, {"ipc", "tcp"})});
    DIVISI_TRY(read_metrics(section, spec.metrics));
    spec.transport = transport == "tcp" ? Transport::tcp : Transport::ipc;
    DIVISI_TRY(check_endpoint(section, "orchestrator", spec.orchestrator, spec.transport));
    // The orchestrator creates its key at its first start, so the first version of the file cannot contain it yet.
    if (spec.orchestrator_key.empty()) return {};
    return check_key(section, "orchestrator_key", spec.orchestrator_key, spec.transport == Transport::tcp);
}

/// Reads the location of a node: the address of its host, or its own endpoint.
Result<void> read_whereabouts(const Section& section, const ClusterSpec& spec, ClusterNode& node) {
    DIVISI_TRY(section.read("endpoint", node.endpoint));
    DIVISI_TRY(section.read("host", node.host));
    if (spec.hosts.empty() && node.host.empty())
        return check_endpoint(section, "endpoint", node.endpoint, spec.transport);
    if (!node.endpoint.empty()) return section.bad("endpoint", error_text("endpoint-of-hosted-node"));
    DIVISI_ASSIGN(const std::string address, address_of(section, node.host, spec));
    node.endpoint = "tcp://" + address + ":0";  // the node's agent chooses a free port
    return {};
}

Result<ClusterNode> read_node(const toml::table& table, const std::string& filename, const ClusterSpec& spec) {
    const Section section{table, "node", filename};
    ClusterNode node;
    DIVISI_TRY(check_keys(table, "mic.node", node_keys, filename));
    DIVISI_TRY(section.read("name", node.name));
    DIVISI_TRY(read_whereabouts(section, spec, node));
    DIVISI_TRY(section.read("key", node.key));
    DIVISI_TRY(section.read("devices", node.devices));
    DIVISI_TRY(section.read("cores", node.cores));
    DIVISI_TRY(section.read("secure", node.secure));
    DIVISI_ASSIGN(node.memory, read_size(section, "memory"));
    DIVISI_TRY(section.read("type", node.type));
    DIVISI_ASSIGN(node.flops_per_s, read_rate(section, "flops", "FLOP/s", "\"40 TFLOP/s\""));
    DIVISI_ASSIGN(node.bytes_per_s, read_rate(section, "memory_bandwidth", "B/s", "\"800 GB/s\""));
    DIVISI_TRY(read_metrics(section, node));
    DIVISI_TRY(check_name(section, node.name));
    DIVISI_TRY(check_key(section, "key", node.key, spec.transport == Transport::tcp && node.host.empty()));
    if (node.devices.empty()) return section.bad("devices", error_text("no-devices-listed"));
    if (node.cores < 0 || node.cores > 4096)
        return section.bad("cores", error_text("cores-out-of-range"), {std::to_string(node.cores)});
    return node;
}

Result<void> read_mics(const toml::table& root, const std::string& filename, ClusterSpec& spec) {
    DIVISI_ASSIGN(const auto mics, tables(root, "mic", filename));
    std::set<std::string> mic_names, endpoints;
    std::size_t count = 0;
    for (const toml::table* table : mics) {
        const Section section{*table, "mic", filename};
        ClusterMic mic;
        DIVISI_TRY(check_keys(*table, "mic", mic_keys, filename));
        DIVISI_TRY(section.read("name", mic.name));
        DIVISI_TRY(check_name(section, mic.name));
        if (!mic_names.insert(mic.name).second)
            return section.bad("name", error_text("mic-name-used-twice"), {mic.name});
        DIVISI_ASSIGN(const auto nodes, tables(*table, "node", filename));
        std::set<std::string> node_names;
        for (const toml::table* described : nodes) {
            DIVISI_ASSIGN(ClusterNode node, read_node(*described, filename, spec));
            const Section at{*described, "node", filename};
            if (!node_names.insert(node.name).second)
                return at.bad("name", error_text("node-name-used-twice"), {node.name, mic.name});
            const bool shared = !endpoints.insert(node.endpoint).second || node.endpoint == spec.orchestrator;
            if (shared && node.host.empty())
                return at.bad("endpoint", error_text("endpoint-used-twice"), {node.endpoint});
            if (++count > most_nodes) return at.bad("name", error_text("too-many-nodes"), {std::to_string(most_nodes)});
            mic.nodes.push_back(std::move(node));
        }
        DIVISI_TRY(read_gateway(*table, filename, spec, mic));
        if (mic.nodes.empty()) return section.bad("node", error_text("mic-without-node"), {mic.name});
        spec.mics.push_back(std::move(mic));
    }
    if (!spec.mics.empty()) return {};
    return make_error(error_text("cluster-without-mic"), filename);
}

Result<void> read_keys(const toml::table& root, const std::string& filename, ClusterSpec& spec) {
    DIVISI_ASSIGN(const auto keys, tables(root, "key", filename));
    std::set<std::string> seen;
    for (const toml::table* table : keys) {
        const Section section{*table, "key", filename};
        AllowedKey key;
        DIVISI_TRY(check_keys(*table, "key", key_keys, filename));
        DIVISI_TRY(section.read("name", key.name));
        DIVISI_TRY(section.read("role", key.role));
        DIVISI_TRY(section.read("public", key.public_key));
        DIVISI_TRY(check_name(section, key.name));
        if (std::find(roles.begin(), roles.end(), key.role) == roles.end())
            return key.role.empty()
                       ? section.bad("role", error_text("value-missing"), {suggest(key.role, roles)})
                       : section.bad("role", error_text("value-not-known"), {key.role, suggest(key.role, roles)});
        DIVISI_TRY(check_key(section, "public", key.public_key, true));
        if (!seen.insert(key.public_key).second) return section.bad("public", error_text("public-key-listed-twice"));
        spec.keys.push_back(std::move(key));
    }
    return {};
}

/// Checks an end: a node of the file, or a prefix of node paths and a star.
Result<void> check_end(const Section& section, std::string_view key, const std::string& end,
                       const std::vector<std::string>& nodes) {
    const std::string_view prefix = std::string_view(end).substr(0, end.size() - (end.ends_with('*') ? 1 : 0));
    const bool known = std::any_of(nodes.begin(), nodes.end(), [&](const std::string& node) {
        return end.ends_with('*') ? node.starts_with(prefix) : node == end;
    });
    if (known) return {};
    return section.bad(key, error_text("end-is-no-node"), {end, suggest(end, nodes)});
}

std::vector<std::string> node_paths(const ClusterSpec& spec) {
    std::vector<std::string> nodes;
    for (const ClusterMic& mic : spec.mics)
        for (const ClusterNode& node : mic.nodes) nodes.push_back(mic.name + "/" + node.name);
    return nodes;
}

Result<void> read_links(const toml::table& root, const std::string& filename, ClusterSpec& spec) {
    DIVISI_ASSIGN(const auto links, tables(root, "link", filename));
    const std::vector<std::string> nodes = node_paths(spec);
    std::set<std::pair<std::string, std::string>> seen;
    for (const toml::table* table : links) {
        const Section section{*table, "link", filename};
        ClusterLink link;
        DIVISI_TRY(check_keys(*table, "link", link_keys, filename));
        DIVISI_TRY(section.read("from", link.from));
        DIVISI_TRY(section.read("to", link.to));
        if (const auto named = spec.devices();
            std::ranges::find(named, link.from, &ClusterDevice::name) != named.end()) {
            if (!spec.linked(link.from, link.to))
                return section.bad("to", error_text("devices-not-linked"), {link.to, link.from});
        } else {
            DIVISI_TRY(check_end(section, "from", link.from, nodes));
            DIVISI_TRY(check_end(section, "to", link.to, nodes));
        }
        DIVISI_ASSIGN(link.latency_s, read_quantity(section, "latency", latency_units, 0, longest_latency_s, "0.2 ms"));
        DIVISI_ASSIGN(link.bytes_per_s,
                      read_quantity(section, "bandwidth", bandwidth_units, 1, largest_bytes_per_s, "1.2 GB/s"));
        if (!link.latency_s && !link.bytes_per_s) return section.bad("latency", error_text("link-without-figures"));
        if (!seen.emplace(link.from, link.to).second) return section.bad("from", error_text("link-given-twice"));
        if (seen.size() > most_links)
            return section.bad("from", error_text("too-many-links"), {std::to_string(most_links)});
        spec.links.push_back(std::move(link));
    }
    return {};
}

Result<ClusterPool> read_pool(const Section& section, const std::vector<std::string>& nodes) {
    ClusterPool pool;
    DIVISI_TRY(check_keys(section.table, "pool", pool_keys, section.filename));
    DIVISI_TRY(section.read("name", pool.name));
    DIVISI_TRY(section.read("type", pool.type));
    DIVISI_TRY(section.read("nodes", pool.nodes));
    DIVISI_TRY(section.read("shared", pool.shared));
    DIVISI_TRY(section.read("instances", pool.instances));
    DIVISI_TRY(check_name(section, pool.name));
    for (const std::string& node : pool.nodes) DIVISI_TRY(check_end(section, "nodes", node, nodes));
    if (pool.type.empty() && pool.nodes.empty()) return section.bad("type", error_text("pool-without-nodes"));
    if (pool.instances < 0 || pool.instances > most_instances)
        return section.bad("instances", error_text("pool-instances-out-of-range"),
                           {std::to_string(pool.instances), std::to_string(most_instances)});
    if (pool.instances > 0 && !pool.shared) return section.bad("instances", error_text("instances-of-exclusive-pool"));
    return pool;
}

Result<void> read_pools(const toml::table& root, const std::string& filename, ClusterSpec& spec) {
    DIVISI_ASSIGN(const auto pools, tables(root, "pool", filename));
    const std::vector<std::string> nodes = node_paths(spec);
    std::set<std::string> names;
    for (const toml::table* table : pools) {
        const Section section{*table, "pool", filename};
        DIVISI_ASSIGN(ClusterPool pool, read_pool(section, nodes));
        if (!names.insert(pool.name).second)
            return section.bad("name", error_text("pool-name-used-twice"), {pool.name});
        if (names.size() > most_pools)
            return section.bad("name", error_text("too-many-pools"), {std::to_string(most_pools)});
        spec.pools.push_back(std::move(pool));
    }
    return {};
}

Result<void> read_weights(const toml::node& node, const std::string& filename, std::map<std::string, double>& weights) {
    const toml::table* table = node.as_table();
    if (!table)
        return wrong_type(node, "queue.weights", place(filename, node),
                          fill(error_text("section-wanted").what, {"queue.weights"}));
    const Section section{*table, "queue.weights", filename};
    for (const auto& [key, value] : *table) {
        double& weight = weights[std::string(key.str())];
        DIVISI_TRY(section.read(key.str(), weight));
        if (!std::isfinite(weight) || weight <= 0 || weight > largest_weight)
            return section.bad(key.str(), error_text("no-share-weight"));
        if (weights.size() > most_weights)
            return section.bad(key.str(), error_text("too-many-share-weights"), {std::to_string(most_weights)});
    }
    return {};
}

Result<void> read_queue(const toml::table& root, const std::string& filename, ClusterSpec& spec) {
    const toml::node* node = root.get("queue");
    if (!node) return {};
    if (!node->as_table())
        return wrong_type(*node, "queue", place(filename, *node), fill(error_text("section-wanted").what, {"queue"}));
    const Section section{*node->as_table(), "queue", filename};
    DIVISI_TRY(check_keys(section.table, "queue", {"discipline", "weights"}, filename));
    std::string& discipline = spec.queue.discipline;
    DIVISI_TRY(section.read("discipline", discipline));
    if (std::find(disciplines.begin(), disciplines.end(), discipline) == disciplines.end())
        return section.bad("discipline", error_text("value-not-known"), {discipline, suggest(discipline, disciplines)});
    const toml::node* weights = section.table.get("weights");
    if (!weights) return {};
    if (discipline != "share") return section.bad("weights", error_text("weights-of-other-discipline"), {discipline});
    return read_weights(*weights, filename, spec.queue.weights);
}

std::string print_pool(const ClusterPool& pool) {
    std::string text = "\n[[pool]]\nname = " + literal(pool.name) + "\n";
    if (!pool.type.empty()) text += "type = " + literal(pool.type) + "\n";
    if (!pool.nodes.empty()) text += "nodes = " + literal(pool.nodes) + "\n";
    if (pool.shared) text += "shared = true\n";
    if (pool.instances > 0) text += "instances = " + literal(pool.instances) + "\n";
    return text;
}

std::string print_queue(const ClusterQueue& queue) {
    if (queue == ClusterQueue{}) return {};
    std::string text = "\n[queue]\ndiscipline = " + literal(queue.discipline) + "\n";
    if (!queue.weights.empty()) text += "\n[queue.weights]\n";
    for (const auto& [submitter, weight] : queue.weights) text += key_text(submitter) + " = " + literal(weight) + "\n";
    return text;
}

}  // namespace

const char* to_string(Transport transport) { return transport == Transport::tcp ? "tcp" : "ipc"; }

const ClusterNode* ClusterSpec::find(std::string_view path) const {
    const std::size_t slash = path.find('/');
    if (slash == std::string_view::npos) return nullptr;
    for (const ClusterMic& mic : mics)
        for (const ClusterNode& node : mic.nodes)
            if (mic.name == path.substr(0, slash) && node.name == path.substr(slash + 1)) return &node;
    return nullptr;
}

const ClusterHost* ClusterSpec::find_host(std::string_view name) const {
    const auto found = std::ranges::find(hosts, name, &ClusterHost::name);
    return found == hosts.end() ? nullptr : &*found;
}

std::vector<const ClusterDevice*> ClusterSpec::devices() const {
    std::vector<const ClusterDevice*> all;
    for (const ClusterMic& mic : mics)
        if (mic.gateway) all.push_back(&*mic.gateway);
    for (const ClusterDevice& router : routers) all.push_back(&router);
    return all;
}

bool ClusterSpec::linked(std::string_view a, std::string_view b) const {
    return std::ranges::any_of(devices(), [&](const ClusterDevice* one) {
        const auto names = [&](std::string_view other) {
            return std::ranges::find(one->links, other) != one->links.end();
        };
        return (one->name == a && names(b)) || (one->name == b && names(a));
    });
}

Result<ClusterSpec> parse_cluster(std::string_view text, const std::string& filename) {
    DIVISI_ASSIGN(const toml::table root, parse_toml(text, filename));
    DIVISI_TRY(check_keys(
        root, "", {"cluster", "mic", "host", "router", "module", "key", "link", "pool", "queue", "alerts", "policy"},
        filename));
    ClusterSpec spec;
    DIVISI_TRY(read_cluster(root, filename, spec));
    DIVISI_TRY(read_hosts(root, filename, spec));
    DIVISI_TRY(read_mics(root, filename, spec));
    DIVISI_TRY(read_routers(root, filename, spec));
    DIVISI_TRY(check_mesh(root, filename, spec));
    DIVISI_TRY(read_modules(root, filename, spec));
    DIVISI_TRY(check_metrics(root, filename, spec));
    DIVISI_TRY(read_keys(root, filename, spec));
    DIVISI_TRY(read_links(root, filename, spec));
    DIVISI_TRY(read_pools(root, filename, spec));
    DIVISI_TRY(read_queue(root, filename, spec));
    DIVISI_TRY(read_alerts(root, filename, spec.alerts));
    DIVISI_TRY(read_policies(root, filename, spec.policies));
    return spec;
}

std::string print_cluster(const ClusterSpec& spec) {
    const auto line = [](const char* key, const std::string& value) { return std::string(key) + " = " + value + "\n"; };
    const auto given = [&](const char* key, const std::string& value) {
        return value.empty() ? std::string() : line(key, literal(value));
    };
    std::string text = "[cluster]\n" + line("name", literal(spec.name)) +
                       line("transport", literal(std::string(to_string(spec.transport)))) +
                       line("orchestrator", literal(spec.orchestrator)) +
                       given("orchestrator_key", spec.orchestrator_key);
    if (spec.trusted_network) text += line("trusted_network", "true");
    text += given("metrics", spec.metrics) + given("host", spec.host);
    for (const ClusterHost& host : spec.hosts)
        text += "\n[[host]]\n" + line("name", literal(host.name)) + line("address", literal(host.address));
    for (const ClusterMic& mic : spec.mics) {
        text += "\n[[mic]]\n" + line("name", literal(mic.name));
        for (const ClusterNode& node : mic.nodes) {
            text += "\n[[mic.node]]\n" + line("name", literal(node.name)) +
                    (node.host.empty() ? line("endpoint", literal(node.endpoint)) : line("host", literal(node.host))) +
                    given("key", node.key) + line("devices", literal(node.devices));
            if (node.cores > 0) text += line("cores", literal(node.cores));
            if (node.memory > 0) text += line("memory", literal(node.memory));
            if (node.secure) text += line("secure", "true");
            text += given("type", node.type);
            if (node.flops_per_s > 0) text += line("flops", literal(node.flops_per_s));
            if (node.bytes_per_s > 0) text += line("memory_bandwidth", literal(node.bytes_per_s));
            text += given("metrics", node.metrics);
            if (node.metrics_instances) text += line("metrics_instances", "true");
        }
        if (mic.gateway) text += "\n[mic.gateway]\n" + print_device(*mic.gateway);
    }
    for (const ClusterDevice& router : spec.routers) text += "\n[[router]]\n" + print_device(router);
    for (const ClusterModule& module : spec.modules) text += print_module(module);
    for (const AllowedKey& key : spec.keys)
        text += "\n[[key]]\n" + line("name", literal(key.name)) + line("role", literal(key.role)) +
                line("public", literal(key.public_key));
    for (const ClusterLink& link : spec.links) {
        text += "\n[[link]]\n" + line("from", literal(link.from)) + line("to", literal(link.to));
        if (link.latency_s) text += line("latency", quantity(*link.latency_s, "s"));
        if (link.bytes_per_s) text += line("bandwidth", quantity(*link.bytes_per_s, "B/s"));
    }
    for (const ClusterPool& pool : spec.pools) text += print_pool(pool);
    return text + print_queue(spec.queue) + print_policies(spec.policies) + print_alerts(spec.alerts);
}

}  // namespace divisi::task
