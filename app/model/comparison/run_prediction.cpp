// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/comparison/run_prediction.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <vector>

#include "app/client/refusal_text.h"
#include "app/model/documents/task_draft.h"
#include "app/model/wording/text.h"
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

/// Number of newest steps whose median is the measured step time.
constexpr std::size_t measured_steps = 50;
/// Relative error of a prediction from which advice is given.
constexpr double worth_telling = 0.2;

struct ReportTexts {
    Q_DECLARE_TR_FUNCTIONS(divisi::model::ReportTexts)
};

/// Returns the advice for a prediction with a large error although its prices were measured.
QString measured_advice(bool too_low) {
    return too_low ? ReportTexts::tr(
                         "The prices were measured: other programs may have kept the machines busy during the run, or "
                         "links are slower than predicted. \"Predicted and measured\" in Plans shows which stage it "
                         "was.")
                   : ReportTexts::tr(
                         "The prices were measured: the machines may have been busy during the measurement. "
                         "\"Predicted and measured\" in Plans shows which stage it was.");
}

QString unmeasured_advice(const PredictionReport& report, bool on_screen) {
    const QString known =
        report.measured > 0
            ? ReportTexts::tr("Only %1 of the prices comes from measurements.").arg(percent(report.measured))
            : ReportTexts::tr("The prices were not measured.");
    QString advice = report.measurable.obstacle;
    if (report.measurable.possible())
        advice = on_screen ? ReportTexts::tr("\"Measure operators\" in the Task menu makes the prices accurate.")
                           : ReportTexts::tr(
                                 "Open the task's model; \"Measure operators\" in the Task menu then makes the prices "
                                 "accurate.");
    return known + u' ' + advice;
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

double median_step_ms(const control::TaskView& task) {
    const std::deque<control::StepRecord>& history = task.history;
    std::vector<double> steps;
    const std::size_t first = history.size() > measured_steps ? history.size() - measured_steps : 0;
    for (std::size_t i = first; i < history.size(); ++i)
        if (history[i].step > warm_up_steps && is_of_plan(task, history[i].generation))
            steps.push_back(history[i].step_ms);
    if (steps.empty()) return 0;
    std::nth_element(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2), steps.end());
    return steps[steps.size() / 2];
}

std::optional<PredictionReport> prediction_report(const price::Prediction& prediction, double step_ms,
                                                  const control::ClusterState& cluster) {
    if (step_ms <= 0) return std::nullopt;
    const double off = prediction.step_ms / step_ms - 1;
    if (std::abs(off) < worth_telling) return std::nullopt;
    return PredictionReport{off, prediction.profiled_share, measurable(prediction, cluster)};
}

QString report_text(const PredictionReport& report, bool on_screen) {
    const bool too_low = report.off < 0;
    const QString error =
        (too_low ? ReportTexts::tr("Your prices are %1 too low.") : ReportTexts::tr("Your prices are %1 too high."))
            .arg(percent(std::abs(report.off)));
    const bool measured = report.measured >= measured_well;
    return error + u' ' + (measured ? measured_advice(too_low) : unmeasured_advice(report, on_screen));
}

bool is_model_of(const control::TaskView& task, const ModelPtr& model) {
    if (!model) return false;
    const auto spec = task::parse_task(task.text, "the task");
    return spec.ok() && source_of(*spec, QString::fromStdString(task.folder)) == model->source;
}

RunPlan plan_of_run(const control::TaskView& task, const control::ClusterState& cluster) {
    return {task.text, task.folder, task.cuts, stage_nodes(cluster, task.id)};
}

}  // namespace divisi::model

#include "moc_run_prediction.cpp"
