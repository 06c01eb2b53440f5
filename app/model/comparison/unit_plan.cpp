// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/comparison/unit_plan.h"

#include "app/client/refusal_text.h"
#include "backend/task/compile.h"

namespace divisi::model {

void UnitPlan::show() {
    const ModelPtr model = document_.model();
    if (!model) {
        leave();
        return units_.clear(
            UnitGraph::tr("Task units appear here; before a run, the units of the plan. Open a model to see them."));
    }
    line_.ask(
        [model, spec = draft_.with_split()](const JobContext& context) -> Result<plan::TaskGraph> {
            task::CompileOptions options;
            options.stop = [&] { return context.cancelled(); };
            DIVISI_ASSIGN(task::CompiledPlan plan, task::compile(spec, model->graph, options));
            return std::move(plan.task_graph);
        },
        [this](const Result<plan::TaskGraph>& graph) {
            if (graph.ok()) units_.show_plan(*graph);
            else units_.clear(UnitGraph::tr("The task has no plan: %1").arg(client::quoted(graph.error())));
        });
}

}  // namespace divisi::model
