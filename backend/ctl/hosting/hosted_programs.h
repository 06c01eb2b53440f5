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

/// A program that a cluster file places on a host.
struct HostedProgram {
    std::string name;                ///< for example divisid, mic-1/node-1, mg-1
    std::string key;                 ///< public key, as in the file; empty: not known yet
    std::filesystem::path key_file;  ///< file of the key pair
    std::filesystem::path log;
    std::string program;  ///< name of the executable, for example divisi-node
    std::vector<std::string> arguments;
};

/// Returns the programs that the file places on `host`, the orchestrator first. `file` is the cluster file's path,
/// `data` the host's folder. hosted_connection() must be written before the programs start.
std::vector<HostedProgram> hosted_programs(const task::ClusterSpec& spec, const std::string& host,
                                           const std::filesystem::path& file, const std::filesystem::path& data);

/// Returns the connection file by which programs of a host find the orchestrator.
std::filesystem::path hosted_connection(const std::filesystem::path& data);
/// Returns the connection file for clients on the orchestrator's host, where this user has the role admin.
std::filesystem::path administrators_connection(const std::filesystem::path& data);

/// Converts the program to a member that this process supervises. `kept_fd`: see process::ChildSpec.
embed::Member member_of(const HostedProgram& program, int kept_fd);

}  // namespace divisi::ctl
