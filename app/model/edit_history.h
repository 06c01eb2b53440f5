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

#include "app/model/graph_document.h"
#include "app/model/task_draft.h"

namespace divisi::model {

/// The task that is open and the undo steps that led to it, as texts: what outlives the program. A step is kept as the
/// task's whole text after it, so that it needs to know nothing of the commands; where undoing it leads elsewhere than
/// to the text before it, with the cuts that it leads to.
class EditHistory : public QObject {
    Q_OBJECT
public:
    /// The newest steps; older ones are the state that the history begins with.
    static constexpr int most_steps = 200;
    /// Texts that are kept: a task with 10,000 painted operators has 500 KB, and is written every few seconds.
    static constexpr qsizetype most_bytes = 4 << 20;

    EditHistory(TaskDraft& draft, GraphDocument& document, QObject* parent = nullptr);

    /// Whether there is anything to keep: a model, a task's file, changes.
    bool open() const;
    /// Takes down what was changed without an undo step (what is opened, what a search has found); by itself it does so
    /// when the event that changed it is over.
    void take();
    /// Everything, in the form that kept_task() and replay() take.
    QJsonObject json();

Q_SIGNALS:
    void changed();

private:
    struct Step {
        QString label, text;
        QString folder;                   ///< that relative paths in the text start from
        std::optional<QStringList> back;  ///< cuts that undoing it leads to, where they are others than those before it
    };
    void follow(int index);
    std::optional<QStringList> back_of(int index) const;
    void note();
    std::pair<int, int> kept_range(int index) const;

    TaskDraft& draft_;
    GraphDocument& document_;
    std::vector<Step> steps_;  ///< of each index of the undo stack; the first has no label
    QTimer later_;
    bool stale_ = false;  ///< the text at the current index is another than the last one that was noted
};

/// The task that a kept history begins with. Fails on what is no history, or on one of a newer version.
Result<TaskFile> kept_task(const QJsonObject& kept);
/// Makes the steps of the history again, on the task of kept_task(), which is open now with its model. Steps that show
/// another model are left out, with those before or after them. Returns how many steps there are.
std::size_t replay(const QJsonObject& kept, TaskDraft& draft, GraphDocument& document);

}  // namespace divisi::model
