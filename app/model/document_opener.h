// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>

#include "app/model/model_loader.h"
#include "app/model/planning.h"
#include "app/model/price_board.h"
#include "app/model/task_draft.h"

namespace divisi::model {

/// Opens models and tasks, and keeps the model on screen the one that the task names. Document and draft change only
/// once the model has been read, both at once; what cannot be opened changes nothing.
class DocumentOpener : public QObject {
    Q_OBJECT
public:
    DocumentOpener(GraphDocument& document, TaskDraft& draft, PriceBoard& prices, PlanningService& planning,
                   QObject* parent = nullptr);

    ModelLoader& loader() { return loader_; }
    /// A model with a fresh task of its own. Where nothing is open yet, the task that was begun takes it.
    void open_model(const ModelSource& source);
    void open_task(const QString& path);
    /// The task of an exception, which lies in no file here; its relative paths start from `folder`. `name` is only
    /// for messages.
    void open_failed(std::uint64_t exception, const QString& text, const QString& folder, const QString& name);
    /// A task that was kept when the program ended; opened() says that it is on screen.
    void open_kept(TaskFile file) { load(Purpose::task, std::move(file)); }
    /// A fresh task for the model on screen.
    void new_task();
    void close();
    /// Reads the model that the task names now, though none is open: somebody chose it in the form.
    void show_chosen();
    /// Ends what is being read or planned.
    void cancel();
    /// Drops the split that an opened task asks for, while it is being planned: somebody asks for another one.
    void forget_split() { line_.cancel(); }

Q_SIGNALS:
    void reading(const QString& title);  ///< what was asked to be opened
    void done();                         ///< read, failed or cancelled
    void opened();                       ///< a task is on screen, with its model
    void failed(const QString& message);

private:
    enum class Purpose {
        none,
        model,    ///< with a fresh task
        task,     ///< of a file
        version,  ///< the one that the task on screen names now
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
    PlanningLine line_;  ///< of the split that an opened task asks for
};

}  // namespace divisi::model
