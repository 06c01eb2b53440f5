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

/// Writes an instance's state to its store on a separate thread, so that callers never wait for the disk. Rows of one
/// interval are written together. If several rows replace each other, only the last is written. A step therefore delays
/// the training only by the time to queue its rows. Thread-safe.
class StateWriter {
public:
    /// Called on the writing thread if the store cannot be written. Called only once until a write succeeds again.
    using OnError = std::function<void(const Error&)>;
    StateWriter(std::unique_ptr<store::InstanceStore> store, OnError trouble);
    /// Writes the remaining rows.
    ~StateWriter();
    StateWriter(const StateWriter&) = delete;

    void write(store::Entry entry);
    /// Returns the number of lost rows: the disk was slow, another incarnation has the store, or the last write failed.
    std::uint64_t lost() const;

private:
    void work();

    std::unique_ptr<store::InstanceStore> store_;
    OnError trouble_;
    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::vector<store::Entry> waiting_;
    std::optional<store::Progress> progress_;  ///< progress to write; only the newest is kept
    std::uint64_t lost_ = 0;
    bool ending_ = false;
    std::thread thread_;
};

/// Name of the writing thread, shown by `top -H`.
inline constexpr const char* keeper_name = "state";
/// Limit of rows that wait for the disk; later rows are lost. The limit is enough for minutes of steps while the disk
/// hangs.
inline constexpr std::size_t most_waiting_entries = 65'536;
/// Time between two writes. If the process is killed, the rows of this time are lost, or more if the disk is slow.
inline constexpr Duration keeping_interval = std::chrono::milliseconds(50);

}  // namespace divisi::instance
