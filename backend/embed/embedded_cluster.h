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

/// Where a user's embedded cluster keeps its state: $DIVISI_DATA, else $XDG_DATA_HOME/divisi, else
/// ~/.local/share/divisi.
std::filesystem::path default_data_folder();
/// The file that clients connect by; divisid writes it.
std::filesystem::path connection_file(const std::filesystem::path& data);
/// Whether somebody answers at the endpoint that the data folder's connection file names.
bool cluster_runs(const std::filesystem::path& data);
/// Whether an embedded cluster on this folder is at its end: the program that hosts it is gone or lets it go, and some
/// of its processes still run. They answer, but take nothing new; EmbeddedCluster::start() waits for them.
bool cluster_ends(const std::filesystem::path& data);
/// Whether the last process of an embedded cluster on this folder has ended and cleaned up.
bool cluster_gone(const std::filesystem::path& data);
/// Makes the data folder, or says why nothing can be kept in it.
Result<void> prepare_folder(const std::filesystem::path& data);

/// Gateways and routers of an embedded cluster.
std::vector<std::string> device_names();

/// One orchestrator, four nodes in two MICs, and the mesh between them as real processes on this machine. They hang on
/// this object: a process that dies is started again, and all end with it, also when this process is killed.
class EmbeddedCluster {
public:
    /// Starts one on `data`, once a cluster that is at its end there has ended. Fails with `conflict` when one runs
    /// there (connect to it instead), and when the folder takes no files. Takes some seconds; `cancelled` is asked
    /// meanwhile, and when it says so everything is taken back.
    static Result<std::unique_ptr<EmbeddedCluster>> start(const std::filesystem::path& data,
                                                          const std::function<bool()>& cancelled = {});
    ~EmbeddedCluster();

    /// From now on this cluster is at its end (see cluster_ends()): nobody new should join.
    void let_go() { host_.close(); }
    const std::filesystem::path& connection() const { return connection_; }
    /// Its gateways and routers, without those that have stopped for good.
    std::vector<std::string> devices() const;
    using Supervision = embed::Supervision;
    /// Restarts what has died; call it every second or so. Fails when a program cannot stay up.
    Result<Supervision> supervise();

private:
    EmbeddedCluster() = default;
    Result<void> launch(Member& member);
    Member device(const std::string& name, const std::string& mic, const std::string& neighbours) const;

    void follow_list();

    static Result<void> take_locks(EmbeddedCluster& cluster, const std::function<bool()>& cancelled);

    // Both lie on folders, so that a killed host leaves no file; the kernel frees them.
    file::Descriptor host_;     ///< with the lock on the data folder: this process's alone
    file::Descriptor members_;  ///< with the lock on its logs: held by every process of the cluster until it ends
    std::filesystem::path data_, runtime_, connection_;
    std::vector<Member> programs_;  ///< the orchestrator first
    std::vector<Member> leaving_;   ///< modules that are not listed any longer
};

}  // namespace divisi::embed
