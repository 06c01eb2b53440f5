// SPDX-License-Identifier: Apache-2.0
// Compares gradients of every differentiable operator with central differences in float64. Compares the table of
// kernels with the list that import checks.
#include <ATen/ATen.h>

#include <cmath>
#include <set>

#include "agents/segment/kernel.h"
#include "agents/segment/torch_compat.h"
#include "backend/graph/operators.h"
#include "tests/support/test_program.h"
#include "tests/unit/segment/gradient_cases.h"

namespace divisi::test::ops_gradient_test {

namespace {

constexpr double step = 1e-6;
constexpr double tolerance = 2e-5;  // relative to 1 + |gradient|; rounding alone causes about 1e-9

/// Returns distinct numbers spread evenly over the interval, so that none is at a kink.
at::Tensor spread(const Ints& dims, double low, double high, int offset) {
    auto tensor = at::empty(dims, at::kDouble);
    auto* data = tensor.data_ptr<double>();
    for (std::int64_t i = 0; i < tensor.numel(); ++i) {
        const double turn = 0.6180339887498949 * static_cast<double>(i + 1) + 0.1371 * offset;
        data[i] = low + (high - low) * (turn - std::floor(turn));
    }
    return tensor;
}

/// A single node with tensors for its inputs.
struct Prepared {
    segment::Kernel kernel;
    segment::Tensors inputs;
    std::vector<std::size_t> checked;  ///< slots whose gradient is compared
    std::size_t outputs = 1;
    segment::RunContext context;
};

graph::Shape shape_of(const Ints& dims) {
    graph::Shape shape;
    for (const auto size : dims) shape.push_back({size, ""});
    return shape;
}

graph::ValueIndex add_operand(graph::Graph& g, const Operand& operand, std::size_t slot, Prepared& prepared) {
    const std::string name = "in" + std::to_string(slot);
    switch (operand.kind) {
        case Operand::Kind::omitted: prepared.inputs.emplace_back(); return graph::no_value;
        case Operand::Kind::numbers: {
            prepared.inputs.push_back(spread(operand.dims, operand.low, operand.high, static_cast<int>(slot)));
            prepared.checked.push_back(slot);
            const auto value = g.add_value(name, graph::DType::float64, shape_of(operand.dims));
            g.inputs.push_back(value);
            return value;
        }
        case Operand::Kind::integers: {
            const bool wide = operand.dtype == graph::DType::int64;
            const auto tensor = at::tensor(operand.values, at::kLong).reshape(operand.dims);
            prepared.inputs.push_back(wide ? tensor : tensor.to(at::kInt));
            graph::Initializer constant;
            const std::vector<std::int32_t> narrow(operand.values.begin(), operand.values.end());
            constant.data = wide ? graph::HostTensor::of(operand.dtype, operand.dims, operand.values)
                                 : graph::HostTensor::of(operand.dtype, operand.dims, narrow);
            return g.add_initializer(name, constant, operand.dtype, shape_of(operand.dims));
        }
        case Operand::Kind::truths: break;
    }
    const std::vector<std::uint8_t> bytes(operand.values.begin(), operand.values.end());
    prepared.inputs.push_back(at::tensor(operand.values, at::kLong).to(at::kBool).reshape(operand.dims));
    graph::Initializer constant;
    constant.data = graph::HostTensor::of(graph::DType::boolean, operand.dims, bytes);
    return g.add_initializer(name, constant, graph::DType::boolean, shape_of(operand.dims));
}

Prepared prepare(const GradientCase& one) {
    Prepared prepared;
    graph::Graph g;
    g.opset = one.opset;
    graph::Node node;
    node.name = one.op;
    const auto colon = one.op.find(':');  // an operator of Divisi's own domain, which no file contains
    node.op_type = one.op.substr(colon == std::string::npos ? 0 : colon + 1);
    node.domain = one.op.substr(0, colon == std::string::npos ? 0 : colon);
    node.attributes = one.attributes;
    for (std::size_t slot = 0; slot < one.inputs.size(); ++slot)
        node.inputs.push_back(add_operand(g, one.inputs[slot], slot, prepared));
    for (std::size_t i = 0; i < one.outputs; ++i)
        node.outputs.push_back(g.add_value("out" + std::to_string(i), graph::DType::float64));
    g.add_node(node);
    if (const auto checked = graph::check_operators(g); !checked && node.domain.empty())
        throw std::runtime_error(checked.error().message());
    prepared.kernel = segment::make_kernel(g, g.nodes.front());
    prepared.outputs = one.checked_outputs;
    prepared.context.seed = 7;
    return prepared;
}

/// Returns the sum of the outputs weighted with fixed numbers: a function with one value.
at::Tensor weighted_sum(const Prepared& prepared, const segment::Tensors& inputs) {
    const auto outputs = prepared.kernel(prepared.context, inputs);
    at::Tensor sum;
    for (std::size_t i = 0; i < prepared.outputs; ++i) {
        const auto weights = spread(outputs.at(i).sizes().vec(), -1, 1, static_cast<int>(i) + 5);
        const auto part = at::sum(at::mul(outputs[i], weights));
        sum = sum.defined() ? at::add(sum, part) : part;
    }
    return sum;
}

/// Returns the position where the two gradients of an input differ; empty if they agree.
QString compare(const Prepared& prepared, std::size_t slot, const at::Tensor& gradient) {
    const at::NoGradGuard no_gradients;
    for (std::int64_t i = 0; i < prepared.inputs[slot].numel(); ++i) {
        const auto value_at = [&](double offset) {
            auto inputs = prepared.inputs;
            inputs[slot] = inputs[slot].detach().clone();
            inputs[slot].data_ptr<double>()[i] += offset;
            return weighted_sum(prepared, inputs).item<double>();
        };
        const double expected = (value_at(step) - value_at(-step)) / (2 * step);
        const double found = gradient.defined() ? gradient.reshape({-1})[i].item<double>() : 0.0;
        if (!(std::abs(found - expected) <= tolerance * (1 + std::abs(expected))))
            return QString("input %1, element %2: %3 by autograd, %4 by differences")
                .arg(slot)
                .arg(i)
                .arg(found)
                .arg(expected);
    }
    return {};
}

}  // namespace

class OpsGradientTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void gradients_equal_finite_differences_data() {
        QTest::addColumn<int>("index");
        const auto cases = gradient_cases();
        for (int i = 0; i < static_cast<int>(cases.size()); ++i)
            QTest::addRow("%s %d", cases[static_cast<std::size_t>(i)].op.c_str(), i) << i;
    }

