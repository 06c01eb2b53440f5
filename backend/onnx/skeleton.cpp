// SPDX-License-Identifier: Apache-2.0
#include "backend/onnx/skeleton.h"

#include <array>
#include <charconv>
#include <cmath>
#include <exception>
#include <optional>
#include <utility>

#include "backend/base/units.h"
#include "backend/file/atomic_file.h"
#include "backend/onnx/error_texts.h"
#include "backend/onnx/file_mapping.h"
#include "backend/onnx/model_reader.h"
#include "backend/onnx/model_writer.h"
#include "backend/onnx/tensor_proto.h"

namespace divisi::onnx {
namespace {

using file::AtomicFile;
using graph::Graph;
using graph::HostTensor;
using graph::Initializer;
using graph::RandomInit;

// Keys of TensorProto.external_data in addition to ONNX's own. Readers of plain ONNX ignore them.
constexpr auto trainable_key = "divisi.trainable";
constexpr auto random_key = "divisi.random";
constexpr auto scale_key = "divisi.scale";
constexpr auto weights_location = "weights";

constexpr std::array<std::pair<RandomInit::Kind, const char*>, 4> kind_names{{
    {RandomInit::Kind::zeros, "zeros"},
    {RandomInit::Kind::ones, "ones"},
    {RandomInit::Kind::normal, "normal"},
    {RandomInit::Kind::uniform, "uniform"},
}};

void set_entry(::onnx::TensorProto& proto, const char* key, const std::string& value) {
    auto& entry = *proto.add_external_data();
    entry.set_key(key);
    entry.set_value(value);
}

const std::string* find_entry(const ::onnx::TensorProto& proto, std::string_view key) {
    for (const auto& entry : proto.external_data())
        if (entry.key() == key) return &entry.value();
    return nullptr;
}

template <typename Number>
std::string print(Number number) {
    std::array<char, 64> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
    return std::string(text.data(), end);
}

template <typename Number>
std::optional<Number> parse(const std::string* text) {
    if (text == nullptr) return std::nullopt;
    Number number{};
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
    if (error != std::errc() || end != text->data() + text->size()) return std::nullopt;
    return number;
}

bool stays_inline(const Graph& graph, const Initializer& initializer) {
    if (!initializer.data || initializer.trainable) return false;
    const bool floating = graph::is_floating(graph.values[initializer.value].dtype);
    return initializer.data->size_bytes <= (floating ? inline_constant_limit : inline_integer_limit);
}

/// Reads a tensor in a form that only skeletons have. Returns false for other tensors, such as small constants.
Result<bool> take_initializer(const ::onnx::TensorProto& proto, Initializer& initializer, const std::string& where) {
    const std::string place = where + ": initializer '" + proto.name() + "'";
    initializer.trainable = find_entry(proto, trainable_key) != nullptr;
    const std::string* random = find_entry(proto, random_key);
    if (random == nullptr && proto.data_location() != ::onnx::TensorProto::EXTERNAL) return false;

    const auto dtype = static_cast<graph::DType>(proto.data_type());
    const std::int64_t width = proto.data_type() < 0 || proto.data_type() > 16 ? 0 : graph::element_size(dtype);
    if (width == 0) return make_error(error_text("skeleton-type-not-known"), place);
    const std::vector<std::int64_t> dims(proto.dims().begin(), proto.dims().end());
    DIVISI_ASSIGN(const std::int64_t count, checked_count(dims, width, place));
    if (random != nullptr) {
        const auto scale = parse<double>(find_entry(proto, scale_key));
        for (const auto& [kind, name] : kind_names)
            if (*random == name && scale && std::isfinite(*scale)) initializer.random = RandomInit{kind, *scale};
        if (!initializer.random) return make_error(error_text("skeleton-rule-not-valid"), place);
        return true;
    }
    const auto offset = parse<std::int64_t>(find_entry(proto, "offset"));
    const auto length = parse<std::int64_t>(find_entry(proto, "length"));
    if (!offset || *offset < 0 || *offset > external_file_limit || *offset % weights_alignment != 0)
        return make_error(error_text("skeleton-place-not-valid"), place);
    if (!length || *length != count * width) return make_error(error_text("skeleton-length-misfits"), place);
    initializer.offset = offset;
    return true;
}

}  // namespace

Result<Graph> place_weights(const Graph& graph, const std::filesystem::path& weights_file) {
    Graph placed = graph;
    std::optional<AtomicFile> file;
    for (Initializer& initializer : placed.initializers) {
        if (!initializer.data || initializer.offset || stays_inline(placed, initializer)) continue;
        if (!file) {
            DIVISI_ASSIGN(AtomicFile created, AtomicFile::create(weights_file));
            file.emplace(std::move(created));
        }
        DIVISI_TRY(file->align(weights_alignment));
        initializer.offset = file->position();
        DIVISI_TRY(file->write(contiguous(*initializer.data).bytes()));
        initializer.data.reset();
    }
    if (file) DIVISI_TRY(file->commit());
    return placed;
}

Graph without_weights(const Graph& graph) {
    Graph bare = graph;
    std::int64_t end = 0;
    for (Initializer& initializer : bare.initializers) {
        if (!initializer.data || initializer.offset || stays_inline(bare, initializer)) continue;
        initializer.offset = (end + weights_alignment - 1) / weights_alignment * weights_alignment;
        end = *initializer.offset + initializer.data->size_bytes;
        initializer.data.reset();
    }
    return bare;
}

Result<std::string> encode_skeleton(const Graph& graph) {
    WriteOptions options;
    options.all_values = true;
    options.write_initializer = [&](std::size_t index, ::onnx::TensorProto& proto) -> Result<void> {
        const Initializer& initializer = graph.initializers[index];
        if (initializer.offset) {
            set_external_data(proto, weights_location, *initializer.offset,
                              graph::size_bytes(graph.values[initializer.value]).value_or(0));
        } else if (stays_inline(graph, initializer)) {
            const HostTensor data = contiguous(*initializer.data);
            proto.set_raw_data(data.data, static_cast<std::size_t>(data.size_bytes));
        } else if (initializer.random) {
            for (const auto& [kind, name] : kind_names)
                if (kind == initializer.random->kind) set_entry(proto, random_key, name);
            set_entry(proto, scale_key, print(initializer.random->scale));
        } else {
            return make_error(error_text("weights-without-file"), "initializer '" + proto.name() + "'");
        }
        if (initializer.trainable) set_entry(proto, trainable_key, "1");
        return {};
    };
    DIVISI_ASSIGN(const ::onnx::ModelProto model, build_model(graph, options));
    std::string bytes = model.SerializeAsString();
    if (static_cast<std::int64_t>(bytes.size()) > skeleton_limit)
        return make_error(error_text("skeleton-too-large"), "graph '" + graph.name + "'",
                          {format_bytes(static_cast<std::int64_t>(bytes.size())), format_bytes(skeleton_limit)});
    return bytes;
}

Result<Graph> load_skeleton(std::span<const std::byte> bytes, std::string_view origin) {
    ReadContext context;
    context.where = std::string(origin);
    context.keep_value_types = true;
    if (static_cast<std::int64_t>(bytes.size()) > skeleton_limit)
        return make_error(error_text("skeleton-message-too-large"), context.where, {format_bytes(skeleton_limit)});
    context.take_initializer = [&](const ::onnx::TensorProto& proto, Initializer& initializer) {
        return take_initializer(proto, initializer, context.where);
    };
    const auto copy = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
    context.owner = copy;
    try {
        DIVISI_ASSIGN(const ScannedModel scanned, scan_model(*copy, context.where));
        DIVISI_ASSIGN(auto model, parse_structure(scanned.structure, context.where));
        return read_model(model, scanned, context);
    } catch (const std::exception& error) {
        return make_error(error_text("skeleton-cannot-be-read"), context.where, {error.what()});
    }
}

Result<HostTensor> read_weight(const Graph& graph, std::size_t initializer, const std::filesystem::path& weights_file) {
    const Initializer& entry = graph.initializers.at(initializer);
    const auto& value = graph.values[entry.value];
    const std::string where = weights_file.string() + ": initializer '" + value.name + "'";
    if (!entry.offset) return make_error(error_text("weight-lies-in-no-file"), where);
    DIVISI_ASSIGN(const auto file, FileMapping::open(weights_file, external_file_limit));
    const std::int64_t size = graph::size_bytes(value).value_or(0);
    const auto available = static_cast<std::int64_t>(file->bytes().size());
    if (*entry.offset > available || size > available - *entry.offset)
        return make_error(error_text("weights-file-too-short"), where,
                          {std::to_string(size), std::to_string(*entry.offset), std::to_string(available)});
    HostTensor tensor;
    tensor.dtype = value.dtype;
    for (const graph::Dim& dim : *value.shape) tensor.dims.push_back(dim.size);
    tensor.owner = file;
    tensor.data = file->bytes().data() + *entry.offset;
    tensor.size_bytes = size;
    return tensor;
}

}  // namespace divisi::onnx
