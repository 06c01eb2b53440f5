// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <map>
#include <string>

#include "app/model/documents/task_draft.h"
#include "app/model/estimates/planning.h"

namespace divisi::model {

/// Error messages by the key of their field, such as "section.key", or by another location if no field has the error.
using Problems = std::map<std::string, QString>;

/// Finds errors in the open task. Its values are checked immediately. Its files, and the model's requirements, are
/// checked on a worker thread; until that is done, the previous result remains.
class TaskCheck : public QObject {
    Q_OBJECT
public:
    TaskCheck(TaskDraft& draft, GraphDocument& document, PlanningService& planning, QObject* parent = nullptr);

    Problems problems() const;
    /// Returns whether files and model are still being checked.
    bool busy() const { return line_.busy(); }
    /// Checks again. Called after each edit, and to get the messages in another language.
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
