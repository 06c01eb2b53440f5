// SPDX-License-Identifier: Apache-2.0
#include "backend/onnx/model_reader.h"

#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "backend/graph/operators.h"
#include "backend/onnx/attributes.h"
#include "backend/onnx/error_texts.h"
#include "backend/onnx/functions.h"
#include "backend/onnx/opset.h"

namespace divisi::onnx {
namespace {

using graph::Dim;
using graph::DType;
using graph::Graph;
using graph::HostTensor;
using graph::Initializer;
using graph::no_value;
using graph::Node;
using graph::Shape;
using graph::ValueIndex;

struct TensorType {
    DType dtype = DType::undefined;
    std::optional<Shape> shape;
};

const char* kind_of(const ::onnx::TypeProto& type) {
    switch (type.value_case()) {
        case ::onnx::TypeProto::kSequenceType: return "a sequence";
        case ::onnx::TypeProto::kMapType: return "a map";
        case ::onnx::TypeProto::kOptionalType: return "an optional value";
        case ::onnx::TypeProto::kSparseTensorType: return "a sparse tensor";
        default: return "of no type";
    }
}

Result<TensorType> read_type(const ::onnx::TypeProto& proto, const std::string& where) {
    if (!proto.has_tensor_type()) return make_error(error_text("value-is-no-tensor"), where, {kind_of(proto)});
    const auto& tensor = proto.tensor_type();
    if (tensor.elem_type() < 1 || tensor.elem_type() > static_cast<int>(DType::bfloat16))
        return make_error(error_text("element-type-not-known"), where, {std::to_string(tensor.elem_type())});
    TensorType type{static_cast<DType>(tensor.elem_type()), {}};
    if (!tensor.has_shape()) return type;
    Shape shape;
    std::vector<std::int64_t> known;
    for (const auto& dim : tensor.shape().dim()) {
        Dim read;
        if (dim.has_dim_param()) read.symbol = dim.dim_param();
        if (dim.has_dim_value() && dim.dim_value() >= 0) read.size = dim.dim_value();
        // A skeleton stores the symbol of a bound dimension here, together with the dimension's size.
        if (dim.denotation().starts_with(symbol_denotation))
            read.symbol = dim.denotation().substr(symbol_denotation.size());
        known.push_back(read.known() ? read.size : 1);
        shape.push_back(std::move(read));
    }
    DIVISI_TRY(checked_count(known, graph::element_size(type.dtype), where));
    type.shape = std::move(shape);
    return type;
}

class ModelReader {
public:
    ModelReader(::onnx::ModelProto& model, const ScannedModel& scanned, const ReadContext& context)
        : model_(model), proto_(*model.mutable_graph()), scanned_(scanned), context_(context) {}

    Result<Graph> read(std::vector<std::int32_t>* constants) {
        DIVISI_ASSIGN(opsets_, read_opsets(model_, context_.where));
        if (proto_.sparse_initializer_size() > 0)
            return make_error(error_text("sparse-initializer"),
                              context_.where + ": '" + proto_.sparse_initializer(0).values().name() + "'");
        DIVISI_ASSIGN(std::vector<::onnx::NodeProto> nodes, inline_functions(model_, opsets_, context_.where));
        graph_.name = proto_.name().empty() ? "model" : proto_.name();
        if (context_.keep_value_types) DIVISI_TRY(read_value_types());
        DIVISI_TRY(read_initializers());
        DIVISI_TRY(read_inputs());
        drop_saved_statistics(nodes);
        for (std::size_t i = 0; i < nodes.size(); ++i) names_.insert(nodes[i].name());
        for (std::size_t i = 0; i < nodes.size(); ++i) DIVISI_TRY(read_node(nodes[i], i));
        DIVISI_TRY(read_outputs());
        if (const auto standard = opsets_.find(""); standard != opsets_.end()) {
            graph_.opset = standard->second;
            opsets_.erase(standard);
        }
        graph_.other_opsets = opsets_;
        if (constants != nullptr) *constants = std::move(constants_);
        return std::move(graph_);
    }

private:
    std::string at(const std::string& what, const std::string& name) const {
        return context_.where + ": " + what + " '" + name + "'";
    }

