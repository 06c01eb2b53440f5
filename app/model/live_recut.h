// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QStringList>
#include <optional>

#include "app/client/client.h"
#include "app/model/price_board.h"

namespace divisi::model {

/// The document beside a task that trains by it: what the cuts on screen would be to the task, and the re-cut to them.
/// Nothing is re-cut before confirm(). Where the task gets another plan, a document that showed the old one follows.
class LiveRecut : public QObject {
    Q_OBJECT
public:
    enum class Stage {
        none,     ///< no task trains by this model, or the cuts are those in force
        offered,  ///< the cuts are others, and no gesture is under way
        asked,    ///< the cluster prepares it
        done,
        refused,  ///< the cuts were put back
    };

    LiveRecut(GraphDocument& document, TaskDraft& draft, PriceBoard& prices, client::Client* client,
              QObject* parent = nullptr);

    void show_task(const TaskId& task);
    const TaskId& task() const { return task_; }
    Stage stage() const;
    /// What the cuts on screen, those of a gesture too, would be to the task: stages, step time, stall, bytes to bring.
    /// Empty where they are the cuts in force.
    QStringList notes() const;
    /// What came of the last re-cut, or why it was refused.
    const QString& outcome() const { return outcome_; }
    /// Why it cannot be confirmed from here; empty where it can.
    QString why_not() const;

    void confirm();
    /// Back to the cuts in force, as an undo step.
    void back();
    /// Stops offering the cuts on screen, which are meant for another task, or showing what came of the last re-cut.
    void dismiss();

Q_SIGNALS:
    void changed();

private:
    /// What the cuts in force are found from.
    struct Force {
        ModelPtr model;
        std::string plan, text, folder;
        bool operator==(const Force&) const = default;
    };
    const control::TaskView* live() const;
    void refresh();
    std::optional<Cuts> cuts_in_force(const control::TaskView& task);
    void cuts_changed();
    void take_done(const TaskId& task, const control::RecutDone& done);
    void take_refused(const TaskId& task, const QString& why);
    void conclude(Stage stage, const QString& outcome);
    void remember_step();
    QString step_note() const;
    QString stall_note(const control::TaskView& task) const;
    QString bring_note(const control::TaskView& task) const;

    GraphDocument& document_;
    TaskDraft& draft_;
    PriceBoard& prices_;
    client::Client* client_;
    TaskId task_;
    Force force_;
    std::optional<Cuts> in_force_;  ///< none where the task does not train by cuts of the model on screen
    /// What the task trains: prices on screen are its prices while the form says the same.
    task::TrainSection training_;
    double step_ms_ = 0;  ///< predicted of the cuts in force; 0: not known yet
    std::optional<TaskId> asked_;
    Cuts asked_cuts_;
    Stage concluded_ = Stage::none;  ///< done or refused, while outcome_ is shown
    QString outcome_;
    std::optional<Cuts> dismissed_;
    std::optional<double> stall_ms_;  ///< of the last re-cut of the task from here
};

}  // namespace divisi::model
