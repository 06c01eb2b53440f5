// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/documents/painting.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "backend/plan/blocks.h"

namespace divisi::model {
namespace {

using graph::NodeIndex;
using graph::ValueIndex;

/// Provides the translation context of texts about paintings.
struct PaintingText {
    Q_DECLARE_TR_FUNCTIONS(divisi::model::Painting)
};

bool works_on_data(const LoadedModel& model, std::size_t node) { return model.roles[node] != graph::Role::constant; }

/// Returns the segment of each operator; -1 for constants.
std::vector<std::int32_t> working_segments(const LoadedModel& model, const Painting& painting) {
    std::vector<std::int32_t> segment_of = painting.segment_of;
    for (std::size_t node = 0; node < segment_of.size(); ++node)
        if (!works_on_data(model, node)) segment_of[node] = -1;
    return segment_of;
}

/// Orders the segments by the average position of their operators.
std::vector<std::int32_t> by_position(const LoadedModel& model, const Painting& painting) {
    std::vector<double> middle(painting.places.size(), 0), count(painting.places.size(), 0);
    for (std::size_t node = 0; node < painting.segment_of.size(); ++node) {
        if (!works_on_data(model, node)) continue;
        middle[painting.segment_of[node]] += static_cast<double>(node);
        count[painting.segment_of[node]] += 1;
    }
    for (std::size_t i = 0; i < middle.size(); ++i) middle[i] /= std::max(1.0, count[i]);
    std::vector<std::int32_t> order(middle.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return middle[a] < middle[b]; });
    return order;
}

/// Returns a painting in which values only flow forward in `order`. An operator that violates the order is moved to the
/// segment of its inputs (`forward`) or of its readers.
Painting sorted(const LoadedModel& model, const Painting& painting, const std::vector<std::int32_t>& order,
                bool forward) {
    std::vector<std::int32_t> rank(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = static_cast<std::int32_t>(i);
    Painting result = painting;
    const auto count = static_cast<NodeIndex>(painting.segment_of.size());
    for (NodeIndex i = 0; i < count; ++i) {
        const NodeIndex node = forward ? i : count - 1 - i;
        if (!works_on_data(model, node)) continue;
        std::int32_t& segment = result.segment_of[node];
        if (forward) {
            for (const ValueIndex input : model.graph.nodes[node].inputs) {
                const NodeIndex before = input == graph::no_value ? graph::no_node : model.graph.values[input].producer;
                if (before == graph::no_node || !works_on_data(model, before)) continue;
                if (rank[result.segment_of[before]] > rank[segment]) segment = result.segment_of[before];
            }
        } else {
            for (const ValueIndex output : model.graph.nodes[node].outputs) {
                if (output == graph::no_value) continue;
                for (const NodeIndex after : model.graph.values[output].consumers)
                    if (rank[result.segment_of[after]] < rank[segment]) segment = result.segment_of[after];
            }
        }
    }
    follow_consumers(model, result);
    return result;
}

}  // namespace

Painting painting_of(const LoadedModel& model, const plan::CutChoice& cuts, const std::vector<std::string>& places) {
    Painting painting;
    if (places.size() == cuts.size() + 1) painting.places = places;
    painting.places.resize(cuts.size() + 1);
    painting.segment_of.assign(model.graph.nodes.size(), 0);
    NodeIndex first = 0;
    for (std::size_t i = 0; i <= cuts.size(); ++i) {
        const NodeIndex last = i < cuts.size() ? model.cuts.legal[cuts[i]] + 1 : model.node_count();
        std::fill(painting.segment_of.begin() + first, painting.segment_of.begin() + last,
                  static_cast<std::int32_t>(i));
        first = last;
    }
    follow_consumers(model, painting);
    return painting;
}

Result<Painting> painting_of(const LoadedModel& model, const std::vector<task::SegmentSpec>& segments) {
    Painting painting;
    std::vector<std::vector<std::string>> lists;
    for (const task::SegmentSpec& segment : segments) {
        lists.push_back(segment.nodes);
        painting.places.push_back(segment.place);
    }
    DIVISI_ASSIGN(painting.segment_of, plan::match_operators(model.graph, model.node_count(), lists));
    for (std::size_t node = 0; node < painting.segment_of.size(); ++node) {
        if (painting.segment_of[node] >= 0) continue;
        if (works_on_data(model, node))
            return Error{
                ErrorCode::invalid_input, "operator '" + model.graph.nodes[node].name + "' is in no segment",
                "split.segment",
                "add the operator to a segment, or write \"*\" in the segment that takes all remaining operators"};
        painting.segment_of[node] = 0;
    }
    follow_consumers(model, painting);
    return painting;
}

Painting painting_of(const LoadedModel& model, const graph::Graph& planned, const std::vector<plan::Segment>& segments,
                     const std::vector<std::string>& places) {
    std::unordered_map<std::string_view, std::int32_t> segment_by_name;
    for (std::size_t i = 0; i < segments.size(); ++i)
        for (const NodeIndex node : segments[i].nodes)
            segment_by_name[planned.nodes[node].name] = static_cast<std::int32_t>(i);
    Painting painting;
    if (places.size() == segments.size()) painting.places = places;
    painting.places.resize(segments.size());
    for (const graph::Node& node : model.graph.nodes) {
        const auto found = segment_by_name.find(node.name);
        painting.segment_of.push_back(found == segment_by_name.end() ? 0 : found->second);
    }
    follow_consumers(model, painting);
    return painting;
}

std::vector<task::SegmentSpec> listed(const LoadedModel& model, const Painting& painting) {
    const auto lists = plan::name_operators(model.graph, working_segments(model, painting), painting.segments());
    std::vector<task::SegmentSpec> segments;
    for (std::size_t i = 0; i < lists.size(); ++i)
        if (!lists[i].empty()) segments.push_back({lists[i], painting.places[i]});
    return segments;
}

plan::CutChoice cuts_of(const LoadedModel& model, const Painting& painting) {
    std::vector<NodeIndex> last(painting.places.size(), -1);
    for (std::size_t node = 0; node < painting.segment_of.size(); ++node)
        if (works_on_data(model, node)) last[painting.segment_of[node]] = static_cast<NodeIndex>(node);
    plan::CutChoice cuts;
    NodeIndex reach = -1, node = 0;  // last operator of the segments that have started
    for (std::size_t i = 0; i < model.cuts.legal.size(); ++i) {
        for (; node <= model.cuts.legal[i]; ++node)
            if (works_on_data(model, node)) reach = std::max(reach, last[painting.segment_of[node]]);
        if (reach < node) cuts.push_back(static_cast<std::int32_t>(i));
    }
    return cuts;
}

void paint(Painting& painting, NodeIndex first, NodeIndex last, std::int32_t segment) {
    if (segment == painting.segments()) painting.places.emplace_back();
    std::fill(painting.segment_of.begin() + first, painting.segment_of.begin() + last, segment);
}

void follow_consumers(const LoadedModel& model, Painting& painting) {
    for (NodeIndex node = model.node_count() - 1; node >= 0; --node) {
        if (works_on_data(model, node)) continue;
        NodeIndex reader = model.node_count();
        for (const ValueIndex output : model.graph.nodes[node].outputs)
            if (output != graph::no_value)
                for (const NodeIndex consumer : model.graph.values[output].consumers)
                    reader = std::min(reader, consumer);
        painting.segment_of[node] = reader < model.node_count() ? painting.segment_of[reader] : 0;
    }
}

std::vector<std::int32_t> operator_counts(const LoadedModel& model, const Painting& painting) {
    std::vector<std::int32_t> counts(painting.places.size(), 0);
    for (std::size_t node = 0; node < painting.segment_of.size(); ++node)
        if (works_on_data(model, node)) ++counts[painting.segment_of[node]];
    return counts;
}

std::vector<plan::BlockLink> cycle_of(const LoadedModel& model, const Painting& painting) {
    return plan::find_cycle(model.graph, working_segments(model, painting), painting.segments());
}

QString cycle_summary(const std::vector<plan::BlockLink>& cycle) {
    QStringList numbers;
    for (const plan::BlockLink& link : cycle) numbers << QString::number(link.from + 1);
    return PaintingText::tr("segments %1 wait for each other").arg(numbers.join(PaintingText::tr(", ")));
}

QString cycle_text(const LoadedModel& model, const std::vector<plan::BlockLink>& cycle) {
    QStringList steps;
    for (const plan::BlockLink& link : cycle)
        steps << PaintingText::tr("segment %1 sends %2 to segment %3 (%4)")
                     .arg(link.from + 1)
                     .arg(QString::fromStdString(model.graph.nodes[model.graph.values[link.value].producer].name))
                     .arg(link.to + 1)
                     .arg(QString::fromStdString(model.graph.nodes[link.consumer].name));
    return PaintingText::tr(
               "These segments wait for each other and cannot run: %1. Paint one of these operators, or those between "
               "them, into the other segment.")
        .arg(steps.join(PaintingText::tr(", ")));
}

std::int32_t difference(const LoadedModel& model, const Painting& a, const Painting& b) {
    std::int32_t count = 0;
    for (std::size_t node = 0; node < a.segment_of.size(); ++node)
        if (works_on_data(model, node) && a.segment_of[node] != b.segment_of[node]) ++count;
    return count;
}

std::optional<Painting> mended(const LoadedModel& model, const Painting& painting, const std::vector<bool>& kept) {
    const std::vector<std::int32_t> counts = operator_counts(model, painting);
    const std::vector<std::int32_t> base = by_position(model, painting);
    std::optional<Painting> best;
    std::pair<std::int32_t, std::int32_t> least{};  // fewest moved operators so far: in `kept`, and in total
    const auto consider = [&](const std::vector<std::int32_t>& order) {
        for (const bool forward : {true, false}) {
            Painting found = sorted(model, painting, order, forward);
            const std::vector<std::int32_t> left = operator_counts(model, found);
            bool emptied = false;
            for (std::size_t i = 0; i < counts.size(); ++i) emptied |= counts[i] > 0 && left[i] == 0;
            if (emptied) continue;
            std::pair<std::int32_t, std::int32_t> moved{0, difference(model, painting, found)};
            for (std::size_t node = 0; node < kept.size(); ++node)
                if (kept[node] && works_on_data(model, node) && found.segment_of[node] != painting.segment_of[node])
                    ++moved.first;
            if (best && moved >= least) continue;
            best = std::move(found);
            least = moved;
        }
    };
    consider(base);
    // Try every position in the order for the segments that wait for each other.
    for (const plan::BlockLink& link : cycle_of(model, painting)) {
        std::vector<std::int32_t> rest = base;
        std::erase(rest, link.from);
        for (std::size_t place = 0; place <= rest.size(); ++place) {
            std::vector<std::int32_t> order = rest;
            order.insert(order.begin() + static_cast<std::ptrdiff_t>(place), link.from);
            consider(order);
        }
    }
    return best;
}

}  // namespace divisi::model
