// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/keeping/stored_output.h"

#include <string>
#include <utility>
#include <vector>

#include "agents/instance/keeping/files.h"
#include "backend/control/protocol/instance_messages.h"
#include "backend/onnx/skeleton.h"
#include "backend/store/tensor_file.h"

namespace divisi::instance {
namespace {

Result<void> keep(const std::filesystem::path& file, const std::filesystem::path& blobs,
                  control::WeightsStored& stored) {
    DIVISI_ASSIGN(KeptFile kept, keep_as_blob(file, blobs));
    stored.hash = std::move(kept.hash);
    stored.path = std::move(kept.path);
    return {};
}

}  // namespace

Result<control::WeightsStored> store_weights(const task::CompiledPlan& plan, const segment::Executor* executor,
                                             const std::filesystem::path& folder, const std::filesystem::path& blobs) {
    control::WeightsStored stored;
    stored.step = plan.spec.train.steps;
    if (!executor) return stored;
    std::vector<store::NamedTensor> tensors;
    const graph::Graph& graph = plan.graph();
    for (const std::int32_t initializer : executor->initializers()) {
        DIVISI_ASSIGN(graph::HostTensor tensor, executor->read(initializer));
        const graph::ValueIndex value = graph.initializers[static_cast<std::size_t>(initializer)].value;
        tensors.push_back({graph.values[static_cast<std::size_t>(value)].name, std::move(tensor)});
    }
    const std::filesystem::path file = folder / ("weights-" + std::to_string(stored.step) + ".sqlite");
    DIVISI_ASSIGN(stored.size, store::write_tensors(file, tensors));
    DIVISI_TRY(keep(file, blobs, stored));
    return stored;
}

Result<control::WeightsStored> store_results(std::optional<std::int64_t> step, const std::filesystem::path& folder,
                                             const std::filesystem::path& blobs) {
    control::WeightsStored stored;
    if (!step) return stored;
    const std::filesystem::path file = folder / results_name;
    stored.step = *step;
    stored.size = static_cast<Bytes>(std::filesystem::file_size(file));
    stored.results = true;
    DIVISI_TRY(keep(file, blobs, stored));
    return stored;
}

segment::WeightReader weight_reader(std::shared_ptr<const task::CompiledPlan> plan, const control::Deploy& deploy,
                                    const std::filesystem::path& blobs) {
    control::Deploy where;  // without the model, which may be large
    where.files = deploy.files;
    where.folder = deploy.folder;
    return [plan = std::move(plan), where = std::move(where),
            blobs](const graph::Initializer& initializer) -> Result<graph::HostTensor> {
        DIVISI_ASSIGN(const std::string file, local_path(where, blobs, "weights", ""));
        const graph::Graph& graph = plan->graph();
        return onnx::read_weight(graph, static_cast<std::size_t>(&initializer - graph.initializers.data()), file);
    };
}

}  // namespace divisi::instance
