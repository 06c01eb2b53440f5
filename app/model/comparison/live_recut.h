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

/// Compares the document with a task that trains by it: what the cuts on screen would mean for the task, and the re-cut
/// to them. Nothing is re-cut before confirm().
///
/// If the task gets another plan, a document that showed the old one follows. A completed re-cut is one undo step of
/// the document: undoing it offers the previous cuts, that is, the reverse re-cut. Tasks are re-cut independently:
/// while one re-cut is being prepared, others can be requested.
class LiveRecut : public QObject {
    Q_OBJECT
public:
    enum class Stage {
        none,     ///< no task trains by this model, or its cuts equal those in force
        offered,  ///< the cuts differ from those in force, and the user is not moving a cut
        asked,    ///< the cluster is preparing the re-cut
        done,
        refused,   ///< the cuts were restored
        advising,  ///< the cluster is looking for better cuts
        advised,   ///< the cluster has found better cuts, or says why not
    };

    LiveRecut(GraphDocument& document, TaskDraft& draft, PriceBoard& prices, client::Client* client,
              QObject* parent = nullptr);

    void show_task(const TaskId& task);
    const TaskId& task() const { return task_; }
    /// Returns the cuts that the task trains by; empty if it does not train by cuts of the open model.
    const std::optional<Cuts>& in_force() const { return in_force_; }
    Stage stage() const;
    /// Returns what the shown cuts, including those of a gesture, would mean for the task: stages, step time, stall,
    /// and bytes to transfer. Empty if they are the cuts in force.
    QStringList notes() const;
    /// Returns the outcome of the last re-cut, or why it was refused.
    const QString& outcome() const { return outcome_; }
    /// Returns why the re-cut cannot be confirmed from here; empty if it can.
    QString why_not() const;

    /// Returns the cluster's advice, requested or unsolicited; null if there is none, or if it has expired.
    const control::RecutAdvice* advice() const;
    /// Returns the advice in words, or why there is none.
    QString advice_note() const;
    bool advice_failed() const { return !advice_problem_.isEmpty(); }
    /// Returns whether the advised cuts belong to the open model and can be shown there.
    bool can_show_advice() const;
    /// Returns whether a task is training for which advice can be requested now.
    bool can_ask_advice() const { return why_no_advice().isEmpty(); }
    /// Returns why advice cannot be requested; empty if it can.
    QString why_no_advice() const;
    void ask_advice();
    /// Shows the advised cuts as an undo step. A re-cut to them is then offered as usual.
    void show_advice();
    /// Re-cuts the task as advised.
    void apply_advice();

    void confirm();
    /// Restores the cuts in force as an undo step.
    void back();
    /// Stops offering the shown cuts, which the user wants for another task, or hides the outcome of the last re-cut or
    /// advice.
    void dismiss();

Q_SIGNALS:
    void changed();
    /// The requested advice has arrived: `note` is the advice in words, or says why there is none.
    void advised(const QString& note);
    /// Reports the outcome of a re-cut requested here, even for a task that is no longer followed. `shown`: outcome()
    /// returns it, until something else is to be shown.
    void told(const QString& outcome, bool refused, bool shown);

private:
    /// Everything that determines the cuts in force.
    struct Force {
        ModelPtr model;
        std::string plan, text, folder;
        bool operator==(const Force&) const = default;
    };
    /// A requested re-cut without an answer yet.
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
    std::optional<Cuts> in_force_;  ///< none if the task does not train by cuts of the open model
    /// The training section of the task. Prices on screen apply to the task only while the form has the same section.
    task::TrainSection training_;
    double step_ms_ = 0;  ///< predicted step time of the cuts in force; 0: unknown yet
    std::map<TaskId, Asked> asked_;
    Stage concluded_ = Stage::none;  ///< done or refused, while outcome_ is shown
    QString outcome_;
    std::optional<Cuts> dismissed_;
    std::optional<double> stall_ms_;  ///< stall of the task's last re-cut from here
    bool asks_advice_ = false, had_advice_ = false;
    std::optional<control::RecutAdvice> answer_;            ///< answer to the advice requested here, while it is shown
    std::optional<control::RecutAdvice> dismissed_advice_;  ///< unsolicited advice that the user dismissed
    QString advice_problem_;  ///< why the requested advice was not given, while it is shown
};

}  // namespace divisi::model
