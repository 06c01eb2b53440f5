// SPDX-License-Identifier: Apache-2.0
#include "backend/link/handshakes.h"

#include <algorithm>
#include <utility>

namespace divisi::link {
namespace {

std::string connections(std::uint64_t count) {
    return count == 1 ? "a connection was" : std::to_string(count) + " connections were";
}

/// Joins the first names of `keys`. Appends "others" if there are more names, or if `keys` is empty.
std::string names_of(const std::vector<std::string>& keys) {
    constexpr std::size_t most_named = 8;
    std::string text;
    for (std::size_t i = 0; i < std::min(keys.size(), most_named); ++i) text += (i == 0 ? "" : ", ") + keys[i];
    return !keys.empty() && keys.size() <= most_named ? text : text + (text.empty() ? "" : " and ") + "others";
}

}  // namespace

void HandshakeCounter::refuse(const std::string& public_key) {
    const std::scoped_lock lock(mutex_);
    ++counted_.refused_keys;
    if (keys_.size() < most_told_keys) keys_.insert(public_key);
}

void HandshakeCounter::leave_unfinished() {
    const std::scoped_lock lock(mutex_);
    ++counted_.unfinished;
}

FailedHandshakes HandshakeCounter::counted() const {
    const std::scoped_lock lock(mutex_);
    return counted_;
}

std::vector<std::string> HandshakeCounter::take_keys() {
    const std::scoped_lock lock(mutex_);
    const std::set<std::string> taken = std::exchange(keys_, {});
    return {taken.begin(), taken.end()};
}

std::vector<std::string> HandshakeNews::since_last(HandshakeCounter& counter, TimePoint now) {
    const FailedHandshakes counted = counter.counted();
    if (counted == told_ || (said_ && now < *said_ + handshake_news_interval)) return {};
    said_ = now;
    const FailedHandshakes before = std::exchange(told_, counted);
    std::vector<std::string> lines;
    if (counted.refused_keys > before.refused_keys)
        lines.push_back(connections(counted.refused_keys - before.refused_keys) +
                        " refused: the key is not allowed here (or no longer): " + names_of(counter.take_keys()) +
                        " ('divisictl keys add' allows a key)");
    if (counted.unfinished > before.unfinished)
        lines.push_back(connections(counted.unfinished - before.unfinished) + " ended: no complete handshake within " +
                        std::to_string(handshake_limit / std::chrono::seconds(1)) + " s");
    return lines;
}

}  // namespace divisi::link
