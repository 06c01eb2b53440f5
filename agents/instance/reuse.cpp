// SPDX-License-Identifier: Apache-2.0
// Lets a stage of a batch task offer results that a router may have, and compute only the ones that none has: see
// DeferredOperations.
#include "agents/instance/engine.h"

namespace divisi::instance {

/// Enables the offers for a stage whose weights never change and whose consumers are all behind gateways.
Result<void> Engine::look_for_reuse() {
    if (!is_batch() || results_ || config_.far_channels.empty()) return {};
    const auto& channels = config_.plan->programs->channels;
    for (std::size_t number = 0; number < channels.size(); ++number)
        if (channels[number].from == config_.stage && !config_.far_channels.contains(static_cast<std::int32_t>(number)))
            return {};
    const segment::SegmentConfig stage = segment_config(*config_.plan, config_.stage);
    DIVISI_ASSIGN(result_keys_, ResultKeys::of(stage, *executor_, config_.fingerprint));
    return {};
}

/// Defers an operation instead of running it. For the interpreter, it has run and its outputs have been sent.
bool Engine::withhold(const plan::Start& start, const std::vector<graph::HostTensor>& inputs) {
    if (!result_keys_) return false;
    const TimePoint begin = clock_.now();
    deferred_.keep(start, inputs, result_keys_->keys(inputs));
    times_.worked = clock_.now() - begin;
    return true;
}

/// Runs one declined operation at a time, because mail received meanwhile may make the next one unnecessary.
Result<void> Engine::run_declined() {
    auto due = deferred_.take_due();
    if (!due) return {};
    const TimePoint begin = clock_.now();
    times_ = {config_.stage, {due->start.operation, due->start.step, begin, begin, begin}, {}, {}};
    DIVISI_ASSIGN(auto outputs, run_operation(*unit_of(config_.stage), due->start, std::move(due->inputs)));
    times_.ended.end = clock_.now();
    busy_ns_ += times_.worked.count();
    listener_.operation_ended(times_);
    const plan::Operation& operation = due->start.operation;
    for (std::size_t i = 0; i < operation.outputs.size(); ++i) {
        if (!due->channels.contains(operation.outputs[i])) continue;
        sent_bytes_ += outputs[i].size_bytes;
        outlet_.send({operation.outputs[i], due->start.step, operation.microbatch}, std::move(outputs[i]),
                     due->contents[i]);
    }
    return {};
}

}  // namespace divisi::instance
