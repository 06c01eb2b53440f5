// SPDX-License-Identifier: Apache-2.0
// Functional modules of a cluster file.
#include <algorithm>
#include <set>

#include "backend/task/cluster_fields.h"
#include "backend/task/error_texts.h"

namespace divisi::task {
namespace {

constexpr std::size_t most_modules = 64;  // equals the orchestrator's limit on modules
const std::vector<std::string> module_keys = {"name", "program", "arguments", "host", "key", "metrics"};

/// The names and keys of all other programs in the file.
struct Taken {
    std::set<std::string> names{"divisid"}, keys;
};

Taken taken_by_others(const ClusterSpec& spec) {
    Taken taken;
    taken.keys.insert(spec.orchestrator_key);
    for (const ClusterMic& mic : spec.mics)
        for (const ClusterNode& node : mic.nodes) taken.keys.insert(node.key);
    for (const ClusterDevice* device : spec.devices()) {
        taken.names.insert(device->name);
        taken.keys.insert(device->key);
    }
    return taken;
}

Result<ClusterModule> read_module(const Section& section, const ClusterSpec& spec) {
    ClusterModule module;
    DIVISI_TRY(check_keys(section.table, section.name, module_keys, section.filename));
    DIVISI_TRY(section.read("name", module.name));
    DIVISI_TRY(section.read("program", module.program));
    DIVISI_TRY(section.read("arguments", module.arguments));
    DIVISI_TRY(section.read("host", module.host));
    DIVISI_TRY(section.read("key", module.key));
    DIVISI_TRY(check_name(section, module.name));
    DIVISI_TRY(check_key(section, "key", module.key, false));
    DIVISI_TRY(read_metrics(section, module.host, module.metrics));
    const auto says_it = [](const std::string& argument) {
        return argument == "--metrics" || argument.starts_with("--metrics=");
    };
    if (!module.metrics.empty() && std::ranges::any_of(module.arguments, says_it))
        return section.bad("metrics", error_text("metrics-given-twice"));
    if (module.program.empty()) module.program = "divisi-module-" + module.name;
    if (!spec.hosts.empty() || !module.host.empty()) {
        DIVISI_ASSIGN(const std::string address, address_of(section, module.host, spec));
    }
    return module;
}

}  // namespace

Result<void> read_modules(const toml::table& root, const std::string& filename, ClusterSpec& spec) {
    DIVISI_ASSIGN(const auto modules, tables(root, "module", filename));
    Taken taken = taken_by_others(spec);
    for (const toml::table* table : modules) {
        const Section section{*table, "module", filename};
        DIVISI_ASSIGN(ClusterModule module, read_module(section, spec));
        if (!taken.names.insert(module.name).second)
            return section.bad("name", error_text("module-name-used-twice"), {module.name});
        if (!module.key.empty() && !taken.keys.insert(module.key).second)
            return section.bad("key", error_text("key-used-twice"));
        spec.modules.push_back(std::move(module));
        if (spec.modules.size() > most_modules)
            return section.bad("name", error_text("too-many-modules"), {std::to_string(most_modules)});
    }
    return {};
}

std::string print_module(const ClusterModule& module) {
    std::string text = "\n[[module]]\nname = " + literal(module.name) + "\nprogram = " + literal(module.program) + "\n";
    if (!module.arguments.empty()) text += "arguments = " + literal(module.arguments) + "\n";
    if (!module.host.empty()) text += "host = " + literal(module.host) + "\n";
    if (!module.key.empty()) text += "key = " + literal(module.key) + "\n";
    if (!module.metrics.empty()) text += "metrics = " + literal(module.metrics) + "\n";
    return text;
}

}  // namespace divisi::task
