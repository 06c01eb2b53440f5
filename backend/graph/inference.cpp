// SPDX-License-Identifier: Apache-2.0
#include "backend/graph/inference.h"

#include <algorithm>
#include <utility>

#include "backend/graph/error_texts.h"

namespace divisi::graph {

Shape shape_of(const std::vector<std::int64_t>& sizes) {
    Shape shape;
    shape.reserve(sizes.size());
    for (const std::int64_t size : sizes) shape.push_back(dim_of(size));
    return shape;
}

Element element_of(const Dim& dim) { return Element{dim.known(), dim.size, dim.symbol}; }

Dim dim_of(const Element& element) {
    return Dim{element.known && element.value >= 0 ? element.value : -1, element.symbol};
}

bool same(const Dim& a, const Dim& b) {
    if (a.known() && b.known()) return a.size == b.size;
    return !a.known() && !b.known() && !a.symbol.empty() && a.symbol == b.symbol;
}

bool differ(const Dim& a, const Dim& b) { return a.known() && b.known() && a.size != b.size; }

Dim sum(const Dim& a, const Dim& b) {
    if (a.size == 0) return b;
    if (b.size == 0) return a;
    std::int64_t size = 0;
    if (!a.known() || !b.known() || __builtin_add_overflow(a.size, b.size, &size)) return {};
    return dim_of(size);
}

Dim product(const Dim& a, const Dim& b) {
    if (a.size == 1) return b;
    if (b.size == 1) return a;
    if (a.size == 0 || b.size == 0) return dim_of(0);
    std::int64_t size = 0;
    if (!a.known() || !b.known() || __builtin_mul_overflow(a.size, b.size, &size)) return {};
    return dim_of(size);
}

Dim product(const Shape& dims, std::size_t first, std::size_t last) {
    Dim result = dim_of(1);
    for (std::size_t i = first; i < last; ++i) result = product(result, dims[i]);
    return result;
}

std::string to_string(const Shape& shape) {
    std::string text = "[";
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (i) text += ", ";
        const Dim& dim = shape[i];
        text += dim.known() ? std::to_string(dim.size) : dim.symbol.empty() ? "?" : dim.symbol;
    }
    return text + "]";
}

const Dim& merge(const Dim& a, const Dim& b) {
    if (a.known()) return a;
    if (b.known()) return b;
    return a.symbol.empty() ? b : a;
}

bool NodeInference::has_input(std::size_t slot) const {
    return slot < node_.inputs.size() && node_.inputs[slot] != no_value;
}

bool NodeInference::has_output(std::size_t slot) const {
    return slot < node_.outputs.size() && node_.outputs[slot] != no_value;
}

DType NodeInference::dtype(std::size_t slot) const {
    return has_input(slot) ? state_.graph.values[node_.inputs[slot]].dtype : DType::undefined;
}

const Shape* NodeInference::shape(std::size_t slot) const {
    if (!has_input(slot)) return nullptr;
    const auto& shape = state_.graph.values[node_.inputs[slot]].shape;
    return shape ? &*shape : nullptr;
}

const Content* NodeInference::content(std::size_t slot) const {
    if (!has_input(slot)) return nullptr;
    const auto& content = state_.contents[node_.inputs[slot]];
    return content ? &*content : nullptr;
}

std::optional<std::vector<std::int64_t>> NodeInference::integers_in(std::size_t slot) const {
    const Content* found = content(slot);
    if (!found || found->floating) return std::nullopt;
    std::vector<std::int64_t> values;
    for (const Element& element : found->integers) {
        if (!element.known) return std::nullopt;
        values.push_back(element.value);
    }
    return values;
}

const Attribute* NodeInference::find(std::string_view name) const {
    const auto found = node_.attributes.find(std::string(name));
    return found == node_.attributes.end() ? nullptr : &found->second;
}

bool NodeInference::has_attribute(std::string_view name) const { return find(name) != nullptr; }

std::int64_t NodeInference::integer(const std::string& name, std::int64_t fallback) const {
    const Attribute* found = find(name);
    const auto* value = found ? get_if<std::int64_t>(found) : nullptr;
    return value ? *value : fallback;
}

double NodeInference::number(const std::string& name, double fallback) const {
    const Attribute* found = find(name);
    const auto* value = found ? get_if<float>(found) : nullptr;
    return value ? *value : fallback;
}

std::string NodeInference::text(const std::string& name, const std::string& fallback) const {
    const Attribute* found = find(name);
    const auto* value = found ? get_if<std::string>(found) : nullptr;
    return value ? *value : fallback;
}

std::optional<std::vector<std::int64_t>> NodeInference::integers(const std::string& name) const {
    const Attribute* found = find(name);
    const auto* value = found ? get_if<std::vector<std::int64_t>>(found) : nullptr;
    if (!value) return std::nullopt;
    return *value;
}

const HostTensor* NodeInference::tensor(const std::string& name) const {
    const Attribute* found = find(name);
    return found ? get_if<HostTensor>(found) : nullptr;
}

