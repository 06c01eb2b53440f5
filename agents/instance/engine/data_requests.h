// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "backend/frame/demand.h"
#include "backend/plan/data_demand.h"

namespace divisi::instance {

/// Determines which micro-batches a stage requests from data instances. The stage requests as many micro-batches as it
/// has free tensor slots. Does no I/O.
class DataRequests {
public:
    DataRequests(const plan::Programs& programs, std::int32_t stage) : demand_(programs, stage) {}

    void begin(std::optional<std::int32_t> eval_microbatches) { demand_.begin(eval_microbatches); }
    /// Records a tensor of this size; ignores tensors that are not data.
    void arrived(const plan::TensorKey& key, std::int64_t bytes);
    void released(const plan::TensorKey& key) { demand_.released(key); }

    struct Request {
        std::vector<frame::DataPlace> places;  ///< places of all micro-batches that the stage waits for
        std::int64_t bytes = 0;                ///< size of the last micro-batch received
    };
    /// Returns the request if it has changed since the last call.
    std::optional<Request> take_changed();

private:
    plan::DataDemand demand_;
    std::map<std::int32_t, std::int64_t> channel_bytes_;  ///< size of the last received tensor, by channel
};

}  // namespace divisi::instance