    void gradients_equal_finite_differences() {
        QFETCH(int, index);
        try {
            const auto text = check_gradients(index);
            QVERIFY2(text.isEmpty(), qPrintable(text));
        } catch (const c10::Error& error) {
            QFAIL(error.what_without_backtrace());
        }
    }

    void every_operator_is_checked_or_listed() {
        std::set<std::string> seen;
        for (const auto& one : gradient_cases()) seen.insert(one.op);
        for (const auto& op : operators_without_gradient()) {
            QVERIFY2(!seen.contains(op), op.c_str());
            seen.insert(op);
        }
        for (const auto& [name, factory] : segment::kernel_table())
            QVERIFY2(seen.contains(name.front() == ':' ? name.substr(1) : name),
                     (name + " has no gradient case").c_str());
    }

    void import_accepts_the_operators_that_have_kernels() {
        std::set<std::string> kernels;
        for (const auto& [name, factory] : segment::kernel_table())
            if (name.front() == ':') kernels.insert(name);  // no file contains operators of our own domain
        std::set<std::string> listed;
        for (const auto& op : graph::supported_operators()) listed.insert(":" + op);
        for (const auto& op : kernels)
            QVERIFY2(listed.contains(op), (op + " has a kernel but import refuses it").c_str());
        for (const auto& op : listed) QVERIFY2(kernels.contains(op), (op + " is imported but has no kernel").c_str());
    }

private:
    static QString check_gradients(int index) {
        auto prepared = prepare(gradient_cases()[static_cast<std::size_t>(index)]);
        segment::Tensors leaves;
        for (const auto slot : prepared.checked) {
            prepared.inputs[slot].set_requires_grad(true);
            leaves.push_back(prepared.inputs[slot]);
        }
        const auto value = weighted_sum(prepared, prepared.inputs);
        // An output that changes with its inputs only in jumps may have no gradient, which counts as zero.
        segment::Tensors gradients(leaves.size());
        if (value.requires_grad()) gradients = torch::autograd::grad({value}, leaves, {}, false, false, true);
        for (std::size_t i = 0; i < leaves.size(); ++i) {
            if (is_read_only(index, prepared.checked[i])) continue;
            if (const auto text = compare(prepared, prepared.checked[i], gradients[i]); !text.isEmpty()) return text;
        }
        return {};
    }

    /// Returns whether an input's value is read outside of autograd, as documented at its kernel.
    static bool is_read_only(int index, std::size_t slot) {
        const auto op = gradient_cases()[static_cast<std::size_t>(index)].op;
        if (op == "BatchNormalization") return slot >= 3;       // running statistics
        if (op == "Dropout") return slot == 1;                  // ratio
        if (op == "SoftmaxCrossEntropyLoss") return slot == 2;  // class weights
        return op == "Pad" && slot == 2;                        // fill value
    }
};

DIVISI_TEST(OpsGradientTest)

}  // namespace divisi::test::ops_gradient_test

#include "ops_gradient_test.moc"
