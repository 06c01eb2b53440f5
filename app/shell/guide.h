// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include "app/model/graph_document.h"
#include "app/shell/actions.h"
#include "app/shell/step_control.h"

namespace divisi::shell {

/// The guided scenario that is under way: watches whether its step is done, and frames the action that the step is
/// about. What shows it is beside: the dock, and the strip and the speaker's notes of presenter mode.
class Guide : public QObject {
    Q_OBJECT
public:
    /// All outlive it; `client` may be null.
    Guide(Actions& actions, model::GraphDocument& document, client::Client* client, QObject* parent = nullptr);

    /// Opens at the first step of a scenario, by its name; does nothing without one of it.
    void begin(const QString& scenario);
    /// The next step; after the last the scenario ends.
    void next() { go(control_.step() + 1); }
    void back() { go(control_.step() - 1); }
    void end() { go(-1); }
    /// Nobody looks at it any more: it is not watched until the next begins.
    void pause();
    /// A scenario is under way, and somebody looks at it.
    bool active() const { return active_ && control_.under_way(); }
    const StepControl& steps() const { return control_; }
    /// Since the scenario began; 0 before the first.
    qint64 seconds() const { return since_.isValid() ? since_.elapsed() / 1000 : 0; }

    /// Of the step that is shown; null: it is about none.
    QAction* action() const;
    /// "Menu Task: Run task (F5)"; empty without an action.
    QString where_text() const;
    /// What is in the way of the step, as a sentence with what to do; empty: nothing is, or it is done.
    QString why_not() const;
    /// Whether the action can be done for the reader now.
    bool can_do() const;
    void do_action();
    /// "Done", "Not done yet", or nothing where a step waits for nothing.
    QString state_text() const;
    /// Takes the scenario in the language of the window.
    void retranslate();

Q_SIGNALS:
    /// A scenario begins: it is to be shown.
    void begun();
    /// Another step, another language, or the step is done; without a scenario under way it has ended.
    void changed();

private:
    void go(int step);
    void look();
    void mark_action(bool on);
    GuideFacts facts() const;

    Actions& actions_;
    model::GraphDocument& document_;
    client::Client* client_;
    QString name_;
    StepControl control_;
    bool active_ = false;
    std::size_t links_cut_ = 0;
    QElapsedTimer since_;  ///< it began
    QTimer tick_;
};

}  // namespace divisi::shell
