// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QJsonObject>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <optional>
#include <utility>
#include <vector>

#include "app/model/documents/graph_document.h"
#include "app/model/documents/task_draft.h"

namespace divisi::model {

/// Records the open task and its undo steps as texts, so that they survive the end of the program. Each step is
/// recorded as the task's complete text after the step, so no undo command needs to be known. If undoing a step leads
/// to other cuts than the previous text has, those cuts are recorded too.
class EditHistory : public QObject {
    Q_OBJECT
public:
    /// Maximum number of recorded steps, the newest ones. The state before them is the start of the history.
    static constexpr int most_steps = 200;
    /// Maximum size of the recorded texts. A task with 10,000 painted operators has 500 KB and is written every few
    /// seconds.
    static constexpr qsizetype most_bytes = 4 << 20;

    EditHistory(TaskDraft& draft, GraphDocument& document, QObject* parent = nullptr);

    /// Returns whether there is anything to record: a model, a task's file, or changes.
    bool open() const;
    /// Records changes made without an undo step (opened tasks, search results). Otherwise this happens by itself after
    /// the event that changed something.
    void take();
    /// Returns everything in the form that kept_task() and replay() accept.
    QJsonObject json();

Q_SIGNALS:
    void changed();

private:
    struct Step {
        QString label, text;
        QString folder;                   ///< base of relative paths in the text
        std::optional<QStringList> back;  ///< cuts that undoing the step leads to, if they differ from those before it
    };
    void follow(int index);
    std::optional<QStringList> back_of(int index) const;
    void note();
    std::pair<int, int> kept_range(int index) const;

    TaskDraft& draft_;
    GraphDocument& document_;
    std::vector<Step> steps_;  ///< by index of the undo stack; the first has no label
    QTimer later_;
    bool stale_ = false;  ///< the recorded text at the current index is outdated
};

/// Returns the task with which a recorded history starts. Fails if this is no history, or one of a newer version.
Result<TaskFile> kept_task(const QJsonObject& kept);
/// Replays the steps of the history. The task of kept_task() must be open with its model. Steps that show another model
/// are skipped, together with those beyond them. Returns the number of replayed steps.
std::size_t replay(const QJsonObject& kept, TaskDraft& draft, GraphDocument& document);

}  // namespace divisi::model
