// SPDX-License-Identifier: Apache-2.0
// Checks what import refuses, and that the message names node and reason.
#include "backend/graph/operators.h"

#include <algorithm>

#include "tests/support/test_program.h"
#include "tests/unit/graph/builder.h"

namespace divisi::graph::test::operators_test {

class OperatorsTest : public QObject {
    Q_OBJECT

    using Attributes = std::map<std::string, Attribute>;

    static Result<void> check(const std::string& op, Attributes attributes, std::int64_t opset = 17,
                              DType dtype = DType::float32) {
        Builder builder;
        builder.input("x", {2, 3, 4, 4}, dtype).node("the node", op, {"x"}, {"y"}, std::move(attributes));
        builder.graph.opset = opset;
        return check_operators(builder.graph);
    }

    static void refused(const Result<void>& result, const char* reason) {
        QVERIFY(!result);
        QCOMPARE(result.error().code, ErrorCode::unsupported);
        const auto message = result.error().message();
        QVERIFY2(message.find("'the node'") != std::string::npos, message.c_str());
        QVERIFY2(message.find(reason) != std::string::npos, message.c_str());
        QVERIFY2(!result.error().next.empty(), "says what to do");
    }

private Q_SLOTS:
    void supported_operators_are_sorted_and_found() {
        const auto operators = supported_operators();
        QVERIFY(std::is_sorted(operators.begin(), operators.end()));
        for (const auto& op : operators) QVERIFY2(is_supported_operator("", op), op.c_str());
        QVERIFY(is_supported_operator("ai.onnx", "Relu"));
        QVERIFY(!is_supported_operator("com.example", "Relu"));
        QVERIFY(!is_supported_operator("", "Loop"));
    }

    void supported_forms_are_accepted() {
        QVERIFY(check("Relu", {}).ok());
        QVERIFY(check("MaxPool", {{"kernel_shape", std::vector<std::int64_t>{2, 2}}}).ok());
        QVERIFY(check("Cast", {{"to", std::int64_t{10}}}).ok());
        QVERIFY(check("Resize", {{"mode", std::string("cubic")}}).ok());
    }

    void unknown_operators_are_refused() {
        refused(check("StringNormalizer", {}), "StringNormalizer");
        refused(check("If", {{"then_branch", std::make_shared<const Graph>()}}), "sub-graph");
    }

    void unsupported_element_types_are_refused() {
        refused(check("Add", {}, 17, DType::uint32), "uint32");
        refused(check("Identity", {}, 17, DType::string), "string");
        refused(check("Cast", {{"to", std::int64_t{8}}}), "string");
        refused(check("Cast", {{"to", std::int64_t{17}}}, 19), "ONNX type 17");
    }

    void forms_without_a_kernel_are_refused() {
        refused(check("Conv", {{"kernel_shape", std::vector<std::int64_t>{1, 1, 1, 1}}}), "three spatial");
        refused(check("RoiAlign", {{"mode", std::string("max")}}), "max");
        refused(check("LSTM", {{"activations", std::vector<std::string>{"Sigmoid", "Exp", "Tanh"}}}), "Exp");
        refused(check("Resize", {{"antialias", std::int64_t{1}}}, 18), "antialias");
        refused(check("QuantizeLinear", {{"block_size", std::int64_t{16}}}, 21), "blocks");
        refused(check("Constant", {{"value_string", std::string("a")}}), "value_string");
        refused(check("Add", {{"axis", std::int64_t{1}}}, 6), "broadcasting");
        refused(check("Dropout", {}, 6), "training form");
        refused(check("DFT", {{"inverse", std::int64_t{1}}, {"onesided", std::int64_t{1}}}), "one-sided");
        QVERIFY(check("DFT", {{"inverse", std::int64_t{1}}}).ok());
    }
};

DIVISI_TEST(OperatorsTest)

}  // namespace divisi::graph::test::operators_test

#include "operators_test.moc"
