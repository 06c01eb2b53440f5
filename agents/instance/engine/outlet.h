// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "backend/frame/demand.h"
#include "backend/frame/frame.h"
#include "backend/graph/tensor.h"
#include "backend/plan/interpreter.h"

namespace divisi::instance {

/// Interface that sends the engine's tensors. Called on the engine's thread; must not block for long.
class Outlet {
public:
    virtual ~Outlet() = default;
    /// Sends a tensor to the instance at the other end of its channel.
    virtual void send(const plan::TensorKey& key, graph::HostTensor tensor) = 0;
    /// Sends a tensor that is fully determined by `content`, so that routers may cache it.
    virtual void send(const plan::TensorKey& key, graph::HostTensor tensor, const frame::ContentKey& /*content*/) {
        send(key, std::move(tensor));
    }
    /// Offers a tensor with a content key before the tensor is computed. If a router has the tensor, the router
    /// delivers it to the consumer. Otherwise the outlet calls Engine::declined(), and the tensor is computed.
    virtual void offer(const plan::TensorKey& /*key*/, const frame::ContentKey& /*content*/) {}
    /// Tells the sender of a tensor that its slot is free again.
    virtual void release(const plan::TensorKey& key) = 0;
    /// Requests exactly these micro-batches from the data instances through the gateway; used only if the task has data
    /// instances. `bytes`: size of the last micro-batch received.
    virtual void ask(std::vector<frame::DataPlace> /*places*/, std::int64_t /*bytes*/) {}
};

}  // namespace divisi::instance
