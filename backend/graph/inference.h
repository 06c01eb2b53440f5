// SPDX-License-Identifier: Apache-2.0
// Used only by the shape rules (shapes_*.cpp). Other code includes shapes.h.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/base/result.h"
#include "backend/graph/graph.h"

namespace divisi::graph {

/// Maximum number of elements of a tensor whose contents shape inference computes. Real shapes have a handful of
/// elements, and lists of position indices have a few thousand.
inline constexpr std::int64_t largest_followed_tensor = 4096;

/// One integer or boolean. An unknown element may have a symbol, which is kept through Shape -> Gather -> Concat.
struct Element {
    bool known = false;
    std::int64_t value = 0;
    std::string symbol;
};

/// The known elements of a small tensor: integers, or floating-point numbers rounded to their dtype.
struct Content {
    bool floating = false;
    std::vector<Element> integers;
    std::vector<double> numbers;

    std::size_t size() const { return floating ? numbers.size() : integers.size(); }
};

struct InferenceState {
    Graph& graph;
    const Bindings& bindings;
    std::vector<std::optional<Content>> contents;  ///< indexed by value
};

inline Dim dim_of(std::int64_t size) { return Dim{size, ""}; }
inline Element element_of(std::int64_t value) { return Element{true, value, ""}; }
Element element_of(const Dim& dim);
/// Returns the dimension of this size; unknown if the element is negative.
Dim dim_of(const Element& element);
Shape shape_of(const std::vector<std::int64_t>& sizes);

/// Returns whether both sizes are known and equal, or both have the same symbol.
bool same(const Dim& a, const Dim& b);
/// Returns whether both sizes are known and different.
bool differ(const Dim& a, const Dim& b);
Dim sum(const Dim& a, const Dim& b);
Dim product(const Dim& a, const Dim& b);
/// Returns the product of dims[first..last).
Dim product(const Shape& dims, std::size_t first, std::size_t last);
/// Formats a shape, e.g. "[batch, 3, ?]".
std::string to_string(const Shape& shape);
/// Merges two dimensions that must be equal: returns the known dimension, or else the dimension with a symbol.
const Dim& merge(const Dim& a, const Dim& b);

/// Gives a shape rule access to its node: shapes, dtypes and contents of the inputs, attributes, and the outputs to
/// set. A rule leaves outputs open if an input that it needs is omitted or has no known rank.
class NodeInference {
public:
    NodeInference(InferenceState& state, const Node& node) : state_(state), node_(node) {}

    const Node& node() const { return node_; }
    std::int64_t opset() const { return state_.graph.opset; }
    std::size_t input_count() const { return node_.inputs.size(); }
    std::size_t output_count() const { return node_.outputs.size(); }
    bool has_input(std::size_t slot) const;
    bool has_output(std::size_t slot) const;
    DType dtype(std::size_t slot) const;         ///< undefined if the input is omitted
    const Shape* shape(std::size_t slot) const;  ///< nullptr if the input is omitted or has no known rank
    const Content* content(std::size_t slot) const;
    /// Returns all elements of an integer input; empty unless every one is known.
    std::optional<std::vector<std::int64_t>> integers_in(std::size_t slot) const;

    bool has_attribute(std::string_view name) const;
    std::int64_t integer(const std::string& name, std::int64_t fallback) const;
    double number(const std::string& name, double fallback) const;
    std::string text(const std::string& name, const std::string& fallback) const;
    std::optional<std::vector<std::int64_t>> integers(const std::string& name) const;
    const HostTensor* tensor(const std::string& name) const;

    /// A list that is attribute `name` in older opsets and input `slot` in newer opsets.
    struct List {
        bool given = false;                               ///< false: the list is omitted, so the default applies
        std::optional<std::vector<std::int64_t>> values;  ///< empty if the list is given but its values are not known
    };
    List list(const std::string& name, std::size_t slot) const;

    /// Returns `axis`, counted from the end if negative. Fails outside [-rank, rank).
    Result<std::size_t> axis_in(std::int64_t axis, std::size_t rank) const;
    /// Returns several axes, each converted as in axis_in(), in ascending order. Fails on duplicates.
    Result<std::vector<std::size_t>> axes_in(std::vector<std::int64_t> axes, std::size_t rank) const;

    void set(std::size_t slot, DType dtype, std::optional<Shape> shape);
    /// Sets the elements of an output, unless it has more than largest_followed_tensor elements.
    void set_content(std::size_t slot, Content content);
    /// Sets output 0 to the elements of input 0 at these row-major positions, if the contents of input 0 are known.
    void pick_content(const std::vector<std::int64_t>& places);
    /// Gives output 0 the dtype and shape of input 0.
    void set_like_first() { set(0, dtype(0), shape(0) ? std::optional<Shape>(*shape(0)) : std::nullopt); }

    Error error(std::string what) const;
    /// Returns the contradiction between an inferred output and the file's declaration, if any. The caller reports it
    /// after the rule has run.
    const std::optional<Error>& contradiction() const { return contradiction_; }

private:
    const Attribute* find(std::string_view name) const;

    InferenceState& state_;
    const Node& node_;
    std::optional<Error> contradiction_;
};

/// Broadcasts two shapes as numpy does. Fails with an error that names the node if the shapes do not fit.
Result<Shape> broadcast(const NodeInference& node, const Shape& a, const Shape& b);

/// Returns the elements of a host tensor if it is small and numeric.
std::optional<Content> content_of(const HostTensor& tensor);

/// Infers the outputs of one node; may leave shapes open.
using ShapeRule = Result<void> (*)(NodeInference&);
using ShapeRules = std::map<std::string, ShapeRule, std::less<>>;

/// Returns the rules of all supported operators.
const ShapeRules& shape_rules();

// Each function adds the rules for one family of ai.onnx operators, keyed by operator type.
void add_elementwise_rules(ShapeRules& rules);
void add_arithmetic_rules(ShapeRules& rules);
void add_movement_rules(ShapeRules& rules);
void add_reshape_rules(ShapeRules& rules);
void add_indexing_rules(ShapeRules& rules);
void add_product_rules(ShapeRules& rules);
void add_window_rules(ShapeRules& rules);
void add_recurrent_rules(ShapeRules& rules);
void add_special_rules(ShapeRules& rules);
void add_reduction_rules(ShapeRules& rules);
void add_generator_rules(ShapeRules& rules);

}  // namespace divisi::graph
