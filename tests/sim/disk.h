// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "backend/control/state/journal.h"
#include "tests/sim/world.h"

namespace divisi::sim {

/// How likely each write goes wrong.
struct Wear {
    double held = 0;       ///< somebody holds the journal for up to three seconds
    double broken = 0;     ///< the write or its sync fails; what is on the disk afterwards is chance
    double not_saved = 0;  ///< saving the state fails
};

/// A disk that outlives the process: transactions of encoded events. What was not synced when the process ends is
/// lost, or torn somewhere; a reader drops a transaction that is not whole.
class Disk {
public:
    /// `durable` hears of every event, in order, once it would survive.
    Disk(World& world, std::function<void(const control::Event&)> durable)
        : world_(world), durable_(std::move(durable)) {}

    void wear(Wear wear) { wear_ = wear; }
    /// The next write ends with the process's crash.
    void crash_at_next_write() { crash_ = true; }
    /// A journal for one process.
    std::unique_ptr<control::Journal> open();
    /// The log as it lies there, for queries.
    const std::vector<control::Event>& events() const { return events_; }

private:
    friend class SimulatedJournal;
    struct Record {
        std::string bytes;
        std::uint64_t sum = 0;
        bool last = false;  ///< of its transaction
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
    std::vector<control::Event> events_;  ///< those of whole transactions
    std::vector<std::string> saved_;      ///< pages of the state, if it was ever saved
};

}  // namespace divisi::sim
