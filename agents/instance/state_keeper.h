// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "backend/base/clock.h"
#include "backend/store/instance_store.h"

namespace divisi::instance {

/// Writes what becomes of an instance to its store, on a thread of its own: whoever says it never waits for the disk.
/// What is said within one interval is written together, and of several rows that replace each other the last alone;
/// so a step costs the training no more than to queue its rows. Any thread may call.
class StateKeeper {
public:
    /// Told where the store cannot be written, once until it can again, on the keeper's thread.
    using Trouble = std::function<void(const Error&)>;
    StateKeeper(std::unique_ptr<store::InstanceStore> store, Trouble trouble);
    /// Writes what still waits.
    ~StateKeeper();
    StateKeeper(const StateKeeper&) = delete;

    void write(store::Entry entry);
    /// Rows that were said and not kept, because the disk did not follow or the store is another's by now.
    std::uint64_t lost() const;

private:
    void work();

    std::unique_ptr<store::InstanceStore> store_;
    Trouble trouble_;
    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::vector<store::Entry> waiting_;
    std::optional<store::Progress> progress_;  ///< the newest alone
    std::uint64_t lost_ = 0;
    bool ending_ = false;
    std::thread thread_;
};

/// Of the thread that writes, as `top -H` shows it.
inline constexpr const char* keeper_name = "state";
/// Rows that wait for the disk at most; later ones are lost. Minutes of steps where the disk stands still.
inline constexpr std::size_t most_waiting_entries = 65'536;
/// Between two writes: what is lost at most when the process is killed.
inline constexpr Duration keeping_interval = std::chrono::milliseconds(50);

}  // namespace divisi::instance
