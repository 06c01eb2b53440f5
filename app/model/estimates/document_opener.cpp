// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/estimates/document_opener.h"

#include <utility>

#include "app/client/refusal_text.h"
#include "app/model/documents/task_split.h"
#include "backend/task/parse.h"

namespace divisi::model {

namespace {

/// Delay after typing, so that the model is not rebuilt at every key press.
constexpr int follow_delay_ms = 400;

QString text_of(const Error& error) { return client::quoted(error); }

/// Returns the number of samples in a micro-batch if the ONNX file fixes it.
std::optional<std::int64_t> fixed_batch(const LoadedModel& model) {
    if (model.source.onnx.empty() || model.graph.inputs.empty()) return {};
    const auto& shape = model.graph.values[model.graph.inputs.front()].shape;
    if (!shape || shape->empty() || !shape->front().known() || shape->front().size < 1) return {};
    return shape->front().size;
}

}  // namespace

DocumentOpener::DocumentOpener(GraphDocument& document, TaskDraft& draft, PriceBoard& prices, PlanningService& planning,
                               QObject* parent)
    : QObject(parent), document_(document), draft_(draft), prices_(prices), line_(planning) {
    follow_timer_.setSingleShot(true);
    follow_timer_.setInterval(follow_delay_ms);
    connect(&follow_timer_, &QTimer::timeout, this, [this] { load(Purpose::version, {}); });
    connect(&draft_, &TaskDraft::specChanged, this, &DocumentOpener::follow);
    connect(&document_, &GraphDocument::modelChanged, this, &DocumentOpener::follow);
    connect(&document_.undo_stack(), &QUndoStack::indexChanged, this, [this] {
        // Cancel opening if the user edits the task on screen: the edits must not be lost.
        if (purpose_ == Purpose::model || purpose_ == Purpose::task) cancel();
    });
    connect(&document_, &GraphDocument::cutsChanged, this, [this] {
        if (!document_.split().as_in_task) line_.cancel();
    });
    connect(&loader_, &ModelLoader::started, this, [this](const QString& title) {
        // if the task's form has named another model, the form itself shows the progress
        if (purpose_ != Purpose::version) Q_EMIT reading(title);
    });
    connect(&loader_, &ModelLoader::loaded, this, &DocumentOpener::take);
    connect(&loader_, &ModelLoader::failed, this, [this](const QString& title, const QString& message) {
        end();
        Q_EMIT failed(tr("%1 could not be opened. %2").arg(title, message));
    });
    connect(&loader_, &ModelLoader::cancelled, this, &DocumentOpener::end);
}

DocumentOpener::Purpose DocumentOpener::end() {
    const Purpose purpose = std::exchange(purpose_, Purpose::none);
    if (purpose != Purpose::version) Q_EMIT done();
    return purpose;
}

void DocumentOpener::load(Purpose purpose, TaskFile opening) {
    follow_timer_.stop();
    purpose_ = purpose;
    opening_ = std::move(opening);
    loader_.load(purpose == Purpose::version ? draft_.wanted_model()
                                             : source_of(opening_.state.spec, opening_.state.folder));
}

void DocumentOpener::cancel() {
    follow_timer_.stop();
    line_.cancel();
    loader_.cancel();
}

void DocumentOpener::open_model(const ModelSource& source) {
    task::TaskSpec spec = fresh_task(source);
    if (!document_.model() && draft_.modified()) {
        task::TaskSpec begun = draft_.spec();
        begun.model = spec.model;
        spec = std::move(begun);
    }
    load(Purpose::model, {{std::move(spec), draft_.folder()}, {}});
}

void DocumentOpener::open_task(const QString& path) {
    Result<TaskFile> file = read_task_file(path);
    if (!file.ok()) return failed(text_of(file.error()));
    load(Purpose::task, *std::move(file));
}

void DocumentOpener::open_failed(std::uint64_t exception, const QString& text, const QString& folder,
                                 const QString& name) {
    Result<task::TaskSpec> spec = task::parse_task(text.toStdString(), name.toStdString());
    if (!spec.ok()) return failed(text_of(spec.error()));
    load(Purpose::task, {{*std::move(spec), folder}, {}, exception});
}

void DocumentOpener::new_task() {
    cancel();
    const ModelPtr model = document_.model();
    task::TaskSpec spec = model ? fresh_task(model->source) : fresh_task();
    if (model) spec.train.batch = model->source.batch * spec.train.microbatches;
    draft_.open({std::move(spec), draft_.folder()}, {});
    document_.open(model, {});
}

void DocumentOpener::close() {
    cancel();
    draft_.open({fresh_task(), draft_.folder()}, {});
    document_.open(nullptr, {});
}

void DocumentOpener::show_chosen() {
    const ModelSource wanted = draft_.wanted_model();
    if (!draft_.shows_model() && (!wanted.zoo.empty() || !wanted.onnx.empty())) follow_timer_.start();
}

void DocumentOpener::follow() {
    if (purpose_ == Purpose::model || purpose_ == Purpose::task) return;
    const bool named = document_.model() && !document_.model()->source.title().isEmpty();
    if (named && !draft_.shows_model()) return follow_timer_.start();
    follow_timer_.stop();
    if (purpose_ == Purpose::version) loader_.cancel();
}

void DocumentOpener::take(const ModelPtr& model) {
    const Purpose purpose = end();
    if (purpose == Purpose::model) take_fresh(model);
    if (purpose == Purpose::task) take_task(model);
    if (purpose == Purpose::version) take_version(model);
}

void DocumentOpener::take_fresh(const ModelPtr& model) {
    task::TrainSection& train = opening_.state.spec.train;
    if (const auto fixed = fixed_batch(*model); fixed && *fixed != model->source.batch) {
        train.batch = *fixed * train.microbatches;
        return load(Purpose::model, std::move(opening_));  // reload it with this batch size
    }
    if (!document_.model() && draft_.modified()) {
        draft_.edit(std::move(opening_.state.spec), tr("Open %1").arg(model->source.title()));
        return document_.show(model, {});
    }
    draft_.open(std::move(opening_.state), {});
    document_.open(model, {});
}

void DocumentOpener::take_task(const ModelPtr& model) {
    const task::TaskSpec spec = opening_.state.spec;
    const SplitSource source = split_source(spec.split);
    Split split;
    split.as_in_task = true;  // the split is unknown until it is planned or searched for
    QString problem;
    if (source == SplitSource::listed) {
        Result<Split> listed = listed_split(spec, *model);
        if (listed.ok()) split = *std::move(listed);
        else problem = text_of(listed.error());
    }
    draft_.open(std::move(opening_));
    document_.open(model, std::move(split));
    if (!problem.isEmpty()) Q_EMIT failed(problem);
    if (source == SplitSource::searched) prices_.request_split();
    if (source == SplitSource::planned) plan_split(model);
    Q_EMIT opened();
}

void DocumentOpener::plan_split(const ModelPtr& model) {
    line_.ask(
        [model, spec = draft_.spec()](const JobContext& context) {
            return planned_split(spec, *model, [&] { return context.cancelled(); });
        },
        [this, model](Result<Split> planned) {
            if (model != document_.model()) return;
            if (planned.ok()) return document_.take_found(*std::move(planned));
            // Report only errors of the split, because errors in other fields are shown beside these fields.
            if (planned.error().where.starts_with("split") || draft_.spec().split.strategy == "block")
                Q_EMIT failed(text_of(planned.error()));
        });
}

void DocumentOpener::take_version(const ModelPtr& model) {
    if (!(model->source == draft_.wanted_model())) return;  // outdated: a newer version is loading
    const ModelPtr before = document_.model();
    const bool carries = before && is_version_of(*before, *model);
    document_.show(model, carries ? carried_over(document_.split(), *before, *model) : Split());
}

}  // namespace divisi::model

#include "moc_document_opener.cpp"
