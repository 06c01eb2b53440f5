// SPDX-License-Identifier: Apache-2.0
// Linked into the Qt tests that AddressSanitizer watches.
#include <chrono>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <thread>

namespace {

/// Waits at a program's end until the main thread is alone, a second at most. Qt starts threads detached, including the
/// watchdog of its test library, and frees a thread's memory when the thread has ended. A leak check that runs earlier
/// would report this memory as leaked.
struct ThreadsEnd {
    ThreadsEnd() = default;
    ThreadsEnd(const ThreadsEnd&) = delete;
    ThreadsEnd& operator=(const ThreadsEnd&) = delete;
    ~ThreadsEnd() {
        using namespace std::chrono_literals;
        const auto latest = std::chrono::steady_clock::now() + 1s;
        while (!alone() && std::chrono::steady_clock::now() < latest) std::this_thread::sleep_for(1ms);
    }

    static bool alone() {
        std::error_code error;  // without /proc, the wait is impossible
        const std::filesystem::directory_iterator threads("/proc/self/task", error);
        return std::distance(begin(threads), end(threads)) <= 1;
    }
};

const ThreadsEnd threads_end;

}  // namespace
