// SPDX-License-Identifier: Apache-2.0
#include "backend/price/cost_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <type_traits>
#include <variant>

#include "backend/graph/attention.h"
#include "backend/graph/roles.h"
#include "backend/price/error_texts.h"

namespace divisi::price {

namespace {

using graph::Graph;
using graph::NodeCost;
using graph::NodeIndex;
using graph::ValueIndex;

// One thread of a current server processor under LibTorch with OpenBLAS: 125 GFLOP/s in large products, less in the
// products of a small model. Copies run at 12 GB/s. Dispatching and recording an operator takes 3 us, a pass adds 30
// us, and an unrecorded call takes 1.5 us.
constexpr DeviceRates cpu_thread{110e9, 4e9, 12e9, 3e-6, 30e-6, 1.5e-6};
// The number of threads that the memory of one socket serves at full rate.
constexpr double memory_threads = 8;
// A data-centre GPU in float32 without tensor cores, at three quarters of its data sheet. A kernel launch costs more
// than a call.
constexpr DeviceRates cuda_device{40e12, 20e12, 1.5e12, 8e-6, 60e-6, 8e-6};

// Defaults for one direction of a local socket, and of a switched network with encryption.
constexpr LinkModel local_socket{40e-6, 3e9, 20e-6, 0.3e-9, LinkSource::standard};
constexpr LinkModel local_network{120e-6, 1e9, 30e-6, 0.3e-9, LinkSource::standard};

bool usable(double value) { return std::isfinite(value) && value >= 0; }

Result<void> check_times(const OperatorProfile& profile, const std::string& where) {
    const std::array<std::pair<const char*, const MeasuredTime*>, 3> parts{
        {{"forward", &profile.forward},
         {"input gradient", &profile.input_gradient},
         {"weight gradient", &profile.weight_gradient}}};
    for (const auto& [name, time] : parts) {
        if (!usable(time->seconds))
            return make_error(error_text("no-time-measured"), where,
                              {std::string(name), std::to_string(time->seconds)});
        if (!usable(time->crowded))
            return make_error(error_text("no-time-on-crowded-host"), where,
                              {std::string(name), std::to_string(time->crowded)});
        if (!usable(time->spread))
            return make_error(error_text("no-spread-of-times"), where,
                              {std::string(name), std::to_string(time->spread)});
    }
    return {};
}

bool is_product(std::string_view type) {
    return type == graph::attention_type || type == "MatMul" || type == "Gemm" || type == "Conv" ||
           type == "ConvTranspose" || type == "Einsum";
}

/// Prices one operator by the roofline model.
class RatePricer {
public:
    RatePricer(const DeviceRates& rates, bool product)
        : rates_(rates), flops_per_s_(product ? rates.product_flops_per_s : rates.other_flops_per_s) {}

    double seconds(double flops, double bytes) const {
        return rates_.dispatch_s + std::max(flops / flops_per_s_, bytes / rates_.bytes_per_s);
    }

private:
    const DeviceRates& rates_;
    double flops_per_s_;
};

OperatorPrice price_by_rates(const NodeCost& cost, const WantedGradients& wanted, const RatePricer& pricer) {
    OperatorPrice price;
    price.source = PriceSource::rates;
    price.forward = pricer.seconds(cost.forward_flops, cost.forward_bytes);
    // NodeCost has one figure for the bytes of both gradients. Split the bytes by FLOPs; if only one gradient is
    // needed, it gets all bytes.
    const double flops = cost.input_gradient_flops + cost.weight_gradient_flops;
    const double share = !wanted.weight ? 1 : !wanted.input ? 0 : flops > 0 ? cost.input_gradient_flops / flops : 0.5;
    if (wanted.input) price.input_gradient = pricer.seconds(cost.input_gradient_flops, cost.backward_bytes * share);
    if (wanted.weight)
        price.weight_gradient = pricer.seconds(cost.weight_gradient_flops, cost.backward_bytes * (1 - share));
    return price;
}

void append_number(std::string& text, double value) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.9g", value);  // enough digits to restore a float32 exactly
    text += digits;
}

template <typename T>
void append_list(std::string& text, const std::vector<T>& list) {
    text += '[';
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (i) text += ',';
        if constexpr (std::is_same_v<T, std::string>) text += '"' + list[i] + '"';
        else if constexpr (std::is_floating_point_v<T>) append_number(text, list[i]);
        else text += std::to_string(list[i]);
    }
    text += ']';
}

