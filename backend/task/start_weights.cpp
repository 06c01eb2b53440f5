// SPDX-License-Identifier: Apache-2.0
#include "backend/task/start_weights.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "backend/task/error_texts.h"
#include "backend/task/validate.h"

namespace divisi::task {
namespace {

using graph::Graph;
using graph::Initializer;
using graph::Value;

/// Maximum number of differences that are listed individually. Models of different sizes differ in every weight.
constexpr std::size_t most_told = 4;

const Value& value_of(const Graph& graph, const Initializer& initializer) {
    return graph.values[static_cast<std::size_t>(initializer.value)];
}

/// Returns floating initializers by name. Other initializers are shapes and indices, which follow from the batch.
std::map<std::string_view, const Initializer*> weights_of(const Graph& graph) {
    std::map<std::string_view, const Initializer*> weights;
    for (const Initializer& initializer : graph.initializers) {
        const Value& value = value_of(graph, initializer);
        if (graph::is_floating(value.dtype)) weights.emplace(value.name, &initializer);
    }
    return weights;
}

std::string shape_text(const Value& value) {
    std::string text;
    for (const graph::Dim& dim : value.shape.value_or(graph::Shape{}))
        text += (text.empty() ? "" : ", ") + (dim.known() ? std::to_string(dim.size) : dim.symbol);
    return std::string(graph::name(value.dtype)) + " [" + text + "]";
}

bool alike(const Value& a, const Value& b) {
    const auto same_size = [](const graph::Dim& one, const graph::Dim& other) { return one.size == other.size; };
    return a.dtype == b.dtype && a.shape && b.shape && std::ranges::equal(*a.shape, *b.shape, same_size);
}

std::string told(const std::vector<std::string>& differences) {
    std::string text;
    for (std::size_t i = 0; i < differences.size() && i < most_told; ++i) text += (i == 0 ? "" : "; ") + differences[i];
    if (differences.size() > most_told) text += "; and " + std::to_string(differences.size() - most_told) + " more";
    return text;
}

}  // namespace

Result<void> check_start(const TaskSpec& spec, const Graph& model, const Graph& trained, const std::string& version) {
    // Ignore heads that the task drops: weights that only these heads read are not trained in either model.
    DIVISI_ASSIGN(const plan::BranchedModel needed, trained_model(spec, model));
    const auto there = weights_of(trained), here = weights_of(model);
    std::vector<std::string> differences;
    for (const auto& [name, initializer] : weights_of(needed.graph)) {
        if (!initializer->trainable && !initializer->random) continue;  // a constant of the model
        const Value& mine = value_of(needed.graph, *initializer);
        const auto found = there.find(name);
        if (found == there.end()) differences.push_back("the version lacks '" + mine.name + "'");
        else if (const Value& theirs = value_of(trained, *found->second); !alike(mine, theirs))
            differences.push_back("'" + mine.name + "' is " + shape_text(theirs) + " in the version and " +
                                  shape_text(mine) + " in the task");
    }
    for (const auto& [name, initializer] : there)
        if (initializer->trainable && !here.contains(name))
            differences.push_back("the task lacks '" + std::string(name) + "'");
    if (differences.empty()) return {};
    return make_error(error_text("version-of-other-model"), "model.from", {version, told(differences)});
}

Result<void> start_with(const TaskSpec& spec, Graph& model, const Graph& trained, const std::string& version) {
    DIVISI_TRY(check_start(spec, model, trained, version));
    const auto there = weights_of(trained);
    for (Initializer& initializer : model.initializers) {
        const Value& value = value_of(model, initializer);
        const auto found = there.find(value.name);
        if (found == there.end() || !found->second->data || !alike(value, value_of(trained, *found->second))) continue;
        initializer.data = found->second->data;
        initializer.random.reset();
        initializer.offset.reset();
    }
    return {};
}

}  // namespace divisi::task
