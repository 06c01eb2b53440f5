// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/engine/result_keys.h"

#include <set>
#include <type_traits>

#include "agents/instance/engine/unit_setup.h"
#include "backend/base/version.h"
#include "backend/link/content_hash.h"

namespace divisi::instance {
namespace {

using graph::HostTensor;

/// Hashes the length of every text, list and tensor before its content, so that different sequences of items never give
/// the same bytes.
class Hash {
public:
    template <typename T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void add(T value) {
        hasher_.add(std::as_bytes(std::span(&value, 1)));
    }
    void add(std::span<const std::byte> bytes) {
        add(bytes.size());
        hasher_.add(bytes);
    }
    void add(const std::string& text) { add(std::as_bytes(std::span(text))); }
    template <typename T>
    void add(const std::vector<T>& values) {
        add(values.size());
        for (const T& value : values) add(value);
    }
    void add(const HostTensor& tensor) {
        add(tensor.dtype);
        add(tensor.dims);
        add(tensor.strides);
        add(tensor.bytes());
    }
    void add(const frame::ContentKey& key) { hasher_.add(key); }
    frame::ContentKey key() { return hasher_.key(); }

private:
    link::ContentHasher hasher_;
};

/// Adds an attribute; returns false if it is a nested graph.
bool add_attribute(Hash& hash, const graph::Attribute& attribute) {
    hash.add(attribute.index());
    return visit(
        [&](const auto& value) {
            constexpr bool graph = std::is_same_v<std::decay_t<decltype(value)>, std::shared_ptr<const graph::Graph>>;
            if constexpr (!graph) hash.add(value);
            return !graph;
        },
        attribute);
}

void add_names(Hash& hash, const graph::Graph& graph, const std::vector<graph::ValueIndex>& values) {
    hash.add(values.size());
    for (const graph::ValueIndex value : values)
        hash.add(value == graph::no_value ? std::string() : graph.values[static_cast<std::size_t>(value)].name);
}

bool add_node(Hash& hash, const graph::Graph& graph, const graph::Node& node) {
    hash.add(node.name);
    hash.add(node.op_type);
    hash.add(node.domain);
    add_names(hash, graph, node.inputs);
    add_names(hash, graph, node.outputs);
    hash.add(node.attributes.size());
    for (const auto& [name, attribute] : node.attributes) {
        hash.add(name);
        if (!add_attribute(hash, attribute)) return false;
    }
    return true;
}

/// Returns the initializers used by the segment's operators, including their constants, which have data in the graph.
std::set<std::int32_t> initializers_of(const segment::SegmentConfig& config) {
    std::set<std::int32_t> found;
    for (const graph::NodeIndex node : config.nodes)
        for (const graph::ValueIndex input : config.graph->nodes[static_cast<std::size_t>(node)].inputs)
            if (input != graph::no_value && config.graph->is_initializer(input))
                found.insert(config.graph->values[static_cast<std::size_t>(input)].initializer);
    return found;
}

}  // namespace

Result<std::optional<ResultKeys>> ResultKeys::of(const segment::SegmentConfig& config,
                                                 const segment::Executor& executor, const std::string& fingerprint) {
    const graph::Graph& graph = *config.graph;
    Hash hash;
    hash.add(std::string("results of a Divisi stage, ") + version);
    hash.add(fingerprint);
    hash.add(config.device);
    hash.add(config.threads);
    hash.add(config.seed);
    hash.add(graph.opset);
    for (const auto& [domain, opset] : graph.other_opsets) {
        hash.add(domain);
        hash.add(opset);
    }
    hash.add(config.nodes.size());
    for (const graph::NodeIndex node : config.nodes)
        if (!add_node(hash, graph, graph.nodes[static_cast<std::size_t>(node)])) return std::optional<ResultKeys>();
    add_names(hash, graph, config.inputs);
    add_names(hash, graph, config.outputs);
    const std::vector<std::int32_t> in_executor = executor.initializers();
    const std::set<std::int32_t> held(in_executor.begin(), in_executor.end());
    for (const std::int32_t number : initializers_of(config)) {
        const graph::Initializer& initializer = graph.initializers[static_cast<std::size_t>(number)];
        hash.add(graph.values[static_cast<std::size_t>(initializer.value)].name);
        if (held.contains(number)) {
            DIVISI_ASSIGN(const HostTensor weight, executor.read(number));
            hash.add(weight);
        } else if (initializer.data) {
            hash.add(*initializer.data);
        } else {
            return std::optional<ResultKeys>();
        }
    }
    return std::optional(ResultKeys(hash.key(), config.outputs.size()));
}

std::vector<frame::ContentKey> ResultKeys::keys(const std::vector<HostTensor>& inputs) const {
    Hash all;
    all.add(stage_);
    all.add(inputs);
    const frame::ContentKey made = all.key();
    std::vector<frame::ContentKey> keys;
    for (std::size_t output = 0; output < outputs_; ++output) {
        Hash one;
        one.add(made);
        one.add(output);
        keys.push_back(one.key());
    }
    return keys;
}

Result<std::optional<ResultKeys>> find_result_keys(const task::CompiledPlan& plan, std::int32_t stage,
                                                   const std::set<std::int32_t>& far_channels,
                                                   const segment::Executor& executor, const std::string& fingerprint) {
    const auto none = std::optional<ResultKeys>();
    if (!plan.programs->length.over_data() || far_channels.empty()) return none;
    const auto& channels = plan.programs->channels;
    for (std::size_t number = 0; number < channels.size(); ++number)
        if (channels[number].from == stage && !far_channels.contains(static_cast<std::int32_t>(number))) return none;
    return ResultKeys::of(segment_config(plan, stage), executor, fingerprint);
}

}  // namespace divisi::instance
