// SPDX-License-Identifier: Apache-2.0
#include "backend/price/cut_series.h"

#include <algorithm>
#include <limits>

namespace divisi::price {

namespace {

using graph::NodeIndex;
using graph::ValueIndex;

/// The segment of a node while the cut moves. Either the segment never changes, or the node is left of the cut if the
/// cut is at `column` or later, and right of the cut otherwise.
struct Side {
    std::int32_t segment = -1;  ///< -1 if the segment depends on the cut
    std::size_t column = 0;
};

/// The users of a value: the segments that do not change, ascending, and the column range of the users whose segment
/// depends on the moving cut.
struct Uses {
    std::vector<std::int32_t> segments;
    /// smallest and largest column of the users whose segment depends on the cut
    std::size_t first = std::numeric_limits<std::size_t>::max(), last = 0;

    bool changing() const { return first <= last; }
    void clear() {
        segments.clear();
        first = std::numeric_limits<std::size_t>::max();
        last = 0;
    }
    void add(const Side& side) {
        if (side.segment < 0) {
            first = std::min(first, side.column);
            last = std::max(last, side.column);
        } else if (const auto at = std::lower_bound(segments.begin(), segments.end(), side.segment);
                   at == segments.end() || *at != side.segment) {
            segments.insert(at, side.segment);
        }
    }
};

class Sweep {
public:
    Sweep(Pricing& pricing, const MovingCut& cut, const Placement& placement, const TrainingSetup& setup)
        : pricing_(pricing), graph_(pricing.graph()), cut_(cut), placement_(placement), setup_(setup) {}

    Result<CutSeries> run();

private:
    void find_columns();
    Side side(NodeIndex node) const;
    NodeIndex home(NodeIndex node) const {
        return node < static_cast<NodeIndex>(cut_.cuts.home.size()) ? cut_.cuts.home[node] : node;
    }
    NodeIndex position(std::size_t column) const {
        return cut_.cuts.legal[static_cast<std::size_t>(result_.first_legal) + column];
    }
    std::int32_t at(const Side& side, std::size_t column) const {
        return side.segment >= 0 ? side.segment : column >= side.column ? result_.left : result_.right;
    }
    void use(ValueIndex value);
    const std::vector<std::int32_t>& users(std::size_t column);
    template <typename Visit>
    void visit_pieces(Visit visit);
    void add_value(ValueIndex value, bool gradient);
    void add_input(ValueIndex value);
    void add_hop(std::map<CutSeries::Ends, CutSeries::Hop>& hops, std::int32_t from, std::int32_t to, Bytes bytes,
                 std::size_t first, std::size_t last);
    void add_edge(ValueIndex value, std::int32_t from, std::int32_t to, std::size_t first, std::size_t last,
                  bool gradient);
    void add_weight(ValueIndex value, bool trainable);
    void add_shared(ValueIndex value);
    const LinkModel& link(std::int32_t from, std::int32_t to) const;
    void add_activations();
    Result<void> add_prices();

