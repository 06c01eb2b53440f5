// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/base/result.h"

namespace divisi::process {

/// The resources that a process has used since its start.
struct ProcessUsage {
    std::int64_t cpu_ms = 0;      ///< user and system time of all its threads
    std::int64_t peak_bytes = 0;  ///< highest resident size
};

/// Returns the usage of a running process from /proc; nothing if it is not running.
std::optional<ProcessUsage> usage_of(pid_t pid);
/// Returns the usage of an ended process from wait4(). Its peak is never below the peak of the process that started it.
ProcessUsage usage_of(const rusage& ended);

struct ChildSpec {
    std::filesystem::path program;
    std::vector<std::string> arguments;                            ///< arguments without the program name
    std::vector<std::pair<std::string, std::string>> environment;  ///< additions to this process's environment
    std::filesystem::path log;  ///< file for standard output and error; empty: they are inherited
    /// A descriptor, at least 5, that the child keeps open until it ends, so that a lock on it lasts; -1: none.
    int kept_fd = -1;
    bool told = false;  ///< true: standard input is a pipe that Child::tell() writes to; false: it is empty
};

struct ExitStatus {
    int code = 0;
    int signal = 0;
    ProcessUsage usage = {};
};

/// A child process that cannot outlive its parent. It inherits a pipe (its lifeline, see lifeline.h) whose other end
/// only this object holds. The child ends when that end closes, even if the parent is killed. The destructor closes the
/// lifeline, waits `end_grace`, then kills the child.
class Child {
public:
    static Result<Child> start(const ChildSpec& spec);

    Child(Child&& other) noexcept;
    Child& operator=(Child&& other) noexcept;
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child();

    pid_t pid() const { return pid_; }
    /// Returns a pollable descriptor that is readable once the process has ended; -1 if the kernel has no pidfd.
    int exit_fd() const { return pid_fd_; }
    /// Returns the exit status once the process has ended; never blocks.
    std::optional<ExitStatus> poll();
    /// Waits for the end of the process, at most `limit`.
    std::optional<ExitStatus> wait_for(std::chrono::milliseconds limit);
    void send_signal(int signal) const;
    /// Writes all bytes to the pipe of ChildSpec::told, or writes nothing and returns false. This happens if there are
    /// more than PIPE_BUF bytes, the pipe is full, or the child no longer reads it. Never blocks; SIGPIPE must be
    /// ignored (on_stop()).
    bool tell(std::string_view bytes) const;
    /// Asks the child to end by closing the lifeline.
    void release();
    /// Returns the end of the child's log, at most `limit` bytes.
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

/// Returns the folder of this process's executable, which also holds the other programs.
std::filesystem::path program_folder();

}  // namespace divisi::process
