// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/flow_sender.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace divisi::mesh::inline forwarding {
namespace {

/// Bytes that a flow may send in its turn; one chunk of any size is within this limit.
constexpr std::uint64_t quantum = frame::max_chunk_bytes;

}  // namespace

bool FlowSender::may_send(const RelayFlow& flow) const {
    if (flow.queue.empty()) return false;
    if (flow.exit.device.value() == 0) return flow.exit.sid != 0;
    const RelayFlow::Downstream* next = flow.next();
    const RelayFlow::Held& first = flow.queue.front();
    // An offer may be the first frame of its flow, so it waits until the next hop knows the flow.
    const bool offer = first.chunk.header.key.kind == frame::FrameKind::offer;
    const bool free = first.bytes() == 0 && !offer;
    return neighbours_.is_usable(flow.exit.device) && (free || (next && next->allowance.fits(first.bytes())));
}

void FlowSender::schedule(RelayFlow& flow) {
    update_meter(flow);
    if (flow.waits_turn || !may_send(flow)) return;
    flow.waits_turn = true;
    round_robins_.try_emplace(flow.exit, quantum).first->second.join(flow.key);
    context_.actions.ready.push_back(flow.exit);
}

void FlowSender::send_next(const Exit& exit) {
    const auto round_robin = round_robins_.find(exit);
    if (round_robin == round_robins_.end()) return;
    const auto next = round_robin->second.next([&](const FlowKey& key) -> std::optional<std::uint64_t> {
        RelayFlow* flow = flows_.find(key);
        if (!flow || flow->exit != exit) return std::nullopt;
        if (may_send(*flow)) return flow->queue.front().bytes();
        flow->waits_turn = false;
        return std::nullopt;
    });
    if (next) context_.actions.chunk = take(*flows_.find(*next));
    else round_robins_.erase(round_robin);
}

frame::Chunk FlowSender::take(RelayFlow& flow) {
    RelayFlow::Held held = std::move(flow.queue.front());
    flow.queue.pop_front();
    const std::uint64_t bytes = held.bytes();
    flow.queued -= bytes;
    ++context_.counters.frames;
    context_.counters.bytes += bytes;
    if (flow.exit.device.value() == 0) {
        flow.meter.delivered(bytes, context_.now - held.since);
        promises_.free(held, flow);
        update_meter(flow);
        return std::move(held.chunk);
    }
    set_route(held.chunk.header, flow.route);
    set_path_index(held.chunk.header, flow.key.path_index);
    const auto downstream = flow.downstream.find(flow.exit.device);
    if (bytes == 0) {
        if (downstream != flow.downstream.end()) downstream->second.doubtful = true;
        return std::move(held.chunk);
    }
    frame::Chunk chunk = held.chunk;  // one copy is sent, the other is kept until the next hop frees it
    held.since = context_.now;
    RelayFlow::Downstream& next = flow.downstream.at(flow.exit.device);
    set_reservation(chunk.header, next.allowance.incarnation());
    next.allowance.spend(bytes);
    neighbours_.count_sent(flow.exit.device, bytes);
    next.used = context_.now;
    next.out.push_back(std::move(held));
    update_meter(flow);
    return chunk;
}

void FlowSender::update_meter(RelayFlow& flow) {
    const bool out = std::ranges::any_of(flow.downstream, [](const auto& next) { return !next.second.out.empty(); });
    const bool queued = !flow.queue.empty();
    flow.meter.set_busy(queued || out, context_.now);
    flow.meter.set_waiting(queued && flow.exit.device.value() != 0 && !may_send(flow), context_.now);
}

void FlowSender::keep_exits_of_table() {
    std::erase_if(round_robins_, [&](const auto& line) {
        return line.first.device.value() == 0 && !context_.table.place(line.first.sid);
    });
}

}  // namespace divisi::mesh::inline forwarding
