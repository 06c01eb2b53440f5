// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backend/base/result.h"
#include "backend/process/child.h"

namespace divisi::embed {

/// Where a user's embedded cluster keeps its state: $DIVISI_DATA, else $XDG_DATA_HOME/divisi, else
/// ~/.local/share/divisi.
std::filesystem::path default_data_folder();
/// The file that clients connect by; divisid writes it.
std::filesystem::path connection_file(const std::filesystem::path& data);
/// Whether somebody answers at the endpoint that the data folder's connection file names.
bool cluster_runs(const std::filesystem::path& data);
/// Whether the last process of an embedded cluster on this folder has ended and cleaned up.
bool cluster_gone(const std::filesystem::path& data);

/// One orchestrator and four nodes in two MICs as real processes on this machine. They hang on this object:
/// a process that dies is started again, and all end with it, also when this process is killed.
class EmbeddedCluster {
public:
    /// Starts one on `data`, or fails: `conflict` when a cluster runs there already (connect to it instead). Takes
    /// some seconds; `cancelled` is asked meanwhile, and when it says so everything is taken back.
    static Result<std::unique_ptr<EmbeddedCluster>> start(const std::filesystem::path& data,
                                                          const std::function<bool()>& cancelled = {});
    ~EmbeddedCluster();

    const std::filesystem::path& connection() const { return connection_; }
    struct Supervision {
        std::vector<std::string> restarted;  ///< for the log
        bool ended = false;                  ///< the orchestrator was told to shut down
    };
    /// Restarts what has died; call it every second or so. Fails when a program cannot stay up.
    Result<Supervision> supervise();

private:
    /// A file descriptor with the lock on the data folder.
    struct Lock {
        Lock() = default;
        explicit Lock(int number) : fd(number) {}
        Lock(Lock&& other) noexcept : fd(std::exchange(other.fd, -1)) {}
        Lock& operator=(Lock&& other) noexcept {
            std::swap(fd, other.fd);
            return *this;
        }
        ~Lock();
        int fd = -1;
    };
    struct Member {
        std::string name;
        process::ChildSpec spec;
        std::unique_ptr<process::Child> child;
        std::chrono::steady_clock::time_point started;
        int quick_deaths = 0;
    };
    EmbeddedCluster() = default;
    static Result<void> launch(Member& member);

    Lock host_;
    std::filesystem::path data_, runtime_, connection_;
    std::vector<Member> members_;  ///< the orchestrator first
};

}  // namespace divisi::embed
