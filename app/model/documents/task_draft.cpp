// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/documents/task_draft.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>
#include <QUndoCommand>
#include <algorithm>
#include <utility>

#include "app/model/documents/task_text.h"
#include "backend/graph/zoo.h"
#include "backend/task/compile.h"
#include "backend/task/parse.h"

namespace divisi::model {

namespace {

/// Returns whether the path is relative to the task's folder: "/a/b" and "node:/a" are not.
bool is_relative(const std::string& path) {
    return !path.empty() && !path.starts_with("node:") && QDir::isRelativePath(QString::fromStdString(path));
}

std::string resolve(const std::string& path, const QString& folder) {
    return is_relative(path) ? QDir::cleanPath(folder + u'/' + QString::fromStdString(path)).toStdString() : path;
}

/// Returns the text of a file; empty if it cannot be read.
std::string text_of_file(const QString& path) {
    QFile file(path);
    if (path.isEmpty() || !file.open(QIODevice::ReadOnly)) return {};
    return file.read(static_cast<qint64>(task::most_file_bytes)).toStdString();
}

std::vector<std::string*> paths_of(task::TaskSpec& spec) {
    return {&spec.model.onnx, &spec.data.path, &spec.data.labels, &spec.data.validation};
}

}  // namespace

void rebase_paths(task::TaskSpec& spec, const QString& from, const QString& to) {
    for (std::string* file : paths_of(spec))
        if (is_relative(*file))
            *file = QDir(to).relativeFilePath(QString::fromStdString(resolve(*file, from))).toStdString();
}

ModelSource source_of(const task::TaskSpec& spec, const QString& folder) {
    ModelSource source;
    source.zoo = spec.model.zoo;
    source.sizes = spec.model.sizes;
    for (const graph::ZooModel& zoo : graph::zoo_models())
        if (zoo.name == source.zoo)
            for (const graph::ZooSize& size : zoo.sizes) source.sizes.emplace(size.name, size.fallback);
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

task::TaskSpec fresh_task(const ModelSource& source) {
    task::TaskSpec spec = fresh_task();
    spec.model.zoo = source.zoo;
    spec.model.sizes = source.sizes;
    spec.model.onnx = source.onnx;
    spec.model.symbols = source.symbols;
    spec.task.name.clear();
    for (const QChar c : QFileInfo(source.title()).completeBaseName().left(64)) {
        const char latin = c.toLatin1();
        const bool allowed = (c < u'\x80' && c.isLetterOrNumber()) || latin == '-' || latin == '_' || latin == '.';
        spec.task.name += allowed ? latin : '-';
    }
    if (spec.task.name.empty()) spec.task.name = task::TaskSection().name;
    return spec;
}

Result<TaskFile> read_task_file(const QString& path) {
    QFile file(path);
    const std::string name = path.toStdString();
    if (!file.open(QIODevice::ReadOnly))
        return Error{ErrorCode::not_found, "cannot be opened: " + file.errorString().toStdString(), name,
                     "choose a file that can be read"};
    const QByteArray bytes = file.read(static_cast<qint64>(task::most_file_bytes) + 1);
    DIVISI_ASSIGN(task::TaskSpec spec, task::parse_task({bytes.data(), static_cast<std::size_t>(bytes.size())}, name));
    const QFileInfo info(path);
    return TaskFile{{std::move(spec), info.absolutePath()}, info.absoluteFilePath()};
}

/// The undo command of the form: changes the task from one state to another.
class EditDraft : public QUndoCommand {
public:
    EditDraft(TaskDraft& draft, DraftState after, const QString& text, std::string field)
        : QUndoCommand(text),
          draft_(draft),
          before_(draft.state_),
          after_(std::move(after)),
          field_(std::move(field)),
          typing_(draft.typing_),
          shown_before_{draft.document_.model(), draft.document_.split()} {}

    int id() const override { return field_.empty() ? -1 : 1; }
    bool mergeWith(const QUndoCommand* other) override {
        const auto& next = static_cast<const EditDraft&>(*other);  // safe, because both commands have the same id()
        if (next.field_ != field_ || next.typing_ != typing_) return false;
        after_ = next.after_;
        setObsolete(before_ == after_);
        return true;
    }
    void undo() override {
        if (changes_model()) shown_after_ = {draft_.document_.model(), draft_.document_.split()};
        draft_.apply(before_, changes_model() ? std::optional(shown_before_) : std::nullopt);
    }
    void redo() override { draft_.apply(after_, std::exchange(shown_after_, std::nullopt)); }

private:
    bool changes_model() const {
        return !(source_of(before_.spec, before_.folder) == source_of(after_.spec, after_.folder));
    }

    TaskDraft& draft_;
    DraftState before_, after_;
    std::string field_;
    std::uint64_t typing_;
    Shown shown_before_;
    std::optional<Shown> shown_after_;  ///< set at the first undo; unknown before, since the model is read after the
                                        ///< edit
};

TaskDraft::TaskDraft(GraphDocument& document, QObject* parent)
    : QObject(parent), document_(document), state_{fresh_task(), QDir::homePath()} {
    connect(&document_.undo_stack(), &QUndoStack::cleanChanged, this, &TaskDraft::stateChanged);
}

void TaskDraft::open(TaskFile file) {
    state_ = std::move(file.state);
    path_ = std::move(file.path);
    exception_ = file.exception;
    end_typing();
    Q_EMIT specChanged();
    Q_EMIT stateChanged();
}

void TaskDraft::edit(task::TaskSpec spec, UnreadTexts unread, const QString& text, const std::string& field) {
    DraftState after{std::move(spec), state_.folder, std::move(unread)};
    if (after == state_) return;
    document_.settle();
    document_.undo_stack().push(new EditDraft(*this, std::move(after), text, field));  // the stack owns it
}

void TaskDraft::apply(const DraftState& state, const std::optional<Shown>& shown) {
    state_ = state;
    if (shown && shown->model != document_.model()) document_.show(shown->model, shown->split);
    Q_EMIT specChanged();
}

bool TaskDraft::is_sensitive(const std::string& pattern) const {
    const auto& patterns = state_.spec.split.sensitive;
    return std::find(patterns.begin(), patterns.end(), pattern) != patterns.end();
}

void TaskDraft::set_sensitive(const std::string& pattern, bool sensitive) {
    if (is_sensitive(pattern) == sensitive) return;
    task::TaskSpec spec = state_.spec;
    if (sensitive) spec.split.sensitive.push_back(pattern);
    else std::erase(spec.split.sensitive, pattern);
    edit(std::move(spec), sensitive ? tr("Mark as sensitive") : tr("Mark as not sensitive"));
}

task::TaskSpec TaskDraft::with_split() const {
    task::TaskSpec spec = state_.spec;
    if (!document_.model() || document_.split().as_in_task) return spec;
    // The plan on screen replaces the split that the file requests.
    static_cast<search::SegmentationRequest&>(spec.split) = {};
    spec.split.segments.clear();
    spec.split.sensitive = state_.spec.split.sensitive;
    spec.split.together = state_.spec.split.together;
    if (document_.painting()) {
        spec.split.strategy = "block";
        spec.split.segments = listed(*document_.model(), *document_.painting());
        spec.place.stages.clear();  // each segment contains its node, so the list is not needed
        return spec;
    }
    spec.split.cuts = document_.cut_names();
    spec.split.stages = spec.split.cuts.empty() ? 1 : 0;
    spec.split.least_stages = spec.split.most_stages = 0;
    return spec;
}

QString TaskDraft::text() const { return QString::fromStdString(task::print_task(with_split())); }

Result<void> TaskDraft::save(const QString& path) {
    document_.settle();
    const QString folder = QFileInfo(path).absolutePath();
    task::TaskSpec spec = with_split();
    rebase_paths(spec, state_.folder, folder);
    const QByteArray bytes = QByteArray::fromStdString(edited_task(text_of_file(path_), spec));
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        return Error{ErrorCode::failed, "cannot write: " + file.errorString().toStdString(), path.toStdString(),
                     "choose another folder or free some space"};
    state_.spec = std::move(spec);
    state_.folder = folder;
    path_ = QFileInfo(path).absoluteFilePath();
    end_typing();
    document_.undo_stack().setClean();
    Q_EMIT specChanged();
    Q_EMIT stateChanged();
    return {};
}

std::string TaskDraft::resolved(const std::string& path) const { return resolve(path, state_.folder); }

ModelSource TaskDraft::wanted_model() const { return source_of(state_.spec, state_.folder); }

}  // namespace divisi::model

#include "moc_task_draft.cpp"
