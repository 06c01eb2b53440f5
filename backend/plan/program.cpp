// SPDX-License-Identifier: Apache-2.0
#include "backend/plan/program.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>

#include "backend/plan/error_texts.h"

namespace divisi::plan {

namespace {

/// The channel numbers of one segment, grouped by content and by direction (to or from the segment).
struct Ends {
    std::vector<std::int32_t> values_in, values_out, gradients_in, gradients_out;
    std::vector<std::int32_t> uses_in, uses_out, norms_in, norms_out;
};

/// Collects channels and their end points.
struct Layout {
    Layout(const Partition& partition, std::int32_t given, bool only_forward)
        : ends(partition.segments.size()), depth_of(depths(partition)), slots(given), forward_only(only_forward) {
        for (const std::int32_t depth : depth_of) data_depth = std::max(data_depth, depth + 1);
    }

    std::int32_t add(Channel::Kind kind, graph::ValueIndex value, std::int32_t from, std::int32_t to) {
        const std::int32_t enough = slots_for(from == data_unit ? data_depth : depth_of[from], depth_of[to]);
        channels.push_back({kind, value, from, to, slots > 0 ? slots : enough});
        return static_cast<std::int32_t>(channels.size() - 1);
    }
    void connect(const Edge& edge) {
        const std::int32_t forward = add(Channel::Kind::value, edge.value, edge.from, edge.to);
        (edge.from == data_unit ? data_out : ends[edge.from].values_out).push_back(forward);
        ends[edge.to].values_in.push_back(forward);
        if (!edge.gradient || forward_only) return;
        const std::int32_t backward = add(Channel::Kind::gradient, edge.value, edge.to, edge.from);
        ends[edge.to].gradients_out.push_back(backward);
        ends[edge.from].gradients_in.push_back(backward);
    }
    void connect_uses(std::int32_t from, std::int32_t to) {
        const std::int32_t channel = add(Channel::Kind::use_gradients, graph::no_value, from, to);
        ends[from].uses_out.push_back(channel);
        ends[to].uses_in.push_back(channel);
    }
    void connect_norms(std::int32_t from, std::int32_t to) {
        const std::int32_t channel = add(Channel::Kind::norm_shares, graph::no_value, from, to);
        ends[from].norms_out.push_back(channel);
        ends[to].norms_in.push_back(channel);
    }

