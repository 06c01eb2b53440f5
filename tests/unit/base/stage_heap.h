// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <malloc.h>

#include <cstdint>
#include <cstdlib>
#include <deque>
#include <vector>

#include "backend/base/hash.h"

namespace divisi::tests {

/// Allocates memory like a pipeline's stage: the same sizes in each micro-batch, freed by micro-batch. Some tensors are
/// freed late, because another thread sends them. Small objects lie between them; some of these outlive thousands of
/// micro-batches.
template <typename Take, typename Give>
class StageHeap {
public:
    static constexpr int tensors_a_round = 120;

    StageHeap(Take take, Give give) : take_(take), give_(give) {
        constexpr int sizes = tensors_a_round / 2, most_lines = 20'000;  // 64 bytes to 1.2 MiB
        for (int i = 0; i < sizes; ++i) bytes_.push_back(64 * (1 + draw(most_lines)));
    }
    ~StageHeap() {
        for (const auto& microbatch : in_flight_)
            for (void* memory : microbatch) give_(memory);
        for (void* memory : late_) give_(memory);
        for (const auto* objects : {&small_, &remembered_})
            for (void* memory : *objects) std::free(memory);
    }
    StageHeap(const StageHeap&) = delete;
    StageHeap& operator=(const StageHeap&) = delete;

    void play(int rounds) {
        for (int round = 0; round < rounds; ++round) {
            in_flight_.push_back(microbatch());
            for (const std::size_t most = 1 + draw(4); in_flight_.size() > most; in_flight_.pop_front())
                for (void* memory : in_flight_.front()) give_(memory);
            for (const std::size_t most = 3000 + draw(100); small_.size() > most; small_.pop_front())
                std::free(small_.front());
            remembered_.push_back(std::malloc(48));  // like a record that this micro-batch was seen
            for (; remembered_.size() > 4096; remembered_.pop_front()) std::free(remembered_.front());
        }
    }
    /// Returns the bytes that the C library has taken from the kernel.
    static double heap_bytes() {
        const struct mallinfo2 heap = ::mallinfo2();
        return static_cast<double>(heap.arena + heap.hblkhd);
    }

private:
    std::uint64_t draw(std::uint64_t below) { return mix(1, draws_++) % below; }

    std::vector<void*> microbatch() {
        std::vector<void*> kept;
        for (std::size_t i = 0; i < bytes_.size(); ++i) {
            void* passing = take_(bytes_[i * 7 % bytes_.size()]);
            kept.push_back(take_(bytes_[i]));
            give_(passing);
            small_.push_back(std::malloc(40 + draw(200)));
            if (draw(30) == 0) late_.push_back(take_(bytes_[i]));
            if (late_.size() > 4 + draw(6)) {
                give_(late_.front());
                late_.pop_front();
            }
        }
        return kept;
    }

    Take take_;
    Give give_;
    std::uint64_t draws_ = 0;
    std::vector<std::size_t> bytes_;
    std::deque<std::vector<void*>> in_flight_;
    std::deque<void*> late_, small_, remembered_;
};

}  // namespace divisi::tests
