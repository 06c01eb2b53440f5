// SPDX-License-Identifier: Apache-2.0
#include "backend/staging/stage_frontier.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "backend/base/hash.h"
#include "backend/staging/stage_graph.h"

namespace divisi::staging {
namespace {

using Cost = std::int32_t;
constexpr Cost whole_cost = 1 << 28;  // stands for Range::most_crossing during a pass
constexpr Cost infeasible = std::numeric_limits<Cost>::max() / 2;
constexpr Ticks units_of_all_work = 16'384;
constexpr std::size_t most_entries = std::size_t{1} << 24;  // stored costs and words of keys: about 200 MB
constexpr std::size_t visits_of_a_state = 200;              // the effort of finding a state, in visited costs
constexpr std::size_t most_starts = 8;                      // start nodes per search for an order
constexpr std::size_t most_choices = 50'000'000;            // limit for node comparisons over all starts: one second

/// Orders nodes so that at any position few sources have successors on both sides.
class NarrowOrder {
public:
    explicit NarrowOrder(const StageGraph& graph)
        : graph_(graph), passed_(graph.work.size(), 0), touched_(graph.work.size(), -1), placed_(graph.work.size()) {}

    /// Returns the estimated cost of the passes, as the sum of 2^open.
    double width() const { return width_; }

    std::vector<std::int32_t> from(std::int32_t start) {
        std::int32_t open = 0;
        for (std::int32_t next = start; next >= 0; next = best()) {
            open += growth(next);
            width_ += std::ldexp(1.0, std::min(open, 900));
            place(next);
        }
        return std::move(order_);
    }

private:
    /// Returns the change in the number of open sources when the node is placed.
    std::int32_t growth(std::int32_t node) const {
        std::int32_t change = 0;
        const auto count = [&](std::int32_t source) {
            const auto ends = static_cast<std::int32_t>(graph_.successors[source].size()) + 1;
            if (ends == 1) return;
            if (passed_[source] == 0) ++change;
            if (passed_[source] + 1 == ends) --change;
        };
        count(node);
        for (const std::int32_t source : graph_.predecessors[node]) count(source);
        return change;
    }
    std::int32_t best() {
        std::erase_if(near_, [&](std::int32_t node) { return placed_[node]; });
        std::int32_t best = -1, least = 0;
        const auto consider = [&](std::int32_t node) {
            const std::int32_t change = growth(node);
            if (best >= 0 && (change > least || (change == least && touched_[node] <= touched_[best]))) return;
            best = node, least = change;
        };
        for (const std::int32_t node : near_) consider(node);
        if (best < 0)
            for (std::int32_t node = 0; node < graph_.size(); ++node)
                if (!placed_[node]) consider(node);
        return best;
    }
    void place(std::int32_t node) {
        placed_[node] = true;
        order_.push_back(node);
        pass(node);
        for (const std::int32_t source : graph_.predecessors[node]) pass(source);
    }
    void pass(std::int32_t source) {
        ++passed_[source];
        touch(source);
        for (const std::int32_t other : graph_.successors[source]) touch(other);
    }
    void touch(std::int32_t node) {
        if (touched_[node] < 0) near_.push_back(node);
        touched_[node] = static_cast<std::int32_t>(order_.size());
    }

    const StageGraph& graph_;
    std::vector<std::int32_t> passed_, touched_, near_, order_;
    std::vector<bool> placed_;
    double width_ = 0;
};

std::vector<std::int32_t> narrow_order(const StageGraph& graph) {
    std::vector<std::int32_t> ends, best;
    for (std::int32_t node = 0; node < graph.size(); ++node)
        if (graph.predecessors[node].empty() || graph.successors[node].empty()) ends.push_back(node);
    double least = 0;
    const std::size_t starts =
        std::clamp<std::size_t>(most_choices / (graph.work.size() * graph.work.size()), 1, most_starts);
    const std::size_t stride = (ends.size() + starts - 1) / starts;
    for (std::size_t i = 0; i < ends.size(); i += stride) {
        NarrowOrder search(graph);
        auto order = search.from(ends[i]);
        if (best.empty() || search.width() < least) best = std::move(order), least = search.width();
    }
    return best;
}

}  // namespace

Frontier::Frontier(const StageGraph& graph)
    : graph_(graph), nets_from_(graph.work.size()), nets_to_(graph.work.size()), order_(narrow_order(graph)) {
    unit_ = std::max<Ticks>(1, graph.total_work() / units_of_all_work);
    for (const Ticks work : graph.work) {
        const Ticks weight = (work + unit_ / 2) / unit_, error = work - weight * unit_;
        weight_.push_back(static_cast<std::int32_t>(weight));
        (error > 0 ? above_ : below_) += std::abs(error);
    }
    for (std::size_t i = 0; i < graph.nets.size(); ++i) {
        nets_from_[graph.nets[i].source].push_back(static_cast<std::int32_t>(i));
        for (const std::int32_t target : graph.nets[i].targets)
            nets_to_[target].push_back(static_cast<std::int32_t>(i));
    }
}

/// One pass over the nodes.
class FrontierPass {
public:
    FrontierPass(const Frontier& frontier, const Frontier::Range& range, Frontier::Table& table, std::size_t& visits)
        : f_(frontier),
          graph_(frontier.graph_),
          node_words_((graph_.work.size() + 63) / 64),
          net_words_((graph_.nets.size() + 63) / 64),
          most_weight_(f_.units(std::min(graph_.total_work(), range.most_work) + f_.below_) + 1),
          done_(graph_.work.size(), false),
          table_(table),
          visits_(visits) {
        for (const Net& net : graph_.nets) {
            const double share =
                static_cast<double>(net.cost) / static_cast<double>(std::max<Ticks>(1, range.most_crossing));
            cost_.push_back(share > 1 ? whole_cost + 1 : static_cast<Cost>(share * whole_cost));
        }
    }