    std::vector<Channel> channels;
    std::vector<std::int32_t> data_out;
    std::vector<Ends> ends;
    std::vector<std::int32_t> depth_of;
    std::int32_t data_depth = 1;
    std::int32_t slots;  ///< slots of every channel; 0: the number that full speed needs
    bool forward_only;
};

/// Returns the pairs of different segments that share a weight, each once per direction.
std::vector<std::pair<std::int32_t, std::int32_t>> sharing_pairs(const Partition& partition) {
    std::vector<std::pair<std::int32_t, std::int32_t>> pairs;
    for (const SharedWeight& weight : partition.shared_weights)
        for (const std::int32_t from : weight.segments)
            for (const std::int32_t to : weight.segments)
                if (from != to) pairs.emplace_back(from, to);
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    return pairs;
}

std::vector<graph::ValueIndex> values_of(const std::vector<Channel>& channels,
                                         const std::vector<std::int32_t>& numbers) {
    std::vector<graph::ValueIndex> values;
    for (const std::int32_t number : numbers) values.push_back(channels[number].value);
    return values;
}

Program stage_program(std::int32_t stage, const std::vector<Pass>& passes, const Ends& ends) {
    Program program;
    program.instance = stage;
    for (const Pass& pass : passes) {
        if (pass.backward)
            program.training.push_back(
                {OperationKind::backward, pass.microbatch, ends.gradients_in, ends.gradients_out});
        else program.training.push_back({OperationKind::forward, pass.microbatch, ends.values_in, ends.values_out});
    }
    if (!ends.uses_out.empty()) program.training.push_back({OperationKind::share_gradients, 0, {}, ends.uses_out});
    program.training.push_back({OperationKind::finish_gradients, 0, ends.uses_in, ends.norms_out});
    program.training.push_back({OperationKind::optimizer, 0, ends.norms_in, {}});
    program.evaluation.push_back({OperationKind::evaluate, 0, ends.values_in, ends.values_out});
    return program;
}

Program batch_program(std::int32_t stage, std::int32_t microbatches, const Ends& ends) {
    Program program;
    program.instance = stage;
    for (std::int32_t m = 0; m < microbatches; ++m)
        program.training.push_back({OperationKind::evaluate, m, ends.values_in, ends.values_out});
    return program;
}

Program data_program(std::int32_t microbatches, const std::vector<std::int32_t>& outputs) {
    Program program;
    program.instance = data_unit;
    for (std::int32_t m = 0; m < microbatches; ++m) {
        program.training.push_back({OperationKind::load, m, {}, {}});
        program.training.push_back({OperationKind::preprocess, m, {}, outputs});
    }
    program.evaluation.push_back({OperationKind::load, 0, {}, {}});
    program.evaluation.push_back({OperationKind::preprocess, 0, {}, outputs});
    return program;
}

}  // namespace

const char* to_string(OperationKind kind) {
    switch (kind) {
        case OperationKind::load: return "load";
        case OperationKind::preprocess: return "preprocess";
        case OperationKind::forward: return "forward";
        case OperationKind::backward: return "backward";
        case OperationKind::share_gradients: return "share gradients";
        case OperationKind::finish_gradients: return "finish gradients";
        case OperationKind::optimizer: return "optimizer";
        case OperationKind::evaluate: return "evaluate";
    }
    return "unknown";
}

std::int32_t slots_for(std::int32_t from_depth, std::int32_t to_depth) { return std::abs(to_depth - from_depth) + 2; }

Programs make_programs(const Partition& partition, const PassOrder& order, const RunLength& length, bool clip,
                       std::int32_t slots) {
    const auto segments = static_cast<std::int32_t>(partition.segments.size());
    assert(order.size() == partition.segments.size());
    const bool trains = !length.over_data();
    Layout layout(partition, slots, !trains);
    for (const Edge& edge : partition.edges) layout.connect(edge);
    if (trains)
        for (const auto& [from, to] : sharing_pairs(partition)) layout.connect_uses(from, to);
    for (std::int32_t from = 0; trains && clip && from < segments; ++from)
        for (std::int32_t to = 0; to < segments; ++to)
            if (from != to) layout.connect_norms(from, to);

    Programs programs;
    programs.length = length;
    programs.data = data_program(length.microbatches, layout.data_out);
    if (!trains) programs.data.evaluation.clear();
    for (std::int32_t stage = 0; stage < segments; ++stage) {
        const Ends& ends = layout.ends[stage];
        programs.stages.push_back(trains ? stage_program(stage, order[stage], ends)
                                         : batch_program(stage, length.microbatches, ends));
        SegmentFlow flow;
        flow.inputs = values_of(layout.channels, ends.values_in);
        flow.outputs = values_of(layout.channels, ends.values_out);
        flow.output_gradients = values_of(layout.channels, ends.gradients_in);
        flow.input_gradients = values_of(layout.channels, ends.gradients_out);
        for (const SharedWeight& weight : partition.shared_weights)
            if (std::binary_search(weight.segments.begin(), weight.segments.end(), stage))
                flow.shared_weights.push_back(weight.initializer);
        programs.flows.push_back(std::move(flow));
    }
    programs.channels = std::move(layout.channels);
    return programs;
}

Result<Programs> resumed_after(const Programs& programs, std::int64_t step) {
    const RunLength& length = programs.length;
    if (length.over_data()) return make_error(error_text("batch-cannot-resume"), "step " + std::to_string(step));
    if (step < 1 || step >= length.last_step)
        return make_error(error_text("run-ends-at-that-step"), "step " + std::to_string(step),
                          {std::to_string(length.last_step)});
    Programs resumed = programs;
    resumed.length.first_step = step + 1;
    resumed.length.resumed = true;
    return resumed;
}

}  // namespace divisi::plan
