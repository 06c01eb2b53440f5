// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QLabel>
#include <QPushButton>

#include "app/shell/guide.h"

namespace divisi::shell {

/// The guided scenario below the views of presenter mode: the step's title, what to do, whether it is done, and how
/// many there are. Its last step stays: who presents goes on by a key once too often.
class GuideStrip : public QFrame {
    Q_OBJECT
public:
    /// `guide` outlives it. Hidden until set_wanted().
    explicit GuideStrip(Guide& guide, QWidget* parent = nullptr);

    /// Shown while a scenario is under way, as long as it is wanted.
    void set_wanted(bool wanted);

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;

private:
    void refresh();
    void hold_height();

    Guide& guide_;
    bool wanted_ = false;
    QLabel *count_, *title_, *state_, *note_, *why_not_;
    QPushButton *do_, *back_, *next_;
};

}  // namespace divisi::shell
