// SPDX-License-Identifier: Apache-2.0
#include "backend/onnx/import.h"

#include <exception>
#include <utility>

#include "backend/graph/operators.h"
#include "backend/graph/shapes.h"
#include "backend/onnx/error_texts.h"
#include "backend/onnx/file_mapping.h"
#include "backend/onnx/model_reader.h"
#include "backend/onnx/trainable.h"

namespace divisi::onnx {
namespace {

/// Protobuf cannot write a message of more than 2 GiB, so a larger file is not a model.
constexpr std::int64_t model_file_limit = (std::int64_t{2} << 30) - 1;

Error located(Error error, const std::string& file) {
    error.where = error.where.empty() ? file : file + ": " + error.where;
    return error;
}

Result<void> complete(graph::Graph& graph, const std::vector<std::int32_t>& constants, const ImportOptions& options) {
    if (options.check_operators) DIVISI_TRY(graph::check_operators(graph));
    DIVISI_ASSIGN(const Origins origins, separate_shared_initializers(graph, constants));
    DIVISI_TRY(mark_trainable(graph, constants, origins, options.frozen, options.trained));
    if (options.infer_shapes) DIVISI_TRY(graph::infer_shapes(graph, options.bindings));
    return {};
}

Result<graph::Graph> import_scanned(std::span<const std::byte> bytes, const ReadContext& context,
                                    const ImportOptions& options) {
    // Earlier checks refuse input on which Protobuf and libonnx throw. If one of them throws nevertheless, the file is
    // faulty.
    try {
        DIVISI_ASSIGN(const ScannedModel scanned, scan_model(bytes, context.where));
        DIVISI_ASSIGN(auto model, parse_structure(scanned.structure, context.where));
        std::vector<std::int32_t> constants;
        DIVISI_ASSIGN(graph::Graph graph, read_model(model, scanned, context, &constants));
        if (auto done = complete(graph, constants, options); !done)
            return located(std::move(done).error(), context.where);
        return graph;
    } catch (const std::exception& error) {
        return make_error(error_text("model-cannot-be-read"), context.where, {error.what()});
    }
}

}  // namespace

Result<graph::Graph> import_model(const std::filesystem::path& path, const ImportOptions& options) {
    DIVISI_ASSIGN(const auto mapping, FileMapping::open(path, model_file_limit));
    ExternalFiles external(path.parent_path());
    ReadContext context;
    context.where = path.string();
    context.owner = mapping;
    context.external = &external;
    return import_scanned(mapping->bytes(), context, options);
}

Result<graph::Graph> import_bytes(std::span<const std::byte> bytes, std::string_view origin,
                                  const ImportOptions& options) {
    // One copy makes the tensors independent of the caller's buffer.
    const auto copy = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
    ReadContext context;
    context.where = std::string(origin);
    context.owner = copy;
    return import_scanned(*copy, context, options);
}

}  // namespace divisi::onnx
