// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>

#include "app/model/documents/model_loader.h"
#include "app/model/documents/task_draft.h"
#include "app/model/estimates/planning.h"
#include "app/model/estimates/price_board.h"

namespace divisi::model {

/// Opens models and tasks, and keeps the shown model equal to the model that the task names. Document and draft change
/// together, and only after the model was read. If opening fails, nothing changes.
class DocumentOpener : public QObject {
    Q_OBJECT
public:
    DocumentOpener(GraphDocument& document, TaskDraft& draft, PriceBoard& prices, PlanningService& planning,
                   QObject* parent = nullptr);

    ModelLoader& loader() { return loader_; }
    /// Opens a model with a fresh task. If no model is open yet, a task with edits gets this model.
    void open_model(const ModelSource& source);
    void open_task(const QString& path);
    /// Opens the task of an exception; the task has no file on this machine. Its relative paths are relative to
    /// `folder`. `name` is used only in messages.
    void open_failed(std::uint64_t exception, const QString& text, const QString& folder, const QString& name);
    /// Opens a task that was saved when the program ended; opened() reports that it is shown.
    void open_kept(TaskFile file) { load(Purpose::task, std::move(file)); }
    /// Creates a fresh task for the current model.
    void new_task();
    void close();
    /// Reads the model that the user chose in the form, even if no model is open yet.
    void show_chosen();
    /// Cancels the current reading or planning.
    void cancel();
    /// Cancels the planning of an opened task's split, because the user requests a different split.
    void forget_split() { line_.cancel(); }

Q_SIGNALS:
    void reading(const QString& title);  ///< reading has started
    void done();                         ///< reading has ended: done, failed or cancelled
    void opened();                       ///< a task is shown with its model
    void failed(const QString& message);

private:
    enum class Purpose {
        none,
        model,    ///< to open a model with a fresh task
        task,     ///< to open a task from a file, of an exception, or of the last session
        version,  ///< to show the model that the open task names now
    };
    void load(Purpose purpose, TaskFile opening);
    Purpose end();
    void follow();
    void take(const ModelPtr& model);
    void take_fresh(const ModelPtr& model);
    void take_task(const ModelPtr& model);
    void take_version(const ModelPtr& model);
    void plan_split(const ModelPtr& model);

    GraphDocument& document_;
    TaskDraft& draft_;
    PriceBoard& prices_;
    ModelLoader loader_;
    Purpose purpose_ = Purpose::none;
    TaskFile opening_;
    QTimer follow_timer_;
    PlanningLine line_;  ///< plans the split of an opened task
};

}  // namespace divisi::model