    Pricing& pricing_;
    const graph::Graph& graph_;
    const MovingCut& cut_;
    const Placement& placement_;
    const TrainingSetup& setup_;
    CutSeries result_;
    NodeIndex before_ = -1, after_ = 0;  ///< the neighbouring cuts, or the ends of the graph
    // State of the current value, kept in members so that no memory is allocated for each value.
    Uses uses_;
    std::vector<std::size_t> borders_;
    std::vector<std::int32_t> users_;
};

void Sweep::find_columns() {
    const auto& choice = cut_.choice;
    const auto moving = static_cast<std::size_t>(cut_.moving);
    const bool is_first = moving == 0, is_last = moving + 1 == choice.size();
    result_.left = cut_.moving;
    result_.right = cut_.moving + 1;
    result_.first_legal = is_first ? 0 : choice[moving - 1] + 1;
    const std::int32_t end = is_last ? static_cast<std::int32_t>(cut_.cuts.legal.size()) : choice[moving + 1];
    result_.columns = static_cast<std::size_t>(end - result_.first_legal);
    before_ = is_first ? -1 : cut_.cuts.legal[choice[moving - 1]];
    after_ = is_last ? static_cast<NodeIndex>(graph_.nodes.size()) - 1 : cut_.cuts.legal[choice[moving + 1]];
}

Side Sweep::side(NodeIndex node) const {
    const NodeIndex where = home(node);
    const auto& legal = cut_.cuts.legal;
    if (where > before_ && where <= after_) {
        const auto first = legal.begin() + result_.first_legal;
        return {-1, static_cast<std::size_t>(
                        std::lower_bound(first, first + static_cast<std::ptrdiff_t>(result_.columns), where) - first)};
    }
    const auto segment = std::lower_bound(cut_.choice.begin(), cut_.choice.end(), where,
                                          [&](std::int32_t index, NodeIndex wanted) { return legal[index] < wanted; }) -
                         cut_.choice.begin();
    // `choice` still contains the moving cut at its old position, so nodes after it get the right segment number.
    return {static_cast<std::int32_t>(segment), 0};
}

/// Finds the users of a value; fills `uses_` and the borders between column ranges with the same users.
void Sweep::use(ValueIndex value) {
    uses_.clear();
    borders_.clear();
    for (const NodeIndex consumer : graph_.values[value].consumers) uses_.add(side(consumer));
    if (uses_.changing()) borders_ = {uses_.first, uses_.last};
}

/// Returns the segments, in ascending order, that use the value when the cut is at `column`.
const std::vector<std::int32_t>& Sweep::users(std::size_t column) {
    users_ = uses_.segments;
    const auto insert = [&](std::int32_t segment) {
        users_.insert(std::lower_bound(users_.begin(), users_.end(), segment), segment);
    };
    if (uses_.changing() && column >= uses_.first) insert(result_.left);
    if (uses_.changing() && column < uses_.last) insert(result_.right);
    return users_;
}

/// Calls visit(first, last) for each range of columns between two borders.
template <typename Visit>
void Sweep::visit_pieces(Visit visit) {
    borders_.push_back(0);
    borders_.push_back(result_.columns);
    std::sort(borders_.begin(), borders_.end());
    for (std::size_t i = 0; i + 1 < borders_.size(); ++i)
        if (borders_[i] < borders_[i + 1]) visit(borders_[i], borders_[i + 1]);
}

const LinkModel& Sweep::link(std::int32_t from, std::int32_t to) const {
    return placement_.links.of(placement_.stages[from].end(), placement_.stages[to].end());
}

void Sweep::add_hop(std::map<CutSeries::Ends, CutSeries::Hop>& hops, std::int32_t from, std::int32_t to, Bytes bytes,
                    std::size_t first, std::size_t last) {
    CutSeries::Hop& hop = hops.try_emplace({from, to}, result_.columns).first->second;
    hop.occupancy.add(first, last, link(from, to).occupancy(bytes));
    const double relayed = link(from, to).latency(bytes) - link(from, to).latency_s;
    hop.relayed.add(first, last, relayed);
    hop.relayed_squares.add(first, last, relayed * relayed);
    hop.tensors.add(first, last, 1);
}

void Sweep::add_edge(ValueIndex value, std::int32_t from, std::int32_t to, std::size_t first, std::size_t last,
                     bool gradient) {
    const Bytes bytes = graph::size_bytes(graph_.values[value]).value_or(0);
    add_hop(result_.hops, from, to, bytes, first, last);
    if (gradient) add_hop(result_.hops, to, from, bytes, first, last);
    result_.inputs[to].add(first, last, static_cast<double>(bytes));
}

void Sweep::add_value(ValueIndex value, bool gradient) {
    const Side producer = side(graph_.values[value].producer);
    use(value);
    const bool stays =
        producer.segment >= 0 && !uses_.changing() &&
        (uses_.segments.empty() || (uses_.segments.size() == 1 && uses_.segments[0] == producer.segment));
    if (stays) return;
    if (producer.segment < 0) borders_.push_back(producer.column);
    visit_pieces([&](std::size_t first, std::size_t last) {
        std::int32_t from = at(producer, first);
        for (const std::int32_t to : users(first)) {
            if (to <= from) continue;
            add_edge(value, from, to, first, last, gradient);
            from = to;
        }
    });
}

/// Adds a graph input, which goes from the data unit directly to every consumer.
void Sweep::add_input(ValueIndex value) {
    use(value);
    const Bytes bytes = graph::size_bytes(graph_.values[value]).value_or(0);
    const LinkEnd here = (placement_.data ? *placement_.data : placement_.stages.front()).end();
    visit_pieces([&](std::size_t first, std::size_t last) {
        for (const std::int32_t to : users(first)) {
            const LinkModel& link = placement_.links.of(here, placement_.stages[to].end());
            result_.fed[to].add(first, last, link.occupancy(bytes));
            result_.inputs[to].add(first, last, static_cast<double>(bytes));
        }
    });
}

/// Adds the traffic of a shared weight: the gradients of all its uses in one stage go to every other stage that uses
/// it.
void Sweep::add_shared(ValueIndex value) {
    const Bytes bytes = graph::size_bytes(graph_.values[value]).value_or(0);
    std::vector<Side> sides;
    borders_.clear();
    for (const NodeIndex consumer : graph_.values[value].consumers) {
        sides.push_back(side(consumer));
        if (sides.back().segment < 0) borders_.push_back(sides.back().column);
    }
    visit_pieces([&](std::size_t first, std::size_t last) {
        std::map<std::int32_t, std::int64_t> count;
        for (const Side& one : sides) ++count[at(one, first)];
        for (const auto& [from, uses] : count)
            for (const auto& [to, ignored] : count)
                if (from != to) add_hop(result_.shared, from, to, bytes * uses, first, last);
    });
}

void Sweep::add_weight(ValueIndex value, bool trainable) {
    use(value);
    const auto bytes = static_cast<double>(graph::size_bytes(graph_.values[value]).value_or(0));
    const auto hold = [&](std::int32_t stage, std::size_t first, std::size_t last) {
        result_.parameters[stage].add(first, last, bytes);
        if (trainable) result_.trainable[stage].add(first, last, bytes);
    };
    for (const std::int32_t segment : uses_.segments) hold(segment, 0, result_.columns);
    if (uses_.changing()) {
        hold(result_.left, uses_.first, result_.columns);
        hold(result_.right, 0, uses_.last);
    }
    const bool shared =
        uses_.segments.size() > 1 || (uses_.changing() && (!uses_.segments.empty() || uses_.first != uses_.last));
    if (trainable && shared) add_shared(value);
}

void Sweep::add_activations() {
    std::vector<double> prefix(graph_.nodes.size() + 1);
    for (NodeIndex node = 0; node < static_cast<NodeIndex>(graph_.nodes.size()); ++node)
        prefix[home(node) + 1] += pricing_.cost().node(node).activation_bytes;
    for (std::size_t i = 1; i < prefix.size(); ++i) prefix[i] += prefix[i - 1];
    for (std::size_t k = 0; k < result_.columns; ++k) {
        result_.activations_left.push_back(prefix[position(k) + 1] - prefix[before_ + 1]);
        result_.activations_right.push_back(prefix[after_ + 1] - prefix[position(k) + 1]);
    }
}

Result<void> Sweep::add_prices() {
    const auto stages = static_cast<std::int32_t>(cut_.choice.size()) + 1;
    const auto price = [&](std::int32_t stage, const PricedGraph& priced, NodeIndex first, NodeIndex last,
                           double bytes) {
        return stage_seconds(priced.range(first, last), placement_.stages[stage].profile->rates,
                             static_cast<Bytes>(bytes), setup_);
    };
    result_.fixed.resize(static_cast<std::size_t>(stages));
    for (std::int32_t stage = 0; stage < stages; ++stage) {
        DIVISI_ASSIGN(const PricedGraph* priced, pricing_.on(placement_.stages[stage].profile));
        const Series& trainable = result_.trainable[stage];
        if (stage == result_.left) {
            for (std::size_t k = 0; k < result_.columns; ++k)
                result_.at_left.push_back(price(stage, *priced, before_ + 1, position(k) + 1, trainable[k]));
        } else if (stage == result_.right) {
            for (std::size_t k = 0; k < result_.columns; ++k)
                result_.at_right.push_back(price(stage, *priced, position(k) + 1, after_ + 1, trainable[k]));
        } else {
            const NodeIndex first = stage == 0 ? 0 : cut_.cuts.legal[cut_.choice[stage - 1]] + 1;
            const NodeIndex last = stage == stages - 1 ? static_cast<NodeIndex>(graph_.nodes.size())
                                                       : cut_.cuts.legal[cut_.choice[stage]] + 1;
            result_.fixed[stage] = price(stage, *priced, first, last, trainable[0]);
        }
    }
    return {};
}

Result<CutSeries> Sweep::run() {
    find_columns();
    const std::size_t stages = cut_.choice.size() + 1;
    for (auto* all : {&result_.trainable, &result_.parameters, &result_.inputs, &result_.fed})
        all->assign(stages, Series(result_.columns));
    const std::vector<bool> gradient = plan::values_with_gradient(graph_);
    for (ValueIndex value = 0; value < static_cast<ValueIndex>(graph_.values.size()); ++value) {
        const graph::Value& described = graph_.values[value];
        if (described.consumers.empty()) continue;
        if (described.initializer >= 0) add_weight(value, graph_.initializers[described.initializer].trainable);
        else if (described.producer == graph::no_node) add_input(value);
        else add_value(value, gradient[value]);
    }
    for (auto* all : {&result_.trainable, &result_.parameters, &result_.inputs, &result_.fed})
        for (Series& one : *all) one.sum();
    for (auto* hops : {&result_.hops, &result_.shared})
        for (auto& [ends, hop] : *hops)
            for (Series* one : {&hop.occupancy, &hop.relayed, &hop.relayed_squares, &hop.tensors}) one->sum();
    add_activations();
    DIVISI_TRY(add_prices());
    return std::move(result_);
}

}  // namespace

void Series::sum() {
    for (std::size_t i = 1; i < values_.size(); ++i) values_[i] += values_[i - 1];
}

Result<CutSeries> make_cut_series(Pricing& pricing, const MovingCut& cut, const Placement& placement,
                                  const TrainingSetup& setup) {
    return Sweep(pricing, cut, placement, setup).run();
}

}  // namespace divisi::price
