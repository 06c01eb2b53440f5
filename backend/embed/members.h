// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backend/process/child.h"

namespace divisi::embed {

/// What the orchestrator is called among members.
inline constexpr const char* orchestrator = "divisid";

/// A program of a cluster that hangs on this process.
struct Member {
    std::string name;
    process::ChildSpec spec;
    std::unique_ptr<process::Child> child = nullptr;
    std::chrono::steady_clock::time_point started{};
    int quick_deaths = 0;
    bool may_die = false;  ///< without harm: where it does so again and again, its next start waits
};

struct Supervision {
    std::vector<std::string> restarted;  ///< for the log
    bool ended = false;                  ///< the cluster was told to shut down
};

Result<void> launch(Member& member);

/// Starts again what has died. `ends`: whether the orderly end of a member means that of the cluster. Fails when a
/// program does not stay up, with its last words; `data` is the folder that its disk is full of, if so.
Result<Supervision> supervise(std::vector<Member>& members, const std::function<bool(const Member&)>& ends,
                              const std::filesystem::path& data);

/// Why a program died: what it wrote last, unless it could not write for want of room.
Error death(const std::string& what, const Member& member, const std::filesystem::path& data);

}  // namespace divisi::embed
