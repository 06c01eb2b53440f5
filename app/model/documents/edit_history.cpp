// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/documents/edit_history.h"

#include <QJsonArray>
#include <algorithm>
#include <optional>
#include <utility>

#include "app/model/documents/task_split.h"
#include "backend/task/parse.h"

namespace divisi::model {

namespace {

constexpr int history_version = 1;

/// Returns the task's model without its batch size, because the batch size does not change the operators. When the task
/// is opened, the model is read again with the batch size.
ModelSource graph_of(const task::TaskSpec& spec, const QString& folder) {
    ModelSource source = source_of(spec, folder);
    source.batch = 0;
    return source;
}

/// The range of steps that can be replayed one after another: all steps around `index` that show the same model.
struct Range {
    int first = 0, last = 0;
};

/// Parses a step's task. Its relative paths start from `folder`, as the task may have been saved elsewhere since.
Result<task::TaskSpec> spec_of(const QJsonValue& step, const QString& folder) {
    DIVISI_ASSIGN(task::TaskSpec spec,
                  task::parse_task(step[QStringLiteral("text")].toString().toStdString(), "the kept task"));
    const QString own = step[QStringLiteral("folder")].toString(folder);
    if (own != folder) rebase_paths(spec, own, folder);
    return spec;
}

Range same_model(const QJsonArray& steps, int index, const QString& folder) {
    const Result<task::TaskSpec> now = spec_of(steps[index], folder);
    const auto shows_it = [&](int at) {
        const Result<task::TaskSpec> spec = spec_of(steps[at], folder);
        return now.ok() && spec.ok() && graph_of(*spec, folder) == graph_of(*now, folder);
    };
    Range range{index, index};
    while (range.first > 0 && shows_it(range.first - 1)) --range.first;
    while (range.last + 1 < steps.size() && shows_it(range.last + 1)) ++range.last;
    return range;
}

int index_of(const QJsonObject& kept) {
    const auto count = static_cast<int>(kept[QStringLiteral("steps")].toArray().size());
    return std::clamp(kept[QStringLiteral("index")].toInt(), 0, std::max(0, count - 1));
}

/// Returns the split that is written in the text: a list of cuts, or no cuts. Returns none if the text only requests a
/// search, because the split was not known when the text was written.
std::optional<Split> said_split(const task::TaskSpec& spec, const GraphDocument& document) {
    if (!document.model()) return std::nullopt;
    if (split_source(spec.split) != SplitSource::listed)
        return spec.split.strategy == "layer" && spec.split.stages == 1 ? std::optional(Split()) : std::nullopt;
    Result<Split> split = listed_split(spec, *document.model());
    return split.ok() ? std::optional(*std::move(split)) : std::nullopt;
}

/// Returns the cuts that undoing the step leads to, if the step records them.
std::optional<Cuts> said_back(const QJsonValue& step, const GraphDocument& document) {
    const QJsonValue said = step[QStringLiteral("back")];
    if (!said.isArray() || !document.model()) return std::nullopt;
    std::vector<std::string> names;
    const QVariantList list = said.toArray().toVariantList();
    for (const QVariant& name : list) names.push_back(name.toString().toStdString());
    Result<Cuts> cuts = document.find_cuts(names);
    return cuts.ok() ? std::optional(*std::move(cuts)) : std::nullopt;
}

/// Replays one step of the history as an undo step.
void make_step(const task::TaskSpec& spec, const QJsonValue& step, TaskDraft& draft, GraphDocument& document) {
    const QString label = step[QStringLiteral("label")].toString();
    document.undo_stack().beginMacro(label);
    if (const std::optional<Split> split = said_split(spec, document)) {
        std::optional<Cuts> back = said_back(step, document);
        if (back) document.record_split({*std::move(back), {}}, *split, label);
        else document.set_split(*split, label);
    }
    if (!(draft.with_split() == spec)) draft.edit(spec, label);
    document.undo_stack().endMacro();
}

}  // namespace

EditHistory::EditHistory(TaskDraft& draft, GraphDocument& document, QObject* parent)
    : QObject(parent), draft_(draft), document_(document) {
    later_.setSingleShot(true);
    later_.setInterval(0);
    connect(&later_, &QTimer::timeout, this, &EditHistory::take);
    connect(&document_.undo_stack(), &QUndoStack::indexChanged, this, &EditHistory::follow);
    connect(&document_, &GraphDocument::modelChanged, this, &EditHistory::note);
    connect(&document_, &GraphDocument::cutsChanged, this, &EditHistory::note);
    connect(&draft_, &TaskDraft::specChanged, this, &EditHistory::note);
    connect(&draft_, &TaskDraft::stateChanged, this, &EditHistory::note);
    follow(document_.undo_stack().index());
}

bool EditHistory::open() const { return document_.model() || draft_.modified() || !draft_.path().isEmpty(); }

/// Updates the recorded steps from the undo stack. Each step is recorded with the text of the task after it.
void EditHistory::follow(int index) {
    const QUndoStack& stack = document_.undo_stack();
    steps_.resize(static_cast<std::size_t>(stack.count()) + 1);
    Step& step = steps_[static_cast<std::size_t>(index)];
    if (index > 0) step.label = stack.text(index - 1);
    step.text = draft_.text();
    step.folder = draft_.folder();
    step.back = back_of(index);
    stale_ = false;
    Q_EMIT changed();
}

std::optional<QStringList> EditHistory::back_of(int index) const {
    const Split* back = index > 0 && document_.model() ? document_.way_back(index - 1) : nullptr;
    if (!back) return std::nullopt;
    QStringList names;
    for (const std::string& name : document_.names_of(back->cuts)) names << QString::fromStdString(name);
    return names;
}

/// Records a change without an undo step, such as a search result or a file name. Ignores previews, which change with
/// every pointer movement and are not states of the task.
void EditHistory::note() {
    if (document_.previewing()) return;
    stale_ = true;
    later_.start();  // the stack updates its index only after the undo command has run
    Q_EMIT changed();
}

void EditHistory::take() {
    later_.stop();
    if (stale_) follow(document_.undo_stack().index());
}

/// Returns the range of steps to keep around the current step. If there are too many steps, undone steps are dropped
/// first.
std::pair<int, int> EditHistory::kept_range(int index) const {
    qsizetype bytes = 0;
    const auto fits = [&](int at) {
        bytes += steps_[static_cast<std::size_t>(at)].text.size();
        return bytes <= most_bytes;
    };
    int first = index, last = index;
    while (first > 0 && index - first < most_steps && fits(first - 1)) --first;
    while (last + 1 < static_cast<int>(steps_.size()) && last - first < most_steps && fits(last + 1)) ++last;
    return {first, last};
}

QJsonObject EditHistory::json() {
    const QUndoStack& stack = document_.undo_stack();
    const int index = stack.index();
    take();
    const auto [first, last] = kept_range(index);
    QJsonArray steps;
    for (int at = first; at <= last; ++at) {
        const Step& step = steps_[static_cast<std::size_t>(at)];
        QJsonObject kept{{QStringLiteral("label"), step.label}, {QStringLiteral("text"), step.text}};
        if (step.folder != draft_.folder()) kept[QStringLiteral("folder")] = step.folder;
        if (step.back) kept[QStringLiteral("back")] = QJsonArray::fromStringList(*step.back);
        steps.append(kept);
    }
    return {{QStringLiteral("version"), history_version},
            {QStringLiteral("path"), draft_.path()},
            {QStringLiteral("folder"), draft_.folder()},
            {QStringLiteral("exception"), QString::number(draft_.exception())},
            {QStringLiteral("steps"), steps},
            {QStringLiteral("index"), index - first},
            {QStringLiteral("clean"), stack.cleanIndex() - first}};
}

Result<TaskFile> kept_task(const QJsonObject& kept) {
    if (kept[QStringLiteral("version")].toInt() != history_version)
        return Error{ErrorCode::invalid_input, "another version of the console wrote it", "the kept task",
                     "open it with that version"};
    const QJsonArray steps = kept[QStringLiteral("steps")].toArray();
    if (steps.isEmpty())
        return Error{ErrorCode::invalid_input, "it contains no task", "the kept task", "open a task file"};
    TaskFile file;
    file.state.folder = kept[QStringLiteral("folder")].toString();
    file.path = kept[QStringLiteral("path")].toString();
    file.exception = kept[QStringLiteral("exception")].toString().toULongLong();
    DIVISI_ASSIGN(file.state.spec,
                  spec_of(steps[same_model(steps, index_of(kept), file.state.folder).first], file.state.folder));
    return file;
}

std::size_t replay(const QJsonObject& kept, TaskDraft& draft, GraphDocument& document) {
    const QJsonArray steps = kept[QStringLiteral("steps")].toArray();
    const int index = index_of(kept), clean = kept[QStringLiteral("clean")].toInt(-1);
    const Range range = same_model(steps, index, draft.folder());
    QUndoStack& stack = document.undo_stack();
    if (clean != range.first) stack.resetClean();
    int made = 0;
    for (int at = range.first + 1; at <= range.last; ++at) {
        const Result<task::TaskSpec> spec = spec_of(steps[at], draft.folder());
        if (!spec.ok()) break;
        make_step(*spec, steps[at], draft, document);
        ++made;
        if (at == clean) stack.setClean();
    }
    stack.setIndex(std::min(index - range.first, made));
    return static_cast<std::size_t>(made);
}

}  // namespace divisi::model

#include "moc_edit_history.cpp"
