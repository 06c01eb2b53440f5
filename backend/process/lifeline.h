// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace divisi::process {

/// Environment variable with the descriptor of the pipe by which a child notices its parent's end; see child.h.
inline constexpr const char* lifeline_variable = "DIVISI_LIFELINE";
inline constexpr int lifeline_child_fd = 3;

/// Exit status of an agent after its orchestrator's goodbye, so that its supervisor does not restart it. A node agent
/// exits with this status only if the orchestrator has not returned. An agent that is ended by hand exits with 0.
inline constexpr int exit_dismissed = 10;
/// Exit status of a functional module that its orchestrator has stopped; only modules use it. Such a module is not
/// restarted.
inline constexpr int exit_stopped = 11;

/// Calls `stop` once when the process is asked to end: by SIGTERM, SIGINT or SIGHUP, or because its parent closed the
/// lifeline or died. `stop` runs on a separate thread and should only post to an event loop. If the process still
/// exists `hard_limit_s` later, it is ended by _exit(124). Call it at the start of main(), before any other thread
/// exists, so that all threads inherit the blocked signals.
///
/// SIGHUP and SIGINT stay ignored if they were ignored at the start of the process: under nohup, or in the background
/// of a shell.
void on_stop(std::function<void(const char* reason)> stop, int hard_limit_s = 10);

/// Calls `closed` on a separate thread when no process reads standard output any more. Never calls it unless standard
/// output is a pipe or a socket: a file accepts everything, and a closed terminal sends SIGHUP. Call it after
/// on_stop().
void on_output_closed(std::function<void()> closed);

}  // namespace divisi::process
