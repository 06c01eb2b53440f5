// SPDX-License-Identifier: Apache-2.0
#include "backend/frame/reassembler.h"

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

bool same_tensor(const FrameHeader& a, const FrameHeader& b) {
    return a.dtype == b.dtype && a.dims == b.dims && a.strides == b.strides && a.total_bytes == b.total_bytes &&
           a.codec == b.codec && a.chunk_bytes == b.chunk_bytes && a.source == b.source &&
           a.destination == b.destination;
}

Error corrupt(const FrameHeader& h, std::string what) {
    return {ErrorCode::corrupt, std::move(what),
            std::string(name(h.key.kind)) + " on edge " + std::to_string(h.key.edge) + ", step " +
                std::to_string(h.key.step) + ", micro-batch " + std::to_string(h.key.microbatch),
            "the chunk is dropped and its sender repeats it"};
}

}  // namespace

void Reassembler::enter(std::uint64_t task, Generation generation) {
    auto [it, fresh] = tasks_.try_emplace(task);
    if (!fresh && generation <= it->second.generation) return;
    drop_partials(task);
    it->second = Task{generation, {}};
}

void Reassembler::leave(std::uint64_t task) {
    drop_partials(task);
    tasks_.erase(task);
}

void Reassembler::drop_partials(std::uint64_t task) {
    for (auto it = partials_.begin(); it != partials_.end();) {
        if (it->first.task != task) {
            ++it;
            continue;
        }
        partial_bytes_ -= it->second.first.total_bytes;
        it = partials_.erase(it);
    }
}

Result<Reassembler::Outcome> Reassembler::feed(const FrameHeader& header, std::span<const std::byte> payload) {
    ++counters_.chunks;
    const auto task = tasks_.find(header.key.task);
    if (task == tasks_.end() || header.key.generation < task->second.generation) {
        ++counters_.stale;
        return Outcome{Fate::stale, {}};
    }
    if (header.key.generation > task->second.generation) {
        ++counters_.early;
        return Outcome{Fate::early, {}};
    }
    auto outcome = feed_checked(task->second, header, payload);
    if (!outcome.ok()) {
        ++counters_.refused;
    } else if (outcome->fate == Fate::duplicate || outcome->fate == Fate::already_complete) {
        ++counters_.duplicates;
    } else if (outcome->fate == Fate::complete) {
        ++counters_.tensors;
    }
    return outcome;
}

Result<Reassembler::Outcome> Reassembler::feed_checked(Task& task, const FrameHeader& h,
                                                       std::span<const std::byte> payload) {
    Done& done = task.done[{h.key.kind, h.key.edge}];
    const Position position{h.key.step, h.key.microbatch};
    if (done.positions.contains(position) || (done.forgotten && position <= *done.forgotten))
        return Outcome{Fate::already_complete, {}};
    if (payload.size() != h.payload_bytes) return corrupt(h, "payload and header disagree about the length");

    auto it = partials_.find(h.key);
    if (it != partials_.end() && !same_tensor(it->second.first, h))
        return corrupt(h, "two chunks of one tensor disagree about its shape or sender");
    if (it != partials_.end() && it->second.present[h.chunk_index]) return Outcome{Fate::duplicate, {}};
    if (crc32c(payload) != h.payload_crc) return corrupt(h, "payload checksum");
    if (it == partials_.end()) {
        if (h.total_bytes > limits_.partial_bytes - partial_bytes_)
            return Error{ErrorCode::exhausted, "no room for a tensor of " + std::to_string(h.total_bytes) + " bytes",
                         "tensor reassembly", "give the flow fewer slots or the instance more memory"};
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
    if (--partial.missing > 0) return Outcome{Fate::kept, {}};

    TensorFrame frame{h.key, h.source, h.destination, h.codec, {}, std::move(partial.first.routing)};
    frame.tensor = {
        h.dtype, h.dims, h.strides, partial.bytes, partial.bytes.get(), static_cast<std::int64_t>(h.total_bytes)};
    partial_bytes_ -= h.total_bytes;
    partials_.erase(it);
    remember(done, position);
    return Outcome{Fate::complete, std::move(frame)};
}

void Reassembler::remember(Done& done, Position position) {
    done.positions.insert(position);
    if (done.positions.size() <= limits_.remembered) return;
    done.forgotten = *done.positions.begin();
    done.positions.erase(done.positions.begin());
}

}  // namespace divisi::frame
