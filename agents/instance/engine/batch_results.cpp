// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/engine/batch_results.h"

#include <utility>

namespace divisi::instance {

Result<BatchResults> BatchResults::create(std::shared_ptr<const task::CompiledPlan> plan,
                                          const std::filesystem::path& file) {
    const task::BatchSection& batch = plan->spec.batch;
    const plan::TrainingGraph& graph = *plan->training;
    DIVISI_ASSIGN(Results results,
                  Results::create(file, graph.heads, graph.multi_task, batch.labels, batch.values == "outputs"));
    return BatchResults(std::move(plan), std::move(results));
}

Result<void> BatchResults::add(const std::vector<graph::HostTensor>& made, std::size_t outputs, std::int64_t samples) {
    std::size_t next = outputs;
    std::vector<HeadResult> heads;
    for (const plan::Head& head : plan_->training->heads) {
        HeadResult& result = heads.emplace_back();
        result.output = made[next++];
        if (head.label != graph::no_value) result.label = made[next++];
    }
    DIVISI_ASSIGN(scores_, results_.add(heads, samples));
    return {};
}

Result<std::optional<std::vector<Score>>> BatchResults::finish() {
    DIVISI_TRY(results_.close());
    if (!plan_->spec.batch.labels) return std::optional<std::vector<Score>>();
    return std::optional(results_.totals());
}

}  // namespace divisi::instance
