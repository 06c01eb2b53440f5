// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/engine/tensor_table.h"

#include <algorithm>
#include <utility>

namespace divisi::instance {

void TensorTable::keep(const plan::TensorKey& key, HeldTensor held) { arrived_[key] = std::move(held); }

TensorTable::Inputs TensorTable::inputs(const plan::Start& start) const {
    Inputs inputs;
    for (const std::int32_t channel : start.operation.inputs) {
        const HeldTensor& held = arrived_.at({channel, start.step, start.operation.microbatch});
        inputs.tensors.push_back(held.tensor);
        inputs.arrived = std::max(inputs.arrived, held.arrived);
    }
    return inputs;
}

void TensorTable::release(const plan::TensorKey& key) { arrived_.erase(key); }

void TensorTable::add_made(const plan::Start& start, std::vector<graph::HostTensor> outputs) {
    for (std::size_t i = 0; i < start.operation.outputs.size(); ++i)
        made_[{start.operation.outputs[i], start.step, start.operation.microbatch}] = std::move(outputs[i]);
}

graph::HostTensor TensorTable::take_made(const plan::TensorKey& key) {
    auto made = made_.extract(key);
    return std::move(made.mapped());
}

}  // namespace divisi::instance
