// SPDX-License-Identifier: Apache-2.0
#include "backend/process/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include "backend/process/lifeline.h"
#include "backend/process/processor.h"

extern char** environ;

namespace divisi::process {
namespace {

Error spawn_error(const ChildSpec& spec, int code) {
    return {ErrorCode::failed, std::string("cannot start the program: ") + std::strerror(code), spec.program.string(),
            "check that it is installed beside this program"};
}

/// Returns this process's environment with additions; `storage` owns the strings.
std::vector<char*> environment_of(const ChildSpec& spec, std::vector<std::string>& storage) {
    for (char** entry = environ; *entry; ++entry) {
        const std::string_view text(*entry);
        const auto overridden = [&](const auto& pair) { return text.starts_with(pair.first + "="); };
        bool skip = text.starts_with(std::string(lifeline_variable) + "=");
        for (const auto& pair : spec.environment) skip = skip || overridden(pair);
        if (!skip) storage.emplace_back(text);
    }
    for (const auto& [name, value] : spec.environment) storage.push_back(name + "=" + value);
    storage.push_back(std::string(lifeline_variable) + "=" + std::to_string(lifeline_child_fd));
    std::vector<char*> pointers;
    for (std::string& entry : storage) pointers.push_back(entry.data());
    pointers.push_back(nullptr);
    return pointers;
}

class SpawnSetup {
public:
    /// `told` becomes standard input; -1: standard input is empty.
    SpawnSetup(const ChildSpec& spec, int lifeline, int told) {
        posix_spawn_file_actions_init(&actions);
        posix_spawnattr_init(&attributes);
        if (told >= 0) posix_spawn_file_actions_adddup2(&actions, told, 0);
        else posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
        if (!spec.log.empty()) {
            posix_spawn_file_actions_addopen(&actions, 1, spec.log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
            posix_spawn_file_actions_adddup2(&actions, 1, 2);
        }
        posix_spawn_file_actions_adddup2(&actions, lifeline, lifeline_child_fd);
        int first_closed = lifeline_child_fd + 1;
        if (spec.kept_fd >= 0) posix_spawn_file_actions_adddup2(&actions, spec.kept_fd, first_closed++);
        posix_spawn_file_actions_addclosefrom_np(&actions, first_closed);
        sigset_t none, all;
        sigemptyset(&none);
        sigfillset(&all);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setsigdefault(&attributes, &all);
        posix_spawnattr_setpgroup(&attributes, 0);
        // Starts a separate process group. Ctrl-C then reaches only the program that the user runs, which ends its
        // children in order.
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    }
    ~SpawnSetup() {
        posix_spawn_file_actions_destroy(&actions);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
};

/// Both ends of a pipe; the destructor closes the ends that no other owner has taken over.
struct Pipe {
    int read = -1, write = -1;

    /// Opens the pipe; returns errno, or 0.
    int open() {
        int fds[2];
        if (::pipe2(fds, O_CLOEXEC) != 0) return errno;
        read = fds[0];
        write = fds[1];
        return 0;
    }
    ~Pipe() {
        for (const int fd : {read, write})
            if (fd >= 0) ::close(fd);
    }
};

/// Number of fields in /proc/PID/stat between the name, which may contain anything, and the times.
constexpr int fields_before_times = 11;

std::optional<std::int64_t> cpu_ticks(const std::string& folder) {
    std::ifstream file(folder + "/stat");
    std::string text;
    if (!std::getline(file, text)) return std::nullopt;
    const auto name_end = text.rfind(')');
    if (name_end == std::string::npos) return std::nullopt;
    std::istringstream fields(text.substr(name_end + 1));
    std::string skipped;
    for (int i = 0; i < fields_before_times; ++i) fields >> skipped;
    std::int64_t user = 0, system = 0;
    if (!(fields >> user >> system)) return std::nullopt;
    return user + system;
}

std::int64_t milliseconds(const timeval& time) { return time.tv_sec * 1000 + time.tv_usec / 1000; }

}  // namespace

Result<Child> Child::start(const ChildSpec& spec) {
    Pipe lifeline, told;
    if (const int code = lifeline.open(); code != 0) return spawn_error(spec, code);
    if (spec.told) {
        if (const int code = told.open(); code != 0) return spawn_error(spec, code);
        ::fcntl(told.write, F_SETFL, O_NONBLOCK);
    }
    std::vector<std::string> words{spec.program.string()};
    words.insert(words.end(), spec.arguments.begin(), spec.arguments.end());
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    std::vector<std::string> storage;
    std::vector<char*> environment = environment_of(spec, storage);

    const SpawnSetup setup(spec, lifeline.read, told.read);
    pid_t pid = -1;
    const int code = ::posix_spawn(&pid, spec.program.c_str(), &setup.actions, &setup.attributes, arguments.data(),
                                   environment.data());
    if (code != 0) return spawn_error(spec, code);
    Child child;
    child.pid_ = pid;
    child.lifeline_fd_ = std::exchange(lifeline.write, -1);
    child.told_fd_ = std::exchange(told.write, -1);
    child.pid_fd_ = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
    if (child.pid_fd_ >= 0) ::fcntl(child.pid_fd_, F_SETFD, FD_CLOEXEC);
    child.log_ = spec.log;
    return child;
}

Child::Child(Child&& other) noexcept { *this = std::move(other); }

Child& Child::operator=(Child&& other) noexcept {
    if (this == &other) return *this;
    forget();
    pid_ = std::exchange(other.pid_, -1);
    pid_fd_ = std::exchange(other.pid_fd_, -1);
    lifeline_fd_ = std::exchange(other.lifeline_fd_, -1);
    told_fd_ = std::exchange(other.told_fd_, -1);
    log_ = std::move(other.log_);
    status_ = other.status_;
    return *this;
}

Child::~Child() { forget(); }

void Child::forget() {
    if (pid_ < 0) return;
    release();
    if (!wait_for(end_grace)) {
        send_signal(SIGKILL);
        wait_for(std::chrono::milliseconds(2000));
    }
    for (const int fd : {pid_fd_, told_fd_})
        if (fd >= 0) ::close(fd);
    pid_ = pid_fd_ = told_fd_ = -1;
}

std::optional<ExitStatus> Child::poll() {
    if (status_ || pid_ < 0) return status_;
    int raw = 0;
    rusage used{};
    if (::wait4(pid_, &raw, WNOHANG, &used) != pid_) return std::nullopt;
    ExitStatus status;
    status.usage = usage_of(used);
    if (WIFSIGNALED(raw)) status.signal = WTERMSIG(raw);
    else status.code = WEXITSTATUS(raw);
    status_ = status;
    return status_;
}

std::optional<ExitStatus> Child::wait_for(std::chrono::milliseconds limit) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    while (!poll()) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
        if (left.count() <= 0) return std::nullopt;
        if (pid_fd_ >= 0) {
            pollfd waiting{pid_fd_, POLLIN, 0};
            ::poll(&waiting, 1, static_cast<int>(left.count()));
        } else {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    }
    return status_;
}

void Child::send_signal(int signal) const {
    if (pid_ > 0 && !status_) ::kill(pid_, signal);
}

bool Child::tell(std::string_view bytes) const {
    if (told_fd_ < 0 || bytes.size() > PIPE_BUF) return false;
    return ::write(told_fd_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
}

void Child::release() {
    if (lifeline_fd_ >= 0) ::close(std::exchange(lifeline_fd_, -1));
}

std::string Child::log_tail(std::size_t limit) const {
    std::ifstream file(log_, std::ios::binary | std::ios::ate);
    if (!file) return {};
    const auto size = static_cast<std::size_t>(file.tellg());
    const std::size_t start = size > limit ? size - limit : 0;
    file.seekg(static_cast<std::streamoff>(start));
    std::string text(size - start, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    return text;
}

std::filesystem::path program_folder() {
    std::error_code ignored;
    return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
}

std::optional<ProcessUsage> usage_of(pid_t pid) {
    const std::string folder = "/proc/" + std::to_string(pid);
    const auto ticks = cpu_ticks(folder);
    const std::string peak = proc_value((folder + "/status").c_str(), "VmHWM");
    if (!ticks || peak.empty()) return std::nullopt;  // the process has just ended
    return ProcessUsage{*ticks * 1000 / ::sysconf(_SC_CLK_TCK), std::atoll(peak.c_str()) * 1024};
}

ProcessUsage usage_of(const rusage& ended) {
    return {milliseconds(ended.ru_utime) + milliseconds(ended.ru_stime), ended.ru_maxrss * 1024};
}

}  // namespace divisi::process