struct AttributeText {
    std::string& text;
    void operator()(std::int64_t value) const { text += std::to_string(value); }
    void operator()(float value) const { append_number(text, value); }
    void operator()(const std::string& value) const { text += '"' + value + '"'; }
    template <typename T>
    void operator()(const std::vector<T>& list) const {
        append_list(text, list);
    }
    void operator()(const graph::HostTensor& tensor) const {
        text += graph::name(tensor.dtype);
        append_list(text, tensor.dims);
    }
    // no supported operator has a graph attribute
    void operator()(const std::shared_ptr<const Graph>&) const { text += "graph"; }
};

void append_value(std::string& text, const Graph& graph, ValueIndex index) {
    if (index == graph::no_value) {
        text += '-';
        return;
    }
    const graph::Value& value = graph.values[index];
    text += graph::name(value.dtype);
    text += '[';
    if (!value.shape) text += '?';
    for (std::size_t axis = 0; value.shape && axis < value.shape->size(); ++axis) {
        if (axis) text += ',';
        const graph::Dim& dim = (*value.shape)[axis];
        text += dim.known() ? std::to_string(dim.size) : "?";
    }
    text += ']';
}

}  // namespace

Result<void> check_profile(const DeviceProfile& profile) {
    const std::string device = "profile of " + (profile.device_type.empty() ? "a device" : profile.device_type);
    const DeviceRates& rates = profile.rates;
    const std::array<std::pair<const char*, double>, 3> figures{{{"FLOP/s of products", rates.product_flops_per_s},
                                                                 {"FLOP/s of other operators", rates.other_flops_per_s},
                                                                 {"bytes/s", rates.bytes_per_s}}};
    for (const auto& [name, value] : figures)
        if (!usable(value) || value == 0)
            return make_error(error_text("rate-not-above-zero"), device, {std::string(name)});
    for (const auto& [name, value] :
         {std::pair{"dispatch", rates.dispatch_s}, {"pass", rates.pass_s}, {"call", rates.call_s}})
        if (!usable(value)) return make_error(error_text("no-time-of-device"), device, {std::string(name)});
    if (!usable(profile.crowded_cores)) return make_error(error_text("no-number-of-crowded-cores"), device);
    for (const auto& [key, times] : profile.operators) DIVISI_TRY(check_times(times, device + ", " + key));
    return {};
}

std::vector<bool> needed_nodes(const Graph& graph, ValueIndex loss) {
    std::vector<bool> needed(graph.nodes.size(), loss == graph::no_value);
    if (loss == graph::no_value) return needed;
    if (graph.values[loss].producer != graph::no_node) needed[graph.values[loss].producer] = true;
    for (std::size_t i = graph.nodes.size(); i-- > 0;) {
        if (!needed[i]) continue;
        for (const ValueIndex input : graph.nodes[i].inputs)
            if (input != graph::no_value && graph.values[input].producer != graph::no_node)
                needed[graph.values[input].producer] = true;
    }
    return needed;
}

WantedGradients wanted_gradients(const Graph& graph, const graph::Node& node, const std::vector<bool>& gradient) {
    WantedGradients wanted;
    for (const ValueIndex input : node.inputs)
        if (input != graph::no_value && gradient[input])
            (graph.is_initializer(input) ? wanted.weight : wanted.input) = true;
    return wanted;
}

DeviceProfile default_profile(std::string_view device, double threads) {
    if (device.starts_with("cuda")) return {"cuda", cuda_device, {}};
    const double count = std::max(threads, 1.0);
    DeviceProfile profile{"cpu", cpu_thread, {}};
    profile.rates.product_flops_per_s *= count;
    profile.rates.other_flops_per_s *= count;
    profile.rates.bytes_per_s *= std::min(count, memory_threads);
    return profile;
}

