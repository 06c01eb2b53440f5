// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/score/timeline_layout.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

namespace divisi::graphview {

namespace {

/// Maximum number of lanes. Further simultaneous branches share the last lane. Their operators remain distinct, because
/// operators never overlap on the axis.
constexpr std::int32_t most_score_lanes = 12;
/// Maximum depth of shown scopes. Brackets of deeper scopes would leave too little space for the operators.
constexpr std::int32_t most_depths = 4;

/// Returns the runs to draw for `count` items, which are ordered along the axis and do not overlap. `start` and `end`
/// return the position of an item, and `price_sum` returns the total price of all items before an item.
template <typename Start, typename End, typename Sum, typename First>
std::vector<ScoreRun> merge_columns(std::size_t count, double from, double to, double pixel, Start start, End end,
                                    Sum price_sum, First first) {
    std::vector<ScoreRun> runs;
    const auto search = [](std::size_t low, std::size_t high, auto&& before) {
        while (low < high) {
            const std::size_t middle = low + (high - low) / 2;
            if (before(middle)) low = middle + 1;
            else high = middle;
        }
        return low;
    };
    std::size_t at = search(0, count, [&](std::size_t i) { return end(i) <= from; });
    while (at < count && start(at) < to) {
        if (end(at) - start(at) >= pixel) {
            runs.push_back({start(at), end(at), first(at), 1, 1});
            ++at;
            continue;
        }
        const double column = from + std::floor((start(at) - from) / pixel) * pixel;
        std::size_t next = search(at + 1, count, [&](std::size_t i) { return start(i) < column + pixel; });
        // A wide item that starts in this column is drawn separately.
        if (next > at + 1 && end(next - 1) - start(next - 1) >= pixel) --next;
        const double taken = price_sum(next) - price_sum(at);
        if (taken > 0)
            runs.push_back({column, column + pixel, first(at), static_cast<std::int32_t>(next - at),
                            std::min(1.0, taken / pixel)});
        at = next;
    }
    return runs;
}

}  // namespace

TimelineLayout::TimelineLayout(const model::LoadedModel& model) : legal_(model.cuts.legal) {
    find_chains(model);
    assign_lanes();
    find_scopes(model);
    set_prices(std::vector<double>(static_cast<std::size_t>(model.node_count()), 1.0));
}

/// Divides the operators into chains. An operator continues the chain that ends with one of its producers; if there are
/// several such chains, the oldest. Constants and shape arithmetic are in no chain, because
/// they belong to their readers.
void TimelineLayout::find_chains(const model::LoadedModel& model) {
    const auto count = static_cast<std::size_t>(model.node_count());
    lane_.assign(count, 0);
    chain_of_.assign(count, -1);
    for (graph::NodeIndex node = 0; node < model.node_count(); ++node) {
        const graph::Role role = model.roles[static_cast<std::size_t>(node)];
        if (role == graph::Role::constant || role == graph::Role::shape) continue;
        std::int32_t found = -1;
        graph::NodeIndex from = graph::no_node;
        for (const graph::ValueIndex input : model.graph.nodes[static_cast<std::size_t>(node)].inputs) {
            if (input == graph::no_value) continue;
            const graph::NodeIndex producer = model.graph.values[static_cast<std::size_t>(input)].producer;
            if (producer == graph::no_node) continue;
            const std::int32_t chain = chain_of_[static_cast<std::size_t>(producer)];
            if (chain < 0) continue;
            from = std::max(from, producer);
            if (chains_[static_cast<std::size_t>(chain)].last != producer) continue;
            if (found < 0 || chain < found) found = chain;
        }
        if (found < 0) {
            found = static_cast<std::int32_t>(chains_.size());
            chains_.push_back({node, node, node, from, 0});
        }
        chains_[static_cast<std::size_t>(found)].last = node;
        chain_of_[static_cast<std::size_t>(node)] = found;
    }
    for (ScoreChain& chain : chains_) {
        chain.until = chain.last;
        for (const graph::ValueIndex output : model.graph.nodes[static_cast<std::size_t>(chain.last)].outputs) {
            if (output == graph::no_value) continue;
            for (const graph::NodeIndex reader : model.graph.values[static_cast<std::size_t>(output)].consumers)
                chain.until = std::max(chain.until, reader);
        }
    }
}

/// Assigns lanes by interval partitioning. Chains are ordered by their first operator, and each takes the lowest free
/// lane. There are thus as many lanes as simultaneous branches, up to most_score_lanes.
void TimelineLayout::assign_lanes() {
    using Ending = std::pair<graph::NodeIndex, std::int32_t>;  // last operator of a chain, and the chain's lane
    std::priority_queue<Ending, std::vector<Ending>, std::greater<>> busy;
    std::priority_queue<std::int32_t, std::vector<std::int32_t>, std::greater<>> free;
    std::int32_t opened = 0;
    std::int32_t lanes = 1;
    for (ScoreChain& chain : chains_) {
        for (; !busy.empty() && busy.top().first <= chain.first; busy.pop()) free.push(busy.top().second);
        std::int32_t lane = opened;
        if (free.empty()) {
            ++opened;
        } else {
            lane = free.top();
            free.pop();
        }
        busy.emplace(chain.until, lane);
        chain.lane = std::min(lane, most_score_lanes - 1);
        lanes = std::max(lanes, chain.lane + 1);
    }
    lane_nodes_.assign(static_cast<std::size_t>(lanes), {});
    lane_chains_.assign(static_cast<std::size_t>(lanes), {});
    for (std::size_t i = 0; i < chains_.size(); ++i)
        lane_chains_[static_cast<std::size_t>(chains_[i].lane)].push_back(static_cast<std::int32_t>(i));
    for (std::size_t node = 0; node < lane_.size(); ++node) {
        if (chain_of_[node] >= 0) lane_[node] = chains_[static_cast<std::size_t>(chain_of_[node])].lane;
        lane_nodes_[static_cast<std::size_t>(lane_[node])].push_back(static_cast<graph::NodeIndex>(node));
    }
}

void TimelineLayout::find_scopes(const model::LoadedModel& model) {
    const auto& blocks = model.tree.blocks;
    const auto add = [&](auto&& self, std::int32_t at, std::int32_t depth) -> void {
        const model::Block& block = blocks[static_cast<std::size_t>(at)];
        if (block.is_operator() || depth == most_depths) return;
        if (static_cast<std::int32_t>(scopes_.size()) == depth) scopes_.emplace_back();
        scopes_[static_cast<std::size_t>(depth)].push_back({block.first, block.last, at});
        for (const std::int32_t child : block.children) self(self, child, depth + 1);
    };
    if (blocks.empty()) return;
    for (const std::int32_t child : blocks.front().children) add(add, child, 0);
}

void TimelineLayout::set_prices(const std::vector<double>& prices) {
    const bool any = std::any_of(prices.begin(), prices.end(), [](double price) { return price > 0; });
    const auto price = [&](std::size_t node) { return any ? std::max(prices[node], 0.0) : 1.0; };
    prefix_.assign(prices.size() + 1, 0);
    for (std::size_t node = 0; node < prices.size(); ++node) prefix_[node + 1] = prefix_[node] + price(node);
    lane_sums_.assign(lane_nodes_.size(), {});
    for (std::size_t lane = 0; lane < lane_nodes_.size(); ++lane) {
        std::vector<double>& sums = lane_sums_[lane];
        sums.assign(1, 0);
        for (const graph::NodeIndex node : lane_nodes_[lane])
            sums.push_back(sums.back() + price(static_cast<std::size_t>(node)));
    }
}

graph::NodeIndex TimelineLayout::node_at(double at) const {
    if (count() == 0) return -1;
    // Find the first operator that ends after the position. An operator without a price ends where it starts.
    const auto ends = prefix_.begin() + 1;
    const auto found = std::upper_bound(ends, prefix_.end(), std::max(at, 0.0));
    if (found != prefix_.end()) return static_cast<graph::NodeIndex>(found - ends);
    // The position is beyond the end, so return the last operator with a price.
    return static_cast<graph::NodeIndex>(std::lower_bound(ends, prefix_.end(), total()) - ends);
}

std::int32_t TimelineLayout::nearest_cut(double at) const {
    if (legal_.empty()) return -1;
    const auto begins = [this](graph::NodeIndex node, double place) { return cut_at(node) < place; };
    const auto next = std::lower_bound(legal_.begin(), legal_.end(), at, begins);
    if (next == legal_.begin()) return 0;
    const bool before = next == legal_.end() || at - cut_at(*std::prev(next)) <= cut_at(*next) - at;
    if (!before) return static_cast<std::int32_t>(next - legal_.begin());
    const auto first = std::lower_bound(legal_.begin(), next, cut_at(*std::prev(next)), begins);
    return static_cast<std::int32_t>(first - legal_.begin());
}

std::pair<double, double> TimelineLayout::span(const ScoreChain& chain) const {
    return {start(chain.first), chain.until > chain.last ? start(chain.until) : end(chain.last)};
}

std::vector<const ScoreChain*> TimelineLayout::chains_between(std::int32_t lane, double from, double to,
                                                              double pixel) const {
    std::vector<const ScoreChain*> found;
    const auto& all = lane_chains_[static_cast<std::size_t>(lane)];
    const auto chain = [this](std::int32_t i) -> const ScoreChain& { return chains_[static_cast<std::size_t>(i)]; };
    auto at =
        std::partition_point(all.begin(), all.end(), [&](std::int32_t i) { return span(chain(i)).second <= from; });
    while (at != all.end() && span(chain(*at)).first < to) {
        const auto [begin, end] = span(chain(*at));
        if (end - begin >= pixel) {
            found.push_back(&chain(*at));
            ++at;
            continue;
        }
        // After a short chain, continue one pixel further.
        at = std::partition_point(at + 1, all.end(),
                                  [&, place = begin + pixel](std::int32_t i) { return span(chain(i)).second < place; });
    }
    return found;
}

std::vector<ScoreRun> TimelineLayout::operators(std::int32_t lane, double from, double to, double pixel) const {
    const auto& nodes = lane_nodes_[static_cast<std::size_t>(lane)];
    const auto& sums = lane_sums_[static_cast<std::size_t>(lane)];
    return merge_columns(
        nodes.size(), from, to, pixel, [&](std::size_t i) { return start(nodes[i]); },
        [&](std::size_t i) { return end(nodes[i]); }, [&](std::size_t i) { return sums[i]; },
        [&](std::size_t i) { return nodes[i]; });
}

std::span<const graph::NodeIndex> TimelineLayout::nodes_of(std::int32_t lane, const ScoreRun& run) const {
    const std::span<const graph::NodeIndex> nodes = lane_nodes_[static_cast<std::size_t>(lane)];
    const auto first = static_cast<std::size_t>(std::ranges::lower_bound(nodes, run.first) - nodes.begin());
    return nodes.subspan(first, std::min(static_cast<std::size_t>(run.count), nodes.size() - first));
}

std::vector<ScoreRun> TimelineLayout::scopes(std::int32_t depth, double from, double to, double pixel) const {
    const auto& spans = scopes_[static_cast<std::size_t>(depth)];
    // Gaps between scopes do not belong to a scope of this depth. A bracket occupies its whole pixel column.
    return merge_columns(
        spans.size(), from, to, pixel, [&](std::size_t i) { return start(spans[i].first); },
        [&](std::size_t i) { return end(spans[i].last); },
        [&](std::size_t i) { return i == 0 ? start(spans.front().first) : end(spans[i - 1].last); },
        [&](std::size_t i) { return spans[i].block; });
}

}  // namespace divisi::graphview
