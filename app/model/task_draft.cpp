// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/task_draft.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>
#include <algorithm>

#include "backend/task/compile.h"
#include "backend/task/parse.h"
#include "backend/task/validate.h"

namespace divisi::model {

namespace {

/// "/a/b" and "node:/a" say where they are; others lie in the task's folder.
bool is_relative(const std::string& path) {
    return !path.empty() && !path.starts_with("node:") && QDir::isRelativePath(QString::fromStdString(path));
}

std::string resolve(const std::string& path, const QString& folder) {
    return is_relative(path) ? QDir::cleanPath(folder + u'/' + QString::fromStdString(path)).toStdString() : path;
}

std::vector<std::string*> paths_of(task::TaskSpec& spec) {
    return {&spec.model.onnx, &spec.data.path, &spec.data.labels, &spec.data.validation};
}

QString message_of(const Error& error) {
    QString text = QString::fromStdString(error.what);
    if (!error.next.empty()) text += QStringLiteral("; ") + QString::fromStdString(error.next);
    return text;
}

}  // namespace

ModelSource source_of(const task::TaskSpec& spec, const QString& folder) {
    ModelSource source;
    source.zoo = spec.model.zoo;
    source.sizes = spec.model.sizes;
    source.onnx = resolve(spec.model.onnx, folder);
    source.symbols = spec.model.symbols;
    for (const plan::HeadLoss& head : task::head_losses(spec.train)) source.heads.push_back(head.output);
    const bool divides = spec.train.microbatches > 0 && spec.train.batch % spec.train.microbatches == 0;
    source.batch = divides && spec.train.batch > 0 ? task::microbatch_size(spec) : 1;
    return source;
}

task::TaskSpec fresh_task() {
    task::TaskSpec spec;
    spec.model.zoo = "gpt";
    spec.data.kind = "synthetic";
    spec.data.samples = 1024;
    spec.train.microbatches = 4;
    spec.train.optimizer = "adamw";
    spec.train.lr = 0.001;
    return spec;
}

TaskDraft::TaskDraft(GraphDocument& document, QObject* parent)
    : QObject(parent), document_(document), spec_(fresh_task()), folder_(QDir::homePath()) {}

void TaskDraft::set_spec(task::TaskSpec spec) {
    spec_ = std::move(spec);
    mark_modified();
}

void TaskDraft::mark_modified() {
    modified_ = true;
    Q_EMIT stateChanged();
}

bool TaskDraft::is_sensitive(const std::string& pattern) const {
    const auto& patterns = spec_.split.sensitive;
    return std::find(patterns.begin(), patterns.end(), pattern) != patterns.end();
}

void TaskDraft::set_sensitive(const std::string& pattern, bool sensitive) {
    if (is_sensitive(pattern) == sensitive) return;
    if (sensitive) spec_.split.sensitive.push_back(pattern);
    else std::erase(spec_.split.sensitive, pattern);
    mark_modified();
    Q_EMIT specChanged();
}

Result<void> TaskDraft::open(const QString& path) {
    QFile file(path);
    const std::string name = path.toStdString();
    if (!file.open(QIODevice::ReadOnly))
        return Error{ErrorCode::not_found, file.errorString().toStdString(), name, "choose a file that can be read"};
    const QByteArray bytes = file.read(static_cast<qint64>(task::most_file_bytes) + 1);
    DIVISI_ASSIGN(task::TaskSpec spec, task::parse_task({bytes.data(), static_cast<std::size_t>(bytes.size())}, name));
    spec_ = std::move(spec);
    path_ = QFileInfo(path).absoluteFilePath();
    folder_ = QFileInfo(path).absolutePath();
    modified_ = false;
    Q_EMIT specChanged();
    Q_EMIT stateChanged();
    return {};
}

task::TaskSpec TaskDraft::with_split() const {
    task::TaskSpec spec = spec_;
    if (!document_.model()) return spec;
    const bool untouched = document_.undo_stack().count() == 0 && document_.cuts().empty() && !document_.painting();
    if (spec.split.strategy == "block" && untouched) return spec;  // segments that the model does not have
    // What is on screen is the plan, however the file asked for it.
    static_cast<plan::SegmentationRequest&>(spec.split) = {};
    spec.split.segments.clear();
    spec.split.sensitive = spec_.split.sensitive;
    spec.split.together = spec_.split.together;
    if (document_.painting()) {
        spec.split.strategy = "block";
        spec.split.segments = listed(*document_.model(), *document_.painting());
        spec.place.stages.clear();  // every segment says it for itself
        return spec;
    }
    spec.split.cuts = document_.cut_names();
    spec.split.stages = spec.split.cuts.empty() ? 1 : 0;
    spec.split.least_stages = spec.split.most_stages = 0;
    return spec;
}

QString TaskDraft::text() const { return QString::fromStdString(task::print_task(with_split())); }

Result<void> TaskDraft::save(const QString& path) {
    const QString folder = QFileInfo(path).absolutePath();
    task::TaskSpec spec = with_split();
    for (std::string* file : paths_of(spec))
        if (is_relative(*file))
            *file = QDir(folder).relativeFilePath(QString::fromStdString(resolved(*file))).toStdString();
    QSaveFile file(path);
    const QByteArray bytes = QByteArray::fromStdString(task::print_task(spec));
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        return Error{ErrorCode::failed, file.errorString().toStdString(), path.toStdString(),
                     "choose another folder or free some space"};
    spec_ = std::move(spec);
    path_ = QFileInfo(path).absoluteFilePath();
    folder_ = folder;
    modified_ = false;
    Q_EMIT specChanged();
    Q_EMIT stateChanged();
    return {};
}

Result<plan::TaskGraph> TaskDraft::task_graph() const {
    if (!document_.model()) return Error{ErrorCode::not_found, "no model is open", {}, "open a model first"};
    DIVISI_ASSIGN(task::CompiledPlan plan, task::compile(with_split(), document_.model()->graph));
    return std::move(plan.task_graph);
}

std::string TaskDraft::resolved(const std::string& path) const { return resolve(path, folder_); }

ModelSource TaskDraft::wanted_model() const { return source_of(spec_, folder_); }

void TaskDraft::use_model(const ModelSource& source) {
    if (source == wanted_model()) return;
    spec_.model.zoo = source.zoo;
    spec_.model.sizes = source.sizes;
    spec_.model.onnx = source.onnx;
    spec_.model.symbols = source.symbols;
    mark_modified();
    Q_EMIT specChanged();
}

std::map<std::string, QString> TaskDraft::problems() const {
    std::map<std::string, QString> found;
    const task::TaskSpec spec = with_split();
    const bool cyclic = document_.painting() && !document_.previewing() && !document_.shown_cycle().empty();
    if (cyclic) found.emplace("split.segment", cycle_summary(document_.shown_cycle()));
    else if (const Result<void> checked = task::check_task(spec); !checked.ok())
        found.emplace(checked.error().where, message_of(checked.error()));
    else if (document_.model() && document_.model()->source == wanted_model())
        if (const Result<void> fits = task::check_against_model(spec, document_.model()->graph); !fits.ok())
            found.emplace(fits.error().where, message_of(fits.error()));
    const std::pair<const char*, const std::string&> files[] = {{"model.onnx", spec.model.onnx},
                                                                {"data.path", spec.data.path},
                                                                {"data.labels", spec.data.labels},
                                                                {"data.validation", spec.data.validation}};
    for (const auto& [key, path] : files) {
        if (path.empty() || path.starts_with("node:")) continue;
        if (!QFileInfo::exists(QString::fromStdString(resolved(path))))
            found.emplace(key, tr("there is nothing at %1").arg(QString::fromStdString(resolved(path))));
    }
    return found;
}

}  // namespace divisi::model
