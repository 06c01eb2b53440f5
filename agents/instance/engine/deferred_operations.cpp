// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/engine/deferred_operations.h"

#include <algorithm>

namespace divisi::instance {

void DeferredOperations::keep(plan::Start start, std::vector<graph::HostTensor> inputs,
                              std::vector<frame::ContentKey> contents) {
    const Place place{start.step, start.operation.microbatch};
    const auto& outputs = start.operation.outputs;
    std::set<std::int32_t> open(outputs.begin(), outputs.end());
    operations_[place] = {std::move(start), std::move(inputs), std::move(contents), std::move(open), {}, false};
}

std::optional<frame::ContentKey> DeferredOperations::content(const plan::TensorKey& output) const {
    const auto it = operations_.find(place_of(output));
    if (it == operations_.end()) return std::nullopt;
    const auto& outputs = it->second.start.operation.outputs;
    const auto found = std::ranges::find(outputs, output.channel);
    if (found == outputs.end()) return std::nullopt;
    return it->second.contents.at(static_cast<std::size_t>(found - outputs.begin()));
}

void DeferredOperations::declined(const plan::TensorKey& output) {
    const auto it = operations_.find(place_of(output));
    if (it != operations_.end() && it->second.open.contains(output.channel)) it->second.declined.insert(output.channel);
}

void DeferredOperations::freed(const plan::TensorKey& output) {
    const auto it = operations_.find(place_of(output));
    if (it == operations_.end()) return;
    it->second.open.erase(output.channel);
    it->second.declined.erase(output.channel);
    if (!it->second.open.empty()) return;
    if (!it->second.ran) ++spared_;
    operations_.erase(it);
}

bool DeferredOperations::due() const {
    return std::ranges::any_of(operations_, [](const auto& entry) { return !entry.second.declined.empty(); });
}

/// Returns the oldest operation with a declined output. Keeps it while routers may still decline its other outputs.
std::optional<DeferredOperations::Due> DeferredOperations::take_due() {
    const auto it = std::ranges::find_if(operations_, [](const auto& entry) { return !entry.second.declined.empty(); });
    if (it == operations_.end()) return std::nullopt;
    Operation& operation = it->second;
    operation.ran = true;
    Due due{operation.start, operation.inputs, operation.contents, std::exchange(operation.declined, {})};
    for (const std::int32_t channel : due.channels) operation.open.erase(channel);
    if (operation.open.empty()) operations_.erase(it);
    return due;
}

}  // namespace divisi::instance
