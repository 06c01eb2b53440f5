// SPDX-License-Identifier: Apache-2.0
#include "backend/frame/outbox.h"

#include <algorithm>
#include <tuple>

namespace divisi::frame {

Result<void> Outbox::take_slot(const TensorKey& key) {
    auto& unreleased = unreleased_[{key.task, key.kind, key.edge}];
    if (unreleased.size() >= most_unreleased)
        return Error{ErrorCode::exhausted, std::to_string(most_unreleased) + " tensors of one edge have no tensor slot",
                     std::string(name(key.kind)) + " on edge " + std::to_string(key.edge),
                     "wait until the consumer frees some"};
    if (!unreleased.insert({key.step, key.microbatch}).second)
        return Error{ErrorCode::conflict, "this tensor was sent before", "flow of tensors", "send each tensor once"};
    return {};
}

Result<void> Outbox::offer(const TensorKey& key, const ContentKey& content, TimePoint now) {
    DIVISI_TRY(take_slot(key));
    offers_.put(key, content, now);
    return {};
}

Result<void> Outbox::put(TensorFrame frame, std::uint32_t chunk_bytes) {
    const TensorKey key = frame.key;
    const auto settled = offers_.settle(key);
    if (settled == Offers::Settled::arrived) return {};
    if (!settled) DIVISI_TRY(take_slot(key));
    Tensor& tensor = kept_[key];
    tensor = Tensor{std::move(frame), chunk_bytes};
    tensor.to_send.add({0, tensor.chunks()});
    if (open_.contains(key.task)) queue_.push_back(key);
    return {};
}

void Outbox::open(std::uint64_t task) {
    close(task);
    open_.insert(task);
    offers_.open(task);
    for (auto& [key, tensor] : kept_) {
        if (key.task != task) continue;
        add(tensor, {0, tensor.chunks()});
        queue_.push_back(key);
    }
}

void Outbox::close(std::uint64_t task) {
    const auto of_task = [&](const TensorKey& key) { return key.task == task; };
    open_.erase(task);
    offers_.close(task);
    std::erase_if(queue_, of_task);
    std::erase_if(questions_, of_task);
}

void Outbox::drop(std::uint64_t task) {
    close(task);
    offers_.drop(task);
    std::erase_if(kept_, [&](const auto& entry) { return entry.first.task == task; });
    std::erase_if(unreleased_, [&](const auto& entry) { return std::get<0>(entry.first) == task; });
}

/// Queues chunks again and counts them as resent. All chunks of a tensor are queued from the start, so every chunk that
/// is added here has been sent before.
void Outbox::add(Tensor& tensor, ChunkRange range) {
    const std::uint32_t before = tensor.to_send.size();
    tensor.to_send.add(range);
    chunks_resent_ += tensor.to_send.size() - before;
}

void Outbox::ask_again() {
    for (const auto& [key, tensor] : kept_)
        if (open_.contains(key.task) && tensor.to_send.empty()) questions_.insert(key);
    offers_.ask_again();
}

void Outbox::hurry() {
    for (auto& [key, tensor] : kept_) tensor.patience = first_patience;
    offers_.hurry();
}

void Outbox::tick(TimePoint now) {
    for (auto& [key, tensor] : kept_) {
        if (!open_.contains(key.task) || !tensor.to_send.empty() || now - tensor.told < tensor.patience) continue;
        tensor.told = now;
        tensor.patience = std::min(tensor.patience * 2, longest_patience);
        questions_.insert(key);
    }
    offers_.tick(now);
}

std::optional<Chunk> Outbox::take(TimePoint now) {
    if (auto question = take_question(now)) return question;
    if (auto offer = offers_.take(now)) return offer;
    for (; !queue_.empty(); queue_.pop_front()) {
        const auto it = kept_.find(queue_.front());
        if (it == kept_.end() || it->second.to_send.empty()) continue;
        Tensor& tensor = it->second;
        const std::uint32_t index = tensor.to_send.take();
        if (tensor.to_send.empty()) {
            tensor.told = now;
            queue_.pop_front();
        }
        return Chunk{chunk_header(tensor.frame, index, tensor.chunk_bytes), tensor.frame.tensor.owner,
                     chunk_payload(tensor.frame, index, tensor.chunk_bytes)};
    }
    return std::nullopt;
}

/// Returns the next question about a tensor. The question follows the tensor's chunks on the same connection, so chunks
/// that have not arrived before the question are lost.
std::optional<Chunk> Outbox::take_question(TimePoint now) {
    while (!questions_.empty()) {
        const auto it = kept_.find(*questions_.begin());
        questions_.erase(questions_.begin());
        if (it == kept_.end() || !it->second.to_send.empty()) continue;
        it->second.told = now;
        return question_about(it->first);
    }
    return std::nullopt;
}

void Outbox::missing(const TensorKey& key, std::span<const ChunkRange> ranges) {
    if (open_.contains(key.task)) offers_.missing(key);
    const auto it = kept_.find(key);
    if (it == kept_.end() || !open_.contains(key.task)) return;
    Tensor& tensor = it->second;
    const bool waits = !tensor.to_send.empty();
    const std::uint32_t count = tensor.chunks();
    if (ranges.empty()) add(tensor, {0, count});
    for (const ChunkRange& range : ranges) {
        if (range.first >= count) continue;
        add(tensor, {range.first, std::min(range.count, count - range.first)});
        tensor.patience = first_patience;  // part of the tensor has arrived
    }
    // The tensor is queued before newer tensors, because the consumer uses tensors in order.
    if (!waits && !tensor.to_send.empty()) queue_.push_front(key);
}

std::vector<TensorKey> Outbox::released(const TensorKey& last) {
    std::vector<TensorKey> freed;
    const auto flow = unreleased_.find({last.task, last.kind, last.edge});
    if (flow == unreleased_.end()) return freed;
    auto& positions = flow->second;
    for (; !positions.empty() && *positions.begin() <= Position{last.step, last.microbatch};
         positions.erase(positions.begin())) {
        TensorKey key = last;
        std::tie(key.step, key.microbatch) = *positions.begin();
        acknowledged(key);  // the tensor was consumed, so the acknowledgement was lost
        freed.push_back(key);
    }
    return freed;
}

}  // namespace divisi::frame
