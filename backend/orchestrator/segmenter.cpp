// SPDX-License-Identifier: Apache-2.0
#include "backend/orchestrator/segmenter.h"

#include <algorithm>
#include <chrono>
#include <span>

#include "backend/control/placement/placement.h"
#include "backend/onnx/import.h"
#include "backend/onnx/skeleton.h"
#include "backend/submit/placement.h"
#include "backend/task/model_source.h"
#include "backend/task/parse.h"
#include "backend/task/price_plan.h"

namespace divisi::orchestrator {
namespace {

using Stopwatch = std::chrono::steady_clock;

/// Reads the bytes as a skeleton if they state which weights are trained; otherwise imports them as an ONNX file.
Result<graph::Graph> read_model(const std::string& bytes, const task::ModelSection& model) {
    const auto view = std::as_bytes(std::span(bytes));
    const std::string origin = "the model of the message";
    if (bytes.empty())
        return Error{ErrorCode::invalid_input, "the model did not come with the request", model.onnx,
                     "send its skeleton, or its ONNX model"};
    const auto trains = [](const graph::Initializer& initializer) { return initializer.trainable; };
    auto skeleton = onnx::load_skeleton(view, origin);
    if (skeleton && std::any_of(skeleton->initializers.begin(), skeleton->initializers.end(), trains)) return skeleton;
    onnx::ImportOptions import;
    import.frozen = model.frozen;
    import.infer_shapes = false;
    return onnx::import_bytes(view, origin, import);
}

/// Checks that the plan can be placed on the nodes; fails in the same cases as a submission.
Result<void> check_nodes(const task::CompiledPlan& compiled, const control::ClusterState& nodes) {
    control::PlanSummary summary;
    summary.stages = compiled.stage_count();
    summary.stage_nodes = compiled.stage_nodes;
    summary.data_node = compiled.spec.place.data;
    summary.wish = compiled.spec.place;
    DIVISI_TRY(control::check_wish(nodes, summary.wish));
    DIVISI_TRY(control::place_plan(nodes, summary));
    return {};
}

}  // namespace

Result<control::ModelSegmented> segment_model(const control::Segmentation& asked, const std::filesystem::path& data,
                                              const search::StopSearch& stop) {
    const auto begin = Stopwatch::now();
    const control::SegmentModel& request = asked.request;
    DIVISI_ASSIGN(const task::TaskSpec spec,
                  task::parse_task(request.text, "the text of the message", request.split, !request.skeleton.empty()));
    DIVISI_ASSIGN(const graph::Graph model,
                  task::load_model(spec, [&] { return read_model(request.skeleton, spec.model); }));
    task::CompileOptions options;
    options.devices = submit::placement_of(asked.nodes, spec.place, data);
    options.stop = stop;
    DIVISI_ASSIGN(const task::CompiledPlan compiled, task::compile(spec, model, options));
    DIVISI_TRY(check_nodes(compiled, asked.nodes));
    control::ModelSegmented answer;
    answer.cluster = asked.nodes.name;
    DIVISI_ASSIGN(answer.plan, task::price_plan(compiled, model, options.devices));
    answer.time_ms = std::chrono::duration<double, std::milli>(Stopwatch::now() - begin).count();
    return answer;
}

}  // namespace divisi::orchestrator
