// SPDX-License-Identifier: Apache-2.0
#include "backend/onnx/attributes.h"

#include <utility>
#include <vector>

#include "backend/onnx/error_texts.h"
#include "backend/onnx/tensor_proto.h"

namespace divisi::onnx {
namespace {

using graph::Attribute;
using graph::DType;
using graph::HostTensor;
using ::onnx::AttributeProto;

/// Returns the attribute's type, inferred from its fields if unset: exporters before IR version 4 sometimes omitted it.
AttributeProto::AttributeType type_of(const AttributeProto& proto) {
    if (proto.type() != AttributeProto::UNDEFINED) return proto.type();
    if (proto.has_f()) return AttributeProto::FLOAT;
    if (proto.has_i()) return AttributeProto::INT;
    if (proto.has_s()) return AttributeProto::STRING;
    if (proto.has_t()) return AttributeProto::TENSOR;
    if (proto.has_g()) return AttributeProto::GRAPH;
    if (proto.floats_size() > 0) return AttributeProto::FLOATS;
    if (proto.strings_size() > 0) return AttributeProto::STRINGS;
    return AttributeProto::INTS;
}

std::shared_ptr<const graph::Graph> outline(const ::onnx::GraphProto& proto) {
    auto result = std::make_shared<graph::Graph>();
    result->name = proto.name();
    for (const auto& node : proto.node()) {
        graph::Node copy;
        copy.name = node.name();
        copy.op_type = node.op_type();
        copy.domain = node.domain();
        result->nodes.push_back(std::move(copy));
    }
    return result;
}

struct Writer {
    const std::string& where;
    AttributeProto& proto;

    Result<void> operator()(std::int64_t value) {
        proto.set_type(AttributeProto::INT);
        proto.set_i(value);
        return {};
    }
    Result<void> operator()(float value) {
        proto.set_type(AttributeProto::FLOAT);
        proto.set_f(value);
        return {};
    }
    Result<void> operator()(const std::string& value) {
        proto.set_type(AttributeProto::STRING);
        proto.set_s(value);
        return {};
    }
    Result<void> operator()(const std::vector<std::int64_t>& values) {
        proto.set_type(AttributeProto::INTS);
        for (const auto value : values) proto.add_ints(value);
        return {};
    }
    Result<void> operator()(const std::vector<float>& values) {
        proto.set_type(AttributeProto::FLOATS);
        for (const auto value : values) proto.add_floats(value);
        return {};
    }
    Result<void> operator()(const std::vector<std::string>& values) {
        proto.set_type(AttributeProto::STRINGS);
        for (const auto& value : values) proto.add_strings(value);
        return {};
    }
    Result<void> operator()(const HostTensor& value) {
        proto.set_type(AttributeProto::TENSOR);
        encode_tensor(value, *proto.mutable_t());
        return {};
    }
    Result<void> operator()(const std::shared_ptr<const graph::Graph>&) {
        return make_error(error_text("subgraph-cannot-be-written"), where);
    }
};

}  // namespace

Result<Attribute> read_attribute(AttributeProto& proto, const std::string& where) {
    switch (type_of(proto)) {
        case AttributeProto::FLOAT: return Attribute(proto.f());
        case AttributeProto::INT: return Attribute(static_cast<std::int64_t>(proto.i()));
        case AttributeProto::STRING: return Attribute(proto.s());
        case AttributeProto::FLOATS: return Attribute(std::vector<float>(proto.floats().begin(), proto.floats().end()));
        case AttributeProto::INTS:
            return Attribute(std::vector<std::int64_t>(proto.ints().begin(), proto.ints().end()));
        case AttributeProto::STRINGS:
            return Attribute(std::vector<std::string>(proto.strings().begin(), proto.strings().end()));
        case AttributeProto::GRAPH: return Attribute(outline(proto.g()));
        case AttributeProto::TENSOR: {
            DIVISI_ASSIGN(auto tensor,
                          decode_tensor(*proto.mutable_t(), {}, where + ": attribute '" + proto.name() + "'"));
            return Attribute(std::move(tensor));
        }
        default: break;
    }
    return make_error(error_text("attribute-of-unused-kind"), where,
                      {proto.name(), AttributeProto::AttributeType_Name(type_of(proto))});
}

Result<void> write_attribute(const std::string& name, const Attribute& attribute, const std::string& where,
                             AttributeProto& proto) {
    proto.set_name(name);
    return visit(Writer{where, proto}, attribute);
}

Result<HostTensor> read_constant(::onnx::NodeProto& node, const std::string& where) {
    if (node.attribute_size() != 1) return make_error(error_text("constant-needs-one-attribute"), where);
    DIVISI_ASSIGN(const Attribute value, read_attribute(*node.mutable_attribute(0), where));
    if (const auto* tensor = get_if<HostTensor>(&value)) return *tensor;
    if (const auto* number = get_if<float>(&value)) return HostTensor::of<float>(DType::float32, {}, {*number});
    if (const auto* number = get_if<std::int64_t>(&value))
        return HostTensor::of<std::int64_t>(DType::int64, {}, {*number});
    if (const auto* list = get_if<std::vector<float>>(&value))
        return HostTensor::of(DType::float32, {static_cast<std::int64_t>(list->size())}, *list);
    if (const auto* list = get_if<std::vector<std::int64_t>>(&value))
        return HostTensor::of(DType::int64, {static_cast<std::int64_t>(list->size())}, *list);
    HostTensor text;
    text.dtype = DType::string;
    if (const auto* list = get_if<std::vector<std::string>>(&value))
        text.dims = {static_cast<std::int64_t>(list->size())};
    return text;
}

}  // namespace divisi::onnx
