// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <set>
#include <variant>

#include "agents/instance/engine/tensor_table.h"
#include "backend/base/clock.h"
#include "backend/frame/demand.h"
#include "backend/frame/end.h"

namespace divisi::instance {

/// Collects the messages that other threads send to an engine, and the orders to stop or to hold. The engine's thread
/// sleeps in this object when it has nothing to do. Thread-safe, except put() and take(), which only the engine's
/// thread calls.
class Mailbox {
public:
    struct Arrived {
        plan::TensorKey key;
        HeldTensor held;
    };
    struct Freed {
        plan::TensorKey key;
    };
    struct Declined {
        plan::TensorKey key;
    };
    struct Ordered {
        frame::End consumer;
        std::int32_t stage = 0;  ///< stage of the consumer
        frame::Demand demand;
    };
    using Mail = std::variant<Arrived, Freed, Declined, Ordered>;

    /// The ends (stages, or plan::data_unit) whose tensors or free slots the engine waits for now, and the time that it
    /// has waited.
    struct Awaited {
        std::set<std::int32_t> ends;
        Duration time{};
    };

    explicit Mailbox(const Clock& clock) : clock_(clock) {}

    /// Adds a tensor, with the time of its arrival.
    void deliver(const plan::TensorKey& key, graph::HostTensor tensor);
    void freed(const plan::TensorKey& key);
    void declined(const plan::TensorKey& key);
    /// Adds a consumer's demand. The newest demand replaces older demands of the same consumer that still wait.
    void order(const frame::End& consumer, std::int32_t stage, frame::Demand demand);
    void stop();
    bool stopped() const { return stop_requested_; }
    /// Sets the step after which the stage is held; 0: not held.
    void hold(std::int64_t after);
    std::int64_t held_after() const { return held_after_; }
    Awaited awaited() const;

    /// Adds a message from the engine to itself.
    void put(Mail mail);
    /// Returns all mail, in the order of arrival. With `block`, waits until a message arrives, or until stop() or
    /// hold() is called. `awaited_ends` is called only before it waits; meanwhile awaited() returns its result.
    std::deque<Mail> take(bool block, const std::function<std::set<std::int32_t>()>& awaited_ends);

private:
    void add(Mail mail);

    const Clock& clock_;
    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<Mail> mail_;      ///< received messages; guarded by the mutex, like the next three members
    bool hold_changed_ = false;  ///< whether the hold has changed since the last take()
    /// ends that the engine waits for: stages, or plan::data_unit; empty while it does not wait
    std::set<std::int32_t> awaited_;
    TimePoint awaiting_since_{};
    std::atomic<bool> stop_requested_ = false;
    std::atomic<std::int64_t> held_after_ = 0;
};

}  // namespace divisi::instance
