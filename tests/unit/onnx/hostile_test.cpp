// SPDX-License-Identifier: Apache-2.0
#include <QElapsedTimer>
#include <functional>

#include "backend/onnx/file_mapping.h"
#include "backend/onnx/functions.h"
#include "backend/onnx/import.h"
#include "backend/onnx/wire_scan.h"
#include "tests/support/test_program.h"
#include "tests/unit/onnx/model_builder.h"

namespace hostile_test {

using namespace divisi;
using namespace divisi::onnx;
using namespace divisi::onnx::testing;

namespace {

/// Writes a field with any tag and length, as a hostile writer would.
std::string field(int number, const std::string& payload, std::uint64_t length) {
    std::string bytes(1, static_cast<char>(number << 3 | 2));
    for (; length >= 0x80; length >>= 7) bytes.push_back(static_cast<char>(length | 0x80));
    bytes.push_back(static_cast<char>(length));
    return bytes + payload;
}

}  // namespace

/// Every case must give a message that names the file, the error and the remedy.
class HostileTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        root_ = std::filesystem::path(folder_->path().toStdString());
    }

    void refuses_files_that_are_not_models();
    void refuses_damaged_bytes();
    void refuses_every_truncation();
    void refuses_wrong_versions();
    void refuses_external_data_outside_the_folder();
    void refuses_tensors_of_wrong_size_data();
    void refuses_tensors_of_wrong_size();
    void refuses_broken_graphs();
    void refuses_unsupported_operators();
    void refuses_deep_nesting();
    void refuses_exploding_functions();
    void refuses_options_that_match_nothing();

private:
    void expect(const std::string& bytes, ErrorCode code, const std::vector<std::string>& parts) {
        const auto result = import_bytes(as_span(bytes), "model.onnx");
        check(result, code, parts);
    }
    void expect(const ModelBuilder& builder, ErrorCode code, const std::vector<std::string>& parts) {
        expect(builder.bytes(), code, parts);
    }
    void expect_file(const std::filesystem::path& path, ErrorCode code, const std::vector<std::string>& parts) {
        check(import_model(path), code, parts);
    }
    static void check(const Result<graph::Graph>& result, ErrorCode code, const std::vector<std::string>& parts) {
        QVERIFY2(!result.ok(), "was imported");
        const std::string message = result.error().message();
        QVERIFY2(result.error().code == code, message.c_str());
        QVERIFY2(!result.error().next.empty(), message.c_str());
        for (const auto& part : parts)
            QVERIFY2(message.find(part) != std::string::npos, (message + "\n   lacks: " + part).c_str());
    }
    /// Returns a model whose first weight is at `location`.
    ModelBuilder external(const std::string& location, const std::string& offset, const std::string& length) {
        ModelBuilder builder = mlp();
        auto& weight = *builder.graph().mutable_initializer(0);
        weight.clear_raw_data();
        weight.set_data_location(::onnx::TensorProto::EXTERNAL);
        for (const auto& [key, value] :
             {std::pair<std::string, std::string>{"location", location}, {"offset", offset}, {"length", length}}) {
            if (value.empty()) continue;
            auto& entry = *weight.add_external_data();
            entry.set_key(key);
            entry.set_value(value);
        }
        return builder;
    }

    std::unique_ptr<QTemporaryDir> folder_;
    std::filesystem::path root_;
};

void HostileTest::refuses_files_that_are_not_models() {
    expect_file(root_ / "absent.onnx", ErrorCode::not_found, {"absent.onnx", "cannot be opened"});
    expect_file(root_, ErrorCode::invalid_input, {root_.string(), "folder"});
    write_file(root_ / "empty.onnx", "");
    expect_file(root_ / "empty.onnx", ErrorCode::invalid_input, {"empty.onnx", "is empty"});
    write_file(root_ / "text.onnx", "This is a letter, not a model.\n");
    const auto text = import_model(root_ / "text.onnx");
    QVERIFY(!text.ok());
    expect_file("/dev/null", ErrorCode::invalid_input, {"regular file"});
    std::filesystem::create_directories(root_);
    write_file(root_ / "huge.onnx", "x");
    std::filesystem::resize_file(root_ / "huge.onnx", std::uintmax_t{3} << 30);  // sparse: occupies no disk space
    expect_file(root_ / "huge.onnx", ErrorCode::exhausted, {"huge.onnx", "3.0 GiB", "2.0 GiB"});
}

