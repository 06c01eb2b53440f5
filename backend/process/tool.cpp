// SPDX-License-Identifier: Apache-2.0
#include "backend/process/tool.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace divisi::process {
namespace {

/// Limit on the kept output of a tool; the rest is discarded.
constexpr std::size_t most_output = 1 << 20;

/// A pipe from a child; the destructor closes the ends that are still open.
struct ToolPipe {
    ToolPipe() {
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) ends = {-1, -1};
    }
    ~ToolPipe() {
        for (const int end : ends)
            if (end >= 0) ::close(end);
    }
    ToolPipe(const ToolPipe&) = delete;
    ToolPipe& operator=(const ToolPipe&) = delete;
    void close_write() { ::close(std::exchange(ends[1], -1)); }
    std::array<int, 2> ends{-1, -1};
};

std::string path_of(const std::string& tool) {
    for (const char* folder : {"/usr/sbin/", "/usr/bin/", "/sbin/", "/bin/"})
        if (::access((folder + tool).c_str(), X_OK) == 0) return folder + tool;
    return {};
}

int spawn(const std::string& path, const std::vector<std::string>& arguments, const ToolPipe& out,
          const ToolPipe& errors, pid_t& pid) {
    std::vector<std::string> words{path};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    std::string language = "LC_ALL=C";
    std::array<char*, 2> environment{language.data(), nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out.ends[1], 1);
    posix_spawn_file_actions_adddup2(&actions, errors.ends[1], 2);
    posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    const int code = ::posix_spawn(&pid, path.c_str(), &actions, &attributes, pointers.data(), environment.data());
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return code;
}

/// Appends the available bytes; returns false at the end.
bool drain(int fd, std::string& text) {
    std::array<char, 4096> bytes{};
    const ssize_t count = ::read(fd, bytes.data(), bytes.size());
    if (count < 0) return errno == EINTR;
    if (count > 0 && text.size() < most_output) text.append(bytes.data(), static_cast<std::size_t>(count));
    return count > 0;
}

/// Reads both pipes until they end; returns false if that takes longer than `limit`.
bool read_all(const ToolPipe& out, const ToolPipe& errors, std::string& printed, std::string& complained,
              std::chrono::milliseconds limit) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    std::array<pollfd, 2> waiting{{{out.ends[0], POLLIN, 0}, {errors.ends[0], POLLIN, 0}}};
    while (waiting[0].fd >= 0 || waiting[1].fd >= 0) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
        if (left.count() <= 0) return false;
        if (::poll(waiting.data(), waiting.size(), static_cast<int>(left.count())) <= 0) continue;
        if (waiting[0].revents && !drain(out.ends[0], printed)) waiting[0].fd = -1;
        if (waiting[1].revents && !drain(errors.ends[0], complained)) waiting[1].fd = -1;
    }
    return true;
}

}  // namespace

Result<std::string> run_tool(const std::string& tool, const std::vector<std::string>& arguments,
                             std::chrono::milliseconds limit) {
    std::string line = tool;
    for (const std::string& argument : arguments) line += " " + argument;
    const std::string path = path_of(tool);
    if (path.empty())
        return Error{ErrorCode::not_found, "the tool '" + tool + "' is not installed", line, "install it"};
    ToolPipe out, errors;
    pid_t pid = -1;
    const int code = out.ends[0] < 0 || errors.ends[0] < 0 ? errno : spawn(path, arguments, out, errors, pid);
    if (code != 0) return Error{ErrorCode::failed, std::string("cannot start it: ") + std::strerror(code), line, ""};
    out.close_write();
    errors.close_write();
    std::string printed, complained;
    const bool ended = read_all(out, errors, printed, complained, limit);
    if (!ended) ::kill(pid, SIGKILL);
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    if (!ended) return Error{ErrorCode::deadline, "it did not end in time", line, "try it by hand"};
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return printed;
    while (!complained.empty() && complained.back() == '\n') complained.pop_back();
    if (complained.empty())
        complained = WIFEXITED(status) ? "it ended with status " + std::to_string(WEXITSTATUS(status))
                                       : "it was ended by signal " + std::to_string(WTERMSIG(status));
    return Error{ErrorCode::failed, complained, line, ""};
}

}  // namespace divisi::process
