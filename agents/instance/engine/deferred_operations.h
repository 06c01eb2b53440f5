// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "backend/frame/frame.h"
#include "backend/graph/tensor.h"
#include "backend/plan/interpreter.h"

namespace divisi::instance {

/// Operations that were not run, because the caches of routers may contain their results. The results were offered to
/// routers by content key. The inputs of an operation are kept until the consumers have the results, so that the
/// operation can still run.
class DeferredOperations {
public:
    /// Keeps an operation. `contents`: content keys of the outputs of the operation, in order.
    void keep(plan::Start start, std::vector<graph::HostTensor> inputs, std::vector<frame::ContentKey> contents);
    /// Returns the content key of an output; none if no operation for it was kept.
    std::optional<frame::ContentKey> content(const plan::TensorKey& output) const;

    /// Marks an output that no router has: its operation must run.
    void declined(const plan::TensorKey& output);
    /// Marks an output that its consumer no longer needs.
    void freed(const plan::TensorKey& output);

    /// An operation that must run now, the oldest first.
    struct Due {
        plan::Start start;
        std::vector<graph::HostTensor> inputs;
        std::vector<frame::ContentKey> contents;
        std::set<std::int32_t> channels;  ///< channels of the outputs to send
    };
    bool due() const;
    std::optional<Due> take_due();

    bool empty() const { return operations_.empty(); }
    /// Returns the number of operations that never ran.
    std::int64_t spared() const { return spared_; }

private:
    struct Operation {
        plan::Start start;
        std::vector<graph::HostTensor> inputs;
        std::vector<frame::ContentKey> contents;
        /// `open`: channels whose tensors are still offered; `declined`: the channels of `open` that routers declined
        std::set<std::int32_t> open, declined;
        bool ran = false;
    };
    using Place = std::pair<std::int64_t, std::int32_t>;
    static Place place_of(const plan::TensorKey& key) { return {key.step, key.microbatch}; }

    std::map<Place, Operation> operations_;
    std::int64_t spared_ = 0;
};

}  // namespace divisi::instance
