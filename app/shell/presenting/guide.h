// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include "app/model/documents/graph_document.h"
#include "app/shell/basics/actions.h"
#include "app/shell/presenting/step_control.h"

namespace divisi::shell {

/// Runs a guided scenario: checks whether the current step is done, and draws a frame around the action of the step.
/// Other classes show the scenario: the dock, and in presenter mode the strip and the speaker's notes.
class Guide : public QObject {
    Q_OBJECT
public:
    /// All arguments must outlive this object; `client` may be null.
    Guide(Actions& actions, model::GraphDocument& document, client::Client* client, QObject* parent = nullptr);

    /// Starts the named scenario at its first step. Does nothing if the name is unknown.
    void begin(const QString& scenario);
    /// Goes to the next step; after the last step, ends the scenario.
    void next() { go(control_.step() + 1); }
    void back() { go(control_.step() - 1); }
    void end() { go(-1); }
    /// Stops checking the step, because the guide is hidden. Only begin() makes the guide active again.
    void pause();
    /// Returns whether a scenario is under way and shown.
    bool active() const { return active_ && control_.under_way(); }
    const StepControl& steps() const { return control_; }
    /// Returns the seconds since the scenario began; 0 before the first scenario.
    qint64 seconds() const { return since_.isValid() ? since_.elapsed() / 1000 : 0; }

    /// Returns the action of the shown step; null if the step has none.
    QAction* action() const;
    /// Returns where the action is, such as "Menu Task: Run task (F5)"; empty without an action.
    QString where_text() const;
    /// Returns what prevents the step and what to do, as a sentence; empty if nothing prevents it or the step is done.
    QString why_not() const;
    /// Returns whether the guide can run the action for the reader now.
    bool can_do() const;
    void do_action();
    /// Returns "Done", "Not done yet", or nothing if the step has no condition.
    QString state_text() const;
    /// Reloads the scenario in the window's language.
    void retranslate();

Q_SIGNALS:
    /// A scenario has begun and should be shown.
    void begun();
    /// The step, its state or the language has changed, or the scenario has ended.
    void changed();

private:
    void go(int step);
    void refresh();
    void mark_action(bool on);
    GuideFacts facts() const;

    Actions& actions_;
    model::GraphDocument& document_;
    client::Client* client_;
    QString name_;
    StepControl control_;
    bool active_ = false;
    std::size_t links_cut_ = 0;
    QElapsedTimer since_;  ///< time since the scenario began
    QTimer tick_;
};

}  // namespace divisi::shell
