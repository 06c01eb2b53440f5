// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/run_prediction.h"

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>

#include "app/model/task_draft.h"
#include "backend/task/compile.h"
#include "backend/task/parse.h"
#include "backend/task/predict_step.h"

namespace divisi::model {

namespace {

Result<plan::Prediction> predict(const RunQuestion& question) {
    DIVISI_ASSIGN(task::TaskSpec spec, task::parse_task(question.text, "the task"));
    const ModelSource source = source_of(spec, QString::fromStdString(question.folder));
    ModelPtr model = question.shown;
    if (!model || !(model->source == source)) {
        DIVISI_ASSIGN(model, load_model(source));
    }
    if (!question.cuts.empty()) {  // those that run, however the file asked for them
        spec.split.cuts = question.cuts;
        spec.split.stages = spec.split.least_stages = spec.split.most_stages = 0;
    }
    spec.place.stages = question.nodes;
    task::CompileOptions options;
    options.devices = question.pool;
    DIVISI_ASSIGN(const task::CompiledPlan compiled, task::compile(spec, model->graph, options));
    return task::predict_step(compiled, task::placed(compiled, question.pool));
}

}  // namespace

void RunPrediction::ask(RunQuestion question) {
    if (asked_ && asked_->same_plan(question)) return;
    clear();
    asked_ = std::move(question);
    QThreadPool::globalInstance()->start([guard = QPointer<RunPrediction>(this), request = request_, wanted = *asked_] {
        const auto answer = std::make_shared<Result<plan::Prediction>>(predict(wanted));
        // The application object lives in the GUI thread; the guard is read there only.
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [guard, request, answer] {
                if (guard) guard->take(request, *answer);
            },
            Qt::QueuedConnection);
    });
}

void RunPrediction::clear() {
    ++request_;
    asked_.reset();
    prediction_.reset();
    problem_.clear();
}

void RunPrediction::take(std::uint64_t request, const Result<plan::Prediction>& answer) {
    if (request != request_) return;
    if (answer.ok()) prediction_ = *answer;
    else problem_ = QString::fromStdString(answer.error().message());
    Q_EMIT changed();
}

}  // namespace divisi::model
