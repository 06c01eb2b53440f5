// SPDX-License-Identifier: Apache-2.0
#include "backend/ctl/hosting/hosted_programs.h"

#include <charconv>

namespace divisi::ctl {
namespace {

void add_metrics(std::vector<std::string>& arguments, const std::string& address) {
    if (!address.empty()) arguments.insert(arguments.end(), {"--metrics", address});
}

std::filesystem::path logs(const std::filesystem::path& data) { return data / "logs"; }

HostedProgram divisid(const task::ClusterSpec& spec, const std::filesystem::path& file,
                      const std::filesystem::path& data) {
    const std::filesystem::path own = administrators_connection(data).parent_path();
    return {embed::orchestrator,
            spec.orchestrator_key,
            own / "server.key",
            logs(data) / "divisid.log",
            "divisid",
            {"--data", own, "--cluster", file, "--listen", "ipc://" + (own / "control.sock").string()}};
}

HostedProgram node(const task::ClusterSpec& spec, const std::string& mic, const task::ClusterNode& node,
                   const std::filesystem::path& data) {
    const std::string name = mic + "/" + node.name;
    const std::filesystem::path own = data / "nodes" / mic / node.name, keys = own / "node.key";
    HostedProgram program{name,
                          node.key,
                          keys,
                          logs(data) / "nodes" / mic / (node.name + ".log"),
                          "divisi-node",
                          {"--connect", hosted_connection(data), "--name", name, "--data", own, "--listen",
                           spec.find_host(node.host)->address, "--keys", keys}};
    add_metrics(program.arguments, node.metrics);
    if (node.metrics_instances) program.arguments.push_back("--metrics-instances");
    return program;
}

/// Returns the limits as options of divisi-gateway.
std::vector<std::string> limit_options(const task::ClusterLimits& limits) {
    std::vector<std::string> options;
    const auto add = [&](const char* option, const std::optional<double>& value, const char* unit) {
        if (!value) return;
        char number[32];
        const auto end = std::to_chars(number, number + sizeof number, *value).ptr;
        options.insert(options.end(), {option, std::string(number, end) + unit});
    };
    add("--task-rate", limits.task_bytes_per_s, "B/s");
    add("--mic-rate", limits.mic_bytes_per_s, "B/s");
    add("--task-set-ups", limits.task_set_ups_per_s, "");
    add("--mic-set-ups", limits.mic_set_ups_per_s, "");
    add("--retries", limits.retries_per_s, "");
    add("--set-up-deadline", limits.set_up_deadline_s, "");
    add("--policy-validity", limits.policy_validity_s, "");
    return options;
}

/// Returns the program of a gateway, or of a router if `mic` is empty.
HostedProgram device(const task::ClusterDevice& device, const std::string& mic, const std::filesystem::path& data) {
    const std::filesystem::path keys = data / "keys" / (device.name + ".key");
    std::string links;
    for (const std::string& link : device.links) links += (links.empty() ? "" : ",") + link;
    HostedProgram program{device.name,
                          device.key,
                          keys,
                          logs(data) / (device.name + ".log"),
                          mic.empty() ? "divisi-router" : "divisi-gateway",
                          {"--connect", hosted_connection(data), "--name", device.name, "--listen",
                           device.address + ":" + std::to_string(device.port), "--keys", keys}};
    if (!mic.empty()) {
        program.arguments.insert(program.arguments.end(), {"--mic", mic});
        const std::vector<std::string> limits = limit_options(device.limits);
        program.arguments.insert(program.arguments.end(), limits.begin(), limits.end());
    }
    if (!links.empty()) program.arguments.insert(program.arguments.end(), {"--neighbours", links});
    add_metrics(program.arguments, device.metrics);
    return program;
}

HostedProgram module_program(const task::ClusterModule& module, const std::filesystem::path& data) {
    const std::filesystem::path keys = data / "keys" / (module.name + ".key");
    HostedProgram program{
        module.name,    module.key,
        keys,           logs(data) / ("module-" + module.name + ".log"),
        module.program, {"--connect", hosted_connection(data), "--name", module.name, "--keys", keys}};
    program.arguments.insert(program.arguments.end(), module.arguments.begin(), module.arguments.end());
    add_metrics(program.arguments, module.metrics);
    return program;
}

}  // namespace

std::filesystem::path hosted_connection(const std::filesystem::path& data) { return data / "connection-tcp.toml"; }

std::filesystem::path administrators_connection(const std::filesystem::path& data) {
    return data / "orchestrator/connection.toml";
}

std::vector<HostedProgram> hosted_programs(const task::ClusterSpec& spec, const std::string& host,
                                           const std::filesystem::path& file, const std::filesystem::path& data) {
    std::vector<HostedProgram> programs;
    if (spec.host == host) programs.push_back(divisid(spec, file, data));
    for (const task::ClusterMic& mic : spec.mics) {
        for (const task::ClusterNode& one : mic.nodes)
            if (one.host == host) programs.push_back(node(spec, mic.name, one, data));
        if (mic.gateway && mic.gateway->host == host) programs.push_back(device(*mic.gateway, mic.name, data));
    }
    for (const task::ClusterDevice& router : spec.routers)
        if (router.host == host) programs.push_back(device(router, "", data));
    for (const task::ClusterModule& one : spec.modules)
        if (one.host == host) programs.push_back(module_program(one, data));
    return programs;
}

embed::Member member_of(const HostedProgram& program, int kept_fd) {
    embed::Member member;
    member.name = program.name;
    // the cluster continues if a program other than the orchestrator dies
    member.may_die = program.name != embed::orchestrator;
    member.spec = {process::program_folder() / program.program, program.arguments, {}, program.log, kept_fd};
    return member;
}

}  // namespace divisi::ctl
