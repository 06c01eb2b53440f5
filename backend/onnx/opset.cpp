// SPDX-License-Identifier: Apache-2.0
#include "backend/onnx/opset.h"

#include <onnx/checker.h>
#include <onnx/defs/schema.h>

#include <algorithm>
#include <array>
#include <exception>
#include <string_view>

#include "backend/onnx/error_texts.h"
#include "backend/onnx/import.h"

namespace divisi::onnx {
namespace {

/// The newest opset for which libonnx 1.12 has schemas. libonnx silently treats a later opset as this one.
constexpr std::int64_t known_opset = 17;

struct Change {
    std::string_view op_type;
    std::int64_t opset;
};

/// Operators of ai.onnx whose inputs, attributes or meaning changed after opset 17 (onnx/docs/Changelog.md). Omits
/// changes that only add element types.
constexpr std::array changes{
    Change{"AveragePool", 19},
    Change{"BitwiseAnd", 18},
    Change{"Cast", 19},
    Change{"CastLike", 19},
    Change{"DFT", 20},
    Change{"DequantizeLinear", 19},
    Change{"DequantizeLinear", 21},
    Change{"GridSample", 20},
    Change{"GroupNormalization", 21},
    Change{"LpPool", 18},
    Change{"OptionalGetElement", 18},
    Change{"OptionalHasElement", 18},
    Change{"Pad", 18},
    Change{"Pad", 19},
    Change{"QuantizeLinear", 19},
    Change{"QuantizeLinear", 21},
    Change{"ReduceL1", 18},
    Change{"ReduceL2", 18},
    Change{"ReduceLogSum", 18},
    Change{"ReduceLogSumExp", 18},
    Change{"ReduceMax", 18},
    Change{"ReduceMax", 20},
    Change{"ReduceMean", 18},
    Change{"ReduceMin", 18},
    Change{"ReduceMin", 20},
    Change{"ReduceProd", 18},
    Change{"ReduceSumSquare", 18},
    Change{"Resize", 18},
    Change{"Resize", 19},
    Change{"RoiAlign", 22},
    Change{"ScatterElements", 18},
    Change{"ScatterND", 18},
    Change{"Split", 18},
    Change{"TopK", 24},
};

bool changed_between(std::string_view op_type, std::int64_t low, std::int64_t high) {
    return std::any_of(changes.begin(), changes.end(), [&](const Change& change) {
        return change.op_type == op_type && change.opset > low && change.opset <= high;
    });
}

/// Returns the first line of libonnx's message; the library appends its own context after that.
std::string first_line(std::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

}  // namespace

std::string canonical_domain(const std::string& domain) { return domain == "ai.onnx" ? std::string() : domain; }

Result<Opsets> read_opsets(const ::onnx::ModelProto& model, const std::string& where) {
    const std::int64_t ir = model.ir_version();
    if (ir < oldest_ir_version || ir > newest_ir_version)
        return make_error(error_text("ir-version-not-read"), where,
                          {std::to_string(ir), std::to_string(oldest_ir_version), std::to_string(newest_ir_version)});
    Opsets opsets;
    for (const auto& import : model.opset_import()) {
        const auto [entry, fresh] = opsets.emplace(canonical_domain(import.domain()), import.version());
        if (!fresh && entry->second != import.version())
            return make_error(error_text("opset-imported-twice"), where, {entry->first});
    }
    const auto standard = opsets.find("");
    if (standard == opsets.end()) return opsets;  // valid only for a model that uses no ai.onnx operator
    if (standard->second < oldest_opset || standard->second > newest_opset)
        return make_error(
            error_text("opset-not-read"), where,
            {std::to_string(standard->second), std::to_string(oldest_opset), std::to_string(newest_opset)});
    return opsets;
}

bool same_meaning(const std::string& op_type, std::int64_t opset, std::int64_t other) {
    const auto [low, high] = std::minmax(opset, other);
    if (low == high) return true;
    if (changed_between(op_type, low, high)) return false;
    const auto version = [&](std::int64_t at) {
        const auto* schema = ::onnx::OpSchemaRegistry::Schema(op_type, static_cast<int>(std::min(at, known_opset)), "");
        return schema == nullptr ? 0 : schema->since_version();
    };
    return version(low) == version(high);
}

Result<void> check_form(const ::onnx::NodeProto& node, const std::string& name, const Opsets& opsets,
                        const std::string& where) {
    const std::string domain = canonical_domain(node.domain());
    const std::string place = where + ": node '" + name + "' (" + node.op_type() + ")";
    const auto opset = opsets.find(domain);
    if (opset == opsets.end())
        return make_error(error_text("opset-not-imported"), place, {(domain.empty() ? "ai.onnx" : domain)});
    if (!domain.empty()) return {};
    const auto checked_at = static_cast<int>(std::min(opset->second, known_opset));
    if (changed_between(node.op_type(), known_opset, opset->second)) return {};
    if (::onnx::OpSchemaRegistry::Schema(node.op_type(), checked_at, "") == nullptr) return {};
    try {
        ::onnx::checker::CheckerContext context;
        context.set_ir_version(static_cast<int>(::onnx::Version::IR_VERSION));
        context.set_opset_imports({{"", checked_at}});
        ::onnx::checker::check_node(node, context, {});
    } catch (const std::exception& error) {
        return make_error(error_text("node-misfits-operator"), place, {first_line(error.what())});
    }
    return {};
}

}  // namespace divisi::onnx
