// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/embed/members.h"
#include "backend/file/descriptor.h"

namespace divisi::embed {

/// Returns the folder where a user's embedded cluster keeps its state: $DIVISI_DATA, else $XDG_DATA_HOME/divisi, else
/// ~/.local/share/divisi.
std::filesystem::path default_data_folder();
/// Returns the file that clients use to connect; divisid writes it.
std::filesystem::path connection_file(const std::filesystem::path& data);
/// Returns whether the endpoint in the data folder's connection file answers.
bool cluster_runs(const std::filesystem::path& data);
/// Returns whether an embedded cluster on this folder is shutting down: its host process has released the folder or has
/// ended, and other processes of the cluster still run. These processes answer, but accept no new work.
/// EmbeddedCluster::start() waits for their end.
bool cluster_ends(const std::filesystem::path& data);
/// Returns whether the last process of an embedded cluster on this folder has ended and cleaned up.
bool cluster_gone(const std::filesystem::path& data);
/// Creates the data folder, or returns why no files can be stored there.
Result<void> prepare_folder(const std::filesystem::path& data);

/// Returns the names of the gateways and routers of an embedded cluster.
std::vector<std::string> device_names();

/// A cluster of real processes on this machine: an orchestrator, four nodes in two MICs, and the mesh between them. A
/// process that dies is restarted. All processes end with this object, even if this process is killed.
class EmbeddedCluster {
public:
    /// Starts a cluster on `data`, after any cluster that is shutting down there has ended. Fails with `conflict` if a
    /// cluster already runs on the folder; connect to that cluster instead. Also fails if no files can be written.
    /// Takes some seconds. `cancelled` is polled during the start; once it returns true, everything is undone.
    static Result<std::unique_ptr<EmbeddedCluster>> start(const std::filesystem::path& data,
                                                          const std::function<bool()>& cancelled = {});
    ~EmbeddedCluster();

    /// Marks the cluster as shutting down (see cluster_ends()), so that no new client joins.
    void let_go() { host_.close(); }
    const std::filesystem::path& connection() const { return connection_; }
    /// Returns the names of the cluster's gateways and routers, except devices that have stopped permanently.
    std::vector<std::string> devices() const;
    using Supervision = embed::Supervision;
    /// Restarts processes that have died; call it every second or so. Fails if a program keeps dying soon after its
    /// start.
    Result<Supervision> supervise();

private:
    EmbeddedCluster() = default;
    Result<void> launch(Member& member);
    Member device(const std::string& name, const std::string& mic, const std::string& neighbours) const;

    void follow_list();

    static Result<void> take_locks(EmbeddedCluster& cluster, const std::function<bool()>& cancelled);

    // Both locks are on folders, so that a killed host leaves no lock file; the kernel releases the locks.
    file::Descriptor host_;     ///< holds the lock on the data folder; only this process has it
    file::Descriptor members_;  ///< holds the lock on the logs, as every process of the cluster does until its end
    std::filesystem::path data_, runtime_, connection_;
    std::vector<Member> programs_;  ///< running programs, the orchestrator first
    std::vector<Member> leaving_;   ///< modules that are no longer listed
};

}  // namespace divisi::embed