    /// Before opset 14, the training form of batch normalization had five outputs. If no node reads the last two
    /// outputs, they are dropped: only the backward pass of a runtime needed them.
    void drop_saved_statistics(std::vector<::onnx::NodeProto>& nodes) const {
        constexpr int kept = 3;  // the result, the running mean and variance
        std::unordered_set<std::string_view> read;
        for (const auto& output : proto_.output()) read.insert(output.name());
        for (const auto& node : nodes) read.insert(node.input().begin(), node.input().end());
        for (auto& node : nodes) {
            if (node.op_type() != "BatchNormalization" || !canonical_domain(node.domain()).empty()) continue;
            for (int i = kept; i < node.output_size(); ++i)
                // unread outputs become empty names, because this form of the operator has five output positions
                if (!read.contains(node.output(i))) node.mutable_output(i)->clear();
        }
    }

    ValueIndex value(const std::string& name) {
        if (name.empty()) return no_value;
        const auto [entry, fresh] = values_.try_emplace(name, static_cast<ValueIndex>(graph_.values.size()));
        if (fresh) graph_.add_value(name);
        return entry->second;
    }

    Result<void> define(const std::string& name, DType dtype, const std::vector<std::int64_t>& dims,
                        Initializer initializer) {
        const ValueIndex index = value(name);
        graph::Value& entry = graph_.values[index];
        if (entry.initializer >= 0) return make_error(error_text("name-defined-twice"), at("initializer", name));
        if (dtype == DType::string) return make_error(error_text("tensor-holds-strings"), at("initializer", name));
        entry.dtype = dtype;
        entry.shape.emplace();
        for (const std::int64_t dim : dims) entry.shape->push_back({dim, {}});
        entry.initializer = static_cast<std::int32_t>(graph_.initializers.size());
        initializer.value = index;
        graph_.initializers.push_back(std::move(initializer));
        return {};
    }

    Result<void> read_initializers() {
        for (int i = 0; i < proto_.initializer_size(); ++i) {
            auto& tensor = *proto_.mutable_initializer(i);
            const std::string place = at("initializer", tensor.name());
            if (tensor.name().empty()) return make_error(error_text("initializer-without-name"), context_.where);
            Initializer initializer;
            bool taken = false;
            if (context_.take_initializer) {
                DIVISI_ASSIGN(taken, context_.take_initializer(tensor, initializer));
            }
            auto dtype = static_cast<DType>(tensor.data_type());
            if (!taken) {
                const auto large = static_cast<std::size_t>(i) < scanned_.data.size() ? scanned_.data[i]
                                                                                      : std::span<const std::byte>();
                DIVISI_ASSIGN(auto data, decode_tensor(tensor, {context_.owner, large, context_.external}, place));
                dtype = data.dtype;
                initializer.data = std::move(data);
            }
            const std::vector<std::int64_t> dims(tensor.dims().begin(), tensor.dims().end());
            DIVISI_TRY(define(tensor.name(), dtype, dims, std::move(initializer)));
        }
        return {};
    }

    Result<void> read_inputs() {
        for (const auto& input : proto_.input()) {
            const std::string place = at("input", input.name());
            if (input.name().empty()) return make_error(error_text("input-without-name"), context_.where);
            const ValueIndex index = value(input.name());
            // Before IR version 4, every initializer was also listed as an input. Such an entry is a default value, not
            // an input.
            if (graph_.values[index].initializer >= 0) continue;
            if (!inputs_.insert(input.name()).second) return make_error(error_text("name-defined-twice"), place);
            DIVISI_ASSIGN(auto type, read_type(input.type(), place));
            if (type.dtype == DType::string) return make_error(error_text("tensor-holds-strings"), place);
            graph_.values[index].dtype = type.dtype;
            graph_.values[index].shape = std::move(type.shape);
            graph_.inputs.push_back(index);
        }
        return {};
    }

    Result<void> read_value_types() {
        for (const auto& info : proto_.value_info()) {
            const ValueIndex index = value(info.name());
            if (index == no_value || info.type().value_case() == ::onnx::TypeProto::VALUE_NOT_SET) continue;
            DIVISI_ASSIGN(auto type, read_type(info.type(), at("value", info.name())));
            graph_.values[index].dtype = type.dtype;
            graph_.values[index].shape = std::move(type.shape);
        }
        return {};
    }

