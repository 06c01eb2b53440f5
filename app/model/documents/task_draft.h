// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <map>
#include <optional>
#include <string>

#include "app/model/documents/graph_document.h"
#include "backend/task/task_spec.h"

namespace divisi::model {

/// Texts that the user typed into fields of the form and that are not valid values, by field key.
using UnreadTexts = std::map<std::string, QString>;

/// The values in the form of a task, which an undo step of the form changes.
struct DraftState {
    task::TaskSpec spec;
    QString folder;  ///< base of the task's relative paths
    UnreadTexts unread = {};
    bool operator==(const DraftState&) const = default;
};

/// The content of a task file.
struct TaskFile {
    DraftState state;
    QString path;                 ///< absolute path of the task file; empty if the task has no file on this machine
    std::uint64_t exception = 0;  ///< exception that the task belongs to; 0: none
};
/// Reads a task file. Errors name the file and line.
Result<TaskFile> read_task_file(const QString& path);

/// The task being edited: a spec and the file that it was read from. Cuts and painted segments are in the graph
/// document and are added to the spec when it is saved or run. Edits are undo steps on the document's stack.
class TaskDraft : public QObject {
    Q_OBJECT
public:
    explicit TaskDraft(GraphDocument& document, QObject* parent = nullptr);

    const task::TaskSpec& spec() const { return state_.spec; }
    const UnreadTexts& unread() const { return state_.unread; }
    /// Returns the folder that the spec's relative paths start from.
    const QString& folder() const { return state_.folder; }
    /// Returns the path of the task's file; empty before it was saved.
    const QString& path() const { return path_; }
    /// Returns the exception whose task was opened for resubmitting; 0: none.
    std::uint64_t exception() const { return exception_; }
    /// Returns whether fields, cuts or segments have changed since the task was opened or saved.
    bool modified() const { return !document_.undo_stack().isClean(); }

    /// Replaces the task by an opened one, or by a fresh one without a file. The caller must then open its model
    /// in the document, which clears the undo stack.
    void open(TaskFile file);
    void open(DraftState state, const QString& path) { open(TaskFile{std::move(state), path}); }
    /// Makes one undo step, named `text`. Makes no step if the task does not change. Consecutive steps of one `field`
    /// are merged until end_typing(). If the model section changes, undo restores the shown model and split.
    void edit(task::TaskSpec spec, const QString& text, const std::string& field = {}) {
        edit(std::move(spec), state_.unread, text, field);
    }
    void edit(task::TaskSpec spec, UnreadTexts unread, const QString& text, const std::string& field = {});
    void end_typing() { ++typing_; }

    /// Return and set whether operators with this name or pattern ("/scope/*") must stay on secure nodes.
    bool is_sensitive(const std::string& pattern) const;
    void set_sensitive(const std::string& pattern, bool sensitive);

    /// Writes the spec with its cuts or painted segments, completely or not at all. If the task has a file already,
    /// unchanged parts keep the text of that file, including comments. If the folder changes, relative paths are
    /// rewritten so that they name the same files.
    Result<void> save(const QString& path);
    /// Returns the task as save() would write it.
    task::TaskSpec with_split() const;
    QString text() const;

    /// Returns the model that the model section requests, with the sizes of one micro-batch.
    ModelSource wanted_model() const;
    /// Returns whether the document shows the model that the task names.
    bool shows_model() const { return document_.model() && document_.model()->source == wanted_model(); }
    std::string resolved(const std::string& path) const;

Q_SIGNALS:
    void specChanged();   ///< the task has changed, so editors must reload it
    void stateChanged();  ///< path() or modified() has changed

private:
    friend class EditDraft;
    /// Makes `state` the current state, and shows the model and split of `shown`, if given.
    void apply(const DraftState& state, const std::optional<Shown>& shown);

    GraphDocument& document_;
    DraftState state_;
    QString path_;
    std::uint64_t exception_ = 0;
    std::uint64_t typing_ = 0;
};

/// Returns the model that a task's model section requests, with the sizes of one micro-batch. Its file is relative to
/// `folder`.
ModelSource source_of(const task::TaskSpec& spec, const QString& folder);

/// Changes relative paths so that they lead to the same files from another folder.
void rebase_paths(task::TaskSpec& spec, const QString& from, const QString& to);

/// Returns the spec of a fresh task, which is small enough to run on a laptop in a minute.
task::TaskSpec fresh_task();
/// Returns a fresh task for a model, named after it.
task::TaskSpec fresh_task(const ModelSource& source);

}  // namespace divisi::model