void HostileTest::refuses_damaged_bytes() {
    expect(field(7, "", 0xffffffffULL), ErrorCode::corrupt, {"byte 0", "4294967295 bytes", "truncated"});
    expect(field(7, "abc", 0xffffffffffffffffULL), ErrorCode::corrupt, {"byte 0"});
    // Uses a length of 4 GiB for a field deep inside the file, the weight's raw data.
    expect(field(7, field(5, field(9, "", 0xffffffffULL), 6), 8), ErrorCode::corrupt, {"byte 4", "4294967295"});
    expect(mlp().bytes() + std::string(16, '\0'), ErrorCode::corrupt, {"does not begin a valid field"});
    expect(mlp().bytes() + "garbage behind the model", ErrorCode::corrupt, {"byte"});
    expect(std::string("\x08\x08", 2), ErrorCode::invalid_input, {"is not an ONNX model"});
    expect(mlp().bytes() + field(7, "", 0), ErrorCode::invalid_input, {"two graphs"});
}

void HostileTest::refuses_every_truncation() {
    const std::string whole = mlp().bytes();
    for (std::size_t size = 1; size < whole.size(); ++size) {
        // If the file is cut exactly between the last fields, the model lacks an opset. Any other cut counts as damage.
        const auto result = import_bytes(as_span(whole.substr(0, size)), "model.onnx");
        QVERIFY2(!result.ok(), std::to_string(size).c_str());
    }
}

void HostileTest::refuses_wrong_versions() {
    expect(ModelBuilder(mlp(0)), ErrorCode::unsupported, {"opset 0", "1 to 23", "opset_version=17"});
    expect(ModelBuilder(mlp(24)), ErrorCode::unsupported, {"opset 24", "opset_version=17"});
    ModelBuilder ir = mlp();
    ir.model.set_ir_version(99);
    expect(ir, ErrorCode::unsupported, {"IR version 99"});
    ModelBuilder none = mlp();
    none.model.clear_opset_import();
    expect(none, ErrorCode::invalid_input, {"/fc1/Gemm", "'ai.onnx'", "does not import"});
    ModelBuilder twice = mlp();
    twice.model.add_opset_import()->set_version(13);
    expect(twice, ErrorCode::invalid_input, {"two versions"});
    ModelBuilder foreign = mlp();
    foreign.graph().mutable_node(1)->set_domain("com.acme");
    expect(foreign, ErrorCode::invalid_input, {"/Relu", "com.acme", "does not import"});
    auto* import = foreign.model.add_opset_import();
    import->set_domain("com.acme");
    import->set_version(1);
    expect(foreign, ErrorCode::unsupported, {"/Relu", "com.acme"});
}

void HostileTest::refuses_external_data_outside_the_folder() {
    const auto folder = root_ / "model";
    write_file(root_ / "secret.bin", std::string(128, 's'));
    write_file(folder / "w.bin", std::string(100, 'w'));
    std::filesystem::create_symlink(root_ / "secret.bin", folder / "link.bin");
    std::filesystem::create_directory_symlink(root_, folder / "up");
    const auto expect_external = [&](const ModelBuilder& builder, ErrorCode code,
                                     const std::vector<std::string>& parts) {
        write_file(folder / "m.onnx", builder.bytes());
        expect_file(folder / "m.onnx", code, parts);
    };
    const auto bad = ErrorCode::invalid_input;
    expect_external(external("/etc/passwd", "", ""), bad, {"m.onnx", "'w1'", "/etc/passwd", "absolute"});
    expect_external(external("../secret.bin", "", ""), bad, {"'w1'", "'..'", "inside the model's folder"});
    expect_external(external("sub/../../secret.bin", "", ""), bad, {"'..'"});
    expect_external(external("link.bin", "", ""), bad, {"symbolic link"});
    expect_external(external("up/secret.bin", "", ""), bad, {"symbolic link"});
    expect_external(external("", "", ""), bad, {"no usable file name"});
    expect_external(external("gone.bin", "", ""), ErrorCode::not_found, {"gone.bin", "copy the data file"});
    expect_external(external(".", "", ""), bad, {"folder"});
    expect_external(external("w.bin", "", ""), bad, {"needs 128 bytes", "has only 100"});
    expect_external(external("w.bin", "90", "128"), bad, {"at offset 90"});
    expect_external(external("w.bin", "9223372036854775807", "128"), bad, {"has only 100"});
    expect_external(external("w.bin", "0", "64"), bad, {"declares 64"});
    expect_external(external("w.bin", "-4", ""), bad, {"offset", "-4"});
    expect_external(external("w.bin", "99999999999999999999", ""), bad, {"offset"});
    expect(external("w.bin", "", ""), bad, {"no folder"});
}