    bool run(const std::vector<bool>& before, bool traced) {
        State start{std::vector<Word>(2 * node_words_ + 2 * net_words_, 0), 0, {0}, {}};
        Change all;
        for (std::int32_t node = 0; node < graph_.size() && !before.empty(); ++node)
            if (before[node] && !has(in(start.key), node)) include(start.key, node, true, all);
        start.first = table_.start_ = all.weight;
        if (all.cost > whole_cost) return true;
        states_.push_back(std::move(start));
        for (const std::int32_t node : f_.order_) {
            if (!decide(node)) return false;
            if (traced) keep();
        }
        for (const State& state : states_) {
            table_.least_.assign(state.first, infeasible);
            table_.least_.insert(table_.least_.end(), state.costs.begin(), state.costs.end());
        }
        return true;
    }

private:
    using Step = Frontier::Table::Step;
    /// four sets: undecided nodes that must be before the boundary, nodes that must be after it, armed nets, spread
    /// nets
    using Key = std::vector<Word>;
    struct State {
        Key key;
        std::int32_t first = 0;
        std::vector<Cost> costs;
        std::vector<Step> steps;
    };
    struct Change {
        std::int32_t weight = 0;
        std::int64_t cost = 0;
    };
    struct KeyHash {
        std::size_t operator()(const Key& key) const {
            Word state = 0;
            for (const Word word : key) state = mix(state, word);
            return state;
        }
    };
    Word* in(Key& key) const { return key.data(); }
    Word* out(Key& key) const { return key.data() + node_words_; }
    /// Returns the armed nets: source and all known targets are before the boundary, and some targets are unknown.
    Word* armed(Key& key) const { return key.data() + 2 * node_words_; }
    /// Returns the spread nets: a target is after the boundary, and the source is unknown.
    Word* spread(Key& key) const { return key.data() + 2 * node_words_ + net_words_; }

    bool decide(std::int32_t node) {
        next_.clear();
        places_.clear();
        entries_ = kept_;
        done_[node] = true;
        for (std::size_t i = 0; i < states_.size(); ++i) {
            State& state = states_[i];
            Step step{static_cast<std::int32_t>(i), 0, 0, false, false};
            if (has(in(state.key), node) || has(out(state.key), node)) {
                erase(in(state.key), node);
                erase(out(state.key), node);
                if (!offer(std::move(state.key), state.first, state.costs, step)) return false;
                continue;
            }
            for (const bool before : {true, false}) {
                Key key = state.key;
                Change change;
                include(key, node, before, change);
                erase(in(key), node);
                erase(out(key), node);
                if (change.cost > whole_cost) continue;
                step = {static_cast<std::int32_t>(i), change.weight, static_cast<Cost>(change.cost), before, true};
                if (!offer(std::move(key), state.first, state.costs, step)) return false;
            }
        }
        std::swap(states_, next_);
        return true;
    }

    /// Puts the node, and all nodes that must be on the same side, before or after the boundary.
    void include(Key& key, std::int32_t node, bool before, Change& change) {
        Word* side = before ? in(key) : out(key);
        changed_.assign(1, node);
        insert(side, node);
        for (std::size_t i = 0; i < changed_.size(); ++i)
            for (const std::int32_t other : (before ? graph_.predecessors : graph_.successors)[changed_[i]])
                if (!done_[other] && !has(side, other)) insert(side, other), changed_.push_back(other);
        for (const std::int32_t at : changed_)
            if (before) start_nets(key, at, change);
            else end_nets(key, at, change);
        if (!before) return;
        for (const std::int32_t at : changed_) {
            for (const std::int32_t net : f_.nets_from_[at]) settle(key, net, node);
            for (const std::int32_t net : f_.nets_to_[at]) settle(key, net, node);
        }
    }
    void start_nets(Key& key, std::int32_t source, Change& change) {
        change.weight += f_.weight_[source];
        for (const std::int32_t net : f_.nets_from_[source]) {
            if (has(spread(key), net)) change.cost += cost_[net];
            else insert(armed(key), net);
            erase(spread(key), net);
        }
    }
    void end_nets(Key& key, std::int32_t target, Change& change) {
        for (const std::int32_t net : f_.nets_from_[target]) erase(spread(key), net);
        for (const std::int32_t net : f_.nets_to_[target]) {
            const std::int32_t source = graph_.nets[net].source;
            if (has(armed(key), net)) change.cost += cost_[net];
            else if (!done_[source] && !has(in(key), source) && !has(out(key), source)) insert(spread(key), net);
            erase(armed(key), net);
        }
    }
    /// Removes a net whose targets are all before the boundary, since it does not cross.
    void settle(Key& key, std::int32_t net, std::int32_t node) {
        if (!has(armed(key), net)) return;
        for (const std::int32_t target : graph_.nets[net].targets)
            if (!has(in(key), target) && (!done_[target] || target == node)) return;
        erase(armed(key), net);
    }

