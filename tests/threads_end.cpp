// SPDX-License-Identifier: Apache-2.0
// Linked into the Qt tests that AddressSanitizer watches.
#include <chrono>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <thread>

namespace {

/// Waits at a program's end until the main thread is alone, a second at most. Qt starts threads detached, its test
/// library's watchdog among them, and frees what belongs to one when it has ended: a search for leaks before that
/// finds memory that nobody holds any more.
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
        std::error_code error;  // without /proc there is nothing to wait for
        const std::filesystem::directory_iterator threads("/proc/self/task", error);
        return std::distance(begin(threads), end(threads)) <= 1;
    }
};

const ThreadsEnd threads_end;

}  // namespace
