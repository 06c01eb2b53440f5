// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/embed/members.h"
#include "backend/task/cluster_file.h"

namespace divisi::ctl {

/// A program that a cluster file has on a host.
struct HostedProgram {
    std::string name;                ///< divisid, mic-1/node-1, mg-1
    std::string key;                 ///< public, as the file has it; empty: not yet
    std::filesystem::path key_file;  ///< of the pair
    std::filesystem::path log;
    std::string program;  ///< divisi-node
    std::vector<std::string> arguments;
};

/// What the file has on one of its hosts, the orchestrator first. `file` is the cluster file's path, `data` the host's
/// folder, where hosted_connection() must be written before they start.
std::vector<HostedProgram> hosted_programs(const task::ClusterSpec& spec, const std::string& host,
                                           const std::filesystem::path& file, const std::filesystem::path& data);

/// How programs of a host find the orchestrator.
std::filesystem::path hosted_connection(const std::filesystem::path& data);
/// For clients on the orchestrator's host, where this user may administer.
std::filesystem::path administrators_connection(const std::filesystem::path& data);

/// The program as a member of what this process runs; `kept_fd` as of process::ChildSpec.
embed::Member member_of(const HostedProgram& program, int kept_fd);

}  // namespace divisi::ctl
