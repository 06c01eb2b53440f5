// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDockWidget>
#include <QLabel>
#include <QPushButton>
#include <QTimer>

#include "app/model/graph_document.h"
#include "app/shell/actions.h"
#include "app/shell/scenario.h"

namespace divisi::shell {

/// A guided scenario beside the views: what to do now, and whether it was done. It goes on by itself when a step is
/// done, and does nothing by itself but on "Do it for me".
class GuideDock : public QDockWidget {
    Q_OBJECT
public:
    /// All outlive it; `client` may be null.
    GuideDock(Actions& actions, model::GraphDocument& document, client::Client* client, QWidget* parent = nullptr);

    /// Opens at the first step of a scenario, by its name.
    void begin(const QString& scenario);
    /// Of the step that is shown; -1: no scenario is under way.
    int step() const { return step_; }
    bool done() const { return done_; }

protected:
    void changeEvent(QEvent* event) override;

private:
    void build();
    void go(int step);
    void look();
    void refresh();
    void mark_action(bool on);
    GuideFacts facts() const;
    QAction* action() const;
    QString where_text(const QAction& action) const;

    Actions& actions_;
    model::GraphDocument& document_;
    client::Client* client_;
    QString name_;
    Scenario scenario_;
    int step_ = -1;
    bool done_ = false;  ///< what the step waits for has come
    GuideFacts before_;
    std::size_t links_cut_ = 0;
    QTimer tick_;
    QLabel *title_, *count_, *step_title_, *note_, *where_, *state_;
    QPushButton *do_, *back_, *next_;
};

}  // namespace divisi::shell
