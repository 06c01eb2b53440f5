// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "agents/instance/engine/outlet.h"
#include "backend/frame/frame.h"
#include "backend/task/compile.h"

namespace divisi::instance {

/// Turns the tensors of an engine into frames of its task, and sends them to the instances at the other ends of the
/// channels.
class TensorOutlet final : public Outlet {
public:
    /// Called on the engine's thread; must not block.
    struct Port {
        std::function<void(const Sid& peer, frame::TensorFrame frame)> send;
        std::function<void(const Sid& peer, const frame::TensorKey& key, const frame::ContentKey& content)> offer;
        std::function<void(const frame::TensorKey& key)> release;
        std::function<void(std::vector<frame::DataPlace> places, std::int64_t bytes)> ask;
    };
    /// `flow`: frame::flow_id of the task. `peers`: SIDs by stage, and by plan::data_unit.
    TensorOutlet(std::shared_ptr<const task::CompiledPlan> plan, std::uint64_t flow, Generation generation,
                 std::map<std::int32_t, Sid> peers, Port port);

    void send(const plan::TensorKey& key, graph::HostTensor tensor) override;
    void send(const plan::TensorKey& key, graph::HostTensor tensor, const frame::ContentKey& content) override;
    void offer(const plan::TensorKey& key, const frame::ContentKey& content) override;
    void release(const plan::TensorKey& key) override;
    void ask(std::vector<frame::DataPlace> places, std::int64_t bytes) override;

private:
    const plan::Channel& channel_of(const plan::TensorKey& key) const;
    const Sid& consumer_of(const plan::TensorKey& key) const { return peers_.at(channel_of(key).to); }
    frame::TensorKey frame_key(const plan::TensorKey& key) const;

    std::shared_ptr<const task::CompiledPlan> plan_;
    std::uint64_t flow_;
    Generation generation_;
    std::map<std::int32_t, Sid> peers_;
    Port port_;
};

}  // namespace divisi::instance
