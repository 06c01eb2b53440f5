// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QToolButton>
#include <vector>

#include "backend/base/ids.h"

namespace divisi::charts {

/// A button whose menu offers other tasks to compare with. Stores which of these tasks are chosen.
class CompareMenu : public QToolButton {
    Q_OBJECT
public:
    explicit CompareMenu(QWidget* parent = nullptr);

    /// Offers these tasks. All other tasks are no longer chosen.
    void offer(const std::vector<TaskId>& tasks);
    const std::vector<TaskId>& chosen() const { return chosen_; }
    void choose(const std::vector<TaskId>& tasks);
    /// Names the button in the current language. The entries of the menu are named by the next offer().
    void retranslate();

Q_SIGNALS:
    /// The user has chosen other tasks.
    void chosenChanged();

private:
    void choose_by_user(const std::vector<TaskId>& tasks);
    void show_name();

    std::vector<TaskId> chosen_;
};

}  // namespace divisi::charts
