// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QToolButton>
#include <functional>
#include <vector>

#include "app/model/tracking/time_cursor.h"

namespace divisi::shell {

/// Shows the displayed time, and has a menu to pause, go back, play at a chosen speed, and return to now.
class TimeCursorButton : public QToolButton {
    Q_OBJECT
public:
    /// `cursor` must outlive this object.
    explicit TimeCursorButton(model::TimeCursor& cursor, QWidget* parent = nullptr);

    /// Pauses the cursor, or resumes it from its position.
    static void toggle(model::TimeCursor& cursor);

    QSize sizeHint() const override;

protected:
    void changeEvent(QEvent* event) override;

private:
    QAction* offer(const char* name, std::function<void()> what);
    void refresh();
    void retranslate();

    model::TimeCursor& cursor_;
    QAction *toggle_, *back_, *live_;
    std::vector<QAction*> speeds_;
};

}  // namespace divisi::shell