    /// Returns the node's own name if no earlier node has it. Otherwise makes one from its operator and position in the
    /// file.
    std::string unique_name(const ::onnx::NodeProto& proto, std::size_t index) {
        const std::string& own = proto.name();
        if (!own.empty() && given_.insert(own).second) return own;
        const std::string base = (own.empty() ? proto.op_type() : own) + "_" + std::to_string(index);
        std::string name = base;
        for (int copy = 2; names_.count(name) != 0 || !given_.insert(name).second; ++copy)
            name = base + "_" + std::to_string(copy);
        return name;
    }

    Result<void> read_node(::onnx::NodeProto& proto, std::size_t index) {
        if (proto.op_type().empty()) return make_error(error_text("node-names-no-operator"), at("node", proto.name()));
        Node node;
        node.domain = canonical_domain(proto.domain());
        node.op_type = proto.op_type();
        node.name = unique_name(proto, index);
        const std::string place = at("node", node.name) + " (" + node.op_type + ")";
        if (graph::is_supported_operator(node.domain, node.op_type) || !node.domain.empty())
            DIVISI_TRY(check_form(proto, node.name, opsets_, context_.where));
        if (node.domain.empty() && node.op_type == "Constant") return read_constant_node(proto, place);
        for (auto& attribute : *proto.mutable_attribute()) {
            if (!attribute.ref_attr_name().empty())
                return make_error(error_text("attribute-refers-to-no-function"), place);
            DIVISI_ASSIGN(auto read, read_attribute(attribute, place));
            if (!node.attributes.emplace(attribute.name(), std::move(read)).second)
                return make_error(error_text("attribute-given-twice"), place, {attribute.name()});
        }
        for (const auto& input : proto.input()) node.inputs.push_back(value(input));
        for (const auto& output : proto.output()) node.outputs.push_back(value(output));
        graph_.nodes.push_back(std::move(node));
        return {};
    }

    Result<void> read_constant_node(::onnx::NodeProto& proto, const std::string& place) {
        if (proto.output_size() != 1 || proto.output(0).empty())
            return make_error(error_text("constant-needs-one-output"), place);
        DIVISI_ASSIGN(auto data, read_constant(proto, place));
        constants_.push_back(static_cast<std::int32_t>(graph_.initializers.size()));
        const DType dtype = data.dtype;
        const auto dims = data.dims;
        Initializer initializer;
        initializer.data = std::move(data);
        return define(proto.output(0), dtype, dims, std::move(initializer));
    }

    Result<void> read_outputs() {
        for (const auto& output : proto_.output()) {
            const std::string place = at("output", output.name());
            const auto known = values_.find(output.name());
            if (known == values_.end()) return make_error(error_text("no-node-computes-value"), place);
            graph::Value& entry = graph_.values[known->second];
            if (entry.dtype == DType::undefined && output.type().value_case() != ::onnx::TypeProto::VALUE_NOT_SET) {
                DIVISI_ASSIGN(auto type, read_type(output.type(), place));
                entry.dtype = type.dtype;
                entry.shape = std::move(type.shape);
            }
            graph_.outputs.push_back(known->second);
        }
        if (graph_.outputs.empty()) return make_error(error_text("graph-without-output"), context_.where);
        return {};
    }

    ::onnx::ModelProto& model_;
    ::onnx::GraphProto& proto_;
    const ScannedModel& scanned_;
    const ReadContext& context_;
    Opsets opsets_;
    Graph graph_;
    std::unordered_map<std::string, ValueIndex> values_;
    std::unordered_set<std::string> inputs_;
    std::unordered_set<std::string> names_;  ///< node names in the file
    std::unordered_set<std::string> given_;  ///< node names already used in the graph
    std::vector<std::int32_t> constants_;
};

}  // namespace

Result<::onnx::ModelProto> parse_structure(const std::string& structure, const std::string& where) {
    ::onnx::ModelProto model;
    if (!model.ParseFromString(structure)) return make_error(error_text("part-of-model-does-not-parse"), where);
    return model;
}

Result<Graph> read_model(::onnx::ModelProto& model, const ScannedModel& scanned, const ReadContext& context,
                         std::vector<std::int32_t>* constants) {
    DIVISI_ASSIGN(Graph graph, ModelReader(model, scanned, context).read(constants));
    if (auto sorted = graph.canonicalize(); !sorted) {
        Error error = sorted.error();
        error.where = context.where + (error.where.empty() ? "" : ": " + error.where);
        return error;
    }
    return graph;
}

}  // namespace divisi::onnx
