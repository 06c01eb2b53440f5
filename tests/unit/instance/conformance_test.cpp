// SPDX-License-Identifier: Apache-2.0
// Tests the verdicts of the conformance run on small generated test cases: passed, unsupported, wrong, out of time.
#include "agents/instance/commands/commands.h"

#include <onnx/defs/parser.h>
#include <onnx/onnx_pb.h>

#include <QTemporaryDir>
#include <fstream>
#include <sstream>

#include "tests/support/test_program.h"

namespace divisi::instance::conformance_test {

class ConformanceTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    std::filesystem::path root() const { return folder_.path().toStdString(); }

    template <typename Message>
    static void write(const std::filesystem::path& path, const Message& message) {
        std::filesystem::create_directories(path.parent_path());
        std::ofstream file(path, std::ios::binary);
        QVERIFY(message.SerializeToOstream(&file));
    }

    static ::onnx::TensorProto tensor(const std::vector<float>& values) {
        ::onnx::TensorProto proto;
        proto.set_data_type(::onnx::TensorProto::FLOAT);
        proto.add_dims(static_cast<std::int64_t>(values.size()));
        for (const float value : values) proto.add_float_data(value);
        return proto;
    }

    /// Writes a case with three numbers x and a result y.
    std::filesystem::path make_case(const std::string& name, const std::string& body, const ::onnx::TensorProto& x,
                                    const ::onnx::TensorProto& y) {
        const std::string head = "<ir_version: 8, opset_import: [\"\" : 17]>\nmodel (float[3] x) => (float[3] y) ";
        ::onnx::ModelProto model;
        if (!::onnx::OnnxParser::Parse(model, (head + "{" + body + "}").c_str()).IsOK())
            qFatal("the model of the test does not parse");
        const auto folder = root() / name;
        write(folder / "model.onnx", model);
        write(folder / "test_data_set_0" / "input_0.pb", x);
        write(folder / "test_data_set_0" / "output_0.pb", y);
        return folder;
    }

    std::filesystem::path make_relu(const ::onnx::TensorProto& y) {
        return make_case("relu", "y = Relu(x)", tensor({-1, 0, 2}), y);
    }

private Q_SLOTS:
    void init() {
        std::filesystem::remove_all(root());
        std::filesystem::create_directories(root());
    }

    void correct_case_passes() {
        const auto result = check_case(make_relu(tensor({0, 0, 2})));
        QCOMPARE(QString::fromStdString(result.reason), QString());
        QVERIFY(result.verdict == Verdict::passed);
    }

    void a_wrong_value_is_named() {
        const auto result = check_case(make_relu(tensor({0, 0, 3})));
        QVERIFY(result.verdict == Verdict::wrong);
        QVERIFY2(result.reason.find("'y' is 2.000000 at 2 where 3.000000") != std::string::npos, result.reason.c_str());
    }

    void a_wrong_shape_or_type_is_named() {
        auto result = check_case(make_relu(tensor({0, 0})));
        QVERIFY(result.verdict == Verdict::wrong);
        QVERIFY2(result.reason.find("float32[3] where float32[2]") != std::string::npos, result.reason.c_str());
        ::onnx::TensorProto doubles;
        doubles.set_data_type(::onnx::TensorProto::DOUBLE);
        doubles.add_dims(3);
        for (const double value : {0.0, 0.0, 2.0}) doubles.add_double_data(value);
        result = check_case(make_relu(doubles));
        QVERIFY(result.verdict == Verdict::wrong);
        QVERIFY2(result.reason.find("float64[3]") != std::string::npos, result.reason.c_str());
    }

    void tolerance_is_as_documented() {
        QVERIFY(check_case(make_relu(tensor({0, 9e-6F, 2.0015F}))).verdict == Verdict::passed);
        QVERIFY(check_case(make_relu(tensor({0, 2e-5F, 2}))).verdict == Verdict::wrong);
        QVERIFY(check_case(make_relu(tensor({0, 0, 2.003F}))).verdict == Verdict::wrong);
    }

    void an_operator_that_import_refuses_is_unsupported() {
        const auto x = tensor({1, 2, 3});
        const auto result = check_case(make_case("random", "y = RandomNormalLike(x)", x, x));
        QVERIFY(result.verdict == Verdict::unsupported);
        QVERIFY2(result.reason.find("RandomNormalLike") != std::string::npos, result.reason.c_str());
    }

    void failure_after_the_import_counts_as_wrong() {
        const auto x = tensor({1, 2, 3});
        // The model declares three numbers but the data have four, which import cannot know.
        const auto result = check_case(make_case("add", "y = Add(x, x)", tensor({1, 2, 3, 4}), x));
        QVERIFY(result.verdict == Verdict::wrong);
    }

    void run_counts_every_case_and_ends_with_totals() {
        const auto x = tensor({1, 2, 3});
        make_case("a/good", "y = Identity(x)", x, x);
        make_case("a/bad", "y = Neg(x)", x, x);
        make_case("b/refused", "y = RandomUniformLike(x)", x, x);
        std::filesystem::create_directories(root() / "c");
        std::ofstream(root() / "c" / "model.onnx") << "no model at all";
        std::ostringstream out;
        QCOMPARE(run_conformance({root(), true, 60'000}, out), 1);
        const auto text = out.str();
        QVERIFY2(text.ends_with("{\"passed\":1,\"unsupported\":1,\"wrong\":2}\n"), text.c_str());
        QVERIFY2(text.find("{\"case\":\"a/good\",\"result\":\"passed\"}") != std::string::npos, text.c_str());
    }

    void case_that_takes_too_long_fails_and_the_run_continues() {
        const auto x = tensor({1, 2, 3});
        make_case("first", "y = Identity(x)", x, x);
        make_case("second", "y = RandomUniformLike(x)", x, x);
        std::ostringstream out;
        QCOMPARE(run_conformance({root(), true, 0}, out), 1);
        const auto text = out.str();
        QVERIFY2(text.find("not finished after 0 ms") != std::string::npos, text.c_str());
        QVERIFY2(text.ends_with("{\"passed\":0,\"unsupported\":0,\"wrong\":2}\n"), text.c_str());
    }

    void a_folder_without_cases_is_an_error() {
        std::ostringstream out;
        QCOMPARE(run_conformance({root(), false, 1'000}, out), 2);
        QVERIFY(!out.str().empty());
    }

    /// Runs a part of the cases that Debian ships; all of them take a minute.
    void no_published_case_is_wrong() {
        const std::filesystem::path published = "/usr/share/libonnx-testdata/data/simple";
        if (!std::filesystem::exists(published)) QSKIP("libonnx-testdata is not installed");
        std::ostringstream out;
        const int status = run_conformance({published, true, 60'000}, out);
        QVERIFY2(status == 0, out.str().c_str());
    }
};

DIVISI_TEST(ConformanceTest)

}  // namespace divisi::instance::conformance_test

#include "conformance_test.moc"
