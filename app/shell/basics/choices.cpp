// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/basics/choices.h"

#include <QStringList>
#include <algorithm>

namespace divisi::shell {

namespace {

const QString unsaved_key = QStringLiteral("choices/unsaved"), tasks_key = QStringLiteral("choices/tasksAtClose");

/// Names of UnsavedChoice, in the order of its enumerators.
const QStringList& unsaved_words() {
    static const QStringList words{QStringLiteral("ask"), QStringLiteral("save"), QStringLiteral("discard")};
    return words;
}
const QStringList& tasks_words() {
    static const QStringList words{QStringLiteral("ask"), QStringLiteral("wait"), QStringLiteral("stop")};
    return words;
}

qsizetype place_of(const QSettings& settings, const QString& key, const QStringList& words) {
    return std::max(qsizetype{0}, words.indexOf(settings.value(key).toString()));
}

}  // namespace

UnsavedChoice Choices::unsaved() const {
    return static_cast<UnsavedChoice>(place_of(settings_, unsaved_key, unsaved_words()));
}

TasksChoice Choices::tasks() const { return static_cast<TasksChoice>(place_of(settings_, tasks_key, tasks_words())); }

void Choices::set(UnsavedChoice choice) {
    settings_.setValue(unsaved_key, unsaved_words()[static_cast<qsizetype>(choice)]);
}

void Choices::set(TasksChoice choice) { settings_.setValue(tasks_key, tasks_words()[static_cast<qsizetype>(choice)]); }

}  // namespace divisi::shell
