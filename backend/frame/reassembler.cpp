// SPDX-License-Identifier: Apache-2.0
#include "backend/frame/reassembler.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "backend/base/aligned_memory.h"
#include "backend/frame/crc32c.h"

namespace divisi::frame {
namespace {

std::shared_ptr<std::byte> allocate(std::size_t bytes) {
    auto* memory = static_cast<std::byte*>(allocate_tensor(bytes));
    if (memory == nullptr) throw std::bad_alloc();
    return {memory, free_tensor};
}

/// Returns whether two chunks belong to the same tensor. Input data have the same bytes on every data instance, so
/// another instance may complete a tensor that a dead instance began to send.
bool same_tensor(const FrameHeader& a, const FrameHeader& b) {
    const bool same_sender = a.source == b.source || a.key.kind == FrameKind::input;
    return a.dtype == b.dtype && a.dims == b.dims && a.strides == b.strides && a.total_bytes == b.total_bytes &&
           a.codec == b.codec && a.chunk_bytes == b.chunk_bytes && same_sender && a.destination == b.destination;
}

Error corrupt_tensor(const FrameHeader& h, std::string what) {
    return {ErrorCode::corrupt, std::move(what),
            std::string(name(h.key.kind)) + " on edge " + std::to_string(h.key.edge) + ", step " +
                std::to_string(h.key.step) + ", micro-batch " + std::to_string(h.key.microbatch),
            "the chunk is dropped and its sender repeats it"};
}

}  // namespace

void Reassembler::enter(std::uint64_t task, Generation generation) {
    auto [it, fresh] = tasks_.try_emplace(task);
    if (!fresh && generation <= it->second.generation) return;
    drop_partials([&](const Partial& partial) { return partial.first.key.task == task; });
    it->second = Task{generation, {}};
}

void Reassembler::leave(std::uint64_t task) {
    drop_partials([&](const Partial& partial) { return partial.first.key.task == task; });
    tasks_.erase(task);
}

void Reassembler::drop_from(std::uint64_t sid) {
    drop_partials([&](const Partial& partial) { return partial.first.source.sid == sid; });
}

template <typename Predicate>
void Reassembler::drop_partials(Predicate matches) {
    std::erase_if(partials_, [&](const auto& entry) {
        if (!matches(entry.second)) return false;
        partial_bytes_ -= entry.second.first.total_bytes;
        return true;
    });
}

std::optional<Reassembler::Progress> Reassembler::progress(const TensorKey& key) const {
    const auto task = tasks_.find(key.task);
    if (task == tasks_.end() || task->second.generation != key.generation) return std::nullopt;
    const auto done = task->second.done.find({key.kind, key.edge});
    if (done != task->second.done.end() && done->second.has({key.step, key.microbatch})) return Progress{true, {}};
    Progress progress;
    const auto partial = partials_.find(key);
    if (partial == partials_.end()) return progress;
    const auto& present = partial->second.present;
    for (std::uint32_t i = 0; i < present.size() && progress.missing.size() < most_ranges;) {
        const std::uint32_t first = i;
        while (i < present.size() && !present[i]) ++i;
        if (i > first) progress.missing.push_back({first, i - first});
        while (i < present.size() && present[i]) ++i;
    }
    return progress;
}

Result<Reassembler::Outcome> Reassembler::feed(const FrameHeader& header, std::span<const std::byte> payload) {
    ++counters_.chunks;
    const auto task = tasks_.find(header.key.task);
    if (task == tasks_.end() || header.key.generation < task->second.generation) {
        ++counters_.stale;
        return Outcome{ChunkStatus::stale};
    }
    if (header.key.generation > task->second.generation) {
        ++counters_.early;
        return Outcome{ChunkStatus::early};
    }
    auto outcome = feed_checked(task->second, header, payload);
    if (!outcome.ok()) {
        ++counters_.refused;
    } else if (outcome->status == ChunkStatus::duplicate || outcome->status == ChunkStatus::already_complete) {
        ++counters_.duplicates;
    } else if (outcome->status == ChunkStatus::complete) {
        ++counters_.tensors;
    }
    return outcome;
}

Result<Reassembler::Outcome> Reassembler::feed_checked(Task& task, const FrameHeader& h,
                                                       std::span<const std::byte> payload) {
    if (task.done.size() >= limits_.flows && !task.done.contains({h.key.kind, h.key.edge}))
        return Error{ErrorCode::exhausted, "more than " + std::to_string(limits_.flows) + " flows of one task",
                     "tensor reassembly", "cut the model into fewer segments"};
    Done& done = task.done[{h.key.kind, h.key.edge}];
    const Position position{h.key.step, h.key.microbatch};
    if (done.has(position)) return Outcome{ChunkStatus::already_complete};
    if (payload.size() != h.payload_bytes) return corrupt_tensor(h, "payload and header disagree about the length");

    auto it = partials_.find(h.key);
    if (it != partials_.end() && !same_tensor(it->second.first, h))
        return corrupt_tensor(h, "two chunks of one tensor disagree about its shape or sender");
    if (it != partials_.end() && it->second.present[h.chunk_index]) return Outcome{ChunkStatus::duplicate};
    if (crc32c(payload) != h.payload_crc) return corrupt_tensor(h, "the payload checksum is wrong");
    if (it == partials_.end()) {
        if (h.total_bytes > limits_.partial_bytes - partial_bytes_)
            return Error{ErrorCode::exhausted, "no room for a tensor of " + std::to_string(h.total_bytes) + " bytes",
                         "tensor reassembly",
                         "give the flow fewer tensor slots (split.slots) or the instance more memory"};
        it = partials_
                 .emplace(h.key,
                          Partial{h, allocate(h.total_bytes), std::vector<bool>(h.chunk_count, false), h.chunk_count})
                 .first;
        partial_bytes_ += h.total_bytes;
    }
    Partial& partial = it->second;
    if (!payload.empty())
        std::memcpy(partial.bytes.get() + std::size_t{h.chunk_index} * h.chunk_bytes, payload.data(), payload.size());
    partial.present[h.chunk_index] = true;
    Outcome outcome;
    if (h.chunk_index > partial.next) outcome.gap = ChunkRange{partial.next, h.chunk_index - partial.next};
    partial.next = std::max(partial.next, h.chunk_index + 1);
    if (--partial.missing > 0) return outcome;

    TensorFrame frame{h.key, h.source, h.destination, h.codec, {}, std::move(partial.first.routing)};
    frame.tensor = {
        h.dtype, h.dims, h.strides, partial.bytes, partial.bytes.get(), static_cast<std::int64_t>(h.total_bytes)};
    partial_bytes_ -= h.total_bytes;
    partials_.erase(it);
    remember(done, position);
    return Outcome{ChunkStatus::complete, std::move(frame)};
}

void Reassembler::remember(Done& done, Position position) {
    done.positions.insert(position);
    if (done.positions.size() <= limits_.remembered) return;
    done.forgotten = *done.positions.begin();
    done.positions.erase(done.positions.begin());
}

}  // namespace divisi::frame
