// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QLabel>
#include <QPushButton>

#include "app/shell/presenting/guide.h"

namespace divisi::shell {

/// Shows the guided scenario below the views of presenter mode: the step's title, what to do, whether it is done, and
/// the number of steps. The last step remains visible if the key for the next step is pressed again, because presenters
/// often press the key once too often.
class GuideStrip : public QFrame {
    Q_OBJECT
public:
    /// `guide` must outlive this object. Hidden until set_wanted().
    explicit GuideStrip(Guide& guide, QWidget* parent = nullptr);

    /// Sets whether the strip is shown while a scenario is under way.
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
