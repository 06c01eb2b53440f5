// SPDX-License-Identifier: Apache-2.0
#pragma once

// Private to the cluster file's parser: reads and checks keys that several of its sections share.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/base/error_text.h"
#include "backend/task/cluster_file.h"
#include "backend/task/parse.h"
#include "backend/task/toml_reader.h"

namespace divisi::task {

/// A table of the file, and its name in messages.
struct Section {
    const toml::table& table;
    std::string name;
    const std::string& filename;

    std::string where(std::string_view key) const {
        const toml::node* node = table.get(key);
        return place(filename, node ? *node : table);
    }
    /// Returns an error about this key. Its text begins with the name of the key.
    Error bad(std::string_view key, const ErrorText& text, std::vector<std::string> args = {}) const {
        return about(name + "." + std::string(key), make_error(text, where(key), std::move(args)));
    }
    /// Reads a key if it is present.
    template <typename T>
    Result<void> read(std::string_view key, T& field) const {
        const toml::node* node = table.get(key);
        return node ? read_value(*node, name + "." + std::string(key), where(key), field) : Result<void>{};
    }
};

/// Reads "32 GiB", "512 MiB" or a number of bytes; returns 0 if the key is absent.
Result<Bytes> read_size(const Section& section, std::string_view key);
/// Formats a quantity as TOML text, e.g. "0.2 s".
std::string quantity(double value, const char* unit);
/// Checks that a name has only letters, digits, '-', '_' and '.', and at most 64 characters.
Result<void> check_name(const Section& section, const std::string& name);
/// Checks an endpoint: tcp://host:port or ipc:///path, as the transport requires.
Result<void> check_endpoint(const Section& section, std::string_view key, const std::string& endpoint,
                            Transport transport);
/// Checks a CURVE public key. The key may be empty unless `needed` is set.
Result<void> check_key(const Section& section, std::string_view key, const std::string& text, bool needed);

// Addresses at which programs serve metrics to Prometheus (cluster_metrics.cpp).

/// Reads a loopback address and a port if the key is present.
Result<void> read_metrics(const Section& section, std::string& address);
/// Reads the address of a program that runs on `host`. Fails if the key is set without a host, since no program is then
/// started from the file.
Result<void> read_metrics(const Section& section, const std::string& host, std::string& address);
/// Reads the addresses of a node and of its instances.
Result<void> read_metrics(const Section& section, ClusterNode& node);
/// Checks that no two programs of a host use the same port. Call this after all addresses were read.
Result<void> check_metrics(const toml::table& root, const std::string& filename, const ClusterSpec& spec);

/// Returns the tables of a [[list]]; empty if it is absent.
Result<std::vector<const toml::table*>> tables(const toml::table& parent, std::string_view key,
                                               const std::string& filename);

// Hosts, gateways and routers (cluster_mesh.cpp).

Result<void> read_hosts(const toml::table& root, const std::string& filename, ClusterSpec& spec);
/// Returns the address of the host that this section's `host` names.
Result<std::string> address_of(const Section& section, const std::string& host, const ClusterSpec& spec);
/// Reads [mic.gateway] of a MIC, if it has one.
Result<void> read_gateway(const toml::table& mic, const std::string& filename, const ClusterSpec& spec,
                          ClusterMic& into);
/// Reads the limits of a gateway (cluster_limits.cpp).
Result<void> read_limits(const toml::table& gateway, const std::string& filename, ClusterLimits& into);
std::string print_limits(const ClusterLimits& limits);
Result<void> read_routers(const toml::table& root, const std::string& filename, ClusterSpec& spec);
/// Checks that names and keys are unique, links lead to known devices, every MIC has a gateway if there is a mesh, and
/// all gateways reach each other. Call after MICs and routers were read.
Result<void> check_mesh(const toml::table& root, const std::string& filename, const ClusterSpec& spec);
std::string print_device(const ClusterDevice& device);

/// Reads every [[module]]; their names and keys must be unique (cluster_modules.cpp). Call after all other sections
/// were read.
Result<void> read_modules(const toml::table& root, const std::string& filename, ClusterSpec& spec);
std::string print_module(const ClusterModule& module);

/// Reads [alerts] (cluster_alerts.cpp). Absent keys keep their values.
Result<void> read_alerts(const toml::table& root, const std::string& filename, AlertRules& rules);
std::string print_alerts(const AlertRules& rules);

// Reads [policy] (cluster_policy.cpp). The orchestrator checks the meaning of the entries.

Result<void> read_policies(const toml::table& root, const std::string& filename, std::vector<StatedPolicy>& policies);
std::string print_policies(const std::vector<StatedPolicy>& policies);

}  // namespace divisi::task
