// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/commands/background_load.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace divisi::instance {
namespace {

/// Pause between two reads of the Board: short compared with a training step, but long enough to cost little processor
/// time.
constexpr std::chrono::microseconds look_again{200};
constexpr int resting = -1;

}  // namespace

struct BackgroundLoad::Board {
    std::atomic<int> wanted{resting};  ///< number of the trial to train; resting: none
    std::atomic<int> training{0};      ///< number of background processes that are training the trial
};
static_assert(std::atomic<int>::is_always_lock_free, "processes share it");

namespace {

/// Runs a background process; never returns.
template <typename Board>
[[noreturn]] void accompany(Board& board, const BackgroundLoad::Make& make) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::optional<Trial> trial;
    int made = resting;
    bool counted = false;
    for (;;) {
        const int wanted = board.wanted;
        if (counted && wanted != made) {
            --board.training;
            counted = false;
        }
        if (wanted == resting) {
            std::this_thread::sleep_for(look_again);
            continue;
        }
        if (made != wanted) {
            trial.reset();
            auto fresh = make(static_cast<std::size_t>(wanted));
            if (!fresh) ::_exit(1);
            trial.emplace(std::move(*fresh));
            made = wanted;
        }
        if (!trial->run(false)) ::_exit(1);
        if (!counted && board.wanted == made) {
            ++board.training;
            counted = true;
        }
    }
}

}  // namespace

Result<BackgroundLoad> BackgroundLoad::start(int count, const Make& make) {
    BackgroundLoad load;
    void* memory = ::mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return Error{ErrorCode::exhausted, "no memory to share: " + std::generic_category().message(errno), "", ""};
    load.board_ = new (memory) Board;
    for (int i = 0; i < count; ++i) {
        const pid_t child = ::fork();
        if (child < 0)
            return Error{ErrorCode::exhausted,
                         "cannot start a process for the background load: " + std::generic_category().message(errno),
                         "", "allow more processes (ulimit -u)"};
        if (child == 0) accompany(*load.board_, make);
        load.children_.push_back(child);
    }
    return load;
}

BackgroundLoad::BackgroundLoad(BackgroundLoad&& other) noexcept
    : board_(std::exchange(other.board_, nullptr)), children_(std::exchange(other.children_, {})) {}

BackgroundLoad::~BackgroundLoad() {
    for (const pid_t child : children_) ::kill(child, SIGKILL);
    for (const pid_t child : children_) ::waitpid(child, nullptr, 0);
    if (board_ != nullptr) ::munmap(board_, sizeof(Board));
}

Result<void> BackgroundLoad::wait_until_training(int count) const {
    while (board_->training != count) {
        for (const pid_t child : children_) {
            siginfo_t ended{};
            if (::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
                ended.si_pid == child)
                return Error{ErrorCode::failed, "a process of the background load has ended", "profile",
                             "free memory, or measure on fewer cores (taskset)"};
        }
        std::this_thread::sleep_for(look_again);
    }
    return {};
}

Result<void> BackgroundLoad::train(std::size_t number) {
    board_->wanted = static_cast<int>(number);
    return wait_until_training(count());
}

Result<void> BackgroundLoad::rest() {
    board_->wanted = resting;
    return wait_until_training(0);
}

}  // namespace divisi::instance
