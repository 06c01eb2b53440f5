// SPDX-License-Identifier: Apache-2.0
#include "backend/task/schema.h"

#include <set>

namespace divisi::task {
namespace {

std::string text_of(const graph::Value& value) {
    std::string text = value.name + ":" + std::string(graph::name(value.dtype));
    if (!value.shape) return text + "[?]";
    std::string sizes;
    for (const graph::Dim& dim : *value.shape) {
        const std::string size = dim.known() ? std::to_string(dim.size) : dim.symbol.empty() ? "?" : dim.symbol;
        sizes += (sizes.empty() ? "" : ",") + size;
    }
    return text + "[" + sizes + "]";
}

std::string list_of(const graph::Graph& graph, const std::set<graph::ValueIndex>& values, std::size_t most_bytes) {
    const std::size_t room = most_bytes - 28;  // the rest is for the number of omitted values
    std::string list;
    std::size_t left = values.size();
    for (const graph::ValueIndex value : values) {
        const std::string text = text_of(graph.values[static_cast<std::size_t>(value)]);
        if (list.size() + text.size() + 2 > room) break;
        list += (list.empty() ? "" : ", ") + text;
        --left;
    }
    if (left > 0) list += (list.empty() ? "" : ", ") + std::to_string(left) + " more";
    return list;
}

}  // namespace

Schema schema_of(const CompiledPlan& plan, std::int32_t stage, bool data, std::size_t most_bytes) {
    const auto own = [&](std::int32_t unit) { return unit == stage || (data && unit == plan::data_unit); };
    std::set<graph::ValueIndex> taken, given;
    for (const plan::Channel& channel : plan.programs->channels) {
        if (channel.kind != plan::Channel::Kind::value || own(channel.from) == own(channel.to)) continue;
        (own(channel.to) ? taken : given).insert(channel.value);
    }
    return {list_of(plan.graph(), taken, most_bytes), list_of(plan.graph(), given, most_bytes)};
}

}  // namespace divisi::task
