// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "backend/base/result.h"

namespace divisi::search {

/// A kind of device that stages can run on.
struct ChainDevice {
    std::vector<double> before_ms;  ///< work of one micro-batch before each position
    double memory_bytes = std::numeric_limits<double>::infinity();
    std::vector<double> barred;  ///< before each position: operators that must not run here; empty: none
};

/// A row of priced layers that are to be cut into stages. A position is a place where a cut may be; the first stands
/// before and the last behind all layers, so there is one layer fewer. Prices are sums from the start to a position,
/// so that the price between two positions takes constant time.
struct Chain {
    std::vector<ChainDevice> devices;
    /// [i * kinds + j][position]: milliseconds that one micro-batch, there and back, occupies the connection between a
    /// stage on kind i and the next on kind j. Infinite where no cut is wanted.
    std::vector<std::vector<double>> crossing_ms;
    std::vector<double> crossing_bytes;  ///< of a cut at each position: the fewest decide among equals
    std::vector<double> held_bytes;      ///< before each position: weights, gradients, optimizer; empty: no matter
    std::vector<double> flight_bytes;    ///< before each position: kept for each micro-batch in flight
    std::vector<double> in_flight;       ///< micro-batches that each stage has in flight at most
    std::vector<double> walls;           ///< before each position: those where a stage must end; empty: none
    std::size_t least_layers = 1;        ///< of a stage
    std::size_t most_layers = std::numeric_limits<std::size_t>::max();

    std::size_t positions() const { return devices.front().before_ms.size(); }
};

struct ChainSolution {
    std::vector<std::size_t> cuts;      ///< ascending positions
    std::vector<std::int32_t> devices;  ///< kind of each stage, in order
    double slowest_ms = 0;              ///< of the stages and of the connections between them
    bool all_orders = false;            ///< no order of the devices is faster
};

/// Most pairs of a set of used devices and the last of them that are gone through for the best order. All sets with
/// fewer than 10,000 orders have no more, and many with more orders have fewer.
inline constexpr std::size_t most_order_states = 10'000;
/// Most of these pairs, times the positions of the chain: memory of 16 bytes each, seconds of time.
inline constexpr std::size_t most_order_work = 8'000'000;

/// The cuts with which the slowest stage or connection is fastest, for one stage on each device of `order`, in that
/// order. Exact; among equals those with the fewest bytes across all cuts together, then the earliest. With `slack`,
/// what is that share slower counts as equal. Time O(stages * positions) for each of some tens of values that
/// are tried. Fails (invalid_input) where there are more stages than layers allow, where memory is short: the
/// message then says how much would do, and where barred operators and walls leave no choice.
Result<ChainSolution> cut_chain(const Chain& chain, const std::vector<std::int32_t>& order, double slack = 0);

/// The same over all orders of `stages` of the devices that `order` has, by dynamic programming over what has been
/// used up; the order given, with its first devices, where none is faster. Where there is more to go through than
/// most_order_states or most_order_work allow, as cut_chain() with the first, and all_orders is false.
Result<ChainSolution> order_and_cut_chain(const Chain& chain, const std::vector<std::int32_t>& order,
                                          std::size_t stages, double slack = 0);

/// True where a stage on a device of this kind may reach from one position to the other, but for its memory: the
/// bounds of layers, barred operators, walls.
bool may_reach(const Chain& chain, std::int32_t device, std::size_t begin, std::size_t end);

}  // namespace divisi::search
