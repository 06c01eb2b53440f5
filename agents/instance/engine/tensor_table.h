// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "backend/base/clock.h"
#include "backend/graph/tensor.h"
#include "backend/plan/interpreter.h"

namespace divisi::instance {

/// A tensor that waits for its operation.
struct HeldTensor {
    graph::HostTensor tensor;
    TimePoint arrived{};  ///< time of arrival; zero: the tensor was computed in this instance
};

/// The tensors of an instance: the tensors that wait for their operation, the computed tensors that will be sent, and
/// the keys of tensors that occupy slots at other instances. Not thread-safe.
class TensorTable {
public:
    /// Keeps a tensor until it is released.
    void keep(const plan::TensorKey& key, HeldTensor held);
    struct Inputs {
        std::vector<graph::HostTensor> tensors;  ///< input tensors, in the order of Operation::inputs
        TimePoint arrived{};                     ///< arrival of the last input
    };
    /// Returns the inputs of an operation. All of these tensors must be present.
    Inputs inputs(const plan::Start& start) const;
    void release(const plan::TensorKey& key);
    /// Returns the number of kept tensors.
    std::int64_t held() const { return static_cast<std::int64_t>(arrived_.size()); }

    /// Keeps the outputs of an operation, in the order of Operation::outputs, until take_made().
    void add_made(const plan::Start& start, std::vector<graph::HostTensor> outputs);
    graph::HostTensor take_made(const plan::TensorKey& key);

    void take_slot(const plan::TensorKey& key) { sent_.insert(key); }
    void free_slot(const plan::TensorKey& key) { sent_.erase(key); }
    /// Returns the number of slots in use at other instances.
    std::int64_t taken_slots() const { return static_cast<std::int64_t>(sent_.size()); }

private:
    std::map<plan::TensorKey, HeldTensor> arrived_;
    std::map<plan::TensorKey, graph::HostTensor> made_;
    std::set<plan::TensorKey> sent_;
};

}  // namespace divisi::instance
