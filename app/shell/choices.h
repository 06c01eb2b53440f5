// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSettings>

namespace divisi::shell {

/// What becomes of changes that are not saved when they are in the way.
enum class UnsavedChoice { ask, save, discard };
/// What becomes of tasks of the window's own cluster when it closes.
enum class TasksChoice { ask, wait, stop };

/// Questions that a person has answered once and for all, in the settings; what is unknown there is to be asked.
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