void HostileTest::refuses_tensors_of_wrong_size_data() {
    QTest::addColumn<int>("kind");
    const char* names[] = {"short raw data", "long raw data", "short floats", "negative dim", "overflow",
                           "rank",           "type",          "no data",      "segments"};
    for (int i = 0; i < 9; ++i) QTest::newRow(names[i]) << i;
}

void HostileTest::refuses_tensors_of_wrong_size() {
    QFETCH(int, kind);
    ModelBuilder builder = mlp();
    auto& weight = *builder.graph().mutable_initializer(0);
    const auto bad = ErrorCode::invalid_input;
    switch (kind) {
        case 0: weight.set_raw_data("abc"); return expect(builder, bad, {"initializer 'w1'", "3 bytes", "needs 128"});
        case 1:
            weight.set_raw_data(std::string(5000, 'x'));
            return expect(builder, bad, {"initializer 'w1'", "5000 bytes", "needs 128"});
        case 2:
            weight.clear_raw_data();
            weight.add_float_data(1);
            return expect(builder, bad, {"initializer 'w1'", "1 numbers", "needs 32"});
        case 3: weight.set_dims(0, -4); return expect(builder, bad, {"'w1'", "negative dimension -4"});
        case 4: weight.set_dims(0, std::int64_t{1} << 61); return expect(builder, bad, {"'w1'", "overflows"});
        case 5:
            for (int i = 0; i < 100; ++i) weight.add_dims(1);
            return expect(builder, ErrorCode::exhausted, {"'w1'", "102 dimensions"});
        case 6: weight.set_data_type(23); return expect(builder, ErrorCode::unsupported, {"'w1'", "type number 23"});
        case 7: weight.clear_raw_data(); return expect(builder, bad, {"'w1'", "0 numbers"});
        default:
            weight.mutable_segment()->set_begin(0);
            return expect(builder, ErrorCode::unsupported, {"'w1'", "segments"});
    }
}

void HostileTest::refuses_broken_graphs() {
    const auto bad = ErrorCode::invalid_input;
    ModelBuilder cyclic = mlp();
    cyclic.graph().mutable_node(0)->set_input(0, "a");
    expect(cyclic, bad, {"model.onnx", "cycle", "/fc1/Gemm", "/Relu"});
    ModelBuilder dangling = mlp();
    dangling.graph().mutable_node(1)->set_input(0, "nowhere");
    expect(dangling, bad, {"/Relu", "nowhere"});
    ModelBuilder twice = mlp();
    twice.node("Relu", {"x"}, {"h"}, "again");
    expect(twice, bad, {"'h'", "again"});
    ModelBuilder output = mlp();
    output.output("missing");
    expect(output, bad, {"output 'missing'"});
    ModelBuilder none = mlp();
    none.graph().clear_output();
    expect(none, bad, {"no output"});
    ModelBuilder input = mlp();
    input.input("x", {"1"});
    expect(input, bad, {"input 'x'", "twice"});
    ModelBuilder weight = mlp();
    weight.weight("w1", {4, 8});
    expect(weight, bad, {"initializer 'w1'", "twice"});
    ModelBuilder overwritten = mlp();
    overwritten.node("Relu", {"x"}, {"w1"}, "writer");
    expect(overwritten, bad, {"'w1'", "writer"});
    ModelBuilder anonymous = mlp();
    anonymous.graph().mutable_initializer(0)->clear_name();
    expect(anonymous, bad, {"no name"});
    ModelBuilder operatorless = mlp();
    operatorless.graph().mutable_node(1)->clear_op_type();
    expect(operatorless, bad, {"/Relu", "names no operator"});
    ModelBuilder attribute = mlp();
    ModelBuilder::attribute(*attribute.graph().mutable_node(1), "speed", 3);
    expect(attribute, bad, {"/Relu", "speed"});
    ModelBuilder arity = mlp();
    arity.graph().mutable_node(1)->add_input("x");
    expect(arity, bad, {"/Relu", "does not fit its operator"});
    ModelBuilder dims = mlp();
    dims.input("z", {"4294967296", "4294967296", "4294967296"});
    expect(dims, bad, {"input 'z'", "overflows"});
    ModelBuilder empty;
    empty.model.clear_graph();
    expect(empty, bad, {"is not an ONNX model"});
}

