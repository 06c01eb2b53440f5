// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/memory/heap.h"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>

#include "backend/base/aligned_memory.h"
#include "tests/unit/base/stage_heap.h"

namespace divisi::bench {
namespace {

template <typename Take, typename Give>
HeapFigures play(Take take, Give give) {
    constexpr int rounds = 20'000, settled = 200;
    tests::StageHeap stage(take, give);
    HeapFigures figures;
    stage.play(settled);
    figures.settled_bytes = stage.heap_bytes();
    const auto begin = std::chrono::steady_clock::now();
    stage.play(rounds - settled);
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
    figures.ns_each = taken.count() / (static_cast<double>(rounds - settled) * stage.tensors_a_round);
    figures.last_bytes = stage.heap_bytes();
    return figures;
}

HeapFigures play(Way way) {
    if (way == Way::allocate_tensor) return play(allocate_tensor, free_tensor);
    return play([](std::size_t bytes) { return std::aligned_alloc(tensor_alignment, bytes); }, std::free);
}

}  // namespace

std::optional<HeapFigures> in_a_process(Way way) {
    int ends[2];
    if (::pipe(ends) != 0) return std::nullopt;
    const pid_t child = ::fork();
    if (child == 0) {
        const HeapFigures figures = play(way);
        const bool told = ::write(ends[1], &figures, sizeof figures) == sizeof figures;
        ::_exit(told ? 0 : 1);
    }
    ::close(ends[1]);
    HeapFigures figures;
    const bool heard = child > 0 && ::read(ends[0], &figures, sizeof figures) == sizeof figures;
    ::close(ends[0]);
    if (child > 0) ::waitpid(child, nullptr, 0);
    return heard ? std::optional(figures) : std::nullopt;
}

}  // namespace divisi::bench
