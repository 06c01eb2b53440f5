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
/// recorded as the complete text of the task after the step, so the recorder need not know the undo commands. If
/// undoing a step leads to other cuts than the cuts in the previous text, these other cuts are recorded too.
class EditHistory : public QObject {
    Q_OBJECT
public:
    /// Maximum number of steps in json(), besides the state before the first one. Undone steps are dropped first.
    static constexpr int most_steps = 200;
    /// Maximum size of the recorded texts. A task with 10,000 painted operators has 500 KB and is written every few
    /// seconds.
    static constexpr qsizetype most_bytes = 4 << 20;

    EditHistory(TaskDraft& draft, GraphDocument& document, QObject* parent = nullptr);

    /// Returns whether there is anything to record: a model, a task's file, or changes.
    bool open() const;
    /// Records changes made without an undo step (opened tasks, search results) immediately. Otherwise, every change is
    /// recorded automatically after the event that caused it.
    void take();
    /// Returns the history in the form that kept_task() and replay() read.
    QJsonObject json();

Q_SIGNALS:
    void changed();

private:
    struct Step {
        QString label, text;
        QString folder;                   ///< base of relative paths in the text
        std::optional<QStringList> back;  ///< cuts to which undoing the step leads, if not those of the previous text
    };
    void follow(int index);
    std::optional<QStringList> back_of(int index) const;
    void note();
    std::pair<int, int> kept_range(int index) const;

    TaskDraft& draft_;
    GraphDocument& document_;
    std::vector<Step> steps_;  ///< steps by index of the undo stack; the first has no label
    QTimer later_;
    bool stale_ = false;  ///< whether the recorded text at the current index is outdated
};

/// Returns the task from which replay() starts. Fails if `kept` is not a history, or if a version with another format
/// wrote it.
Result<TaskFile> kept_task(const QJsonObject& kept);
/// Replays only the steps around the current step, in both directions, up to the first step that shows another model.
/// The task of kept_task() must be open with its model. Returns the number of replayed steps.
std::size_t replay(const QJsonObject& kept, TaskDraft& draft, GraphDocument& document);

}  // namespace divisi::model