void HostileTest::refuses_unsupported_operators() {
    const auto no = ErrorCode::unsupported;
    ModelBuilder unknown = mlp();
    unknown.graph().mutable_node(1)->set_op_type("Frobnicate");
    expect(unknown, no, {"model.onnx", "/Relu", "Frobnicate"});
    ModelBuilder sequence = mlp();
    sequence.graph().mutable_input(0)->mutable_type()->mutable_sequence_type();
    expect(sequence, no, {"input 'x'", "sequence"});
    ModelBuilder strings = mlp();
    strings.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(8);
    expect(strings, no, {"input 'x'", "strings"});
    ModelBuilder sparse = mlp();
    sparse.graph().add_sparse_initializer()->mutable_values()->set_name("holes");
    expect(sparse, no, {"'holes'", "sparse"});
    ModelBuilder antialias(18);
    antialias.input("x", {"1", "1", "4", "4"}).output("y");
    antialias.weight("scales", {4}, 1);
    ModelBuilder::attribute(antialias.node("Resize", {"x", "", "scales"}, {"y"}, "resize"), "antialias", 1);
    expect(antialias, no, {"'resize'", "antialias", "export it in another form"});
}

void HostileTest::refuses_deep_nesting() {
    for (const int depth : {20, 200, 2000}) {
        std::string graph = mlp().graph().SerializeAsString();
        for (int i = 0; i < depth; ++i) {
            const std::string attribute = field(6, graph, graph.size());
            const std::string node = field(5, attribute, attribute.size());
            graph = field(1, node, node.size());
        }
        ModelBuilder outer;
        outer.model.clear_graph();
        expect(outer.bytes() + field(7, graph, graph.size()), ErrorCode::exhausted, {"sub-graphs", "16 levels"});
    }
}

void HostileTest::refuses_exploding_functions() {
    ModelBuilder builder = mlp();
    auto* import = builder.model.add_opset_import();
    import->set_domain("bomb");
    import->set_version(1);
    constexpr int levels = 40;
    for (int level = 0; level < levels; ++level) {
        auto& function = *builder.model.add_functions();
        function.set_domain("bomb");
        function.set_name("f" + std::to_string(level));
        for (int copy = 0; copy < 2 && level > 0; ++copy)
            function.add_node()->set_op_type("f" + std::to_string(level - 1));
        for (auto& node : *function.mutable_node()) node.set_domain("bomb");
    }
    builder.graph().add_node()->set_op_type("f" + std::to_string(levels - 1));
    builder.graph().mutable_node(3)->set_domain("bomb");
    QElapsedTimer timer;
    timer.start();
    expect(builder, ErrorCode::exhausted, {"nodes"});
    QVERIFY(timer.elapsed() < 20000);

    builder.model.mutable_functions(0)->add_node()->set_op_type("f39");
    builder.model.mutable_functions(0)->mutable_node(0)->set_domain("bomb");
    expect(builder, ErrorCode::exhausted, {"nests function calls", "calls itself"});
}

void HostileTest::refuses_options_that_match_nothing() {
    const std::string bytes = mlp().bytes();
    ImportOptions frozen;
    frozen.frozen = {"encoder.*"};
    check(import_bytes(as_span(bytes), "model.onnx", frozen), ErrorCode::invalid_input,
          {"frozen", "encoder.*", "matches no initializer"});
    ImportOptions bound;
    bound.bindings = {{"bach", 3}};
    check(import_bytes(as_span(bytes), "model.onnx", bound), ErrorCode::invalid_input, {"model.onnx", "bach"});
}

DIVISI_TEST(HostileTest)

}  // namespace hostile_test

#include "hostile_test.moc"