    bool offer(Key key, std::int32_t first, const std::vector<Cost>& costs, Step step) {
        visits_ -= std::min(visits_, costs.size() + visits_of_a_state);
        first += step.weight;
        // Keep only costs and weights within the limits.
        std::size_t begin = 0, end = costs.size();
        if (first + static_cast<std::int64_t>(end) > most_weight_ + 1) end = std::max(0, most_weight_ + 1 - first);
        while (begin < end && costs[begin] > whole_cost - step.cost) ++begin;
        while (begin < end && costs[end - 1] > whole_cost - step.cost) --end;
        if (begin == end) return true;
        first += static_cast<std::int32_t>(begin);
        const auto length = static_cast<std::int32_t>(end - begin);
        const auto [place, is_new] = places_.emplace(std::move(key), next_.size());
        if (is_new) next_.push_back({place->first, first, std::vector<Cost>(length, infeasible), {}});
        State& state = next_[place->second];
        const std::int32_t low = std::min(state.first, first);
        const std::int32_t high = std::max(state.first + static_cast<std::int32_t>(state.costs.size()), first + length);
        if (is_new) entries_ += length + 2 * state.key.size();
        else entries_ += high - low - state.costs.size();
        if (entries_ > most_entries || visits_ == 0) return false;
        state.costs.insert(state.costs.begin(), state.first - low, infeasible);
        state.costs.resize(high - low, infeasible);
        state.first = low;
        state.steps.push_back(step);
        Cost* to = state.costs.data() + (first - low);
        const Cost* from = costs.data() + begin;
        for (std::int32_t i = 0; i < length; ++i) to[i] = std::min(to[i], from[i] + step.cost);
        return true;
    }

    void keep() {
        Frontier::Table::Layer layer;
        for (State& state : states_) {
            layer.first.push_back(state.first);
            layer.costs.push_back(state.costs);
            layer.steps.push_back(std::move(state.steps));
            kept_ += state.costs.size();
        }
        table_.layers_.push_back(std::move(layer));
    }

    const Frontier& f_;
    const StageGraph& graph_;
    std::size_t node_words_, net_words_;
    std::int32_t most_weight_;
    std::vector<Cost> cost_;
    std::vector<std::int32_t> changed_;
    std::vector<bool> done_;
    std::vector<State> states_, next_;
    std::unordered_map<Key, std::size_t, KeyHash> places_;
    std::size_t entries_ = 0, kept_ = 0;
    Frontier::Table& table_;
    std::size_t& visits_;
};

std::optional<Frontier::Table> Frontier::search(const Range& range, bool traced, std::size_t& visits) const {
    Table table;
    table.frontier_ = this;
    table.most_crossing_ = range.most_crossing;
    table.before_ = range.before;
    if (!FrontierPass(*this, range, table, visits).run(range.before, traced)) return std::nullopt;
    return table;
}

Ticks Frontier::Table::crossing(std::int32_t weight) const {
    if (weight < 0 || weight >= size() || least_[weight] > whole_cost) return most_crossing_ + 1;
    // Reduce the value slightly to cover rounding errors of doubles.
    return static_cast<Ticks>(static_cast<double>(least_[weight]) / whole_cost * static_cast<double>(most_crossing_) *
                              (1 - 1e-12));
}

std::vector<bool> Frontier::Table::boundary(std::int32_t weight) const {
    const StageGraph& graph = frontier_->graph_;
    std::vector<bool> before = before_;
    before.resize(graph.work.size(), false);
    std::int32_t state = 0;
    for (std::size_t i = layers_.size(); i-- > 0;) {
        const auto cost_of = [&](std::size_t layer, std::int32_t of, std::int32_t w) {
            const std::int32_t at = w - layers_[layer].first[of];
            return at >= 0 && at < std::ssize(layers_[layer].costs[of]) ? layers_[layer].costs[of][at] : infeasible;
        };
        const Cost cost = cost_of(i, state, weight);
        for (const Step& step : layers_[i].steps[state]) {
            const Cost before_it = i > 0                            ? cost_of(i - 1, step.from, weight - step.weight)
                                   : weight - step.weight == start_ ? 0
                                                                    : infeasible;
            if (before_it != cost - step.cost) continue;
            if (step.chosen && step.before) before[frontier_->order_[i]] = true;
            weight -= step.weight;
            state = step.from;
            break;
        }
    }
    for (std::int32_t node = graph.size(); node-- > 0;)  // add the nodes that the chosen nodes require
        for (const std::int32_t next : graph.successors[node])
            if (before[next]) before[node] = true;
    return before;
}

}  // namespace divisi::staging
