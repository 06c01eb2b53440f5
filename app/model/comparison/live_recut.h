// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QStringList>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/client/client.h"
#include "app/model/estimates/price_board.h"

namespace divisi::model {

/// Compares the document with a task that trains its model. Reports the effects that the cuts on screen would have on
/// the task, and requests the re-cut to these cuts. A re-cut begins only after confirm() or apply_advice().
///
/// If the task gets another plan, a document that showed the old plan then shows the new one. A completed re-cut is one
/// undo step of the document. Undoing the step shows the previous cuts and thus offers the reverse re-cut. Tasks are
/// re-cut independently: while one re-cut is being prepared, others can be requested.
class LiveRecut : public QObject {
    Q_OBJECT
public:
    enum class Stage {
        none,     ///< no task trains this model, or the task's current cuts equal the shown cuts
        offered,  ///< the document's cuts differ from the task's current cuts; a cut being moved does not count
        asked,    ///< the cluster is preparing the re-cut
        done,
        refused,   ///< the re-cut was refused; if its cuts were still shown, the task's cuts were restored
        advising,  ///< the cluster is looking for better cuts
        advised,   ///< the cluster has found better cuts, or has given the reason why there are none
    };

    LiveRecut(GraphDocument& document, TaskDraft& draft, PriceBoard& prices, client::Client* client,
              QObject* parent = nullptr);

    void show_task(const TaskId& task);
    const TaskId& task() const { return task_; }
    /// Returns the cuts that the task trains with; empty if it does not train with cuts of the open model.
    const std::optional<Cuts>& in_force() const { return in_force_; }
    Stage stage() const;
    /// Returns the effects that the shown cuts, including cuts that a gesture moves, would have on the task: stages,
    /// step time, stall, and bytes to transfer. Empty if the shown cuts are the task's current cuts.
    QStringList notes() const;
    /// Returns the outcome of the last re-cut, or why it was refused.
    const QString& outcome() const { return outcome_; }
    /// Returns why the user cannot confirm the re-cut in this console; empty if confirm() is possible.
    QString why_not() const;

    /// Returns the advice of the cluster, whether requested or not; null if there is none, or if it has expired.
    const control::RecutAdvice* advice() const;
    /// Returns the advice in words, or why there is none.
    QString advice_note() const;
    bool advice_failed() const { return !advice_problem_.isEmpty(); }
    /// Returns whether the advised cuts belong to the open model and can be shown there.
    bool can_show_advice() const;
    /// Returns whether there is a training task for which advice can be requested now.
    bool can_ask_advice() const { return why_no_advice().isEmpty(); }
    /// Returns why advice cannot be requested; empty if it can.
    QString why_no_advice() const;
    void ask_advice();
    /// Shows the advised cuts as an undo step. A re-cut to these cuts is then offered as usual.
    void show_advice();
    /// Re-cuts the task as advised.
    void apply_advice();

    void confirm();
    /// Restores the current cuts of the task as an undo step.
    void back();
    /// Stops offering a re-cut to the shown cuts, or hides the outcome of the last re-cut or advice. The user may want
    /// the shown cuts for another task.
    void dismiss();

Q_SIGNALS:
    void changed();
    /// The requested advice has arrived: `note` is the advice in words, or says why there is none.
    void advised(const QString& note);
    /// Reports the outcome of a re-cut requested here, even for a task that is no longer followed. `shown`: outcome()
    /// returns this outcome until something newer is shown.
    void told(const QString& outcome, bool refused, bool shown);

private:
    /// The inputs from which the current cuts of the task are determined.
    struct Force {
        ModelPtr model;
        std::string plan, text, folder;
        bool operator==(const Force&) const = default;
    };
    /// A requested re-cut that has no answer yet.
    struct Asked {
        ModelPtr model;  ///< model of the cuts; null if it was not open
        Cuts before, cuts;
        std::vector<std::string> names_before;
    };
    void ask(const control::Recut& wanted, Asked asked);
    std::optional<Asked> take_asked(const TaskId& task);
    void record(const TaskId& task, const Asked& asked);
    const control::TaskView* running() const;
    const control::TaskView* live() const;
    Stage advice_stage() const;
    void take_advice(const TaskId& task, const std::optional<control::RecutAdvice>& advice, const QString& problem);
    void refresh();
    std::optional<Cuts> cuts_in_force(const control::TaskView& task);
    void cuts_changed();
    void take_done(const TaskId& task, const control::RecutDone& done);
    void take_refused(const TaskId& task, const QString& why);
    void conclude(Stage stage, const Cuts& asked, const QString& outcome);
    void remember_step();
    static QString way_back(const Asked& asked);
    QString step_note() const;
    QString stall_note(const control::TaskView& task) const;
    QString bring_note(const control::TaskView& task) const;

    GraphDocument& document_;
    TaskDraft& draft_;
    PriceBoard& prices_;
    client::Client* client_;
    TaskId task_;
    Force force_;
    std::optional<Cuts> in_force_;  ///< current cuts of the task; none if the task does not train with cuts of the open
                                    ///< model
    /// The [train] section of the task. Prices on screen apply to the task only if the form has the same section.
    task::TrainSection training_;
    double step_ms_ = 0;  ///< predicted step time of the current cuts; 0: not known yet
    std::map<TaskId, Asked> asked_;
    Stage concluded_ = Stage::none;  ///< `done` or `refused` while outcome_ is shown; otherwise `none`
    QString outcome_;
    std::optional<Cuts> dismissed_;
    std::optional<double> stall_ms_;  ///< stall of the task's last re-cut that this console requested
    bool asks_advice_ = false, had_advice_ = false;
    std::optional<control::RecutAdvice> answer_;            ///< answer to the advice requested here, while it is shown
    std::optional<control::RecutAdvice> dismissed_advice_;  ///< unsolicited advice that the user dismissed
    QString advice_problem_;  ///< why there is no requested advice; set while the reason is shown
};

}  // namespace divisi::model
