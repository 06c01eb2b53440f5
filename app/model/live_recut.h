// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QStringList>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/client/client.h"
#include "app/model/price_board.h"

namespace divisi::model {

/// The document beside a task that trains by it: what the cuts on screen would be to the task, and the re-cut to them.
/// Nothing is re-cut before confirm(). Where the task gets another plan, a document that showed the old one follows. A
/// re-cut that is done is one undo step of the document, so that undoing it offers the cuts before, and so the reverse
/// re-cut. Each task is re-cut by itself: one that is prepared keeps no other task from being asked for.
class LiveRecut : public QObject {
    Q_OBJECT
public:
    enum class Stage {
        none,     ///< no task trains by this model, or the cuts are those in force
        offered,  ///< the cuts are others, and no gesture is under way
        asked,    ///< the cluster prepares it
        done,
        refused,   ///< the cuts were put back
        advising,  ///< the cluster looks for better cuts
        advised,   ///< it has found some, or says why not
    };

    LiveRecut(GraphDocument& document, TaskDraft& draft, PriceBoard& prices, client::Client* client,
              QObject* parent = nullptr);

    void show_task(const TaskId& task);
    const TaskId& task() const { return task_; }
    /// By which the task trains; none where it does not train by cuts of the model on screen.
    const std::optional<Cuts>& in_force() const { return in_force_; }
    Stage stage() const;
    /// What the cuts on screen, those of a gesture too, would be to the task: stages, step time, stall, bytes to bring.
    /// Empty where they are the cuts in force.
    QStringList notes() const;
    /// What came of the last re-cut, or why it was refused.
    const QString& outcome() const { return outcome_; }
    /// Why it cannot be confirmed from here; empty where it can.
    QString why_not() const;

    /// What the cluster advises, on request or by itself; null where there is none, or none any more.
    const control::RecutAdvice* advice() const;
    /// The advice in words, or why there is none.
    QString advice_note() const;
    bool advice_failed() const { return !advice_problem_.isEmpty(); }
    /// The advised cuts are of the model on screen, so that they can be shown there.
    bool can_show_advice() const;
    /// A task trains whose cuts can be thought over now.
    bool can_ask_advice() const { return why_no_advice().isEmpty(); }
    /// Why advice cannot be asked for; empty where it can.
    QString why_no_advice() const;
    void ask_advice();
    /// The advised cuts on screen, as an undo step: offered as any others are.
    void show_advice();
    /// Re-cuts the task as advised.
    void apply_advice();

    void confirm();
    /// Back to the cuts in force, as an undo step.
    void back();
    /// Stops offering the cuts on screen, which are meant for another task, or showing what came of the last re-cut, or
    /// advice.
    void dismiss();

Q_SIGNALS:
    void changed();
    /// What was asked for is answered: the advice in words, or why there is none.
    void advised(const QString& note);
    /// What came of a re-cut that was asked for here, also of a task that is not followed any more. `shown`: outcome()
    /// has it, until something else is to be shown.
    void told(const QString& outcome, bool refused, bool shown);

private:
    /// What the cuts in force are found from.
    struct Force {
        ModelPtr model;
        std::string plan, text, folder;
        bool operator==(const Force&) const = default;
    };
    /// A re-cut that is not answered yet.
    struct Asked {
        ModelPtr model;  ///< of the cuts; null where it was not on screen
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
    std::optional<Cuts> in_force_;  ///< none where the task does not train by cuts of the model on screen
    /// What the task trains: prices on screen are its prices while the form says the same.
    task::TrainSection training_;
    double step_ms_ = 0;  ///< predicted of the cuts in force; 0: not known yet
    std::map<TaskId, Asked> asked_;
    Stage concluded_ = Stage::none;  ///< done or refused, while outcome_ is shown
    QString outcome_;
    std::optional<Cuts> dismissed_;
    std::optional<double> stall_ms_;  ///< of the last re-cut of the task from here
    bool asks_advice_ = false, had_advice_ = false;
    std::optional<control::RecutAdvice> answer_;            ///< to what was asked here, while it is shown
    std::optional<control::RecutAdvice> dismissed_advice_;  ///< that the cluster gave by itself
    QString advice_problem_;                                ///< why what was asked was not answered, while it is shown
};

}  // namespace divisi::model
