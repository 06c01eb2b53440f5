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

/// What the orchestrator is called among members.
inline constexpr const char* orchestrator = "divisid";

/// How a program dies: now and then, or again and again soon after its start.
class Deaths {
public:
    void count(std::chrono::steady_clock::duration lived) { quick_ = lived < quick ? quick_ + 1 : 0; }
    /// It does not stay up.
    bool hopeless() const { return quick_ > most_quick; }
    /// Since the last death.
    bool newly_hopeless() const { return quick_ == most_quick + 1; }

    static constexpr std::chrono::seconds quick{5};
    static constexpr int most_quick = 5;

private:
    int quick_ = 0;
};

/// From one start of what does not stay up to the next.
inline constexpr std::chrono::seconds retry_interval{5};

/// A program of a cluster that hangs on this process.
struct Member {
    std::string name;
    process::ChildSpec spec;
    std::unique_ptr<process::Child> child = nullptr;
    std::chrono::steady_clock::time_point started{};
    bool down = false;                                                      ///< its last death is counted
    std::optional<std::chrono::steady_clock::time_point> rests_until = {};  ///< it was dismissed by its orchestrator
    Deaths deaths{};
    bool may_die = false;      ///< without harm to the others: where it does not stay up, its next start waits
    std::uint64_t listed = 0;  ///< number in the list of modules; 0: it is none of them
};

struct Supervision {
    std::vector<std::string> restarted;  ///< for the log
    std::vector<std::uint64_t> stopped;  ///< of modules that were stopped, numbers in the list of them
    std::vector<Error> failing;          ///< what may die and does not stay up: once, then it is tried in silence
    bool ended = false;                  ///< the cluster was told to shut down: nothing is left to supervise
};

Result<void> launch(Member& member);

/// Whether a member ended so because its cluster does: an orchestrator in order, others dismissed by it.
bool told_to_end(const Member& member, const process::ExitStatus& status);

/// Whether a member was stopped for good, and is not started again.
bool has_stopped(const Member& member);

/// How long a dismissed member is not started again. A node needs less to end after a goodbye, so where others still
/// run then, the orchestrator came back for them, and this one is wanted too.
inline constexpr std::chrono::seconds dismissal_rest{15};

/// Starts again what has died. The cluster has ended with its orchestrator, where that is a member; elsewhere once
/// every member was dismissed, was stopped or does not stay up. Fails when a program that may not die does not stay up,
/// with its last words; `data` is the folder whose disk is full, if so.
Result<Supervision> supervise(std::vector<Member>& members, const std::filesystem::path& data);

/// Why a program died: what it wrote last, unless it could not write for want of room.
Error death(const std::string& what, const Member& member, const std::filesystem::path& data);

/// Instances get 6 s for their end, and so do their nodes and the orchestrator.
inline constexpr std::chrono::seconds end_deadline{20};

/// A folder for take_lock(); not open where there is none. Its descriptor may be a ChildSpec's kept_fd: then the lock
/// lasts until the last of the children has ended, whatever becomes of this process.
file::Descriptor open_folder(const std::filesystem::path& folder);
/// Locks an open folder as soon as nobody holds it.
bool take_lock(const file::Descriptor& folder, std::chrono::milliseconds limit, const std::function<bool()>& cancelled);

}  // namespace divisi::embed
