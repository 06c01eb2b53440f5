// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDockWidget>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

#include "app/shell/guide.h"

namespace divisi::shell {

/// A guided scenario beside the views: what to do now, and whether it was done. It goes on by itself when a step is
/// done, and does nothing by itself but on "Do it for me".
class GuideDock : public QDockWidget {
    Q_OBJECT
public:
    /// `guide` outlives it.
    explicit GuideDock(Guide& guide, QWidget* parent = nullptr);

    /// Of the step that is shown; -1: no scenario is under way.
    int step() const { return guide_.steps().step(); }
    bool done() const { return guide_.steps().done(); }
    /// Hidden while something else shows the guide; then back with the scenario that it showed before. One that began
    /// meanwhile ends.
    void stand_aside(bool aside);

protected:
    void changeEvent(QEvent* event) override;

private:
    void build();
    void refresh();

    Guide& guide_;
    bool aside_ = false;
    bool shown_before_ = false;  ///< as it went aside
    QLabel *title_, *count_, *step_title_, *note_, *where_, *state_, *why_not_;
    QPushButton *do_, *back_, *next_;
    QToolButton* close_;
};

}  // namespace divisi::shell
