// SPDX-License-Identifier: Apache-2.0
#include "backend/onnx/trainable.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "backend/onnx/error_texts.h"

namespace divisi::onnx {
namespace {

using graph::Graph;
using graph::no_value;
using graph::Node;
using graph::ValueIndex;

enum class Use { never, unclear, mostly, surely };

struct Slots {
    std::string_view op_type;
    std::uint32_t never;       ///< bits of the input slots with the use `never`
    std::uint32_t surely;      ///< bits of the input slots with the use `surely`
    std::uint32_t mostly = 0;  ///< bits of the input slots with the use `mostly`
};

constexpr std::uint32_t all_slots = ~0U;

constexpr std::array slot_table{
    Slots{"BatchNormalization", 0b11000, 0, 0b00110},
    Slots{"Clip", 0b110, 0},
    Slots{"ConstantOfShape", all_slots, 0},
    Slots{"Conv", 0, all_slots},
    Slots{"ConvTranspose", 0, all_slots},
    Slots{"CumSum", 0b10, 0},
    Slots{"DequantizeLinear", 0b110, 0},
    Slots{"Dropout", 0b110, 0},
    Slots{"Einsum", 0, all_slots},
    Slots{"Equal", all_slots, 0},
    Slots{"GRU", 0b10000, 0b01110},
    Slots{"Gather", 0b10, 0b01},
    Slots{"Gemm", 0, all_slots},
    Slots{"Greater", all_slots, 0},
    Slots{"GreaterOrEqual", all_slots, 0},
    Slots{"GroupNormalization", 0, 0, 0b110},
    Slots{"InstanceNormalization", 0, 0, 0b110},
    Slots{"LSTM", 0b10000, 0b10001110},
    Slots{"LayerNormalization", 0, 0, 0b110},
    Slots{"Less", all_slots, 0},
    Slots{"LessOrEqual", all_slots, 0},
    Slots{"MatMul", 0, all_slots},
    Slots{"NegativeLogLikelihoodLoss", 0b110, 0},
    Slots{"OneHot", all_slots, 0},
    Slots{"PRelu", 0, 0b10},
    Slots{"Pad", 0b1110, 0},
    Slots{"Pow", 0b10, 0},
    Slots{"QuantizeLinear", 0b110, 0},
    Slots{"RMSNormalization", 0, 0, 0b10},
    Slots{"RNN", 0b10000, 0b01110},
    Slots{"Range", all_slots, 0},
    Slots{"Resize", 0b1110, 0},
    Slots{"Shape", all_slots, 0},
    Slots{"Size", all_slots, 0},
    Slots{"SoftmaxCrossEntropyLoss", 0b110, 0},
    Slots{"Upsample", 0b10, 0},
    Slots{"Where", 0b001, 0},
};

/// Operators that change only the form of their first input. The readers of the output decide how the input is used.
constexpr std::array pass_through{
    std::string_view("Cast"),     std::string_view("Expand"),    std::string_view("Flatten"),
    std::string_view("Identity"), std::string_view("Reshape"),   std::string_view("Slice"),
    std::string_view("Squeeze"),  std::string_view("Transpose"), std::string_view("Unsqueeze")};

Use use_of_slot(const Node& node, std::size_t slot) {
    const auto entry = std::find_if(slot_table.begin(), slot_table.end(),
                                    [&](const Slots& slots) { return slots.op_type == node.op_type; });
    if (entry == slot_table.end()) return Use::unclear;
    const std::uint32_t bit = slot < 32 ? 1U << slot : 0;
    if ((entry->never & bit) != 0) return Use::never;
    if ((entry->mostly & bit) != 0) return Use::mostly;
    return (entry->surely & bit) != 0 ? Use::surely : Use::unclear;
}

/// Computes the strongest use of each value, from the last node to the first.
class Uses {
public:
    explicit Uses(const Graph& graph) : uses_(graph.values.size(), Use::never) {
        for (const ValueIndex output : graph.outputs) uses_[output] = Use::unclear;
        for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) add(*node);
    }
    Use operator[](ValueIndex value) const { return uses_[value]; }

private:
    void add(const Node& node) {
        const bool passes = std::find(pass_through.begin(), pass_through.end(), node.op_type) != pass_through.end();
        for (std::size_t slot = 0; slot < node.inputs.size(); ++slot) {
            if (node.inputs[slot] == no_value) continue;
            Use use = use_of_slot(node, slot);
            if (passes)
                use = slot == 0 && !node.outputs.empty() && node.outputs[0] != no_value ? uses_[node.outputs[0]]
                                                                                        : Use::never;
            uses_[node.inputs[slot]] = std::max(uses_[node.inputs[slot]], use);
        }
    }
    std::vector<Use> uses_;
};

bool matches(std::string_view name, std::string_view pattern) {
    if (!pattern.empty() && pattern.back() == '*') return name.starts_with(pattern.substr(0, pattern.size() - 1));
    return name == pattern;
}

bool matches_any(std::string_view name, const std::vector<std::string>& patterns) {
    return std::any_of(patterns.begin(), patterns.end(), [&](const auto& pattern) { return matches(name, pattern); });
}

bool is_digits(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// Returns whether one of PyTorch's two exporters generates such a name for a folded constant.
bool has_exporter_name(std::string_view name) {
    for (const std::string_view prefix : {"/", "onnx::", "scalar_tensor", "lifted_tensor", "c_lifted_tensor", "const"})
        if (name.starts_with(prefix)) return true;
    return name.starts_with("val_") && is_digits(name.substr(4));
}

/// Returns whether the tensor is an attention mask folded by an exporter: weights never have such negative values.
bool holds_mask(const std::optional<graph::HostTensor>& data) {
    constexpr double mask_value = -1e4;
    if (!data) return false;
    const std::int64_t count = data->element_count();
    for (std::int64_t i = 0; i < count; ++i)
        if (data->number_at(i) <= mask_value) return true;
    return false;
}

bool holds_one_number(const std::optional<graph::HostTensor>& data) {
    if (!data) return false;
    for (std::int64_t i = 1; i < data->element_count(); ++i)
        if (data->number_at(i) != data->number_at(0)) return false;
    return true;
}

bool trains(const graph::Initializer& initializer, const graph::Value& value, const std::string& name, Use use) {
    if (use == Use::mostly) return !(has_exporter_name(name) && holds_one_number(initializer.data));
    if (use != Use::unclear) return use == Use::surely;
    if (has_exporter_name(name)) return false;
    const bool scalar = value.shape && value.shape->empty();
    if (scalar && name.find('.') == std::string::npos) return false;
    return !holds_mask(initializer.data);
}

Result<void> check_patterns(const Graph& graph, const std::vector<std::string>& patterns, const char* key) {
    for (const std::string& pattern : patterns) {
        const bool known = std::any_of(graph.initializers.begin(), graph.initializers.end(), [&](const auto& entry) {
            return matches(graph.values[entry.value].name, pattern);
        });
        if (!known) return make_error(error_text("no-initializer-matches"), key, {pattern});
    }
    return {};
}

}  // namespace

Result<void> mark_trainable(Graph& graph, std::span<const std::int32_t> constants, const Origins& origins,
                            const std::vector<std::string>& frozen, const std::vector<std::string>& trained) {
    DIVISI_TRY(check_patterns(graph, frozen, "frozen"));
    DIVISI_TRY(check_patterns(graph, trained, "trained"));
    const Uses uses(graph);
    std::vector<bool> constant(graph.initializers.size(), false);
    for (const std::int32_t index : constants) constant[index] = true;
    for (std::size_t i = 0; i < graph.initializers.size(); ++i) {
        auto& initializer = graph.initializers[i];
        const auto& value = graph.values[initializer.value];
        const std::string& name = graph.values[graph.initializers[origins[i]].value].name;
        const auto listed = [&](const auto& list) { return matches_any(name, list) || matches_any(value.name, list); };
        if (!graph::is_floating(value.dtype) || listed(frozen)) initializer.trainable = false;
        else if (listed(trained)) initializer.trainable = true;
        else initializer.trainable = !constant[i] && trains(initializer, value, name, uses[initializer.value]);
    }
    return {};
}

}  // namespace divisi::onnx
