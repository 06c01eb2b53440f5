// SPDX-License-Identifier: Apache-2.0
#include "backend/ctl/hosted_programs.h"

#include <algorithm>

namespace divisi::ctl {
namespace {

std::string dashed(std::string name) {
    std::ranges::replace(name, '/', '-');
    return name;
}

std::filesystem::path key_file(const std::filesystem::path& data, const std::string& name) {
    return data / "keys" / (dashed(name) + ".key");
}

HostedProgram divisid(const task::ClusterSpec& spec, const std::filesystem::path& file,
                      const std::filesystem::path& data) {
    const std::filesystem::path own = administrators_connection(data).parent_path();
    return {embed::orchestrator,
            spec.orchestrator_key,
            own / "server.key",
            "divisid",
            {"--data", own, "--cluster", file, "--listen", "ipc://" + (own / "control.sock").string()}};
}

HostedProgram node(const task::ClusterSpec& spec, const std::string& name, const task::ClusterNode& node,
                   const std::filesystem::path& data) {
    const std::filesystem::path keys = key_file(data, name);
    return {name,
            node.key,
            keys,
            "divisi-node",
            {"--connect", hosted_connection(data), "--name", name, "--data", data / "nodes" / dashed(name), "--listen",
             spec.find_host(node.host)->address, "--keys", keys}};
}

/// A gateway of a MIC, or without one a router.
HostedProgram device(const task::ClusterDevice& device, const std::string& mic, const std::filesystem::path& data) {
    const std::filesystem::path keys = key_file(data, device.name);
    std::string links;
    for (const std::string& link : device.links) links += (links.empty() ? "" : ",") + link;
    HostedProgram program{device.name,
                          device.key,
                          keys,
                          mic.empty() ? "divisi-router" : "divisi-gateway",
                          {"--connect", hosted_connection(data), "--name", device.name, "--listen",
                           device.address + ":" + std::to_string(device.port), "--keys", keys},
                          mic.empty()};
    if (!mic.empty()) program.arguments.insert(program.arguments.end(), {"--mic", mic});
    if (!links.empty()) program.arguments.insert(program.arguments.end(), {"--neighbours", links});
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
            if (one.host == host) programs.push_back(node(spec, mic.name + "/" + one.name, one, data));
        if (mic.gateway && mic.gateway->host == host) programs.push_back(device(*mic.gateway, mic.name, data));
    }
    for (const task::ClusterDevice& router : spec.routers)
        if (router.host == host) programs.push_back(device(router, "", data));
    return programs;
}

embed::Member member_of(const HostedProgram& program, const std::filesystem::path& data) {
    embed::Member member;
    member.name = program.name;
    member.may_die = program.may_die;
    member.spec = {process::program_folder() / program.program,
                   program.arguments,
                   {},
                   data / "logs" / (dashed(program.name) + ".log")};
    return member;
}

}  // namespace divisi::ctl
