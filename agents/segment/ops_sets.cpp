// SPDX-License-Identifier: Apache-2.0
// Operators whose output sizes depend on the input values: distinct values, selected boxes.
#include <ATen/ATen.h>

#include <algorithm>
#include <numeric>

#include "agents/segment/kernel_tools.h"

namespace divisi::segment {

namespace {

/// Returns the distinct slices along axis 0, ascending or in order of first appearance. Also returns the first index of
/// each distinct slice, the index of the distinct slice that each slice equals, and the number of occurrences.
Tensors distinct_rows(const at::Tensor& x, bool sorted) {
    auto [values, inverse, counts] = at::unique_dim(x, 0, true, true, true);
    // Sort rows by value; equal rows keep their order. The group of each value then begins with its first row.
    const auto by_value = std::get<1>(at::sort(inverse, /*stable=*/true, 0, false));
    const auto first = at::index_select(by_value, 0, at::sub(at::cumsum(counts, 0), counts));
    if (sorted) return {values, first, inverse, counts};
    const auto order = at::argsort(first);
    const auto rank = at::empty_like(order).scatter(0, order, at::arange(order.size(0), order.options()));
    return {at::index_select(values, 0, order), at::index_select(first, 0, order), at::index_select(rank, 0, inverse),
            at::index_select(counts, 0, order)};
}

Kernel unique(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    const bool flat = !node.has("axis"), sorted = node.flag("sorted", true);
    return [=, axis = node.integer("axis", 0)](const RunContext&, const Tensors& x) {
        const auto along = flat ? 0 : positive_axis(axis, x[0].dim());
        const auto rows = flat ? x[0].reshape({-1}) : at::transpose(x[0], 0, along).contiguous();
        auto results = distinct_rows(rows, sorted);
        if (along != 0) results[0] = at::transpose(results[0], 0, along).contiguous();
        return results;
    };
}

struct Box {
    double top, left, bottom, right;
    double area() const { return (bottom - top) * (right - left); }
};

Box read_box(const double* b, bool centred) {
    if (centred) return {b[1] - b[3] / 2, b[0] - b[2] / 2, b[1] + b[3] / 2, b[0] + b[2] / 2};
    return {std::min(b[0], b[2]), std::min(b[1], b[3]), std::max(b[0], b[2]), std::max(b[1], b[3])};
}

/// Returns the intersection over union of two boxes.
double overlap(const Box& a, const Box& b) {
    const double height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
    const double width = std::min(a.right, b.right) - std::max(a.left, b.left);
    if (height <= 0 || width <= 0) return 0;
    const double common = height * width;
    return common / (a.area() + b.area() - common);
}

struct Suppression {
    std::int64_t limit = 0;
    double overlap = 0;
    std::optional<double> score;
};

/// Chooses boxes in descending order of their scores; skips a box that overlaps a chosen box too much.
Ints choose_boxes(const std::vector<Box>& boxes, const double* scores, const Suppression& rule) {
    Ints order(boxes.size()), chosen;
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return scores[a] > scores[b]; });
    for (const auto candidate : order) {
        if (static_cast<std::int64_t>(chosen.size()) >= rule.limit) break;
        if (rule.score && scores[candidate] <= *rule.score) break;
        const auto& box = boxes[static_cast<std::size_t>(candidate)];
        const bool clear = std::none_of(chosen.begin(), chosen.end(), [&](auto other) {
            return overlap(box, boxes[static_cast<std::size_t>(other)]) > rule.overlap;
        });
        if (clear) chosen.push_back(candidate);
    }
    return chosen;
}

Kernel non_max_suppression(const graph::Graph& g, const graph::Node& n) {
    const bool centred = NodeReader(g, n).flag("center_point_box");
    return [centred](const RunContext& context, const Tensors& x) {
        const auto given = [&](std::size_t slot) { return optional_input(x, slot).defined(); };
        Suppression rule;
        if (given(2)) rule.limit = to_integers(x[2]).at(0);
        if (given(3)) rule.overlap = to_reals(x[3]).at(0);
        if (given(4)) rule.score = to_reals(x[4]).at(0);
        const auto corners = to_reals(x[0]), scores = to_reals(x[1]);
        const auto batches = x[1].size(0), classes = x[1].size(1), count = x[1].size(2);
        Ints rows;
        for (std::int64_t batch = 0; batch < batches; ++batch) {
            std::vector<Box> boxes;
            for (std::int64_t i = 0; i < count; ++i)
                boxes.push_back(read_box(corners.data() + 4 * (batch * count + i), centred));
            for (std::int64_t label = 0; label < classes; ++label)
                for (const auto box : choose_boxes(boxes, scores.data() + (batch * classes + label) * count, rule))
                    rows.insert(rows.end(), {batch, label, box});
        }
        const auto found = static_cast<std::int64_t>(rows.size()) / 3;
        return one(at::tensor(rows, at::kLong).reshape({found, 3}).to(context.device));
    };
}

}  // namespace

void add_set_kernels(KernelTable& table) {
    table[":NonMaxSuppression"] = non_max_suppression;
    table[":Unique"] = unique;
}

}  // namespace divisi::segment
