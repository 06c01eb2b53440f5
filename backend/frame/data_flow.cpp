// SPDX-License-Identifier: Apache-2.0
#include "backend/frame/data_flow.h"

#include <cassert>

#include "backend/frame/crc32c.h"

namespace divisi::frame {
namespace {

TensorKey key_about(const FrameHeader& header) {
    TensorKey key = header.key;
    key.kind = header.about;
    return key;
}

TensorKey key_of(std::uint64_t task, Generation generation) {
    TensorKey key;
    key.task = task;
    key.generation = generation;
    return key;
}

}  // namespace

DataFlow::DataFlow(End self) : self_(self) { assert(self.incarnation > 0); }

flow::Actions DataFlow::step(flow::Event event, TimePoint now) {
    now_ = now;
    flow::Actions actions;
    visit([&](auto& one) { on(one, actions); }, event);
    return actions;
}

// --- generations and peers ----------------------------------------------------------------------

void DataFlow::on(flow::Enter& event, flow::Actions& actions) {
    const auto [it, fresh] = generations_.try_emplace(event.task, event.generation);
    if (!fresh && event.generation <= it->second) return;
    drop(event.task);
    it->second = event.generation;
    reassembler_.enter(event.task, event.generation);
    for (auto& [sid, peer] : peers_) {
        meet_in(event.task, peer);
        say_hello(peer, actions);
    }
}

void DataFlow::on(flow::Leave& event, flow::Actions&) {
    drop(event.task);
    generations_.erase(event.task);
    reassembler_.leave(event.task);
    for (auto& [sid, peer] : peers_) peer.entered.erase(event.task);
    if (!generations_.empty()) return;
    std::erase_if(peers_, [](const auto& entry) { return !entry.second.reached; });
    told_.clear();
}

/// Drops the task's tensors and slots for all peers, and the record of what was consumed.
void DataFlow::drop(std::uint64_t task) {
    std::erase_if(consumed_, [&](const auto& entry) { return std::get<0>(entry.first) == task; });
    for (auto& [sid, peer] : peers_) peer.outbox.drop(task);
}

void DataFlow::on(flow::Reach& event, flow::Actions&) {
    Peer& peer = peers_[event.peer.sid];
    peer.reached = true;
    peer.end.sid = event.peer.sid;
    if (event.peer.incarnation > peer.end.incarnation) replace(peer, event.peer.incarnation);
}

void DataFlow::on(flow::Forget& event, flow::Actions&) {
    if (const auto peer = peers_.extract(event.sid)) counters_.chunks_resent += peer.mapped().outbox.chunks_resent();
    reassembler_.drop_from(event.sid);
}

void DataFlow::replace(Peer& peer, Incarnation incarnation) {
    peer.end.incarnation = incarnation;
    for (const auto& [task, generation] : peer.entered) peer.outbox.close(task);
    peer.entered.clear();
    reassembler_.drop_from(peer.end.sid);
}

/// Returns the sender of a frame, adding an unknown one; nullptr if the frame must be dropped.
DataFlow::Peer* DataFlow::meet(const FrameHeader& header, flow::Actions& actions) {
    const End end = header.source;
    auto it = peers_.find(end.sid);
    if (it == peers_.end()) {
        if (peers_.size() >= most_peers) {
            refuse({ErrorCode::exhausted, "more than " + std::to_string(most_peers) + " peers", "flow of tensors",
                    "end the instances that do not belong to the task"},
                   actions);
            return nullptr;
        }
        it = peers_.try_emplace(end.sid).first;
        it->second.end.sid = end.sid;
    }
    Peer& peer = it->second;
    if (end.incarnation < peer.end.incarnation) {
        drop_stale(header, actions);
        return nullptr;
    }
    if (end.incarnation > peer.end.incarnation) replace(peer, end.incarnation);
    return &peer;
}

/// Opens or closes the task for the peer after either end has changed its generation. Tensors are sent only while both
/// ends are in the same generation.
void DataFlow::meet_in(std::uint64_t task, Peer& peer) {
    const auto theirs = peer.entered.find(task);
    if (theirs == peer.entered.end()) return;
    if (theirs->second == generations_.at(task)) peer.outbox.open(task);
    else peer.outbox.close(task);
}

// --- sending ------------------------------------------------------------------------------------

void DataFlow::on(flow::Send& event, flow::Actions& actions) {
    if (auto sent = put(event, actions); !sent) actions.refused = sent.error();
}

Result<DataFlow::Peer*> DataFlow::consumer_of(std::uint64_t sid, const TensorKey& key) {
    const auto peer = peers_.find(sid);
    if (peer == peers_.end() || !peer->second.reached)
        return Error{ErrorCode::not_found, "no such peer", "flow of tensors", "connect to the peer first"};
    if (!in_force(key))
        return Error{ErrorCode::conflict, "the tensor is not of the generation in force", "flow of tensors",
                     "drop the tensor"};
    return &peer->second;
}

Result<void> DataFlow::put(flow::Send& event, flow::Actions& actions) {
    DIVISI_ASSIGN(Peer* const peer, consumer_of(event.sid, event.frame.key));
    // The tensor is checked once here, so that encoding the chunks' headers cannot fail.
    DIVISI_TRY(check_tensor(event.frame, chunk_bytes_));
    Outbox& outbox = peer->outbox;
    DIVISI_TRY(outbox.put(std::move(event.frame), chunk_bytes_));
    ++counters_.tensors_sent;
    if (outbox.ready()) actions.ready.push_back(event.sid);
    return {};
}

void DataFlow::on(flow::Offer& event, flow::Actions& actions) {
    const auto peer = consumer_of(event.sid, event.key);
    if (!peer) return void(actions.refused = peer.error());
    Outbox& outbox = (*peer)->outbox;
    if (auto offered = outbox.offer(event.key, event.content, now_); !offered) actions.refused = offered.error();
    tell_declined(**peer, actions);
    if (outbox.ready()) actions.ready.push_back(event.sid);
}

void DataFlow::tell_declined(Peer& peer, flow::Actions& actions) {
    const std::vector<TensorKey> declined = peer.outbox.offers().take_declined();
    actions.declined.insert(actions.declined.end(), declined.begin(), declined.end());
}

void DataFlow::on(flow::Room& event, flow::Actions& actions) {
    const auto it = peers_.find(event.sid);
    if (it == peers_.end()) return;
    actions.chunk = it->second.outbox.take(now_);
    if (!actions.chunk) return;
    actions.chunk->header.source = self_;
    actions.chunk->header.destination = it->second.end;
    counters_.bytes_sent += actions.chunk->payload.size();
}

void DataFlow::on(flow::DataUp& event, flow::Actions& actions) {
    const auto it = peers_.find(event.sid);
    if (it == peers_.end()) return;
    it->second.outbox.ask_again();
    actions.ready.push_back(event.sid);
}

void DataFlow::on(flow::LaneUp& event, flow::Actions& actions) {
    if (const auto it = peers_.find(event.sid); it != peers_.end()) say_hello(it->second, actions);
}

void DataFlow::on(flow::Tick&, flow::Actions& actions) {
    for (auto& [sid, peer] : peers_) {
        if (!peer.reached) continue;
        say_hello(peer, actions);
        peer.outbox.tick(now_);
        tell_declined(peer, actions);
        if (peer.outbox.ready()) actions.ready.push_back(sid);
    }
}

// --- receiving ----------------------------------------------------------------------------------

void DataFlow::on(flow::Received& event, flow::Actions& actions) {
    const FrameHeader& header = event.header;
    if (header.destination.sid != self_.sid || header.source.incarnation == 0)
        return refuse({ErrorCode::corrupt, "a frame for another instance, or without a sender", "flow of tensors",
                       "run the same Divisi version on all machines"},
                      actions);
    // A peer may look for an earlier process of this SID. The answer tells the peer that this process has replaced the
    // earlier one.
    const bool looks_for_us = header.key.kind == FrameKind::hello && header.destination.incarnation < self_.incarnation;
    if (header.destination.incarnation != self_.incarnation && !looks_for_us) return drop_stale(header, actions);
    if (header.key.kind == FrameKind::supplied || header.key.kind == FrameKind::absent)
        return answered(header, actions);
    Peer* peer = meet(header, actions);
    if (peer == nullptr) return;
    if (now_ - std::exchange(peer->heard, now_) > out_of_reach_after) peer->outbox.hurry();
    if (header.key.kind == FrameKind::hello || header.key.kind == FrameKind::welcome)
        return hello(*peer, header, actions);
    if (carries_tensor(header.key.kind)) return tensor(*peer, event, actions);
    const TensorKey key = key_about(header);
    if (!in_force(key)) return drop_stale(header, actions);
    switch (header.key.kind) {
        case FrameKind::ack: return peer->outbox.acknowledged(key);
        case FrameKind::slot: actions.released = peer->outbox.released(key); return;
        case FrameKind::ask: return asked(*peer, key, actions);
        case FrameKind::missing: return missing(*peer, event, actions);
        case FrameKind::offer: return offered(*peer, key, actions);
        default: return;
    }
}

void DataFlow::hello(Peer& peer, const FrameHeader& header, flow::Actions& actions) {
    const auto task = generations_.find(header.key.task);
    if (task == generations_.end()) {
        if (!generations_.empty()) drop_stale(header, actions);
        return;
    }
    const auto [theirs, fresh] = peer.entered.try_emplace(task->first, header.key.generation);
    if (fresh || header.key.generation > theirs->second) {
        theirs->second = header.key.generation;
        meet_in(task->first, peer);
        if (peer.outbox.ready()) actions.ready.push_back(peer.end.sid);
    }
    if (header.key.kind == FrameKind::welcome) return;
    say(peer, FrameKind::welcome, key_of(task->first, task->second), actions);
    for (const auto& [flow, consumed] : consumed_)
        if (std::get<0>(flow) == task->first && consumed.producers.contains(peer.end.sid))
            say_released(flow, consumed, peer.end.sid, actions);
}

void DataFlow::tensor(Peer& peer, const flow::Received& event, flow::Actions& actions) {
    const TensorKey& key = event.header.key;
    counters_.bytes_received += event.payload.size();
    auto outcome = reassembler_.feed(event.header, event.payload);
    if (!outcome.ok()) return refuse(outcome.error(), actions);
    if (outcome->gap) say(peer, FrameKind::missing, key, actions, encode_ranges({&*outcome->gap, 1}));
    using ChunkStatus = Reassembler::ChunkStatus;
    if (outcome->status == ChunkStatus::stale) tell_stale(event.header, actions);  // the reassembler has counted it
    if (outcome->status != ChunkStatus::complete && outcome->status != ChunkStatus::already_complete) return;
    say(peer, FrameKind::ack, key, actions);
    if (outcome->status == ChunkStatus::already_complete) return;
    ++counters_.tensors_received;
    Consumed& consumed = consumed_[{key.task, key.kind, key.edge}];
    consumed.generation = key.generation;
    consumed.producers.insert(peer.end.sid);
    actions.arrived = std::move(outcome->tensor);
}

void DataFlow::asked(Peer& peer, const TensorKey& key, flow::Actions& actions) {
    const auto progress = reassembler_.progress(key);
    if (!progress) return;
    if (progress->complete) return say(peer, FrameKind::ack, key, actions);
    say(peer, FrameKind::missing, key, actions, encode_ranges(progress->missing));
}

void DataFlow::missing(Peer& peer, const flow::Received& event, flow::Actions& actions) {
    if (crc32c(event.payload) != event.header.payload_crc)
        return refuse({ErrorCode::corrupt, "the payload checksum is wrong", "missing chunks", "the sender asks again"},
                      actions);
    const auto ranges = decode_ranges(event.payload);
    if (!ranges.ok()) return refuse(ranges.error(), actions);
    peer.outbox.missing(key_about(event.header), *ranges);
    tell_declined(peer, actions);
    if (peer.outbox.ready()) actions.ready.push_back(peer.end.sid);
}

/// Answers an offer. The offer reached this consumer because no router on the way had the tensor.
void DataFlow::offered(Peer& peer, const TensorKey& key, flow::Actions& actions) {
    const auto progress = reassembler_.progress(key);
    say(peer, progress && progress->complete ? FrameKind::ack : FrameKind::absent, key, actions);
}

/// Handles a router's answer to an offer. The router answers in the peer's name, so the answer shows nothing about the
/// state of the peer.
void DataFlow::answered(const FrameHeader& header, flow::Actions& actions) {
    const auto peer = peers_.find(header.source.sid);
    const TensorKey key = key_about(header);
    if (peer == peers_.end() || peer->second.end != header.source || !in_force(key)) return drop_stale(header, actions);
    peer->second.outbox.offers().answered(key, header.key.kind == FrameKind::supplied, now_);
    tell_declined(peer->second, actions);
}

void DataFlow::on(flow::Release& event, flow::Actions& actions) {
    const TensorKey& key = event.key;
    const auto it = consumed_.find({key.task, key.kind, key.edge});
    if (it == consumed_.end() || it->second.generation != key.generation) return;
    const std::pair position{key.step, key.microbatch};
    if (it->second.position && position <= *it->second.position) return;
    it->second.position = position;
    for (const std::uint64_t producer : it->second.producers) say_released(it->first, it->second, producer, actions);
}

// --- messages on the lane -----------------------------------------------------------------------

void DataFlow::say(const Peer& peer, FrameKind kind, const TensorKey& about, flow::Actions& actions,
                   std::string payload) const {
    FrameHeader header;
    header.key = about;
    header.key.kind = kind;
    header.about = about.kind;
    header.source = self_;
    header.destination = peer.end;
    header.total_bytes = payload.size();
    header.payload_bytes = static_cast<std::uint32_t>(payload.size());
    header.payload_crc = crc32c(std::as_bytes(std::span(payload)));
    actions.messages.push_back({peer.end, std::move(header), std::move(payload)});
}

void DataFlow::say_hello(const Peer& peer, flow::Actions& actions) const {
    for (const auto& [task, generation] : generations_) say(peer, FrameKind::hello, key_of(task, generation), actions);
}

void DataFlow::say_released(const Flow& flow, const Consumed& consumed, std::uint64_t producer,
                            flow::Actions& actions) const {
    const auto peer = peers_.find(producer);
    if (!consumed.position || peer == peers_.end()) return;
    const auto& [task, kind, edge] = flow;
    say(peer->second, FrameKind::slot,
        {task, consumed.generation, kind, edge, consumed.position->first, consumed.position->second}, actions);
}

void DataFlow::refuse(Error error, flow::Actions& actions) {
    ++counters_.refused;
    actions.refused = std::move(error);
}

void DataFlow::drop_stale(const FrameHeader& header, flow::Actions& actions) {
    ++counters_.stale;
    tell_stale(header, actions);
}

/// Requests a log entry for a stale frame. Early frames, and frames that arrive while no task is in force, are not
/// reported: they occur in normal operation and end without any intervention.
void DataFlow::tell_stale(const FrameHeader& header, flow::Actions& actions) {
    const auto task = generations_.find(header.key.task);
    const auto peer = peers_.find(header.source.sid);
    std::string what;
    if (header.destination.incarnation != self_.incarnation)
        what = "they are for incarnation " + std::to_string(header.destination.incarnation) +
               ", but this process is incarnation " + std::to_string(self_.incarnation);
    else if (peer != peers_.end() && header.source.incarnation < peer->second.end.incarnation)
        what = "they are of incarnation " + std::to_string(header.source.incarnation) + ", which incarnation " +
               std::to_string(peer->second.end.incarnation) + " has replaced";
    else if (task != generations_.end() && header.key.generation < task->second)
        what = "they are of generation " + std::to_string(header.key.generation) + ", and " +
               std::to_string(task->second) + " is in force";
    else if (task == generations_.end() && !generations_.empty())
        what = "they belong to a task that this process does not take part in";
    if (!what.empty() && !mark_told(header)) actions.stale = flow::Stale{header.source, std::move(what)};
}

/// Records the frame's origin; returns whether it was already reported. Beyond the limit, every frame counts as already
/// reported.
bool DataFlow::mark_told(const FrameHeader& header) {
    if (told_.size() >= most_told_stale) return true;
    return !told_.emplace(header.source, header.destination.incarnation, header.key.task, header.key.generation).second;
}

bool DataFlow::in_force(const TensorKey& key) const {
    const auto generation = generations_.find(key.task);
    return generation != generations_.end() && generation->second == key.generation;
}

// --- counters -----------------------------------------------------------------------------------

std::size_t DataFlow::unacknowledged() const {
    std::size_t count = 0;
    for (const auto& [sid, peer] : peers_) count += peer.outbox.unacknowledged();
    return count;
}

DataFlow::Counters DataFlow::counters() const {
    Counters all = counters_;
    for (const auto& [sid, peer] : peers_) all.chunks_resent += peer.outbox.chunks_resent();
    all.duplicates = reassembler_.counters().duplicates;
    all.stale += reassembler_.counters().stale + reassembler_.counters().early;
    return all;
}

}  // namespace divisi::frame
