// SPDX-License-Identifier: Apache-2.0
// Convolutions and pooling. Sizes follow the formulas of the ONNX operator definitions.
#include "backend/graph/inference.h"

namespace divisi::graph {

namespace {

/// Limit on sizes, kernels and strides that keeps all formulas within 64 bits. If a size, kernel or stride is larger,
/// the result stays unknown.
constexpr std::int64_t largest_side = std::int64_t{1} << 30;

/// A sliding window over the axes after the second.
struct Window {
    std::vector<std::int64_t> kernel, strides, dilations, pads;  ///< pads: all begins first, then all ends
    std::string auto_pad;
    bool ceil_mode = false;

    std::int64_t extent(std::size_t i) const { return (kernel[i] - 1) * dilations[i] + 1; }
    std::int64_t padding(std::size_t i) const { return pads[i] + pads[i + kernel.size()]; }
};

Result<std::vector<std::int64_t>> list_or(const NodeInference& node, const std::string& name, std::size_t count,
                                          std::int64_t fallback, std::int64_t least) {
    auto values = node.integers(name).value_or(std::vector<std::int64_t>(count, fallback));
    if (values.size() != count)
        return node.error(name + " has " + std::to_string(values.size()) + " numbers, needed are " +
                          std::to_string(count));
    for (const std::int64_t value : values)
        if (value < least || value > largest_side) return node.error(name + " holds " + std::to_string(value));
    return values;
}

Result<Window> read_window(const NodeInference& node, std::vector<std::int64_t> kernel) {
    Window window;
    const std::size_t count = kernel.size();
    for (const std::int64_t size : kernel)
        if (size < 1 || size > largest_side) return node.error("the kernel has a size of " + std::to_string(size));
    window.kernel = std::move(kernel);
    DIVISI_ASSIGN(window.strides, list_or(node, "strides", count, 1, 1));
    DIVISI_ASSIGN(window.dilations, list_or(node, "dilations", count, 1, 1));
    DIVISI_ASSIGN(window.pads, list_or(node, "pads", 2 * count, 0, -largest_side));
    window.auto_pad = node.text("auto_pad", "NOTSET");
    window.ceil_mode = node.integer("ceil_mode", 0) != 0;
    return window;
}

Result<Dim> window_output(const NodeInference& node, const Window& window, std::size_t i, const Dim& input) {
    if (!input.known() || input.size > largest_side) return Dim{};
    const std::int64_t stride = window.strides[i], extent = window.extent(i);
    if (window.auto_pad == "SAME_UPPER" || window.auto_pad == "SAME_LOWER")
        return dim_of((input.size + stride - 1) / stride);
    const std::int64_t padding = window.auto_pad == "VALID" ? 0 : window.padding(i);
    const std::int64_t room = input.size + padding - extent;
    if (room < 0)
        return node.error("a window of " + std::to_string(extent) + " does not fit an input of " +
                          std::to_string(input.size) + " padded by " + std::to_string(padding));
    std::int64_t count = (window.ceil_mode ? (room + stride - 1) / stride : room / stride) + 1;
    // The last window must start inside the input or the padding before it.
    if (window.ceil_mode && (count - 1) * stride >= input.size + window.pads[i]) --count;
    return dim_of(count);
}

/// Returns the kernel sizes from the attribute, or else from the weight's shape.
std::optional<std::vector<std::int64_t>> kernel_sizes(const NodeInference& node, const Shape* weight) {
    if (const auto given = node.integers("kernel_shape")) return given;
    if (!weight) return std::nullopt;
    std::vector<std::int64_t> kernel;
    for (std::size_t i = 2; i < weight->size(); ++i) {
        if (!(*weight)[i].known()) return std::nullopt;
        kernel.push_back((*weight)[i].size);
    }
    return kernel;
}

/// Performs the checks common to all convolutions. Returns whether the shapes are known.
Result<bool> check_operands(const NodeInference& node, const Shape* x, const Shape* w, std::size_t input_axis) {
    if (!x || !w) return false;
    if (x->size() < 3 || x->size() != w->size())
        return node.error("input " + to_string(*x) + " and weight " + to_string(*w) + " do not fit");
    const std::int64_t group = node.integer("group", 1);
    if (group < 1) return node.error("group is " + std::to_string(group));
    const Dim wanted = input_axis == 1 ? product((*w)[1], dim_of(group)) : (*w)[0];
    if (differ((*x)[1], wanted))
        return node.error("the input " + to_string(*x) + " has " + std::to_string((*x)[1].size) +
                          " channels, the weight " + to_string(*w) + " takes " + std::to_string(wanted.size));
    return true;
}

Result<void> conv(NodeInference& node) {
    const Shape *x = node.shape(0), *w = node.shape(1);
    DIVISI_ASSIGN(const bool known, check_operands(node, x, w, 1));
    const auto kernel = kernel_sizes(node, w);
    if (!known || !kernel || kernel->size() + 2 != x->size()) {
        if (known && kernel) return node.error("kernel_shape does not fit an input of shape " + to_string(*x));
        node.set(0, node.dtype(0), std::nullopt);
        return {};
    }
    DIVISI_ASSIGN(const Window window, read_window(node, *kernel));
    Shape result{(*x)[0], (*w)[0]};
    for (std::size_t i = 0; i < kernel->size(); ++i) {
        DIVISI_ASSIGN(const Dim dim, window_output(node, window, i, (*x)[i + 2]));
        result.push_back(dim);
    }
    node.set(0, node.dtype(0), std::move(result));
    return {};
}

Result<void> conv_transpose(NodeInference& node) {
    const Shape *x = node.shape(0), *w = node.shape(1);
    DIVISI_ASSIGN(const bool known, check_operands(node, x, w, 0));
    const auto kernel = kernel_sizes(node, w);
    if (!known || !kernel || kernel->size() + 2 != x->size()) {
        node.set(0, node.dtype(0), std::nullopt);
        return {};
    }
    DIVISI_ASSIGN(const Window window, read_window(node, *kernel));
    DIVISI_ASSIGN(const auto extra, list_or(node, "output_padding", kernel->size(), 0, 0));
    const auto fixed = node.integers("output_shape");
    Shape result{(*x)[0], product((*w)[1], dim_of(node.integer("group", 1)))};
    for (std::size_t i = 0; i < kernel->size(); ++i) {
        const Dim& input = (*x)[i + 2];
        const bool keeps_ratio = window.auto_pad == "SAME_UPPER" || window.auto_pad == "SAME_LOWER";
        if (fixed && fixed->size() >= kernel->size()) {
            result.push_back(dim_of((*fixed)[i + fixed->size() - kernel->size()]));
        } else if (!input.known() || input.size > largest_side) {
            result.emplace_back();
        } else if (keeps_ratio) {
            result.push_back(dim_of(input.size * window.strides[i]));
        } else {
            const std::int64_t size =
                window.strides[i] * (input.size - 1) + extra[i] + window.extent(i) - window.padding(i);
            if (size < 0) return node.error("the output would have a negative size");
            result.push_back(dim_of(size));
        }
    }
    node.set(0, node.dtype(0), std::move(result));
    return {};
}

Result<void> pool(NodeInference& node) {
    const Shape* x = node.shape(0);
    const auto kernel = kernel_sizes(node, nullptr);
    if (!x) {
        node.set(0, node.dtype(0), std::nullopt);
        return {};
    }
    if (!kernel || kernel->size() + 2 != x->size())
        return node.error("kernel_shape does not fit an input of shape " + to_string(*x));
    DIVISI_ASSIGN(const Window window, read_window(node, *kernel));
    Shape result{(*x)[0], (*x)[1]};
    for (std::size_t i = 0; i < kernel->size(); ++i) {
        DIVISI_ASSIGN(const Dim dim, window_output(node, window, i, (*x)[i + 2]));
        result.push_back(dim);
    }
    node.set(0, node.dtype(0), result);
    node.set(1, DType::int64, std::move(result));
    return {};
}

Result<void> global_pool(NodeInference& node) {
    const Shape* x = node.shape(0);
    std::optional<Shape> result;
    if (x) {
        result = *x;
        for (std::size_t i = 2; i < result->size(); ++i) (*result)[i] = dim_of(1);
    }
    node.set(0, node.dtype(0), std::move(result));
    return {};
}

}  // namespace

void add_window_rules(ShapeRules& rules) {
    rules.emplace("Conv", conv);
    rules.emplace("ConvTranspose", conv_transpose);
    for (const char* type : {"AveragePool", "MaxPool", "LpPool"}) rules.emplace(type, pool);
    for (const char* type : {"GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"}) rules.emplace(type, global_pool);
}

}  // namespace divisi::graph
