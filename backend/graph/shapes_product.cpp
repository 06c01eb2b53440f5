// SPDX-License-Identifier: Apache-2.0
// Matrix products.
#include <algorithm>
#include <map>

#include "backend/graph/attention.h"
#include "backend/graph/inference.h"

namespace divisi::graph {

namespace {

Result<void> matmul(NodeInference& node) {
    const Shape *a = node.shape(0), *b = node.shape(1);
    if (!a || !b) {
        node.set(0, node.dtype(0), std::nullopt);
        return {};
    }
    if (a->empty() || b->empty()) return node.error("an operand is a scalar");
    // A vector on the left counts as one row, and a vector on the right as one column. The added dimension of 1 is
    // removed from the result.
    Shape left = *a, right = *b;
    if (a->size() == 1) left.insert(left.begin(), dim_of(1));
    if (b->size() == 1) right.push_back(dim_of(1));
    if (differ(left.back(), right[right.size() - 2]))
        return node.error("operands of shapes " + to_string(*a) + " and " + to_string(*b) + " do not multiply");
    DIVISI_ASSIGN(Shape result,
                  broadcast(node, Shape(left.begin(), left.end() - 2), Shape(right.begin(), right.end() - 2)));
    if (a->size() > 1) result.push_back(left[left.size() - 2]);
    if (b->size() > 1) result.push_back(right.back());
    node.set(0, node.dtype(0), std::move(result));
    return {};
}

Result<void> gemm(NodeInference& node) {
    const Shape *a = node.shape(0), *b = node.shape(1), *c = node.shape(2);
    for (const Shape* operand : {a, b})
        if (operand && operand->size() != 2)
            return node.error("operand of shape " + to_string(*operand) + " is not a matrix");
    const bool ta = node.integer("transA", 0) != 0, tb = node.integer("transB", 0) != 0;
    if (a && b && differ((*a)[ta ? 0 : 1], (*b)[tb ? 1 : 0]))
        return node.error("operands of shapes " + to_string(*a) + (ta ? " (transposed)" : "") + " and " +
                          to_string(*b) + (tb ? " (transposed)" : "") + " do not multiply");
    Shape result{a ? (*a)[ta ? 1 : 0] : Dim{}, b ? (*b)[tb ? 0 : 1] : Dim{}};
    if (c) {
        DIVISI_ASSIGN([[maybe_unused]] const Shape sum, broadcast(node, result, *c));
    }
    node.set(0, node.dtype(0), std::move(result));
    return {};
}

/// Reads one operand's labels together with its shape. '.' means all axes of the ellipsis.
Result<void> read_term(const NodeInference& node, const std::string& term, const Shape& shape,
                       std::map<char, Dim>& sizes, std::optional<Shape>& ellipsis) {
    const auto labels =
        static_cast<std::size_t>(std::count_if(term.begin(), term.end(), [](char c) { return c != '.'; }));
    const bool dots = term.find('.') != std::string::npos;
    if (labels > shape.size() || (!dots && labels != shape.size()))
        return node.error("term '" + term + "' does not fit an operand of shape " + to_string(shape));
    std::size_t axis = 0;
    for (const char label : term) {
        if (label == '.') {
            const auto begin = shape.begin() + static_cast<std::ptrdiff_t>(axis);
            const Shape part(begin, begin + static_cast<std::ptrdiff_t>(shape.size() - labels));
            axis += part.size();
            DIVISI_ASSIGN(ellipsis, ellipsis ? broadcast(node, *ellipsis, part) : Result<Shape>(part));
            continue;
        }
        const Dim& dim = shape[axis++];
        const auto [known, fresh] = sizes.emplace(label, dim);
        if (fresh) continue;
        if (known->second.size != 1 && dim.size != 1 && differ(known->second, dim))
            return node.error(std::string("label '") + label + "' has two sizes, " +
                              std::to_string(known->second.size) + " and " + std::to_string(dim.size));
        if (known->second.size == 1) known->second = dim;
        else known->second = dim.size == 1 ? known->second : merge(known->second, dim);
    }
    return {};
}

/// Splits "bij,bjk->bik" into its terms without blanks. "..." becomes '.'.
std::vector<std::string> split_equation(std::string equation, std::string& output, bool& explicit_output) {
    std::erase(equation, ' ');
    for (auto at = equation.find("..."); at != std::string::npos; at = equation.find("..."))
        equation.replace(at, 3, ".");
    const auto arrow = equation.find("->");
    explicit_output = arrow != std::string::npos;
    if (explicit_output) output = equation.substr(arrow + 2);
    const std::string left = equation.substr(0, arrow);
    std::vector<std::string> terms{""};
    for (const char c : left) {
        if (c == ',') terms.emplace_back();
        else terms.back() += c;
    }
    return terms;
}

Result<void> einsum(NodeInference& node) {
    std::string output;
    bool explicit_output = false;
    const auto terms = split_equation(node.text("equation", ""), output, explicit_output);
    if (terms.size() != node.input_count())
        return node.error("the equation has " + std::to_string(terms.size()) + " terms, but the node has " +
                          std::to_string(node.input_count()) + " inputs");
    std::map<char, Dim> sizes;
    std::map<char, int> uses;
    std::optional<Shape> ellipsis;
    for (std::size_t slot = 0; slot < terms.size(); ++slot) {
        if (!node.shape(slot)) {
            node.set(0, node.dtype(0), std::nullopt);
            return {};
        }
        DIVISI_TRY(read_term(node, terms[slot], *node.shape(slot), sizes, ellipsis));
        for (const char label : terms[slot]) ++uses[label];
    }
    if (!explicit_output) {
        if (ellipsis) output = ".";
        for (const auto& [label, count] : uses)  // in alphabetical order
            if (count == 1 && label != '.') output += label;
    }
    Shape result;
    for (const char label : output) {
        if (label == '.') {
            if (ellipsis) result.insert(result.end(), ellipsis->begin(), ellipsis->end());
            continue;
        }
        if (!sizes.count(label)) return node.error(std::string("label '") + label + "' is in no operand");
        result.push_back(sizes[label]);
    }
    node.set(0, node.dtype(0), std::move(result));
    return {};
}

/// Sets the output shape: its rows are those of the query, its columns those of the values.
Result<void> attention(NodeInference& node) {
    const Shape *query = node.shape(0), *values = node.shape(2);
    std::optional<Shape> result;
    if (query && values && !query->empty() && !values->empty()) {
        result = *query;
        result->back() = values->back();
    }
    node.set(0, node.dtype(0), std::move(result));
    return {};
}

}  // namespace

void add_product_rules(ShapeRules& rules) {
    rules.emplace(std::string(attention_domain) + ":" + std::string(attention_type), attention);
    rules.emplace("MatMul", matmul);
    rules.emplace("Gemm", gemm);
    rules.emplace("Einsum", einsum);
}

}  // namespace divisi::graph