std::string operator_key(const Graph& graph, NodeIndex index, const std::vector<bool>& gradient) {
    const graph::Node& node = graph.nodes[index];
    std::string key = (node.domain.empty() ? "" : node.domain + "::") + node.op_type + '(';
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        if (i) key += ',';
        const ValueIndex input = node.inputs[i];
        append_value(key, graph, input);
        if (input != graph::no_value && gradient[input]) key += graph.is_initializer(input) ? 'w' : 'g';
    }
    key += ")->";
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        if (i) key += ',';
        append_value(key, graph, node.outputs[i]);
    }
    if (node.attributes.empty()) return key;
    key += '{';
    const char* separator = "";
    for (const auto& [name, value] : node.attributes) {
        key += separator + name + '=';
        visit(AttributeText{key}, value);
        separator = ",";
    }
    return key + '}';
}

const char* to_string(PriceSource source) {
    switch (source) {
        case PriceSource::nothing: return "nothing";
        case PriceSource::profile: return "profile";
        case PriceSource::rates: return "rates";
    }
    return "unknown";
}

OperatorPrice measured_price(const OperatorProfile& profile) {
    const auto added = [](const MeasuredTime& time) { return std::max(time.crowded - time.seconds, 0.0); };
    return {profile.forward.seconds,         profile.input_gradient.seconds,
            profile.weight_gradient.seconds, PriceSource::profile,
            added(profile.forward),          added(profile.input_gradient) + added(profile.weight_gradient)};
}

SegmentPrice& SegmentPrice::operator+=(const SegmentPrice& other) {
    forward += other.forward;
    input_gradient += other.input_gradient;
    weight_gradient += other.weight_gradient;
    profiled += other.profiled;
    crowded_forward += other.crowded_forward;
    crowded_backward += other.crowded_backward;
    weights += other.weights;
    return *this;
}

SegmentPrice& SegmentPrice::operator-=(const SegmentPrice& other) {
    forward -= other.forward;
    input_gradient -= other.input_gradient;
    weight_gradient -= other.weight_gradient;
    profiled -= other.profiled;
    crowded_forward -= other.crowded_forward;
    crowded_backward -= other.crowded_backward;
    weights -= other.weights;
    return *this;
}

namespace {

SegmentPrice as_segment(const OperatorPrice& price) {
    SegmentPrice sum{price.forward,
                     price.input_gradient,
                     price.weight_gradient,
                     0,
                     price.crowded_forward,
                     price.crowded_backward,
                     static_cast<double>(price.weights)};
    if (price.source == PriceSource::profile) sum.profiled = sum.total();
    return sum;
}

}  // namespace

PricedGraph::PricedGraph(const Graph& graph, const graph::GraphCost& cost, const DeviceProfile& profile,
                         ValueIndex loss) {
    const std::vector<graph::Role> roles = graph::node_roles(graph);
    const std::vector<bool> gradient = graph::needs_gradient(graph);
    const std::vector<bool> needed = needed_nodes(graph, loss);
    nodes_.resize(graph.nodes.size());
    prefix_.resize(graph.nodes.size() + 1);
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        prefix_[i + 1] = prefix_[i];
        if (!needed[i] || roles[i] == graph::Role::constant) continue;
        const auto index = static_cast<NodeIndex>(i);
        const graph::Node& node = graph.nodes[i];
        const auto measured = profile.operators.empty() ? profile.operators.end()
                                                        : profile.operators.find(operator_key(graph, index, gradient));
        if (measured != profile.operators.end()) nodes_[i] = measured_price(measured->second);
        else
            nodes_[i] = price_by_rates(cost.node(index), wanted_gradients(graph, node, gradient),
                                       {profile.rates, is_product(node.op_type)});
        for (const ValueIndex input : node.inputs)
            nodes_[i].weights += input != graph::no_value && graph.is_initializer(input) && gradient[input];
        prefix_[i + 1] += as_segment(nodes_[i]);
    }
}

SegmentPrice PricedGraph::range(NodeIndex first, NodeIndex last) const {
    SegmentPrice sum = prefix_[last];
    sum -= prefix_[first];
    return sum;
}

