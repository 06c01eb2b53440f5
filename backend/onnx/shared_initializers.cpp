// SPDX-License-Identifier: Apache-2.0
#include "backend/onnx/shared_initializers.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace divisi::onnx {
namespace {

using graph::Graph;
using graph::no_node;
using graph::no_value;
using graph::Node;
using graph::NodeIndex;
using graph::ValueIndex;

struct VectorSlots {
    std::string_view op_type;
    std::uint32_t slots;  ///< one bit per input slot that takes a scale or bias
};

constexpr std::array vector_slots{
    VectorSlots{"Add", 0b11},
    VectorSlots{"BatchNormalization", 0b110},
    VectorSlots{"Conv", 0b100},
    VectorSlots{"ConvTranspose", 0b100},
    VectorSlots{"Gemm", 0b100},
    VectorSlots{"GroupNormalization", 0b110},
    VectorSlots{"InstanceNormalization", 0b110},
    VectorSlots{"LayerNormalization", 0b110},
    VectorSlots{"Mul", 0b11},
    VectorSlots{"RMSNormalization", 0b10},
};

bool takes_vector(const Node& node, std::size_t slot) {
    return std::any_of(vector_slots.begin(), vector_slots.end(), [&](const VectorSlots& entry) {
        return entry.op_type == node.op_type && slot < 32 && (entry.slots >> slot & 1U) != 0;
    });
}

bool is_uniform_vector(const Graph& graph, const graph::Initializer& initializer) {
    const auto& value = graph.values[initializer.value];
    if (!initializer.data || !graph::is_floating(value.dtype) || initializer.data->dims.size() != 1) return false;
    const auto bytes = initializer.data->bytes();
    const auto width = static_cast<std::size_t>(graph::element_size(value.dtype));
    // If the data equals itself shifted by one element, all elements are equal.
    return bytes.size() > width && std::memcmp(bytes.data(), bytes.data() + width, bytes.size() - width) == 0;
}

class Separator {
public:
    Separator(Graph& graph, std::span<const std::int32_t> constants)
        : graph_(graph), separable_(graph.initializers.size()), origins_(graph.initializers.size()) {
        for (std::size_t i = 0; i < separable_.size(); ++i) {
            separable_[i] = is_uniform_vector(graph, graph.initializers[i]);
            origins_[i] = static_cast<std::int32_t>(i);
        }
        for (const std::int32_t constant : constants) separable_[constant] = false;
        for (const auto& value : graph.values) names_.insert(value.name);
    }

    Result<Origins> run() {
        for (Node& node : graph_.nodes)
            for (std::size_t slot = 0; slot < node.inputs.size(); ++slot) separate(node, slot);
        if (!changed_) return origins_;
        std::erase_if(graph_.nodes, [&](const Node& node) {
            return node.op_type == "Identity" && node.outputs[0] != no_value && graph_.is_initializer(node.outputs[0]);
        });
        DIVISI_TRY(graph_.canonicalize());
        return origins_;
    }

private:
    /// Returns the initializer behind a chain of Identity nodes, or -1.
    std::int32_t initializer_behind(ValueIndex value) const {
        while (value != no_value && graph_.values[value].initializer < 0) {
            const NodeIndex producer = graph_.values[value].producer;
            if (producer == no_node || graph_.nodes[producer].op_type != "Identity") return -1;
            value = graph_.nodes[producer].inputs[0];
        }
        return value == no_value ? -1 : graph_.values[value].initializer;
    }

    void separate(Node& node, std::size_t slot) {
        const bool statistics = node.op_type == "BatchNormalization" && (slot == 3 || slot == 4);
        if (!statistics && !takes_vector(node, slot)) return;
        const ValueIndex used = node.inputs[slot];
        const std::int32_t source = initializer_behind(used);
        if (source < 0 || (!statistics && !separable_[source])) return;
        changed_ = true;
        if (graph_.initializers[source].value != used) return replace_identity(source, used);
        const bool written_and_shared = statistics && graph_.values[used].consumers.size() > 1;
        if (!written_and_shared && taken_.insert(used).second) return;
        node.inputs[slot] = copy(source, node.name);
    }

    /// Turns the output of an Identity into an initializer with the name of that output. All its readers then read the
    /// initializer.
    void replace_identity(std::int32_t source, ValueIndex used) {
        graph::Initializer initializer = graph_.initializers[source];
        const graph::Value original = graph_.values[initializer.value];
        graph::Value& value = graph_.values[used];
        value.dtype = original.dtype;
        value.shape = original.shape;
        value.initializer = static_cast<std::int32_t>(graph_.initializers.size());
        initializer.value = used;
        origins_.push_back(value.initializer);
        separable_.push_back(false);
        graph_.initializers.push_back(std::move(initializer));
    }

    ValueIndex copy(std::int32_t source, const std::string& reader) {
        const graph::Initializer initializer = graph_.initializers[source];
        const graph::Value original = graph_.values[initializer.value];
        std::string name = original.name + "@" + reader;
        while (!names_.insert(name).second) name += "'";
        origins_.push_back(source);
        separable_.push_back(separable_[source]);
        return graph_.add_initializer(name, initializer, original.dtype, *original.shape);
    }

    Graph& graph_;
    std::vector<bool> separable_;  ///< indexed by initializer
    Origins origins_;
    std::unordered_set<std::string> names_;
    std::unordered_set<ValueIndex> taken_;  ///< values that already have a first use; that use keeps the initializer
    bool changed_ = false;
};

}  // namespace

Result<Origins> separate_shared_initializers(Graph& graph, std::span<const std::int32_t> constants) {
    return Separator(graph, constants).run();
}

}  // namespace divisi::onnx
