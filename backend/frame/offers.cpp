// SPDX-License-Identifier: Apache-2.0
#include "backend/frame/offers.h"

#include <algorithm>
#include <cassert>

namespace divisi::frame {

Chunk question_about(const TensorKey& key) {
    FrameHeader header;
    header.key = key;
    header.key.kind = FrameKind::ask;
    header.about = key.kind;
    return {std::move(header), nullptr, {}};
}

void Offers::put(const TensorKey& key, const ContentKey& content, TimePoint now) {
    const auto [it, fresh] = offers_.try_emplace(key, Offer{content});
    assert(fresh);
    if (now < silent_until_) return decline(key, it->second);
    if (open_.contains(key.task)) queue_.push_back(key);
}

/// Sends all offers again, even offers whose tensor was supplied, because the peer may now be a different process.
void Offers::open(std::uint64_t task) {
    close(task);
    open_.insert(task);
    for (auto& [key, offer] : offers_) {
        if (key.task != task || offer.state == State::declined || offer.state == State::arrived) continue;
        offer.state = State::waiting;
        queue_.push_back(key);
    }
}

void Offers::close(std::uint64_t task) {
    open_.erase(task);
    std::erase_if(queue_, [&](const TensorKey& key) { return key.task == task; });
}

void Offers::drop(std::uint64_t task) {
    close(task);
    std::erase_if(offers_, [&](const auto& entry) { return entry.first.task == task; });
    std::erase_if(declined_, [&](const TensorKey& key) { return key.task == task; });
}

std::optional<Chunk> Offers::take(TimePoint now) {
    for (; !queue_.empty(); queue_.pop_front()) {
        const auto it = offers_.find(queue_.front());
        if (it == offers_.end()) continue;
        auto& [key, offer] = *it;
        if (offer.state != State::waiting && offer.state != State::supplied) continue;
        queue_.pop_front();
        offer.told = now;
        if (offer.state == State::supplied) return question_about(key);
        offer.state = State::asked;
        Chunk chunk = question_about(key);
        chunk.header.key.kind = FrameKind::offer;
        set_content(chunk.header.routing, offer.content);
        return chunk;
    }
    return std::nullopt;
}

void Offers::answered(const TensorKey& key, bool supplied, TimePoint now) {
    const auto it = offers_.find(key);
    if (it == offers_.end() || it->second.state != State::asked) return;
    if (!supplied) return decline(key, it->second);
    it->second.state = State::supplied;
    it->second.told = now;
    it->second.patience = first_patience;
}

void Offers::missing(const TensorKey& key) {
    const auto it = offers_.find(key);
    if (it != offers_.end() && (it->second.state == State::asked || it->second.state == State::supplied))
        decline(key, it->second);
}

void Offers::acknowledged(const TensorKey& key) {
    const auto it = offers_.find(key);
    if (it == offers_.end()) return;
    if (it->second.state == State::declined) it->second.state = State::arrived;
    else if (it->second.state != State::arrived) offers_.erase(it);
}

void Offers::ask_again() {
    for (const auto& [key, offer] : offers_)
        if (offer.state == State::supplied && open_.contains(key.task)) queue_.push_back(key);
}

void Offers::hurry() {
    for (auto& [key, offer] : offers_) offer.patience = first_patience;
}

void Offers::tick(TimePoint now) {
    for (auto& [key, offer] : offers_) {
        if (!open_.contains(key.task)) continue;
        if (offer.state == State::asked && now - offer.told >= offer_patience) {
            silent_until_ = now + offer_pause;
            decline(key, offer);
        } else if (offer.state == State::supplied && now - offer.told >= offer.patience) {
            offer.told = now;
            offer.patience = std::min(offer.patience * 2, longest_patience);
            queue_.push_back(key);
        }
    }
}

void Offers::decline(const TensorKey& key, Offer& offer) {
    offer.state = State::declined;
    declined_.push_back(key);
}

std::optional<Offers::Settled> Offers::settle(const TensorKey& key) {
    const auto it = offers_.find(key);
    if (it == offers_.end()) return std::nullopt;
    const State state = it->second.state;
    if (state != State::declined && state != State::arrived) return std::nullopt;
    offers_.erase(it);
    return state == State::declined ? Settled::needed : Settled::arrived;
}

std::size_t Offers::pending() const {
    return static_cast<std::size_t>(std::ranges::count_if(offers_, [](const auto& entry) {
        return entry.second.state != State::declined && entry.second.state != State::arrived;
    }));
}

}  // namespace divisi::frame