SegmentPrice PricedGraph::sum(const std::vector<NodeIndex>& nodes) const {
    SegmentPrice total;
    for (const NodeIndex node : nodes) total += as_segment(nodes_[node]);
    return total;
}

double optimizer_seconds(const DeviceRates& rates, Bytes parameters, double weights, std::int32_t states) {
    // Library calls per weight in agents/segment/optimizer.cpp: SGD, SGD with momentum, and AdamW with two states.
    constexpr std::array<double, 3> calls{1, 3, 9};
    // Reads parameter, gradient and states; writes parameter and states.
    const double moved = static_cast<double>(parameters) * (3.0 + 2.0 * states);
    const double called = weights * calls[static_cast<std::size_t>(std::clamp(states, 0, 2))];
    return rates.dispatch_s + called * rates.call_s + moved / rates.bytes_per_s;
}

const char* to_string(LinkSource source) {
    switch (source) {
        case LinkSource::standard: return "default";
        case LinkSource::stated: return "cluster file";
        case LinkSource::measured: return "measured";
    }
    return "?";
}

std::string narrowest_link(const MeshPath& path, LinkEnd from, LinkEnd to, const std::vector<HostModel>& hosts) {
    if (path.narrowest.starts_with(", ")) return hosts[from.host].name + path.narrowest;
    if (path.narrowest.ends_with(", ")) return path.narrowest + hosts[to.host].name;
    return path.narrowest;
}

const MeshPath* Links::path(LinkEnd from, LinkEnd to) const {
    if (!paths || from.mic == to.mic) return nullptr;
    const auto found = paths->find({from.mic, to.mic});
    return found == paths->end() ? nullptr : &found->second;
}

const LinkModel& Links::of(LinkEnd from, LinkEnd to) const {
    const MeshPath* const by = path(from, to);
    return by ? by->link : of(from.host, to.host);
}

const LinkModel& Links::of(std::int32_t from_host, std::int32_t to_host) const {
    const auto found = by_host.find({from_host, to_host});
    if (found != by_host.end()) return found->second;
    return from_host == to_host ? within_host : between_hosts;
}

Links default_links() { return {local_socket, local_network, {}, nullptr}; }

Result<void> check_links(const Links& links, const std::vector<HostModel>& hosts) {
    const auto check = [](const LinkModel& link, const std::string& where) -> Result<void> {
        const std::array<std::pair<const char*, double>, 5> figures{{{"latency", link.latency_s},
                                                                     {"time per byte relayed", link.relayed_s_per_byte},
                                                                     {"bandwidth", link.bytes_per_s},
                                                                     {"time per message", link.message_s},
                                                                     {"time per byte", link.serialize_s_per_byte}}};
        for (const auto& [name, value] : figures)
            if (!usable(value)) return make_error(error_text("no-figure-of-link"), where, {std::string(name)});
        return {};
    };
    DIVISI_TRY(check(links.within_host, "links within a host"));
    DIVISI_TRY(check(links.between_hosts, "links between hosts"));
    const auto name = [&](std::int32_t host) {
        const bool known = host >= 0 && host < static_cast<std::int32_t>(hosts.size());
        return known && !hosts[host].name.empty() ? hosts[host].name : "host " + std::to_string(host);
    };
    for (const auto& [ends, link] : links.by_host)
        DIVISI_TRY(check(link, "link from " + name(ends.first) + " to " + name(ends.second)));
    if (links.paths)
        for (const auto& [ends, path] : *links.paths) {
            const std::string where = "path by " + (path.devices.empty() ? "" : path.devices.front());
            DIVISI_TRY(check(path.link, where));
            for (const PathRelay& relay : path.relays)
                if (!usable(relay.message_s) || !usable(relay.serialize_s_per_byte))
                    return make_error(error_text("no-time-of-relay"), where);
        }
    for (const HostModel& host : hosts)
        if (!usable(host.cores)) return make_error(error_text("no-number-of-cores"), host.name);
    return {};
}

}  // namespace divisi::price