NodeInference::List NodeInference::list(const std::string& name, std::size_t slot) const {
    if (has_input(slot)) return {true, integers_in(slot)};
    if (auto values = integers(name)) return {true, std::move(values)};
    if (has_attribute(name)) return {true, std::vector<std::int64_t>{integer(name, 0)}};
    return {};
}

Result<std::size_t> NodeInference::axis_in(std::int64_t axis, std::size_t rank) const {
    const auto signed_rank = static_cast<std::int64_t>(rank);
    if (axis < -signed_rank || axis >= signed_rank)
        return error("axis " + std::to_string(axis) + " is outside a tensor of rank " + std::to_string(rank));
    return static_cast<std::size_t>(axis < 0 ? axis + signed_rank : axis);
}

Result<std::vector<std::size_t>> NodeInference::axes_in(std::vector<std::int64_t> axes, std::size_t rank) const {
    std::vector<std::size_t> result;
    for (const std::int64_t axis : axes) {
        DIVISI_ASSIGN(const std::size_t index, axis_in(axis, rank));
        result.push_back(index);
    }
    std::sort(result.begin(), result.end());
    if (std::adjacent_find(result.begin(), result.end()) != result.end()) return error("an axis is given twice");
    return result;
}

void NodeInference::set(std::size_t slot, DType dtype, std::optional<Shape> shape) {
    if (!has_output(slot)) return;
    Value& value = state_.graph.values[node_.outputs[slot]];
    if (dtype != DType::undefined) {
        if (value.dtype != DType::undefined && value.dtype != dtype)
            contradiction_ = error("its output '" + value.name + "' is declared as " + std::string(name(value.dtype)) +
                                   " but is " + std::string(name(dtype)));
        value.dtype = dtype;
    }
    if (!shape) return;
    if (value.shape && value.shape->size() != shape->size()) {
        contradiction_ = error("its output '" + value.name + "' is declared as " + to_string(*value.shape) +
                               " but is " + to_string(*shape));
    } else if (value.shape) {
        // A declared size is used only for a dimension that inference leaves open, because exporters write the sizes of
        // their example inputs into the file.
        for (std::size_t i = 0; i < shape->size(); ++i) {
            Dim& dim = (*shape)[i];
            if (dim.known()) continue;
            const Dim& declared = (*value.shape)[i];
            const auto bound = state_.bindings.find(declared.symbol);
            if (bound != state_.bindings.end()) dim = Dim{bound->second, declared.symbol};
            else if (dim.symbol.empty() || declared.known()) dim = declared;
        }
    }
    value.shape = std::move(shape);
}

void NodeInference::set_content(std::size_t slot, Content content) {
    if (!has_output(slot) || static_cast<std::int64_t>(content.size()) > largest_followed_tensor) return;
    state_.contents[node_.outputs[slot]] = std::move(content);
}

void NodeInference::pick_content(const std::vector<std::int64_t>& places) {
    const Content* x = content(0);
    if (!x) return;
    Content result;
    result.floating = x->floating;
    for (const std::int64_t place : places) {
        const auto index = static_cast<std::size_t>(place);
        if (x->floating) result.numbers.push_back(x->numbers.at(index));
        else result.integers.push_back(x->integers.at(index));
    }
    set_content(0, std::move(result));
}

Error NodeInference::error(std::string what) const {
    return make_error(error_text("shapes-contradict"), "node '" + node_.name + "'", {node_.op_type, std::move(what)});
}

Result<Shape> broadcast(const NodeInference& node, const Shape& a, const Shape& b) {
    const Shape& longer = a.size() >= b.size() ? a : b;
    const Shape& shorter = a.size() >= b.size() ? b : a;
    Shape result = longer;
    const std::size_t offset = longer.size() - shorter.size();
    for (std::size_t i = 0; i < shorter.size(); ++i) {
        Dim& dim = result[offset + i];
        const Dim& other = shorter[i];
        if (dim.size == 1) dim = other;
        else if (other.size == 1) continue;
        else if (differ(dim, other))
            return node.error("operands of shapes " + to_string(a) + " and " + to_string(b) + " do not broadcast");
        else if (same(dim, other)) continue;
        // the open dimension must equal the known dimension or be 1
        else if (dim.known() || other.known()) dim = dim.known() ? dim : other;
        else dim = Dim{};
    }
    return result;
}

std::optional<Content> content_of(const HostTensor& tensor) {
    if (!tensor.strides.empty() || !tensor.data || tensor.element_count() > largest_followed_tensor)
        return std::nullopt;
    Content content;
    content.floating = is_floating(tensor.dtype);
    if (!content.floating && !is_integer(tensor.dtype) && tensor.dtype != DType::boolean) return std::nullopt;
    const std::int64_t count = tensor.element_count();
    for (std::int64_t i = 0; i < count; ++i) {
        if (content.floating) content.numbers.push_back(tensor.number_at(i));
        else content.integers.push_back(element_of(tensor.integer_at(i)));
    }
    return content;
}

}  // namespace divisi::graph
