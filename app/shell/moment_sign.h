// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QToolButton>
#include <functional>
#include <vector>

#include "app/model/time_cursor.h"

namespace divisi::shell {

/// Which moment views show, now or another one, and a menu that pauses, goes back, plays at some speed and returns.
class MomentSign : public QToolButton {
    Q_OBJECT
public:
    /// The cursor outlives it.
    explicit MomentSign(model::TimeCursor& cursor, QWidget* parent = nullptr);

    /// Stands still, or runs on from where it stands.
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
