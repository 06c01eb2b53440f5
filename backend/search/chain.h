// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "backend/base/result.h"

namespace divisi::search {

/// A kind of device that can run stages.
struct ChainDevice {
    std::vector<double> before_ms;  ///< per position: time of all work before it, for one micro-batch
    double memory_bytes = std::numeric_limits<double>::infinity();
    /// per position: number of operators before it that must not run on this device; empty: none
    std::vector<double> barred;
};

/// A sequence of priced layers to be cut into stages. A position is a place for a cut. The first position is before all
/// layers and the last position is after them, so the number of layers is the number of positions minus 1. Prices are
/// sums from the start to a position, so the price between two positions takes constant time.
struct Chain {
    std::vector<ChainDevice> devices;
    /// [i * kinds + j][position]: milliseconds that one micro-batch, in both directions, occupies the connection
    /// between a stage on kind i and the next stage on kind j. Infinite where no cut is allowed.
    std::vector<std::vector<double>> crossing_ms;
    std::vector<double> crossing_bytes;  ///< per position: bytes across a cut; fewer bytes win among equal choices
    /// per position: bytes of weights, gradients and optimizer state before it; empty: memory is ignored
    std::vector<double> held_bytes;
    std::vector<double> flight_bytes;  ///< per position: bytes before it that are kept for each micro-batch in flight
    std::vector<double> in_flight;     ///< maximum number of micro-batches in flight, per stage
    std::vector<double> walls;     ///< per position: number of earlier positions at which a stage must end; empty: none
    std::size_t least_layers = 1;  ///< minimum number of layers per stage
    std::size_t most_layers = std::numeric_limits<std::size_t>::max();

    std::size_t positions() const { return devices.front().before_ms.size(); }
};

struct ChainSolution {
    std::vector<std::size_t> cuts;      ///< ascending positions
    std::vector<std::int32_t> devices;  ///< device kind of each stage, in order
    double slowest_ms = 0;              ///< time of the slowest stage or connection
    bool all_orders = false;            ///< all device orders were considered: none is faster
};

/// Limit for the number of states in the search for the best order. A state is a set of used devices together with the
/// last device used. All device lists with fewer than 10,000 orders stay within this limit, and many lists with more
/// orders do.
inline constexpr std::size_t most_order_states = 10'000;
/// Limit for the number of states times the number of positions. Each such pair takes 16 bytes of memory; a search at
/// the limit takes seconds.
inline constexpr std::size_t most_order_work = 8'000'000;

/// Returns the cuts that make the slowest stage or connection as fast as possible, with one stage on each device of
/// `order`, in that order. The result is exact. Among equal choices, returns the choice with the fewest bytes across
/// all cuts, then the earliest cuts. If `slack` is given, choices that are slower by at most this share count as equal.
/// Time is O(stages * positions) for each of a few dozen tried values.
///
/// Fails (invalid_input) if there are more stages than layers allow, if memory is too small (the message says how much
/// is needed), or if barred operators and walls leave no choice.
Result<ChainSolution> cut_chain(const Chain& chain, const std::vector<std::int32_t>& order, double slack = 0);

/// Returns the best cuts over all orders of `stages` devices taken from `order`, by dynamic programming over the sets
/// of used devices. Keeps the given order of the first devices if none is faster. If the search exceeds
/// most_order_states or most_order_work, returns the result of cut_chain() for the first devices, with all_orders =
/// false.
Result<ChainSolution> order_and_cut_chain(const Chain& chain, const std::vector<std::int32_t>& order,
                                          std::size_t stages, double slack = 0);

/// Returns whether a stage on a device of this kind may range from `begin` to `end` under the bounds of layers, barred
/// operators and walls. Does not check memory.
bool may_reach(const Chain& chain, std::int32_t device, std::size_t begin, std::size_t end);

}  // namespace divisi::search
