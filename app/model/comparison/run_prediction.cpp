// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/comparison/run_prediction.h"

#include "app/client/refusal_text.h"
#include "app/model/documents/task_draft.h"
#include "backend/submit/placement.h"
#include "backend/task/compile.h"
#include "backend/task/parse.h"
#include "backend/task/predict_step.h"

namespace divisi::model {

namespace {

Result<price::Prediction> predict(const RunPlan& run, const ModelPtr& shown, const control::ClusterState& cluster,
                                  const std::filesystem::path& data, const JobContext& context) {
    DIVISI_ASSIGN(task::TaskSpec spec, task::parse_task(run.text, "the task"));
    const ModelSource source = source_of(spec, QString::fromStdString(run.folder));
    ModelPtr model = shown;
    if (!model || !(model->source == source)) {
        DIVISI_ASSIGN(model, load_model(source));
    }
    if (!run.cuts.empty()) {  // use the current cuts, whatever the task file requests
        spec.split.cuts = run.cuts;
        spec.split.stages = spec.split.least_stages = spec.split.most_stages = 0;
    }
    spec.place.stages = run.nodes;
    task::CompileOptions options;
    options.devices = submit::placement_of(cluster, spec.place, data);
    options.stop = [&] { return context.cancelled(); };
    DIVISI_ASSIGN(const task::CompiledPlan compiled, task::compile(spec, model->graph, options));
    return task::predict_step(compiled, task::placed(compiled, options.devices));
}

}  // namespace

void RunPrediction::ask(RunPlan plan, ModelPtr shown, control::ClusterState cluster) {
    clear();
    asked_ = plan;
    line_.ask([plan = std::move(plan), shown = std::move(shown), cluster = std::move(cluster),
               data = data_](const JobContext& context) { return predict(plan, shown, cluster, data, context); },
              [this](const Result<price::Prediction>& answer) { take(answer); });
}

void RunPrediction::clear() {
    line_.cancel();
    asked_.reset();
    prediction_.reset();
    problem_.clear();
}

void RunPrediction::take(const Result<price::Prediction>& answer) {
    if (answer.ok()) prediction_ = *answer;
    else problem_ = client::quoted(answer.error());
    Q_EMIT changed();
}

}  // namespace divisi::model

#include "moc_run_prediction.cpp"
