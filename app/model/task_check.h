// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <map>
#include <string>

#include "app/model/planning.h"
#include "app/model/task_draft.h"

namespace divisi::model {

/// Messages by "section.key", or by a place that no field has.
using Problems = std::map<std::string, QString>;

/// What is wrong with the task on screen. Its values are checked at once; its files, and what the model says, are
/// looked at beside the GUI thread: until that is known, what was known last stands.
class TaskCheck : public QObject {
    Q_OBJECT
public:
    TaskCheck(TaskDraft& draft, GraphDocument& document, PlanningService& planning, QObject* parent = nullptr);

    Problems problems() const;
    /// Whether files and model are still being looked at.
    bool busy() const { return line_.busy(); }
    /// Looks again, as after each edit; for messages in another language, too.
    void check();

Q_SIGNALS:
    void changed();

private:
    TaskDraft& draft_;
    GraphDocument& document_;
    Problems at_once_, beside_;
    PlanningLine line_;
};

}  // namespace divisi::model
