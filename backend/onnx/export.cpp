// SPDX-License-Identifier: Apache-2.0
#include "backend/onnx/export.h"

#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "backend/file/atomic_file.h"
#include "backend/graph/deploy.h"
#include "backend/graph/shapes.h"
#include "backend/onnx/error_texts.h"
#include "backend/onnx/model_writer.h"
#include "backend/onnx/opset.h"
#include "backend/onnx/skeleton.h"
#include "backend/onnx/tensor_proto.h"

namespace divisi::onnx {
namespace {

using file::AtomicFile;
using graph::Graph;
using graph::HostTensor;

/// Lets Protobuf write into an AtomicFile piece by piece, so that memory never holds a second copy of the model.
class FileStream : public google::protobuf::io::ZeroCopyOutputStream {
public:
    explicit FileStream(AtomicFile& file) : file_(file), buffer_(buffer_size) {}

    bool Next(void** data, int* size) override {
        if (!flush()) return false;
        *data = buffer_.data();
        *size = static_cast<int>(buffer_.size());
        used_ = buffer_.size();
        return true;
    }
    void BackUp(int count) override { used_ -= static_cast<std::size_t>(count); }
    int64_t ByteCount() const override { return file_.position() + static_cast<int64_t>(used_); }

    bool flush() {
        result_ = file_.write(std::span(buffer_).first(used_));
        used_ = 0;
        return result_.ok();
    }
    const Result<void>& result() const { return result_; }

private:
    static constexpr std::size_t buffer_size = std::size_t{1} << 20;
    AtomicFile& file_;
    std::vector<std::byte> buffer_;
    std::size_t used_ = 0;
    Result<void> result_;
};

Result<HostTensor> current_data(const Graph& graph, std::size_t index, const ExportOptions& options) {
    const auto& initializer = graph.initializers[index];
    const auto& value = graph.values[initializer.value];
    const std::string where = "initializer '" + value.name + "'";
    if (!options.weights && !initializer.data) return make_error(error_text("initializer-without-data"), where);
    HostTensor tensor;
    if (options.weights) {
        DIVISI_ASSIGN(tensor, options.weights(index));
    } else {
        tensor = *initializer.data;
    }
    tensor = contiguous(tensor);
    if (tensor.dtype != value.dtype || tensor.size_bytes != graph::size_bytes(value).value_or(-1))
        return make_error(error_text("initializer-data-misfit"), where, {std::string(graph::name(value.dtype))});
    return tensor;
}

std::int64_t weight_bytes(const Graph& graph) {
    std::int64_t total = 0;
    for (const auto& initializer : graph.initializers)
        total += graph::size_bytes(graph.values[initializer.value]).value_or(0);
    return total;
}

std::filesystem::path fresh_data_path(const std::filesystem::path& model) {
    std::filesystem::path path = model.string() + ".data";
    std::error_code error;
    for (int i = 1; std::filesystem::exists(path, error); ++i)
        path = model.string() + "." + std::to_string(i) + ".data";
    return path;
}

/// The opset that most runtimes support.
constexpr std::int64_t widely_known = 17;

/// Returns whether a node, as written, has the same meaning at opset 17. From opset 18 on, Split has another meaning
/// only if its sizes are omitted: an attribute then gives the number of parts.
bool fits_widely_known(const Graph& graph, const graph::Node& node) {
    if (!node.domain.empty() || same_meaning(node.op_type, graph.opset, widely_known)) return true;
    return node.op_type == "Split" && node.inputs.size() == 2 && !node.attributes.contains("num_outputs");
}

/// Sets opset 17 if every operator has the same meaning at that opset, for runtimes that support no later opset.
void lower_opset(Graph& graph) {
    if (graph.opset <= widely_known) return;
    for (const auto& node : graph.nodes)
        if (!fits_widely_known(graph, node)) return;
    graph.opset = widely_known;
}

/// Returns the graph outside training mode (see graph/deploy.h). Sizes bound by a task become open again, including
/// sizes that were derived from them.
Result<Graph> written_form(const Graph& graph) {
    Graph open = graph::deployable(graph);
    DIVISI_TRY(open.canonicalize());
    lower_opset(open);
    for (const auto input : open.inputs)
        if (open.values[input].shape)
            for (graph::Dim& dim : *open.values[input].shape)
                if (!dim.symbol.empty()) dim.size = -1;
    for (auto& value : open.values)
        if (value.producer != graph::no_node) value.shape.reset();
    DIVISI_TRY(graph::infer_shapes(open, {}));
    return open;
}

}  // namespace

Result<void> export_model(const Graph& graph, const std::filesystem::path& path, const ExportOptions& options) {
    DIVISI_ASSIGN(const Graph open, written_form(graph));
    DIVISI_ASSIGN(AtomicFile model_file, AtomicFile::create(path));
    const bool external = weight_bytes(graph) > options.inline_limit;
    const auto data_path = fresh_data_path(path);
    std::optional<AtomicFile> data_file;
    if (external) {
        DIVISI_ASSIGN(AtomicFile created, AtomicFile::create(data_path));
        data_file.emplace(std::move(created));
    }

    WriteOptions write;
    write.write_initializer = [&](std::size_t index, ::onnx::TensorProto& proto) -> Result<void> {
        DIVISI_ASSIGN(const HostTensor tensor, current_data(graph, index, options));
        if (!external) {
            proto.set_raw_data(tensor.data, static_cast<std::size_t>(tensor.size_bytes));
            return {};
        }
        DIVISI_TRY(data_file->align(weights_alignment));
        set_external_data(proto, data_path.filename().string(), data_file->position(), tensor.size_bytes);
        return data_file->write(tensor.bytes());
    };
    DIVISI_ASSIGN(const ::onnx::ModelProto model, build_model(open, write));
    FileStream stream(model_file);
    const bool serialized = model.SerializeToZeroCopyStream(&stream) && stream.flush();
    DIVISI_TRY(stream.result());
    if (!serialized) return make_error(error_text("model-exceeds-one-file"), path.string());
    if (data_file) DIVISI_TRY(data_file->commit());
    return model_file.commit();
}

}  // namespace divisi::onnx
