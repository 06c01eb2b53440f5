// SPDX-License-Identifier: Apache-2.0
#include "backend/task/model_source.h"

#include "backend/graph/attention.h"
#include "backend/graph/shapes.h"
#include "backend/graph/zoo.h"
#include "backend/task/compile.h"
#include "backend/task/error_texts.h"

namespace divisi::task {
namespace {

/// Returns the sizes that the task gives to symbols, and the batch size for every first axis that is still open.
graph::Bindings bindings_of(const TaskSpec& spec, const graph::Graph& model) {
    graph::Bindings bindings(spec.model.symbols.begin(), spec.model.symbols.end());
    for (const graph::ValueIndex input : model.inputs) {
        const graph::Value& value = model.values[static_cast<std::size_t>(input)];
        if (!value.shape || value.shape->empty() || value.shape->front().known()) continue;
        const std::string& symbol = value.shape->front().symbol;
        bindings.try_emplace(symbol.empty() ? value.name + ".0" : symbol, microbatch_size(spec));
    }
    return bindings;
}

Result<void> check_samples_of_batch(const TaskSpec& spec, const graph::Graph& model) {
    for (const graph::ValueIndex input : model.inputs) {
        const graph::Value& value = model.values[static_cast<std::size_t>(input)];
        if (!value.shape || value.shape->empty() || !value.shape->front().known()) continue;
        const std::int64_t fixed = value.shape->front().size;
        if (fixed == microbatch_size(spec)) continue;
        return make_error(error_text("model-of-fixed-batch"), "model input '" + value.name + "'",
                          {std::to_string(fixed), std::to_string(microbatch_size(spec)),
                           std::to_string(fixed * spec.train.microbatches), value.name});
    }
    return {};
}

}  // namespace

Result<graph::Graph> load_model(const TaskSpec& spec, const ModelReader& read) {
    const bool begins = begins_with_version(spec);
    if (!begins && !spec.model.from.empty())
        return make_error(error_text("version-needs-cluster"), "model.from", {spec.model.from});
    if (!spec.model.zoo.empty() && !begins)
        return graph::build_zoo(spec.model.zoo, spec.model.sizes, microbatch_size(spec));
    DIVISI_ASSIGN(graph::Graph model, read());
    DIVISI_TRY(check_samples_of_batch(spec, model));
    DIVISI_TRY(graph::infer_shapes(model, bindings_of(spec, model)));
    graph::fuse_attention(model);
    return model;
}

std::string resolve_path(const std::string& folder, const std::string& path) {
    if (path.starts_with(node_prefix)) return path.substr(std::string_view(node_prefix).size());
    if (path.empty() || path[0] == '/') return path;
    return folder.empty() ? path : folder + "/" + path;
}

std::string results_file(const TaskSpec& spec, const std::string& folder) {
    const std::string& given = spec.batch.output;
    return resolve_path(folder, given.empty() ? spec.task.name + "-results.csv" : given);
}

}  // namespace divisi::task
