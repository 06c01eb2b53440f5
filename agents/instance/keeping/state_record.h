// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "agents/instance/engine/listener.h"
#include "agents/instance/keeping/state_rows.h"
#include "agents/instance/keeping/state_writer.h"
#include "backend/base/clock.h"

namespace divisi::instance {

/// Records the life of an instance in the state store of its SID. Without a store, it records nothing. open() and
/// passed() must each be called on one thread only. The other functions are thread-safe once the store is open.
class StateRecord {
public:
    /// `fingerprint` identifies this machine.
    StateRecord(const Clock& clock, std::string fingerprint) : clock_(clock), fingerprint_(std::move(fingerprint)) {}

    using OnError = std::function<void(const Error&)>;
    /// Opens the store. If the store cannot be opened or written, training continues without the store, and the problem
    /// is reported to `trouble`, on any thread. A damaged file is kept for inspection, and a new file is begun.
    void open(const std::filesystem::path& file, const Sid& sid, Incarnation incarnation, const OnError& trouble);
    bool is_open() const { return writer_ != nullptr; }

    /// Records an order from `from`, or a change in the instance's life.
    void add(const control::instance::Input& input, const std::string& from);
    void add_event(const std::string& kind, const std::string& text);
    void deployed(const control::Deploy& deploy, const control::Peers& peers);
    void operation_ended(const OperationTimes& times);
    void passed(Generation generation, const Passed& step);
    /// Records a description of this machine, with the mean times of operations so far.
    void add_hardware();

private:
    const Clock& clock_;
    std::string fingerprint_;
    std::unique_ptr<StateWriter> writer_;  ///< writer of the state store; null without a store
    OperationMeans means_;
    TimePoint passed_at_{};  ///< end of the last step
};

}  // namespace divisi::instance
