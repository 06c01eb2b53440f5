// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/shaper.h"

#include <utility>

namespace divisi::mesh::inline forwarding {
namespace {

TokenBucket bucket_of(double bytes_per_s) {
    const double burst = bytes_per_s * std::chrono::duration<double>(burst_time).count();
    return {bytes_per_s, std::max(burst, 2.0 * frame::max_chunk_bytes)};
}

}  // namespace

Shaper::Shaper(ShaperConfig config) : config_(config), mic_(bucket_of(config.mic_bytes_per_s)) {}

void Shaper::set_rates(ShaperConfig config) {
    if (config == config_) return;  // setting the same rates again would fill the buckets
    config_ = config;
    mic_ = bucket_of(config.mic_bytes_per_s);
    for (auto& [task, line] : lines_) line.bucket = bucket_of(config.task_bytes_per_s);
}

void Shaper::take(frame::Chunk chunk) {
    const std::uint64_t task = chunk.header.key.task;
    const auto [line, fresh] = lines_.try_emplace(task);
    if (fresh) line->second.bucket = bucket_of(config_.task_bytes_per_s);
    line->second.chunks.push_back(std::move(chunk));
}

std::vector<frame::Chunk> Shaper::due(TimePoint now) {
    std::vector<frame::Chunk> passed;
    // Each round gives every task a turn; the rounds end when no task may send another chunk.
    for (bool any = true; any;) {
        any = false;
        auto turn = lines_.upper_bound(last_);
        for (std::size_t asked = lines_.size(); asked > 0; --asked) {
            if (turn == lines_.end()) turn = lines_.begin();
            if (pass_one(turn->second, now, passed)) {
                last_ = turn->first;
                any = true;
            }
            ++turn;
        }
    }
    std::erase_if(lines_,
                  [&](const auto& entry) { return entry.second.chunks.empty() && entry.second.bucket.full(now); });
    return passed;
}

bool Shaper::pass_one(Line& line, TimePoint now, std::vector<frame::Chunk>& passed) {
    if (line.chunks.empty()) return false;
    const auto bytes = static_cast<double>(line.chunks.front().payload.size());
    const bool task = line.bucket.take(now, bytes);
    if (!task || !mic_.take(now, bytes)) {
        // the limit of the MIC, not the limit of the task, delays the chunk: return the task's tokens
        if (task && line.bucket.limits()) line.bucket.add(bytes);
        if (!std::exchange(line.asked, true)) ++delayed_;
        return false;
    }
    line.asked = false;
    passed.push_back(std::move(line.chunks.front()));
    line.chunks.pop_front();
    return true;
}

}  // namespace divisi::mesh::inline forwarding
