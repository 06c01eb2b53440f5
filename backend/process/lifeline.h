// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace divisi::process {

/// The pipe that ties a child's life to its parent's; see child.h.
inline constexpr const char* lifeline_variable = "DIVISI_LIFELINE";
inline constexpr int lifeline_child_fd = 3;

/// What an agent exits with after its orchestrator's goodbye, so that whoever keeps it up lets it rest; a node only
/// once nobody has come back for it. Ended by hand it exits with 0.
inline constexpr int exit_dismissed = 10;
/// What a functional module exits with that its orchestrator has stopped, and no other program: it is not kept up.
inline constexpr int exit_stopped = 11;

/// Calls `stop` once when the process is asked to end: by SIGTERM, SIGINT or SIGHUP, or because its parent
/// closed the lifeline or died. `stop` runs on a thread of its own and should only post to an event loop.
/// If the process is still there `hard_limit_s` later, it leaves by _exit(124). Call it at the start of
/// main(), before any other thread exists, so that all threads inherit the blocked signals.
///
/// SIGHUP and SIGINT stay ignored where the process was started so: under nohup, or by a shell in the background.
void on_stop(std::function<void(const char* reason)> stop, int hard_limit_s = 10);

/// Calls `closed` once nobody reads standard output any more, on a thread of its own. Never where it is no pipe and no
/// socket: a file takes everything, and a terminal that goes away sends SIGHUP. After on_stop().
void on_output_closed(std::function<void()> closed);

}  // namespace divisi::process
