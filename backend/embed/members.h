// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/file/descriptor.h"
#include "backend/process/child.h"

namespace divisi::embed {

/// Name of the orchestrator among the members.
inline constexpr const char* orchestrator = "divisid";

/// Distinguishes a program that dies occasionally from a program that repeatedly dies soon after its start.
class CrashHistory {
public:
    void count(std::chrono::steady_clock::duration lived) { quick_ = lived < quick ? quick_ + 1 : 0; }
    /// Returns whether the program keeps dying soon after its start.
    bool hopeless() const { return quick_ > most_quick; }
    /// Returns whether the last death made the program hopeless.
    bool newly_hopeless() const { return quick_ == most_quick + 1; }

    static constexpr std::chrono::seconds quick{5};
    static constexpr int most_quick = 5;

private:
    int quick_ = 0;
};

/// Time between two starts of a program that keeps dying.
inline constexpr std::chrono::seconds retry_interval{5};

/// A program of a cluster. This process supervises the program, and ends it when this process itself ends.
struct Member {
    std::string name;
    process::ChildSpec spec;
    std::unique_ptr<process::Child> child = nullptr;
    std::chrono::steady_clock::time_point started{};
    bool down = false;  ///< whether its last death has been counted
    /// time before which the member is not restarted; set when its orchestrator dismissed it
    std::optional<std::chrono::steady_clock::time_point> rests_until = {};
    CrashHistory crashes{};
    bool may_die = false;      ///< whether the cluster works without it; if it keeps dying, restarts are delayed
    std::uint64_t listed = 0;  ///< number in the list of modules; 0: not a module
};

struct Supervision {
    std::vector<std::string> restarted;  ///< members that were restarted, for the log
    std::vector<std::uint64_t> stopped;  ///< modules that were stopped, by their number in the list
    std::vector<Error> failing;          ///< optional members that keep dying: reported once, then retried silently
    bool ended = false;                  ///< the cluster was told to shut down, so no process needs supervision
};

Result<void> launch(Member& member);

/// Returns whether a member ended because its cluster ends: an orchestrator that exited normally, or a member that the
/// orchestrator dismissed.
bool told_to_end(const Member& member, const process::ExitStatus& status);

/// Returns whether a member was stopped permanently and will not be restarted.
bool has_stopped(const Member& member);

/// Time during which a dismissed member is not restarted. A node ends sooner than this after a goodbye. If other
/// members still run after this time, the orchestrator has returned and needs this member too.
inline constexpr std::chrono::seconds dismissal_rest{15};

/// Restarts members that have died. If the orchestrator is a member, the cluster has ended when the orchestrator exits
/// normally. Otherwise the cluster has ended once at least one member was dismissed and no member runs any more.
///
/// Fails if a required member keeps dying, with the end of its log. `data`: the folder whose disk is checked for free
/// space.
Result<Supervision> supervise(std::vector<Member>& members, const std::filesystem::path& data);

/// Returns why a program died: the end of its log, or that the disk is full.
Error death(const std::string& what, const Member& member, const std::filesystem::path& data);

/// Time for all members to end: instances get 6 s, and their nodes and the orchestrator get the same time.
inline constexpr std::chrono::seconds end_deadline{20};

/// Opens a folder for take_lock(); the result is not open if the folder is missing. The descriptor may be a ChildSpec's
/// kept_fd. The lock then lasts until the last child has ended, even if this process ends earlier.
file::Descriptor open_folder(const std::filesystem::path& folder);
/// Locks an open folder as soon as no process holds its lock. Returns false after `limit` or if cancelled.
bool take_lock(const file::Descriptor& folder, std::chrono::milliseconds limit, const std::function<bool()>& cancelled);

}  // namespace divisi::embed
