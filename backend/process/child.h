// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/base/result.h"
#include "backend/process/usage.h"

namespace divisi::process {

struct ChildSpec {
    std::filesystem::path program;
    std::vector<std::string> arguments;                            ///< without the program
    std::vector<std::pair<std::string, std::string>> environment;  ///< added to this process's
    std::filesystem::path log;  ///< receives standard output and error; empty: inherited
    /// A descriptor from 5 on that the child holds open until it ends, for the lock that may lie on it; -1: none.
    int kept_fd = -1;
    bool told = false;  ///< standard input is a pipe that Child::tell() writes to; else it is empty
};

struct ExitStatus {
    int code = 0;
    int signal = 0;
    ProcessUsage usage = {};
};

/// A child process that cannot outlive its parent: it inherits a pipe (its lifeline, see lifeline.h) whose
/// other end only this object holds, and it ends when that end closes, also when the parent is killed.
/// The destructor closes the lifeline, waits `end_grace`, then kills.
class Child {
public:
    static Result<Child> start(const ChildSpec& spec);

    Child(Child&& other) noexcept;
    Child& operator=(Child&& other) noexcept;
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child();

    pid_t pid() const { return pid_; }
    /// Pollable: readable once the process has ended. -1 where the kernel has no pidfd.
    int exit_fd() const { return pid_fd_; }
    /// The exit status once the process has ended; never blocks.
    std::optional<ExitStatus> poll();
    /// Waits at most `limit`.
    std::optional<ExitStatus> wait_for(std::chrono::milliseconds limit);
    void send_signal(int signal) const;
    /// Writes to the pipe of ChildSpec::told, all of it or, returning false, nothing: it is longer than PIPE_BUF, the
    /// pipe is full, or the child does not read it any more. Never blocks; SIGPIPE must be ignored (on_stop()).
    bool tell(std::string_view bytes) const;
    /// Asks it to end by closing the lifeline.
    void release();
    /// The last lines of its log, at most `limit` bytes.
    std::string log_tail(std::size_t limit = 2000) const;

    static constexpr std::chrono::milliseconds end_grace{6000};

private:
    Child() = default;
    void forget();

    pid_t pid_ = -1;
    int pid_fd_ = -1;
    int lifeline_fd_ = -1;
    int told_fd_ = -1;
    std::filesystem::path log_;
    std::optional<ExitStatus> status_;
};

/// The folder of this process's executable, where the other programs lie.
std::filesystem::path program_folder();

}  // namespace divisi::process
