// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDockWidget>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

#include "app/shell/presenting/guide.h"

namespace divisi::shell {

/// Shows a guided scenario beside the views: what to do now, and whether it is done. A finished step is marked as done
/// and remains until the user presses Next. The guide runs an action only if the user presses "Do it for me".
class GuideDock : public QDockWidget {
    Q_OBJECT
public:
    /// `guide` must outlive this object.
    explicit GuideDock(Guide& guide, QWidget* parent = nullptr);

    /// Returns the index of the shown step; -1 if no scenario is under way.
    int step() const { return guide_.steps().step(); }
    bool done() const { return guide_.steps().done(); }
    /// Hides the dock if `aside` is true, because presenter mode shows the guide. Otherwise, shows the dock again if it
    /// was visible before and the guide is still active. If the dock is not shown again, ends the scenario.
    void stand_aside(bool aside);

protected:
    void changeEvent(QEvent* event) override;

private:
    void build();
    void refresh();

    Guide& guide_;
    bool aside_ = false;
    bool shown_before_ = false;  ///< whether the dock was visible before stand_aside(true)
    QLabel *title_, *count_, *step_title_, *note_, *where_, *state_, *why_not_;
    QPushButton *do_, *back_, *next_;
    QToolButton* close_;
};

}  // namespace divisi::shell
