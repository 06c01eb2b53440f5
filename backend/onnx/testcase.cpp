// SPDX-License-Identifier: Apache-2.0
#include "backend/onnx/testcase.h"

#include <onnx/onnx-data_pb.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "backend/onnx/error_texts.h"
#include "backend/onnx/file_mapping.h"
#include "backend/onnx/tensor_proto.h"

namespace divisi::onnx {
namespace {

/// Limit for tensor files. The largest tensor of the ONNX test suite has 100 MB; files are parsed in memory.
constexpr std::int64_t tensor_file_limit = std::int64_t{1} << 30;

/// Extracts a number from a file name: "input_12.pb" -> 12 for the prefix "input_" and the suffix ".pb".
std::optional<int> number_in(const std::string& name, std::string_view prefix, std::string_view suffix) {
    if (name.size() <= prefix.size() + suffix.size() || !name.starts_with(prefix) || !name.ends_with(suffix))
        return std::nullopt;
    int number = 0;
    const char* begin = name.data() + prefix.size();
    const char* end = name.data() + name.size() - suffix.size();
    const auto [stop, error] = std::from_chars(begin, end, number);
    if (error != std::errc() || stop != end) return std::nullopt;
    return number;
}

/// Lists the entries of a folder named prefix + number + suffix, sorted by number.
std::vector<std::filesystem::path> numbered(const std::filesystem::path& folder, std::string_view prefix,
                                            std::string_view suffix) {
    std::vector<std::pair<int, std::filesystem::path>> found;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
        if (const auto number = number_in(entry.path().filename().string(), prefix, suffix))
            found.emplace_back(*number, entry.path());
    std::sort(found.begin(), found.end());
    std::vector<std::filesystem::path> paths;
    for (auto& [number, path] : found) paths.push_back(std::move(path));
    return paths;
}

/// Returns whether the bytes hold a sequence or an optional value. These messages store the kind of their elements in
/// the field in which a tensor stores its data type.
bool is_container(const std::string& bytes) {
    ::onnx::SequenceProto sequence;
    if (sequence.ParseFromString(bytes) && sequence.elem_type() != 0 && sequence.unknown_fields().empty()) return true;
    ::onnx::OptionalProto optional;
    return optional.ParseFromString(bytes) && optional.elem_type() != 0 && optional.unknown_fields().empty();
}

Result<void> read_tensors(const std::filesystem::path& folder, std::string_view prefix,
                          std::vector<graph::HostTensor>& tensors, std::vector<std::string>& names) {
    for (const auto& path : numbered(folder, prefix, ".pb")) {
        DIVISI_ASSIGN(const auto file, FileMapping::open(path, tensor_file_limit));
        const auto view = file->bytes();
        const std::string bytes(reinterpret_cast<const char*>(view.data()), view.size());
        ::onnx::TensorProto proto;
        const std::string where = path.string();
        Result<graph::HostTensor> tensor = make_error(error_text("test-file-is-no-tensor"), where);
        if (proto.ParseFromString(bytes)) tensor = decode_tensor(proto, {}, where);
        // A sequence also parses as a tensor with nonsensical fields, so look for one only if decoding the tensor
        // failed.
        if (!tensor && is_container(bytes)) return make_error(error_text("test-value-is-no-tensor"), where);
        if (!tensor) return std::move(tensor).error();
        names.push_back(proto.name());
        tensors.push_back(std::move(tensor).value());
    }
    return {};
}

}  // namespace

Result<std::vector<std::filesystem::path>> find_test_cases(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> found;
    std::error_code error;
    if (std::filesystem::exists(folder / "model.onnx", error)) found.push_back(folder);
    const auto options = std::filesystem::directory_options::skip_permission_denied;
    for (auto entry = std::filesystem::recursive_directory_iterator(folder, options, error);
         !error && entry != std::filesystem::recursive_directory_iterator(); entry.increment(error))
        if (std::error_code ignored; std::filesystem::is_regular_file(entry->path() / "model.onnx", ignored))
            found.push_back(entry->path());
    if (found.empty()) return make_error(error_text("no-test-model"), folder.string());
    std::sort(found.begin(), found.end());
    return found;
}

Result<TestCase> load_test_case(const std::filesystem::path& folder) {
    TestCase test;
    test.name = folder.filename().string();
    test.model = folder / "model.onnx";
    for (const auto& set : numbered(folder, "test_data_set_", "")) {
        TestData data;
        data.name = set.filename().string();
        DIVISI_TRY(read_tensors(set, "input_", data.inputs, data.input_names));
        DIVISI_TRY(read_tensors(set, "output_", data.outputs, data.output_names));
        test.data.push_back(std::move(data));
    }
    return test;
}

Result<graph::Bindings> bindings_for(const graph::Graph& graph, const TestData& data) {
    if (data.inputs.size() != graph.inputs.size())
        return make_error(error_text("test-inputs-misfit"), data.name,
                          {std::to_string(data.inputs.size()), std::to_string(graph.inputs.size())});
    graph::Bindings bindings;
    for (std::size_t i = 0; i < data.inputs.size(); ++i) {
        const auto& value = graph.values[graph.inputs[i]];
        if (!value.shape) continue;
        const auto& dims = data.inputs[i].dims;
        const bool open = std::any_of(value.shape->begin(), value.shape->end(),
                                      [](const graph::Dim& dim) { return !dim.known() || !dim.symbol.empty(); });
        if (!open) continue;
        if (dims.size() != value.shape->size())
            return make_error(error_text("test-input-of-other-rank"), data.name, {value.name});
        for (std::size_t axis = 0; axis < dims.size(); ++axis) {
            const graph::Dim& dim = (*value.shape)[axis];
            if (!dim.symbol.empty()) bindings[dim.symbol] = dims[axis];
            else if (!dim.known()) bindings[value.name + "." + std::to_string(axis)] = dims[axis];
        }
    }
    return bindings;
}

}  // namespace divisi::onnx
