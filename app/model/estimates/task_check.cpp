// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/estimates/task_check.h"

#include <QFileInfo>

#include "app/client/refusal_text.h"
#include "backend/task/kinds.h"
#include "backend/task/parse.h"
#include "backend/task/validate.h"

namespace divisi::model {

namespace {

using Paths = std::vector<std::pair<std::string, std::string>>;  ///< key, and the path it resolves to

/// Returns the message without its location, because it is shown beside the field.
QString message_of(Error error) {
    error.where.clear();
    return client::quoted(error);
}

Paths paths_of(const TaskDraft& draft) {
    const task::TaskSpec& spec = draft.spec();
    const std::pair<const char*, const std::string&> files[] = {{"model.onnx", spec.model.onnx},
                                                                {"data.path", spec.data.path},
                                                                {"data.labels", spec.data.labels},
                                                                {"data.validation", spec.data.validation}};
    Paths paths;
    for (const auto& [key, path] : files)
        if (!path.empty() && !path.starts_with("node:")) paths.emplace_back(key, draft.resolved(path));
    return paths;
}

Problems find_problems(const task::TaskSpec& spec, const ModelPtr& model, const Paths& paths) {
    Problems found;
    for (const auto& [key, path] : paths)
        if (!QFileInfo::exists(QString::fromStdString(path)))
            found.emplace(key, TaskCheck::tr("%1 does not exist").arg(QString::fromStdString(path)));
    if (!model) return found;
    if (const Result<void> fits = task::check_against_model(spec, model->graph); !fits.ok())
        found.emplace(fits.error().where, message_of(fits.error()));
    return found;
}

}  // namespace

TaskCheck::TaskCheck(TaskDraft& draft, GraphDocument& document, PlanningService& planning, QObject* parent)
    : QObject(parent), draft_(draft), document_(document), line_(planning) {
    connect(&draft_, &TaskDraft::specChanged, this, &TaskCheck::check);
    connect(&document_, &GraphDocument::modelChanged, this, &TaskCheck::check);
    connect(&document_, &GraphDocument::cutsChanged, this, [this] {
        if (!document_.previewing()) check();
    });
    check();
}

Problems TaskCheck::problems() const {
    Problems all = at_once_;
    all.insert(beside_.begin(), beside_.end());
    return all;
}

void TaskCheck::check() {
    const task::TaskSpec spec = draft_.with_split();
    at_once_.clear();
    if (document_.painting() && !document_.shown_cycle().empty())
        at_once_.emplace("split.segment", cycle_summary(document_.shown_cycle()));
    else if (const Result<void> fits = task::check_kind(spec, {}); !fits.ok())  // the form has no field model.from
        at_once_.emplace(fits.error().where == "model.from" ? "model.onnx" : fits.error().where,
                         message_of(fits.error()));
    else if (const Result<void> checked = task::check_task(spec); !checked.ok())
        at_once_.emplace(checked.error().where, message_of(checked.error()));
    const ModelPtr model = at_once_.empty() && draft_.shows_model() ? document_.model() : nullptr;
    if (!model) beside_.clear();
    line_.ask([spec, model, paths = paths_of(draft_)](const JobContext&) { return find_problems(spec, model, paths); },
              [this](Problems found) {
                  if (found == beside_) return;
                  beside_ = std::move(found);
                  Q_EMIT changed();
              });
    Q_EMIT changed();
}

}  // namespace divisi::model

#include "moc_task_check.cpp"
