// SPDX-License-Identifier: Apache-2.0
#include "backend/onnx/functions.h"

#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "backend/base/units.h"
#include "backend/onnx/error_texts.h"
#include "backend/onnx/wire_scan.h"

namespace divisi::onnx {
namespace {

using ::onnx::AttributeProto;
using ::onnx::FunctionProto;
using ::onnx::NodeProto;

using Names = std::unordered_map<std::string, std::string>;
using Attributes = std::unordered_map<std::string, AttributeProto>;

/// FunctionProto.attribute_proto (attributes with defaults). The message of libonnx 1.12 does not know this field yet.
constexpr int function_attribute_proto = 11;

Attributes default_attributes(const FunctionProto& function) {
    Attributes defaults;
    const auto& unknown = function.GetReflection()->GetUnknownFields(function);
    for (int i = 0; i < unknown.field_count(); ++i) {
        const auto& field = unknown.field(i);
        if (field.number() != function_attribute_proto ||
            field.type() != google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED)
            continue;
        AttributeProto attribute;
        if (attribute.ParseFromString(field.length_delimited())) defaults[attribute.name()] = attribute;
    }
    return defaults;
}

class Inliner {
public:
    Inliner(const ::onnx::ModelProto& model, Opsets& opsets, const std::string& where)
        : opsets_(opsets), where_(where) {
        for (const auto& function : model.functions())
            functions_.emplace(key(function.domain(), function.name()), &function);
    }

    Result<void> check_opsets() {
        for (const auto& [name, function] : functions_) DIVISI_TRY(check_opsets_of(*function));
        return {};
    }

    Result<void> expand(NodeProto&& node, int depth) {
        if (++expansions_ > node_limit)
            return make_error(error_text("functions-of-many-nodes"), where_, {std::to_string(node_limit)});
        const auto function = functions_.find(key(node.domain(), node.op_type()));
        if (function == functions_.end()) {
            nodes_.push_back(std::move(node));
            return {};
        }
        if (depth >= function_depth_limit)
            return make_error(error_text("functions-too-deep"), where_ + ": function '" + node.op_type() + "'",
                              {std::to_string(function_depth_limit)});
        return expand_call(node, *function->second, depth);
    }

    std::vector<NodeProto> take() { return std::move(nodes_); }

private:
    static std::string key(const std::string& domain, const std::string& name) {
        return canonical_domain(domain) + ":" + name;
    }

    /// A function may import other opsets than the model. Its body can be inlined only if its operators have the same
    /// meaning in both opsets.
    Result<void> check_opsets_of(const FunctionProto& function) {
        for (const auto& import : function.opset_import()) {
            const std::string domain = canonical_domain(import.domain());
            const std::int64_t model_opset = opsets_.emplace(domain, import.version()).first->second;
            if (!domain.empty() || model_opset == import.version()) continue;
            for (const auto& node : function.node()) {
                if (!canonical_domain(node.domain()).empty()) continue;
                if (same_meaning(node.op_type(), model_opset, import.version())) continue;
                return make_error(
                    error_text("function-of-other-opset"), where_,
                    {function.name(), node.op_type(), std::to_string(import.version()), std::to_string(model_opset)});
            }
        }
        return {};
    }

    std::string fresh_prefix(const NodeProto& call) {
        const std::string base = call.name().empty() ? call.op_type() + "_" + std::to_string(calls_) : call.name();
        ++calls_;
        std::string prefix = base;
        for (int copy = 2; !prefixes_.insert(prefix).second; ++copy) prefix = base + "_" + std::to_string(copy);
        return prefix + "/";
    }

    Result<void> expand_call(const NodeProto& call, const FunctionProto& function, int depth) {
        const std::string place = where_ + ": call '" + call.name() + "' of function '" + call.op_type() + "'";
        if (call.input_size() > function.input_size() || call.output_size() > function.output_size())
            return make_error(error_text("call-misfits-function"), place);
        const std::string prefix = fresh_prefix(call);
        Names names{{"", ""}};
        for (int i = 0; i < function.input_size(); ++i)
            names[function.input(i)] = i < call.input_size() ? call.input(i) : std::string();
        std::vector<std::pair<std::string, std::string>> passed_through;
        for (int i = 0; i < call.output_size(); ++i) {
            if (call.output(i).empty()) continue;
            const auto [entry, fresh] = names.emplace(function.output(i), call.output(i));
            if (!fresh) passed_through.emplace_back(entry->second, call.output(i));
        }
        Attributes attributes = default_attributes(function);
        for (const auto& attribute : call.attribute()) attributes[attribute.name()] = attribute;

        for (int i = 0; i < function.node_size(); ++i) {
            NodeProto node = instance(function.node(i), i, prefix, names, attributes);
            bytes_ += static_cast<std::int64_t>(node.ByteSizeLong());
            if (bytes_ > structure_limit)
                return make_error(error_text("functions-expand-too-far"), place, {format_bytes(structure_limit)});
            DIVISI_TRY(expand(std::move(node), depth + 1));
        }
        for (const auto& [from, to] : passed_through) {
            NodeProto identity;
            identity.set_op_type("Identity");
            identity.set_name(prefix + "Identity:" + to);
            identity.add_input(from);
            identity.add_output(to);
            DIVISI_TRY(expand(std::move(identity), depth + 1));
        }
        return {};
    }

    static NodeProto instance(const NodeProto& body, int index, const std::string& prefix, Names& names,
                              const Attributes& attributes) {
        const auto outer = [&](const std::string& inner) -> const std::string& {
            return names.try_emplace(inner, prefix + inner).first->second;
        };
        NodeProto node = body;
        node.set_name(prefix + (body.name().empty() ? body.op_type() + "_" + std::to_string(index) : body.name()));
        for (auto& input : *node.mutable_input()) input = outer(input);
        for (auto& output : *node.mutable_output()) output = outer(output);
        node.clear_attribute();
        for (const auto& attribute : body.attribute()) {
            if (attribute.ref_attr_name().empty()) {
                *node.add_attribute() = attribute;
                continue;
            }
            // If the call does not set a referenced attribute, the attribute is absent.
            const auto given = attributes.find(attribute.ref_attr_name());
            if (given == attributes.end()) continue;
            auto& copy = *node.add_attribute();
            copy = given->second;
            copy.set_name(attribute.name());
        }
        return node;
    }

    Opsets& opsets_;
    const std::string& where_;
    std::map<std::string, const FunctionProto*> functions_;
    std::unordered_set<std::string> prefixes_;
    std::vector<NodeProto> nodes_;
    std::size_t expansions_ = 0;
    std::size_t calls_ = 0;
    std::int64_t bytes_ = 0;  ///< bytes of nodes copied from functions
};

}  // namespace

Result<std::vector<NodeProto>> inline_functions(::onnx::ModelProto& model, Opsets& opsets, const std::string& where) {
    Inliner inliner(model, opsets, where);
    DIVISI_TRY(inliner.check_opsets());
    for (auto& node : *model.mutable_graph()->mutable_node()) DIVISI_TRY(inliner.expand(std::move(node), 0));
    return inliner.take();
}

}  // namespace divisi::onnx
