// SPDX-License-Identifier: Apache-2.0
#include "backend/onnx/testcase.h"

#include <onnx/onnx-data_pb.h>

#include <QElapsedTimer>
#include <map>

#include "backend/graph/shapes.h"
#include "backend/onnx/import.h"
#include "tests/support/test_program.h"
#include "tests/unit/onnx/model_builder.h"

namespace testcase_test {

using namespace divisi;
using namespace divisi::onnx;
using namespace divisi::onnx::testing;

namespace {
constexpr auto debian_cases = "/usr/share/libonnx-testdata/data";

/// Reads tensors as bfloat16 if the graph declares this type: older test files store bfloat16 as uint16.
void adopt_types(const graph::Graph& graph, TestData& data) {
    const auto adopt = [&](const std::vector<graph::ValueIndex>& values, std::vector<graph::HostTensor>& tensors) {
        for (std::size_t i = 0; i < std::min(values.size(), tensors.size()); ++i)
            if (graph.values[values[i]].dtype == graph::DType::bfloat16 && tensors[i].dtype == graph::DType::uint16)
                tensors[i].dtype = graph::DType::bfloat16;
    };
    adopt(graph.inputs, data.inputs);
    adopt(graph.outputs, data.outputs);
}

/// Returns the first contradiction between inferred shapes and one data set; empty if there is none. Clears `known` if
/// the size of an output stays unknown.
std::string compare_shapes(graph::Graph& graph, TestData& data, bool& known) {
    adopt_types(graph, data);
    const auto bindings = bindings_for(graph, data);
    if (!bindings.ok()) return bindings.error().message();
    const auto shapes = graph::infer_shapes(graph, *bindings);
    if (!shapes.ok()) return shapes.error().message();
    if (graph.outputs.size() != data.outputs.size()) return "another number of outputs";
    for (std::size_t i = 0; i < data.outputs.size(); ++i) {
        const auto& value = graph.values[graph.outputs[i]];
        const auto& tensor = data.outputs[i];
        known = known && graph::element_count(value).has_value();
        if (value.dtype != graph::DType::undefined && value.dtype != tensor.dtype) return "wrong type of " + value.name;
        if (!value.shape) continue;
        if (value.shape->size() != tensor.dims.size()) return "wrong rank of " + value.name;
        for (std::size_t axis = 0; axis < value.shape->size(); ++axis) {
            const graph::Dim& dim = (*value.shape)[axis];
            if (dim.known() && dim.size != tensor.dims[axis]) return "wrong shape of " + value.name;
        }
    }
    return {};
}

}  // namespace

class TestcaseTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void reads_a_test_case();
    void names_files_that_are_not_tensors();
    void imports_debians_models();
};

void TestcaseTest::reads_a_test_case() {
    const QTemporaryDir folder;
    const auto root = std::filesystem::path(folder.path().toStdString());
    write_file(root / "case" / "model.onnx", mlp().bytes());
    for (int i = 0; i < 11; ++i) {
        ::onnx::TensorProto tensor;
        tensor.set_data_type(::onnx::TensorProto::FLOAT);
        tensor.set_name("x");
        tensor.add_dims(1);
        tensor.add_dims(4);
        for (int k = 0; k < 4; ++k) tensor.add_float_data(static_cast<float>(i));
        const auto set = root / "case" / ("test_data_set_" + std::to_string(i));
        write_file(set / "input_0.pb", tensor.SerializeAsString());
        write_file(set / "output_0.pb", tensor.SerializeAsString());
    }
    const auto found = find_test_cases(root);
    QVERIFY(found.ok());
    QCOMPARE(found->size(), std::size_t{1});
    const auto test = load_test_case(found->front());
    QVERIFY2(test.ok(), test.ok() ? "" : test.error().message().c_str());
    QCOMPARE(test->name, std::string("case"));
    QCOMPARE(test->data.size(), std::size_t{11});
    QCOMPARE(test->data[10].inputs.at(0).number_at(3), 10.0);  // sorted by number, not by text
    QCOMPARE(test->data[2].input_names.at(0), std::string("x"));
    auto graph = import_model(test->model);
    QVERIFY(graph.ok());
    const auto bindings = bindings_for(*graph, test->data[0]);
    QVERIFY(bindings.ok());
    QCOMPARE(bindings->at("batch"), std::int64_t{1});
    QVERIFY(!find_test_cases(root / "case" / "test_data_set_0").ok());
}

void TestcaseTest::names_files_that_are_not_tensors() {
    const QTemporaryDir folder;
    const auto root = std::filesystem::path(folder.path().toStdString());
    ::onnx::SequenceProto sequence;
    sequence.set_elem_type(::onnx::SequenceProto::TENSOR);
    write_file(root / "test_data_set_0" / "input_0.pb", sequence.SerializeAsString());
    const auto refused = load_test_case(root);
    QVERIFY(!refused.ok());
    QVERIFY(refused.error().code == ErrorCode::unsupported);
    write_file(root / "test_data_set_0" / "input_0.pb", "no tensor at all");
    const auto damaged = load_test_case(root);
    QVERIFY(!damaged.ok());
    QVERIFY(damaged.error().code == ErrorCode::invalid_input);
    QVERIFY(damaged.error().message().find("input_0.pb") != std::string::npos);
}

/// Every model imports, or the message names the obstacle. Inferred shapes equal those of the data.
void TestcaseTest::imports_debians_models() {
    const auto found = find_test_cases(debian_cases);
    if (!found.ok()) QSKIP("libonnx-testdata is not installed");
    const bool verbose = qEnvironmentVariableIsSet("DIVISI_LIST_CASES");
    int imported = 0;
    int inferred = 0;
    std::vector<std::string> wrong;
    QElapsedTimer timer;
    timer.start();
    for (const auto& folder : *found) {
        auto graph = import_model(folder / "model.onnx");
        auto test = load_test_case(folder);
        if (!graph.ok() || !test.ok()) {
            const Error& error = graph.ok() ? test.error() : graph.error();
            const bool named = !error.what.empty() && !error.where.empty() && !error.next.empty();
            if (error.code != ErrorCode::unsupported || !named) wrong.push_back(error.message());
            if (verbose) qInfo("unsupported %s: %s", folder.filename().c_str(), error.what.c_str());
            continue;
        }
        ++imported;
        bool known = true;
        for (auto& data : test->data)
            if (const std::string problem = compare_shapes(*graph, data, known); !problem.empty())
                wrong.push_back(folder.string() + ": " + problem);
        if (known) ++inferred;
        else if (verbose) qInfo("open %s", folder.filename().c_str());
    }
    qInfo("%zu models: %d import (%d with all output shapes known), the others name what is not supported; %lld ms",
          found->size(), imported, inferred, static_cast<long long>(timer.elapsed()));
    for (const std::string& problem : wrong) qWarning("%s", problem.c_str());
    QCOMPARE(wrong.size(), std::size_t{0});
    QVERIFY(imported >= 550);
}

DIVISI_TEST(TestcaseTest)

}  // namespace testcase_test

#include "testcase_test.moc"
