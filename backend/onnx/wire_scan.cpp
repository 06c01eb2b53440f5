// SPDX-License-Identifier: Apache-2.0
#include "backend/onnx/wire_scan.h"

#include "backend/base/units.h"
#include "backend/onnx/error_texts.h"

namespace divisi::onnx {
namespace {

using Bytes = std::span<const std::byte>;

// Field numbers of onnx.proto.
constexpr std::uint32_t model_graph = 7;
constexpr std::uint32_t graph_node = 1;
constexpr std::uint32_t graph_initializer = 5;
constexpr std::uint32_t node_attribute = 5;
constexpr std::uint32_t attribute_graph = 6;
constexpr std::uint32_t attribute_graphs = 11;
constexpr std::uint32_t tensor_float_data = 4;
constexpr std::uint32_t tensor_raw_data = 9;
constexpr std::uint32_t tensor_double_data = 10;
/// ONNX uses field numbers up to 26 at the top level. A far higher number means garbage, not a newer field.
constexpr std::uint32_t top_level_field_limit = 1000;

enum WireType : std::uint32_t { varint = 0, fixed64 = 1, length_delimited = 2, fixed32 = 5 };

struct Field {
    std::uint32_t number = 0;
    std::uint32_t wire_type = 0;
    Bytes payload;  ///< content of a length-delimited field
    Bytes whole;    ///< the field including its tag
};

/// Reads the fields of one message in turn. Positions in error messages count from the start of the file.
class Reader {
public:
    Reader(Bytes message, const std::byte* file_begin, const std::string& where)
        : message_(message), file_begin_(file_begin), where_(where) {}

    bool at_end() const { return position_ == message_.size(); }

    Result<Field> next() {
        const std::size_t start = position_;
        DIVISI_ASSIGN(const std::uint64_t tag, read_varint());
        Field field{static_cast<std::uint32_t>(tag >> 3), static_cast<std::uint32_t>(tag & 7), {}, {}};
        if (field.number == 0 || tag > 0xffffffffULL) return damaged(start, error_text("model-byte-not-valid"));
        std::uint64_t length = 0;
        switch (field.wire_type) {
            case varint: {
                DIVISI_ASSIGN([[maybe_unused]] const std::uint64_t value, read_varint());
                break;
            }
            case fixed64: length = 8; break;
            case fixed32: length = 4; break;
            case length_delimited: {
                DIVISI_ASSIGN(length, read_varint());
                break;
            }
            default: return damaged(start, error_text("model-byte-not-valid"));
        }
        if (length > message_.size() - position_)
            return damaged(start, error_text("model-field-too-long"),
                           {std::to_string(length), std::to_string(message_.size() - position_)});
        field.payload = message_.subspan(position_, length);
        position_ += length;
        field.whole = message_.subspan(start, position_ - start);
        return field;
    }

private:
    Result<std::uint64_t> read_varint() {
        const std::size_t start = position_;
        std::uint64_t value = 0;
        for (int shift = 0; shift < 70 && position_ < message_.size(); shift += 7) {
            const auto byte = std::to_integer<std::uint64_t>(message_[position_++]);
            if (shift < 64) value |= (byte & 0x7f) << shift;
            if ((byte & 0x80) == 0) return value;
        }
        return damaged(start, error_text("model-number-cut-off"));
    }

    /// Returns an error about the byte at `position`. The byte's offset in the file is the text's first argument.
    Error damaged(std::size_t position, const ErrorText& text, std::vector<std::string> args = {}) const {
        const auto offset = message_.data() + position - file_begin_;
        args.insert(args.begin(), std::to_string(offset));
        return make_error(text, where_, std::move(args));
    }

    Bytes message_;
    const std::byte* file_begin_;
    const std::string& where_;
    std::size_t position_ = 0;
};

class Scanner {
public:
    Scanner(Bytes file, const std::string& where) : file_(file), where_(where) {}

