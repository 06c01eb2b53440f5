// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "agents/segment/executor.h"
#include "backend/base/clock.h"
#include "backend/control/types/types.h"

namespace divisi::instance {

/// Totals of an engine since its start, and the tensors and slots that it holds now.
struct EngineWork {
    std::int64_t step = 0;     ///< number of the last finished step
    std::int64_t steps = 0;    ///< number of finished steps
    std::int64_t samples = 0;  ///< number of samples in the finished steps
    Duration busy{};           ///< total computing time
    std::int64_t served = 0;   ///< micro-batches sent by a data instance on request
    std::int64_t spared = 0;   ///< operations skipped because routers had their results
    std::int64_t held = 0;     ///< received tensors that are not released yet
    std::int64_t slots = 0;    ///< tensor slots at other instances; 0 for a data instance that sends on request
    std::int64_t taken = 0;    ///< number of these slots that are in use
};

/// Counts the work of an engine. measure(), work() and received() are thread-safe; only the engine's thread calls the
/// other functions.
class LoadMeter {
public:
    explicit LoadMeter(TimePoint now) : measured_at_(now) {}

    /// Returns the shares of busy and waiting time since the last call, and current memory. Each call begins a new
    /// interval.
    control::InstanceLoad measure(TimePoint now);
    /// Returns the totals. Changes no counters.
    EngineWork work() const;
    void received(std::int64_t bytes) { received_bytes_ += bytes; }

    /// Marks the operation that the engine is in, until end().
    void begin(std::string what, TimePoint since);
    void end();
    void add_busy(Duration worked) { busy_ns_ += worked.count(); }
    void sent(std::int64_t bytes) { sent_bytes_ += bytes; }
    void step_passed(std::int64_t step, std::int64_t samples);
    /// Counts a micro-batch that a data instance sent on request.
    void served(std::int64_t step);
    void set_spared(std::int64_t operations) { spared_ = operations; }
    void set_held(std::int64_t tensors) { held_ = tensors; }
    void add_slots(std::int64_t slots) { slots_ += slots; }
    void set_taken_slots(std::int64_t slots) { taken_slots_ = slots; }
    /// Sets the memory of a segment that has not run yet.
    void set_loaded(const segment::Executor::Memory& memory);
    void set_memory(const segment::Executor::Memory& memory);

private:
    struct Doing {
        std::string what;
        TimePoint since;
    };

    std::atomic<std::int64_t> busy_ns_ = 0, step_now_ = 0, sent_bytes_ = 0, received_bytes_ = 0, served_ = 0;
    std::atomic<std::int64_t> spared_ = 0, steps_done_ = 0, samples_done_ = 0, held_ = 0, slots_ = 0, taken_slots_ = 0;
    std::atomic<std::int64_t> parameters_ = 0, gradients_ = 0, optimizer_ = 0, activations_ = 0;
    /// highest activation memory since the last measure(); the current value would miss a peak between two calls
    std::atomic<std::int64_t> peak_activations_ = 0;

    std::mutex mutex_;            ///< guards the members below
    std::optional<Doing> doing_;  ///< the current operation
    std::int64_t measured_busy_ns_ = 0;
    TimePoint measured_at_;
};

}  // namespace divisi::instance
