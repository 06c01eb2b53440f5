// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSettings>

namespace divisi::shell {

/// The treatment of unsaved changes that would be lost.
enum class UnsavedChoice { ask, save, discard };
/// The treatment of the tasks of the window's own cluster when the window closes.
enum class TasksChoice { ask, wait, stop };

/// Stores in the settings the user's permanent answers to questions. An unknown answer means that the question is
/// asked.
class Choices {
public:
    explicit Choices(QSettings& settings) : settings_(settings) {}

    UnsavedChoice unsaved() const;
    TasksChoice tasks() const;
    void set(UnsavedChoice choice);
    void set(TasksChoice choice);

private:
    QSettings& settings_;
};

}  // namespace divisi::shell
