// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/model/documents/task_draft.h"
#include "app/model/estimates/planning.h"
#include "app/model/tracking/unit_graph.h"

namespace divisi::model {

/// Shows the units of the open task: the units of its plan, which a worker thread compiles.
class UnitPlan {
public:
    UnitPlan(TaskDraft& draft, GraphDocument& document, UnitGraph& units, PlanningService& planning)
        : draft_(draft), document_(document), units_(units), line_(planning) {}

    /// Shows the units once they are known; for a task that cannot run, shows the reason.
    void show();
    /// Cancels a pending show(), because the view shows something else now.
    void leave() { line_.cancel(); }

private:
    TaskDraft& draft_;
    GraphDocument& document_;
    UnitGraph& units_;
    PlanningLine line_;
};

}  // namespace divisi::model
