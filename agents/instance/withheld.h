// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "backend/frame/content.h"
#include "backend/graph/tensor.h"
#include "backend/plan/interpreter.h"

namespace divisi::instance {

/// Operations whose results were offered by the key of their content, and that have not run: a router may have the
/// results. Inputs are kept until the consumers have what would come of them, so that an operation can run after all.
class Withheld {
public:
    /// `contents`: of the outputs, in their order.
    void keep(plan::Start start, std::vector<graph::HostTensor> inputs, std::vector<frame::ContentKey> contents);
    /// Nothing where no operation that makes it was kept.
    std::optional<frame::ContentKey> content(const plan::TensorKey& output) const;

    /// Nobody has this output: it is to be made.
    void declined(const plan::TensorKey& output);
    /// Its consumer no longer needs it.
    void freed(const plan::TensorKey& output);

    /// An operation that is to run, the oldest first.
    struct Due {
        plan::Start start;
        std::vector<graph::HostTensor> inputs;
        std::vector<frame::ContentKey> contents;
        std::set<std::int32_t> channels;  ///< of the outputs that are to be sent
    };
    bool due() const;
    std::optional<Due> take_due();

    bool empty() const { return operations_.empty(); }
    /// Operations that never ran.
    std::int64_t spared() const { return spared_; }

private:
    struct Operation {
        plan::Start start;
        std::vector<graph::HostTensor> inputs;
        std::vector<frame::ContentKey> contents;
        std::set<std::int32_t> open, declined;  ///< channels
        bool ran = false;
    };
    using Place = std::pair<std::int64_t, std::int32_t>;
    static Place place_of(const plan::TensorKey& key) { return {key.step, key.microbatch}; }

    std::map<Place, Operation> operations_;
    std::int64_t spared_ = 0;
};

}  // namespace divisi::instance
