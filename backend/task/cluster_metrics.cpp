// SPDX-License-Identifier: Apache-2.0
// Addresses at which the programs of a cluster file serve metrics to Prometheus.
#include <set>
#include <tuple>

#include "backend/task/cluster_fields.h"
#include "backend/task/error_texts.h"
#include "backend/task/loopback.h"

namespace divisi::task {
namespace {

/// A program that serves metrics, and the section with its address, for messages.
struct MetricsSource {
    std::string host, address;
    Section section;
};

std::vector<MetricsSource> metrics_sources(const toml::table& root, const std::string& filename,
                                           const ClusterSpec& spec) {
    std::vector<MetricsSource> all;
    const auto add = [&](const std::string& host, const std::string& address, const toml::node& node,
                         const char* name) {
        if (!address.empty()) all.push_back({host, address, {*node.as_table(), name, filename}});
    };
    const auto mics = tables(root, "mic", filename), routers = tables(root, "router", filename),
               modules = tables(root, "module", filename);
    add(spec.host, spec.metrics, *root.get("cluster"), "cluster");
    for (std::size_t i = 0; i < spec.mics.size(); ++i) {
        const ClusterMic& mic = spec.mics[i];
        const auto nodes = tables(*(*mics)[i], "node", filename);
        for (std::size_t j = 0; j < mic.nodes.size(); ++j)
            add(mic.nodes[j].host, mic.nodes[j].metrics, *(*nodes)[j], "node");
        if (mic.gateway) add(mic.gateway->host, mic.gateway->metrics, *(*mics)[i]->get("gateway"), "gateway");
    }
    for (std::size_t i = 0; i < spec.routers.size(); ++i)
        add(spec.routers[i].host, spec.routers[i].metrics, *(*routers)[i], "router");
    for (std::size_t i = 0; i < spec.modules.size(); ++i)
        add(spec.modules[i].host, spec.modules[i].metrics, *(*modules)[i], "module");
    return all;
}

Error of_no_host(const Section& section, const char* key, const char* option) {
    return section.bad(key, error_text("key-needs-host"), {option});
}

}  // namespace

Result<void> read_metrics(const Section& section, std::string& address) {
    DIVISI_TRY(section.read("metrics", address));
    if (address.empty() || parse_loopback(address)) return {};
    return section.bad("metrics", error_text("no-loopback-address"), {address});
}

Result<void> read_metrics(const Section& section, const std::string& host, std::string& address) {
    DIVISI_TRY(read_metrics(section, address));
    if (host.empty() && !address.empty()) return of_no_host(section, "metrics", "--metrics");
    return {};
}

Result<void> read_metrics(const Section& section, ClusterNode& node) {
    DIVISI_TRY(read_metrics(section, node.host, node.metrics));
    DIVISI_TRY(section.read("metrics_instances", node.metrics_instances));
    if (node.host.empty() && node.metrics_instances)
        return of_no_host(section, "metrics_instances", "--metrics-instances");
    return {};
}

Result<void> check_metrics(const toml::table& root, const std::string& filename, const ClusterSpec& spec) {
    std::set<std::tuple<std::string, std::string, int>> taken;
    for (const MetricsSource& source : metrics_sources(root, filename, spec)) {
        const auto at = parse_loopback(source.address);
        if (at->port == 0 || taken.emplace(source.host, at->host, at->port).second) continue;
        return source.host.empty()
                   ? source.section.bad("metrics", error_text("metrics-port-used-twice"), {source.address})
                   : source.section.bad("metrics", error_text("metrics-port-used-twice-on-host"),
                                        {source.address, source.host});
    }
    return {};
}

}  // namespace divisi::task
