// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "backend/base/result.h"

namespace divisi::plan {

/// A kind of device that stages can run on.
struct ChainDevice {
    std::vector<double> before_ms;  ///< work of one micro-batch before each position
    double memory_bytes = std::numeric_limits<double>::infinity();
};

/// Layers in a row that are to be cut into stages, in prices. A position is a place where a cut may be; the first
/// is before and the last behind all layers, so that layers are one fewer. What is before a position is given as
/// a sum from the start: whatever lies between two positions is priced in constant time.
struct Chain {
    std::vector<ChainDevice> devices;
    /// Of a cut at each position between a stage on kind i and the next on kind j, at [i * kinds + j]: what that
    /// connection is occupied by one micro-batch, there and back, in ms. Infinity where a cut is not wanted.
    std::vector<std::vector<double>> crossing_ms;
    std::vector<double> crossing_bytes;  ///< of a cut at each position: the fewest decide among equals
    std::vector<double> held_bytes;      ///< before each position: weights, gradients, optimizer; empty: no matter
    std::vector<double> flight_bytes;    ///< before each position: kept for each micro-batch in flight
    std::vector<double> in_flight;       ///< micro-batches that each stage has in flight at most
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

/// Most pairs of a set of used devices and the last of them that are gone through for the best order: enough for
/// all sets of up to 100 devices that have fewer than 10,000 orders, and for most that have more.
inline constexpr std::size_t most_order_states = 800;

/// The cuts with which the slowest stage or connection is fastest, for one stage on each device of `order`, in that
/// order. Exact; among equals those with the fewest bytes across all cuts together, then the earliest. With `slack`,
/// what is that share slower counts as equal. Time O(stages * positions) for each of some tens of values that
/// are tried. Fails (invalid_input) where there are more stages than layers allow, or where memory is short: the
/// message then says how much would do.
Result<ChainSolution> cut_chain(const Chain& chain, const std::vector<std::int32_t>& order, double slack = 0);

/// The same over all orders of so many devices as `order` has of each kind, by dynamic programming over what has
/// been used up. Where that is more than most_order_states, as cut_chain(), and all_orders is false.
Result<ChainSolution> order_and_cut_chain(const Chain& chain, const std::vector<std::int32_t>& order, double slack = 0);

}  // namespace divisi::plan
