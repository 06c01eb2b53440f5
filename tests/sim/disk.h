// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "backend/control/state/journal.h"
#include "tests/sim/world.h"

namespace divisi::sim {

/// The probabilities of the kinds of write failure.
struct Wear {
    double held = 0;       ///< another process holds the journal for up to three seconds
    double broken = 0;     ///< the write or its sync fails; what reaches the disk is random
    double not_saved = 0;  ///< saving the state fails
};

/// A disk that outlives its process and stores transactions of encoded events. If a process crashes during a
/// write, this transaction is lost, torn or stored whole. A reader drops incomplete transactions.
class Disk {
public:
    /// Calls `durable` for every event, in order, once the event would survive a crash.
    Disk(World& world, std::function<void(const control::Event&)> durable)
        : world_(world), durable_(std::move(durable)) {}

    void wear(Wear wear) { wear_ = wear; }
    /// Makes the process crash during the next write.
    void crash_at_next_write() { crash_ = true; }
    /// Opens a journal for one process.
    std::unique_ptr<control::Journal> open();
    /// Returns the log on the disk, for queries.
    const std::vector<control::Event>& events() const { return events_; }

private:
    friend class SimulatedJournal;
    struct Record {
        std::string bytes;
        std::uint64_t sum = 0;
        bool last = false;  ///< the last record of its transaction
    };
    Result<void> append(std::span<const control::Event> events);
    Result<void> fail(std::vector<Record> records, std::span<const control::Event> events);
    Result<control::Restored> restore();
    Result<void> save();

    World& world_;
    std::function<void(const control::Event&)> durable_;
    Wear wear_;
    bool crash_ = false;
    TimePoint held_until_{};
    std::vector<Record> records_;
    std::vector<control::Event> events_;  ///< events of complete transactions
    std::vector<std::string> saved_;      ///< pages of the saved state; empty if it was never saved
};

}  // namespace divisi::sim
