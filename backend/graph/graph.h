// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "backend/base/result.h"
#include "backend/graph/tensor.h"

namespace divisi::graph {

/// Positions in Graph::nodes and Graph::values. -1 means an omitted optional input or output.
using NodeIndex = std::int32_t;
using ValueIndex = std::int32_t;
inline constexpr ValueIndex no_value = -1;
inline constexpr NodeIndex no_node = -1;

/// One dimension: a size, a symbol that the task binds, or unknown (no size and no symbol).
struct Dim {
    std::int64_t size = -1;
    std::string symbol;

    bool known() const { return size >= 0; }
    bool operator==(const Dim&) const = default;
};
using Shape = std::vector<Dim>;

class Graph;

/// Attributes as ONNX defines them. Sub-graphs (If, Loop, Scan) are kept only so that error messages can name them.
using Attribute = std::variant<std::int64_t, float, std::string, std::vector<std::int64_t>, std::vector<float>,
                               std::vector<std::string>, HostTensor, std::shared_ptr<const Graph>>;

struct Node {
    std::string name;     ///< unique, never empty; a path of ONNX scopes such as "/layers/3/attn/MatMul"
    std::string op_type;  ///< ONNX operator name
    std::string domain;   ///< domain of the operator; "" means ai.onnx
    std::vector<ValueIndex> inputs;
    std::vector<ValueIndex> outputs;
    std::map<std::string, Attribute> attributes;
};

/// Describes how an initial weight is drawn if the model has no data for it (zoo models).
struct RandomInit {
    enum class Kind { zeros, ones, normal, uniform } kind = Kind::zeros;
    double scale = 1.0;  ///< standard deviation, or half-width of the uniform interval
};

/// A constant or parameter. If an initializer has no data, either `random` describes how to draw the data, or a weights
/// file stores the data at `offset` (see backend/onnx). In the second case, the process that runs the segment reads the
/// file.
struct Initializer {
    ValueIndex value = no_value;
    std::optional<HostTensor> data;
    std::optional<RandomInit> random;
    std::optional<std::int64_t> offset;  ///< position in the weights file in bytes
    bool trainable = false;
};

struct Value {
    std::string name;  ///< unique, never empty
    DType dtype = DType::undefined;
    std::optional<Shape> shape;        ///< empty if the rank is unknown
    NodeIndex producer = no_node;      ///< node that computes the value; no_node for a graph input or initializer
    std::vector<NodeIndex> consumers;  ///< in canonical order, one entry per consuming input slot
    std::int32_t initializer = -1;     ///< position in Graph::initializers, or -1
};

/// A model graph: a directed acyclic graph of operators and tensors. canonicalize() puts `nodes` into the canonical
/// order (Kahn's algorithm, ties broken by file order). All node indices refer to that order.
class Graph {
public:
    std::string name;
    std::int64_t opset = 17;  ///< version of the ai.onnx operator set
    std::map<std::string, std::int64_t> other_opsets;
    std::vector<Node> nodes;
    std::vector<Value> values;
    std::vector<Initializer> initializers;
    std::vector<ValueIndex> inputs;  ///< inputs of the model, without initializers
    std::vector<ValueIndex> outputs;

    /// Appends a value. Its name must be new.
    ValueIndex add_value(std::string value_name, DType dtype = DType::undefined, std::optional<Shape> shape = {});
    /// Appends a node whose outputs were already added, and sets the node as their producer.
    NodeIndex add_node(Node node);
    ValueIndex add_initializer(std::string value_name, Initializer initializer, DType dtype, Shape shape);

    ValueIndex find_value(std::string_view value_name) const;  ///< no_value when absent; linear time
    NodeIndex find_node(std::string_view node_name) const;     ///< no_node when absent; linear time

    bool is_initializer(ValueIndex value) const { return values[value].initializer >= 0; }

    /// Sorts nodes into canonical order and recomputes producers and consumers. Fails (invalid_input) on a cycle,
    /// naming its nodes, and on a value with two producers.
    Result<void> canonicalize();
};

/// Returns the product of the dimensions; empty if one is unknown.
std::optional<std::int64_t> element_count(const Value& value);
/// Returns the bytes of the value at its dtype; empty if a dimension is unknown.
std::optional<std::int64_t> size_bytes(const Value& value);

/// Sizes of symbolic dimensions, keyed by symbol or by "input_name.axis".
using Bindings = std::map<std::string, std::int64_t>;

}  // namespace divisi::graph
