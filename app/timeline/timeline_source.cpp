// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/timeline/timeline_source.h"

#include "app/client/embedded_host.h"
#include "app/client/refusal_text.h"
#include "app/model/tracking/stage_loads.h"
#include "backend/submit/placement.h"
#include "backend/task/compile.h"
#include "backend/task/parse.h"
#include "backend/task/predict_step.h"

namespace divisi::timeline {

namespace {

constexpr int settle_ms = 200;

}  // namespace

TimelineSource::TimelineSource(model::GraphDocument& document, model::TaskDraft& draft, client::Client* client,
                               model::PlanningService& planning, QObject* parent)
    : QObject(parent), document_(document), draft_(draft), client_(client), line_(planning) {
    later_.setSingleShot(true);
    later_.setInterval(settle_ms);
    connect(&later_, &QTimer::timeout, this, &TimelineSource::poll);
    const auto wait = [this] { later_.start(); };
    connect(&document_, &model::GraphDocument::modelChanged, this, wait);
    connect(&document_, &model::GraphDocument::cutsChanged, this, wait);
    connect(&draft_, &model::TaskDraft::specChanged, this, wait);
    // Do not restart a running timer, because data arrives with each step and the timer would never fire.
    if (client_)
        connect(client_, &client::Client::dataChanged, this, [this] {
            if (task_ != TaskId() && !later_.isActive()) later_.start();
        });
}

void TimelineSource::set_task(const TaskId& task) {
    if (task == task_) return;
    task_ = task;
    poll();
}

void TimelineSource::watch(std::function<bool()> seen) {
    seen_ = std::move(seen);
    poll();
}

/// Returns why a task has no plan, and what the user can do.
QString TimelineSource::why_no_plan(const control::TaskView& task) const {
    const QString name = QString::fromStdString(task.id.value());
    if (task.over() && task.outcome == control::Outcome::stopped)
        return tr("%1 was stopped before it had a plan. Run it again (F5) to see its timeline.").arg(name);
    if (task.over()) {
        const QString why = task.error ? client::quoted(*task.error) : QString();
        return control::exception_of(client_->data().state, task.id)
                   ? tr("%1 failed before it had a plan: %2. You can retry it in Exceptions.").arg(name, why)
                   : tr("%1 failed before it had a plan: %2. Correct it in New task and run it again.").arg(name, why);
    }
    if (task.held) return tr("%1 is held in the queue. Use Release in Tasks to start it.").arg(name);
    if (task.phase != control::TaskPhase::queued) return tr("Waiting for the plan of %1.").arg(name);
    const QString detail = client::quoted(task.detail());
    return detail.isEmpty()
               ? tr("%1 waits in the queue. Its plan appears here once it has its nodes.").arg(name)
               : tr("%1 waits in the queue: %2. Its plan appears here once it has its nodes.").arg(name, detail);
}

/// Returns the inputs of the next simulation. If there is nothing to simulate, returns empty and sets problem_ to the
/// reason.
std::optional<TimelineSource::Question> TimelineSource::question() {
    Question question{task_, {}, {}, {}, {}, 0, document_.model()};
    if (task_ == TaskId()) {
        if (!question.shown) {
            fail(tr("Open a model to see what each stage would do in a step."));
            return std::nullopt;
        }
        question.text = draft_.text().toStdString();
        question.folder = draft_.folder().toStdString();
        return question;
    }
    const auto& tasks = client_ ? client_->data().state.tasks : std::map<TaskId, control::TaskView>();
    const auto found = tasks.find(task_);
    if (found == tasks.end() || found->second.generation == 0) {
        fail(found == tasks.end() ? tr("Waiting for the plan of %1.").arg(QString::fromStdString(task_.value()))
                                  : why_no_plan(found->second));
        return std::nullopt;
    }
    const control::TaskView& task = found->second;
    question.text = task.text;
    question.folder = task.folder;
    question.cuts = task.cuts;
    question.nodes = model::stage_nodes(client_->data().state, task.id);
    question.since = task.plan_since;
    return question;
}

void TimelineSource::poll() {
    if (seen_ && !seen_()) seen_ = nullptr;
    if (!seen_ || document_.previewing()) return;
    std::optional<Question> asking = question();
    if (!asking) {
        line_.cancel();
        asked_.reset();
    }
    if (!asking || asking == asked_) return;
    asked_ = asking;
    run_.reset();
    problem_.clear();
    auto cluster = client_ ? submit::nodes_and_links(client_->data().state) : control::ClusterState();
    line_.ask([asking = *std::move(asking), cluster = std::move(cluster)](
                  const model::JobContext& context) { return play(asking, cluster, context); },
              [this](const Result<PredictedRun>& answer) {
                  if (!answer.ok()) return fail(client::quoted(answer.error()));
                  run_ = std::make_shared<const PredictedRun>(*answer);
                  Q_EMIT changed();
              });
    Q_EMIT changed();
}

void TimelineSource::fail(const QString& why) {
    if (problem_ == why && !run_) return;
    run_.reset();
    problem_ = why;
    Q_EMIT changed();
}

Result<PredictedRun> TimelineSource::play(const Question& question, const control::ClusterState& cluster,
                                          const model::JobContext& context) {
    DIVISI_ASSIGN(task::TaskSpec spec, task::parse_task(question.text, "the task"));
    model::ModelPtr shown = question.shown;
    if (question.task != TaskId()) {
        const model::ModelSource source = model::source_of(spec, QString::fromStdString(question.folder));
        if (!shown || !(shown->source == source)) {
            DIVISI_ASSIGN(shown, model::load_model(source));
        }
        if (!question.cuts.empty()) {  // use the current cuts instead of those in the task file
            spec.split.cuts = question.cuts;
            spec.split.stages = spec.split.least_stages = spec.split.most_stages = 0;
        }
        spec.place.stages = question.nodes;
    }
    task::CompileOptions options;
    options.devices = submit::placement_of(cluster, spec.place, client::default_data_folder());
    options.stop = [&] { return context.cancelled(); };
    DIVISI_ASSIGN(const task::CompiledPlan compiled, task::compile(spec, shown->graph, options));
    DIVISI_ASSIGN(price::Prediction prediction,
                  task::predict_step(compiled, task::placed(compiled, options.devices), {true}));
    PredictedRun run;
    run.timeline = model::predicted_timeline(prediction.simulation, *compiled.programs);
    run.step = prediction.simulation.measured_step;
    run.programs = compiled.programs;
    run.since = question.since;
    prediction.simulation.operations.clear();  // free the operations, because the timeline contains them as spans
    run.prediction = std::move(prediction);
    return run;
}

}  // namespace divisi::timeline

#include "moc_timeline_source.cpp"
