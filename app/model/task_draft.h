// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <map>
#include <optional>
#include <string>

#include "app/model/graph_document.h"
#include "backend/task/task_spec.h"

namespace divisi::model {

/// Text in a form that cannot be read as its field's value, by key.
using UnreadTexts = std::map<std::string, QString>;

/// A task as it is written: what an undo step of the form changes.
struct DraftState {
    task::TaskSpec spec;
    QString folder;  ///< that its relative paths start from
    UnreadTexts unread = {};
    bool operator==(const DraftState&) const = default;
};

/// A task file that was read.
struct TaskFile {
    DraftState state;
    QString path;                 ///< absolute; empty for one that lies in no file here
    std::uint64_t exception = 0;  ///< the exception whose task it is; 0: none
};
/// Fails with file and line.
Result<TaskFile> read_task_file(const QString& path);

/// The task that is being written: a spec and the file it came from. Cuts and painted segments live in the graph
/// document and join the spec when it is saved or run. Edits are undo steps on the document's stack.
class TaskDraft : public QObject {
    Q_OBJECT
public:
    explicit TaskDraft(GraphDocument& document, QObject* parent = nullptr);

    const task::TaskSpec& spec() const { return state_.spec; }
    const UnreadTexts& unread() const { return state_.unread; }
    /// Relative paths of the spec start here.
    const QString& folder() const { return state_.folder; }
    /// Of the task's file; empty before it was saved.
    const QString& path() const { return path_; }
    /// The exception whose task was opened to be run again; 0: none.
    std::uint64_t exception() const { return exception_; }
    /// Whether something has changed since it was opened or saved: fields, cuts, segments.
    bool modified() const { return !document_.undo_stack().isClean(); }

    /// Replaces the task by one that was opened, or by a fresh one without a file. The document opens its model next,
    /// which forgets the undo steps.
    void open(TaskFile file);
    void open(DraftState state, const QString& path) { open(TaskFile{std::move(state), path}); }
    /// One undo step, named by what it changes; without a difference none. Steps of one `field` in a row are one, until
    /// end_typing(). Where the model section changes, undoing brings back the model and split that were shown.
    void edit(task::TaskSpec spec, const QString& text, const std::string& field = {}) {
        edit(std::move(spec), state_.unread, text, field);
    }
    void edit(task::TaskSpec spec, UnreadTexts unread, const QString& text, const std::string& field = {});
    void end_typing() { ++typing_; }

    /// Whether operators of this name or pattern ("/scope/*") stay on secure nodes, and to change that.
    bool is_sensitive(const std::string& pattern) const;
    void set_sensitive(const std::string& pattern, bool sensitive);

    /// Writes spec and cuts or painted segments, whole or not at all; of a task that has a file, what is the same stays
    /// as it is written there, comments too. Relative paths keep their files when the folder changes.
    Result<void> save(const QString& path);
    /// The task as save() would write it.
    task::TaskSpec with_split() const;
    QString text() const;

    /// What the model section asks for, with the sizes of one micro-batch.
    ModelSource wanted_model() const;
    /// Whether the document shows the model that the task names.
    bool shows_model() const { return document_.model() && document_.model()->source == wanted_model(); }
    std::string resolved(const std::string& path) const;

Q_SIGNALS:
    void specChanged();   ///< editors read it anew
    void stateChanged();  ///< path or modified

private:
    friend class EditDraft;
    /// Shows `state`, and with it a model where there is one to go back to.
    void apply(const DraftState& state, const std::optional<Shown>& shown);

    GraphDocument& document_;
    DraftState state_;
    QString path_;
    std::uint64_t exception_ = 0;
    std::uint64_t typing_ = 0;
};

/// What the model section of a task asks for, with the sizes of one micro-batch; its file relative to `folder`.
ModelSource source_of(const task::TaskSpec& spec, const QString& folder);

/// The same files, named from another folder.
void rebase_paths(task::TaskSpec& spec, const QString& from, const QString& to);

/// The spec of a fresh task: small enough to run on a laptop in a minute.
task::TaskSpec fresh_task();
/// The same for a model, named like it.
task::TaskSpec fresh_task(const ModelSource& source);

}  // namespace divisi::model
