// SPDX-License-Identifier: Apache-2.0
// Elementwise operators that broadcast or convert. They also compute the elements of small constants.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "backend/graph/inference.h"

namespace divisi::graph {

namespace {

double rounded(double number, DType dtype) {
    return dtype == DType::float32 ? static_cast<double>(static_cast<float>(number)) : number;
}

using IntegerFunction = std::optional<std::int64_t> (*)(std::int64_t, std::int64_t);
using NumberFunction = double (*)(double, double);

struct Functions {
    IntegerFunction integer = nullptr;
    NumberFunction number = nullptr;
};

std::optional<std::int64_t> checked_add(std::int64_t a, std::int64_t b) {
    std::int64_t r = 0;
    return __builtin_add_overflow(a, b, &r) ? std::nullopt : std::optional(r);
}
std::optional<std::int64_t> checked_subtract(std::int64_t a, std::int64_t b) {
    std::int64_t r = 0;
    return __builtin_sub_overflow(a, b, &r) ? std::nullopt : std::optional(r);
}
std::optional<std::int64_t> checked_multiply(std::int64_t a, std::int64_t b) {
    std::int64_t r = 0;
    return __builtin_mul_overflow(a, b, &r) ? std::nullopt : std::optional(r);
}
/// Divides two integers. ONNX does not define the rounding of negative quotients (C++ truncates), so inexact negative
/// quotients stay unknown.
std::optional<std::int64_t> checked_divide(std::int64_t a, std::int64_t b) {
    if (b == 0 || ((a < 0) != (b < 0) && a % b != 0)) return std::nullopt;
    if (a == std::numeric_limits<std::int64_t>::min() && b == -1) return std::nullopt;
    return a / b;
}
std::optional<std::int64_t> checked_modulo(std::int64_t a, std::int64_t b) {
    return a < 0 || b <= 0 ? std::nullopt : std::optional(a % b);
}
std::optional<std::int64_t> checked_power(std::int64_t a, std::int64_t b) {
    std::optional<std::int64_t> r = 1;
    if (b < 0 || b > 64) return std::nullopt;
    for (std::int64_t i = 0; i < b && r; ++i) r = checked_multiply(*r, a);
    return r;
}

const std::map<std::string, Functions, std::less<>>& arithmetic() {
    static const std::map<std::string, Functions, std::less<>> functions{
        {"Add", {checked_add, [](double a, double b) { return a + b; }}},
        {"Sub", {checked_subtract, [](double a, double b) { return a - b; }}},
        {"Mul", {checked_multiply, [](double a, double b) { return a * b; }}},
        {"Div", {checked_divide, [](double a, double b) { return a / b; }}},
        {"Mod", {checked_modulo, nullptr}},
        {"Pow", {checked_power, [](double a, double b) { return std::pow(a, b); }}},
        {"Min",
         {[](std::int64_t a, std::int64_t b) { return std::optional(std::min(a, b)); },
          [](double a, double b) { return std::min(a, b); }}},
        {"Max",
         {[](std::int64_t a, std::int64_t b) { return std::optional(std::max(a, b)); },
          [](double a, double b) { return std::max(a, b); }}},
        {"And", {[](std::int64_t a, std::int64_t b) { return std::optional<std::int64_t>(a && b); }, nullptr}},
        {"Or", {[](std::int64_t a, std::int64_t b) { return std::optional<std::int64_t>(a || b); }, nullptr}},
        {"Equal", {[](std::int64_t a, std::int64_t b) { return std::optional<std::int64_t>(a == b); }, nullptr}},
        {"Less", {[](std::int64_t a, std::int64_t b) { return std::optional<std::int64_t>(a < b); }, nullptr}},
        {"Greater", {[](std::int64_t a, std::int64_t b) { return std::optional<std::int64_t>(a > b); }, nullptr}},
        {"LessOrEqual", {[](std::int64_t a, std::int64_t b) { return std::optional<std::int64_t>(a <= b); }, nullptr}},
        {"GreaterOrEqual",
         {[](std::int64_t a, std::int64_t b) { return std::optional<std::int64_t>(a >= b); }, nullptr}},
    };
    return functions;
}

Element apply(const Functions& functions, const std::string& type, const Element& a, const Element& b) {
    if (a.known && b.known) {
        const auto value = functions.integer(a.value, b.value);
        return value ? element_of(*value) : Element{};
    }
    // A symbol is kept through neutral operations, which exporters emit: n + 0, n - 0, n * 1, n / 1.
    const bool additive = type == "Add" || type == "Sub", multiplicative = type == "Mul" || type == "Div";
    if (b.known && ((additive && b.value == 0) || (multiplicative && b.value == 1))) return a;
    if (a.known && ((type == "Add" && a.value == 0) || (type == "Mul" && a.value == 1))) return b;
    return {};
}

/// Computes the elements of the result if the contents of both operands are known and the operands have the same length
/// or a single element.
void combine_contents(NodeInference& node) {
    const Content* a = node.content(0);
    const Content* b = node.content(1);
    const auto functions = arithmetic().find(node.node().op_type);
    if (!a || !b || node.input_count() != 2 || functions == arithmetic().end() || a->floating != b->floating) return;
    const std::size_t count = a->size() == 1 ? b->size() : a->size();
    if ((b->size() != count && b->size() != 1) || (a->floating && !functions->second.number)) return;
    if (!a->floating && !functions->second.integer) return;
    const bool flat = (!node.shape(0) || node.shape(0)->size() <= 1) && (!node.shape(1) || node.shape(1)->size() <= 1);
    if (!flat && a->size() != 1 && b->size() != 1) return;
    Content result;
    result.floating = a->floating;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t ia = a->size() == 1 ? 0 : i, ib = b->size() == 1 ? 0 : i;
        if (a->floating)
            result.numbers.push_back(rounded(functions->second.number(a->numbers[ia], b->numbers[ib]), node.dtype(0)));
        else result.integers.push_back(apply(functions->second, node.node().op_type, a->integers[ia], b->integers[ib]));
    }
    node.set_content(0, std::move(result));
}

Result<std::optional<Shape>> broadcast_inputs(const NodeInference& node, std::size_t first) {
    std::optional<Shape> shape;
    for (std::size_t slot = first; slot < node.input_count(); ++slot) {
        const Shape* next = node.shape(slot);
        if (!next) return std::optional<Shape>{};
        if (!shape) {
            shape = *next;
            continue;
        }
        DIVISI_ASSIGN(shape, broadcast(node, *shape, *next));
    }
    return shape;
}

Result<void> check_same_dtype(const NodeInference& node, std::size_t first) {
    for (std::size_t slot = first + 1; slot < node.input_count(); ++slot) {
        const DType a = node.dtype(first), b = node.dtype(slot);
        if (a != b && a != DType::undefined && b != DType::undefined)
            return node.error("operands of types " + std::string(name(a)) + " and " + std::string(name(b)) +
                              "; insert a Cast");
    }
    return {};
}

Result<void> combine(NodeInference& node, DType dtype) {
    DIVISI_ASSIGN(auto shape, broadcast_inputs(node, 0));
    node.set(0, dtype, std::move(shape));
    combine_contents(node);
    return {};
}

Result<void> arithmetic_rule(NodeInference& node) {
    DIVISI_TRY(check_same_dtype(node, 0));
    return combine(node, node.dtype(0));
}

Result<void> first_dtype_rule(NodeInference& node) { return combine(node, node.dtype(0)); }

Result<void> comparison_rule(NodeInference& node) {
    DIVISI_TRY(check_same_dtype(node, 0));
    return combine(node, DType::boolean);
}

Result<void> where_rule(NodeInference& node) {
    DIVISI_TRY(check_same_dtype(node, 1));
    DIVISI_ASSIGN(auto shape, broadcast_inputs(node, 0));
    node.set(0, node.dtype(1) == DType::undefined ? node.dtype(2) : node.dtype(1), std::move(shape));
    const Content *c = node.content(0), *a = node.content(1), *b = node.content(2);
    if (!c || !a || !b || a->floating || b->floating || c->size() != a->size() || a->size() != b->size()) return {};
    Content result;
    for (std::size_t i = 0; i < c->size(); ++i)
        result.integers.push_back(!c->integers[i].known  ? Element{}
                                  : c->integers[i].value ? a->integers[i]
                                                         : b->integers[i]);
    node.set_content(0, std::move(result));
    return {};
}

/// Applies `number` to the floating-point numbers of the input's contents, and `integer` to their integers.
void map_content(NodeInference& node, const std::function<double(double)>& number,
                 const std::function<std::int64_t(std::int64_t)>& integer) {
    const Content* x = node.content(0);
    if (!x) return;
    Content result;
    result.floating = x->floating;
    for (const double value : x->numbers) result.numbers.push_back(rounded(number(value), node.dtype(0)));
    for (const Element& element : x->integers)
        result.integers.push_back(element.known ? element_of(integer(element.value)) : Element{});
    node.set_content(0, std::move(result));
}

Result<void> unary_rule(NodeInference& node) {
    node.set_like_first();
    const std::string& type = node.node().op_type;
    const auto keep = [](std::int64_t value) { return value; };
    // Negates as an unsigned number, since the smallest integer has no positive counterpart.
    const auto negate = [](std::int64_t x) { return static_cast<std::int64_t>(-static_cast<std::uint64_t>(x)); };
    const auto absolute = [&](std::int64_t x) { return x < 0 ? negate(x) : x; };
    if (type == "Neg")
        map_content(
            node, [](double x) { return -x; }, negate);
    if (type == "Abs")
        map_content(
            node, [](double x) { return std::fabs(x); }, absolute);
    if (type == "Sqrt")
        map_content(
            node, [](double x) { return std::sqrt(x); }, keep);
    if (type == "Floor")
        map_content(
            node, [](double x) { return std::floor(x); }, keep);
    if (type == "Ceil")
        map_content(
            node, [](double x) { return std::ceil(x); }, keep);
    if (type == "Reciprocal")
        map_content(
            node, [](double x) { return 1.0 / x; }, keep);
    return {};
}

Result<void> not_rule(NodeInference& node) {
    node.set_like_first();
    map_content(
        node, [](double x) { return x; }, [](std::int64_t x) { return std::int64_t{x == 0}; });
    return {};
}

void cast_content(NodeInference& node, DType to) {
    const Content* x = node.content(0);
    if (!x || to == DType::undefined || to == DType::string) return;
    Content result;
    result.floating = is_floating(to);
    for (const double value : x->numbers) {
        if (result.floating) result.numbers.push_back(rounded(value, to));
        else if (to == DType::boolean) result.integers.push_back(element_of(value != 0));
        else if (std::fabs(value) < 9e18) result.integers.push_back(element_of(static_cast<std::int64_t>(value)));
        else return;
    }
    for (const Element& element : x->integers) {
        if (result.floating && !element.known) return;
        if (result.floating) result.numbers.push_back(rounded(static_cast<double>(element.value), to));
        else if (to == DType::boolean && element.known) result.integers.push_back(element_of(element.value != 0));
        else result.integers.push_back(element);
    }
    node.set_content(0, std::move(result));
}

Result<void> cast_rule(NodeInference& node) {
    const bool like = node.node().op_type == "CastLike";
    const DType to = like ? node.dtype(1) : static_cast<DType>(node.integer("to", 0));
    node.set(0, to, node.shape(0) ? std::optional<Shape>(*node.shape(0)) : std::nullopt);
    cast_content(node, to);
    return {};
}

Result<void> identity_rule(NodeInference& node) {
    node.set_like_first();
    if (const Content* x = node.content(0)) node.set_content(0, *x);
    return {};
}

}  // namespace

void add_arithmetic_rules(ShapeRules& rules) {
    for (const char* type : {"Add", "Sub", "Mul", "Div", "Mod", "Min", "Max", "Sum", "Mean", "And", "Or", "Xor",
                             "BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitShift"})
        rules.emplace(type, arithmetic_rule);
    rules.emplace("Pow", first_dtype_rule);
    for (const char* type : {"Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual"})
        rules.emplace(type, comparison_rule);
    for (const char* type : {"Neg", "Abs", "Sqrt", "Floor", "Ceil", "Reciprocal"}) rules.emplace(type, unary_rule);
    rules.emplace("Where", where_rule);
    rules.emplace("Not", not_rule);
    for (const char* type : {"Cast", "CastLike"}) rules.emplace(type, cast_rule);
    rules.emplace("Identity", identity_rule);
}

}  // namespace divisi::graph
