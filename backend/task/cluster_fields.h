// SPDX-License-Identifier: Apache-2.0
#pragma once

// Private to the cluster file's parser: reading and checking what several of its sections have.

#include <string>
#include <string_view>
#include <vector>

#include "backend/task/cluster_file.h"
#include "backend/task/parse.h"
#include "backend/task/toml_reader.h"

namespace divisi::task {

/// A table of the file with its name in messages.
struct Section {
    const toml::table& table;
    std::string name;
    const std::string& filename;

    std::string where(std::string_view key) const {
        const toml::node* node = table.get(key);
        return place(filename, node ? *node : table);
    }
    Error bad(std::string_view key, std::string what, std::string next) const {
        return Error{ErrorCode::invalid_input, name + "." + std::string(key) + " " + std::move(what), where(key),
                     std::move(next)};
    }
    /// Reads a key where it is present.
    template <typename T>
    Result<void> read(std::string_view key, T& field) const {
        const toml::node* node = table.get(key);
        return node ? read_value(*node, name + "." + std::string(key), where(key), field) : Result<void>{};
    }
};

/// "32 GiB", "512 MiB" or a number of bytes; 0 where the key is absent.
Result<Bytes> read_size(const Section& section, std::string_view key);
/// "0.2 s" as TOML text.
std::string quantity(double value, const char* unit);
/// Letters, digits, '-', '_' and '.', up to 64.
Result<void> check_name(const Section& section, const std::string& name);
/// tcp://host:port or ipc:///path, as the transport has it.
Result<void> check_endpoint(const Section& section, std::string_view key, const std::string& endpoint,
                            Transport transport);
/// A CURVE public key; may be left out unless it is needed.
Result<void> check_key(const Section& section, std::string_view key, const std::string& text, bool needed);

// Where programs tell Prometheus of themselves (cluster_metrics.cpp).

/// A loopback address and a port, where the key is present.
Result<void> read_metrics(const Section& section, std::string& address);
/// Likewise of a program that runs on `host`; without one nobody starts it by the file.
Result<void> read_metrics(const Section& section, const std::string& host, std::string& address);
/// Of a node, and of its instances.
Result<void> read_metrics(const Section& section, ClusterNode& node);
/// That no two programs of a host tell at one port. Once all of them are read.
Result<void> check_metrics(const toml::table& root, const std::string& filename, const ClusterSpec& spec);

/// The tables of a [[list]]; none when it is absent.
Result<std::vector<const toml::table*>> tables(const toml::table& parent, std::string_view key,
                                               const std::string& filename);

// Hosts, gateways and routers (cluster_mesh.cpp).

Result<void> read_hosts(const toml::table& root, const std::string& filename, ClusterSpec& spec);
/// The address of a host of the file, which `host` of this section names.
Result<std::string> address_of(const Section& section, const std::string& host, const ClusterSpec& spec);
/// [mic.gateway] of a MIC, where it has one.
Result<void> read_gateway(const toml::table& mic, const std::string& filename, const ClusterSpec& spec,
                          ClusterMic& into);
/// What it lets through (cluster_limits.cpp).
Result<void> read_limits(const toml::table& gateway, const std::string& filename, ClusterLimits& into);
std::string print_limits(const ClusterLimits& limits);
Result<void> read_routers(const toml::table& root, const std::string& filename, ClusterSpec& spec);
/// That names and keys are used once, links lead to somebody, every MIC has a gateway where there is a mesh, and all
/// gateways reach each other. Once MICs and routers are read.
Result<void> check_mesh(const toml::table& root, const std::string& filename, const ClusterSpec& spec);
std::string print_device(const ClusterDevice& device);

/// [[module]]s, whose names and keys nobody else has (cluster_modules.cpp). Once all others are read.
Result<void> read_modules(const toml::table& root, const std::string& filename, ClusterSpec& spec);
std::string print_module(const ClusterModule& module);

/// [alerts] (cluster_alerts.cpp); what is not said stays as it is.
Result<void> read_alerts(const toml::table& root, const std::string& filename, AlertRules& rules);
std::string print_alerts(const AlertRules& rules);

// [policy] (cluster_policy.cpp). What the entries mean is for the orchestrator to check.

Result<void> read_policies(const toml::table& root, const std::string& filename, std::vector<StatedPolicy>& policies);
std::string print_policies(const std::vector<StatedPolicy>& policies);

}  // namespace divisi::task