    Result<ScannedModel> run() {
        ScannedModel result;
        bool has_graph = false;
        Reader reader(file_, file_.data(), where_);
        while (!reader.at_end()) {
            DIVISI_ASSIGN(const Field field, reader.next());
            if (field.number >= top_level_field_limit) return not_onnx();
            if (field.number == model_graph && field.wire_type == length_delimited) {
                if (has_graph) return make_error(error_text("model-with-two-graphs"), where_);
                has_graph = true;
                DIVISI_ASSIGN(const std::string graph, scan_graph(field.payload, result.data));
                append_message(result.structure, model_graph, graph);
            } else {
                DIVISI_TRY(append(result.structure, field.whole));
            }
        }
        if (!has_graph) return not_onnx();
        return result;
    }

private:
    Result<std::string> scan_graph(Bytes graph, std::vector<Bytes>& data) {
        std::string kept;
        Reader reader(graph, file_.data(), where_);
        while (!reader.at_end()) {
            DIVISI_ASSIGN(const Field field, reader.next());
            if (field.number == graph_initializer && field.wire_type == length_delimited) {
                Bytes large;
                DIVISI_ASSIGN(const std::string tensor, scan_tensor(field.payload, large));
                data.push_back(large);
                append_message(kept, graph_initializer, tensor);
                continue;
            }
            if (field.number == graph_node && field.wire_type == length_delimited)
                DIVISI_TRY(check_node(field.payload, 0));
            DIVISI_TRY(append(kept, field.whole));
        }
        return kept;
    }

    /// Separates the one large data field of a tensor. If there are several data fields (legal, but never written), all
    /// stay in the tensor.
    Result<std::string> scan_tensor(Bytes tensor, Bytes& large) {
        int data_fields = 0;
        {
            Reader reader(tensor, file_.data(), where_);
            while (!reader.at_end()) {
                DIVISI_ASSIGN(const Field field, reader.next());
                if (is_data(field)) ++data_fields;
            }
        }
        std::string kept;
        Reader reader(tensor, file_.data(), where_);
        while (!reader.at_end()) {
            DIVISI_ASSIGN(const Field field, reader.next());
            const bool take = data_fields == 1 && is_data(field) && field.wire_type == length_delimited &&
                              static_cast<std::int64_t>(field.payload.size()) >= raw_data_inline_limit;
            if (take) {
                large = field.payload;
            } else {
                DIVISI_TRY(append(kept, field.whole));
            }
        }
        return kept;
    }

    static bool is_data(const Field& field) {
        return field.number == tensor_raw_data || field.number == tensor_float_data ||
               field.number == tensor_double_data;
    }

    /// Refuses deep nesting with a clear message; Protobuf would report only a failed parse.
    Result<void> check_node(Bytes node, int depth) {
        if (depth > subgraph_depth_limit)
            return make_error(error_text("subgraphs-too-deep"), where_, {std::to_string(subgraph_depth_limit)});
        Reader nodes(node, file_.data(), where_);
        while (!nodes.at_end()) {
            DIVISI_ASSIGN(const Field attribute, nodes.next());
            if (attribute.number != node_attribute || attribute.wire_type != length_delimited) continue;
            Reader fields(attribute.payload, file_.data(), where_);
            while (!fields.at_end()) {
                DIVISI_ASSIGN(const Field field, fields.next());
                const bool subgraph = field.number == attribute_graph || field.number == attribute_graphs;
                if (subgraph && field.wire_type == length_delimited) DIVISI_TRY(check_subgraph(field.payload, depth));
            }
        }
        return {};
    }

    Result<void> check_subgraph(Bytes graph, int depth) {
        Reader reader(graph, file_.data(), where_);
        while (!reader.at_end()) {
            DIVISI_ASSIGN(const Field field, reader.next());
            if (field.number == graph_node && field.wire_type == length_delimited)
                DIVISI_TRY(check_node(field.payload, depth + 1));
        }
        return {};
    }

    Result<void> append(std::string& out, Bytes bytes) {
        kept_ += static_cast<std::int64_t>(bytes.size());
        if (kept_ > structure_limit)
            return make_error(error_text("model-structure-too-large"), where_, {format_bytes(structure_limit)});
        out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        return {};
    }

    static void append_message(std::string& out, std::uint32_t number, const std::string& message) {
        append_varint(out, number << 3 | length_delimited);
        append_varint(out, message.size());
        out += message;
    }

    static void append_varint(std::string& out, std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
        out.push_back(static_cast<char>(value));
    }

    Error not_onnx() const { return make_error(error_text("no-onnx-model"), where_); }

    Bytes file_;
    const std::string& where_;
    std::int64_t kept_ = 0;
};

}  // namespace

Result<ScannedModel> scan_model(std::span<const std::byte> bytes, const std::string& where) {
    if (bytes.empty()) return make_error(error_text("model-file-empty"), where);
    return Scanner(bytes, where).run();
}

}  // namespace divisi::onnx
