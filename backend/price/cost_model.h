// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/base/result.h"
#include "backend/base/units.h"
#include "backend/graph/cost.h"
#include "backend/graph/graph.h"

namespace divisi::price {

// Devices.

/// A time measured several times: the median, and the distance between the quartiles.
struct MeasuredTime {
    double seconds = 0;
    double spread = 0;
    double crowded = 0;  ///< the median while other cores of the host computed the same kind of work; 0: not measured
};

/// One distinct operator on one device type, for the batch that is bound in its shapes. Parts that an operator
/// does not have (no weight, no gradient wanted) are zero.
struct OperatorProfile {
    MeasuredTime forward;
    MeasuredTime input_gradient;   ///< gradients of inputs that are not weights
    MeasuredTime weight_gradient;  ///< gradients of trainable weights
};

/// What a device does in a second, for operators that nobody measured. A direction of an operator takes
/// dispatch_s + max(FLOPs / rate, bytes / bytes_per_s): Williams et al., Roofline, CACM 52 (2009).
struct DeviceRates {
    double product_flops_per_s = 0;  ///< matrix products and convolutions
    double other_flops_per_s = 0;    ///< everything else
    double bytes_per_s = 0;          ///< read and written in memory
    double dispatch_s = 0;           ///< of one operator in one direction, whatever its size
    double pass_s = 0;               ///< of a forward or backward pass, whatever its operators
    double call_s = 0;               ///< of one call of an optimizer's step, whatever its size
};

/// A device type as it was measured, or as it is guessed.
struct DeviceProfile {
    std::string device_type;  ///< "cpu", "NVIDIA H200"; the profile store's key
    DeviceRates rates;
    std::map<std::string, OperatorProfile, std::less<>> operators;  ///< by operator_key()
    double crowded_cores = 0;  ///< cores that computed at once for MeasuredTime::crowded, its own among them
};

/// Refuses (invalid_input) times that are negative or not finite and rates that are not above zero, naming
/// the entry.
Result<void> check_profile(const DeviceProfile& profile);

/// Rates for a device that nobody measured, "cpu", "cuda" or "cuda:<n>" (anything else counts as cpu). A
/// processor's rates grow with its threads, that of its memory with the first eight of them.
DeviceProfile default_profile(std::string_view device, double threads = 1);

/// What makes two operators cost the same: type, attributes, and dtype, shape and role of every input and
/// output, e.g. "MatMul(float32[16,192]g,float32[192,576]w)->float32[16,576]". Roles: w a trainable weight,
/// g a value whose gradient is wanted, none otherwise. `gradient` is graph::needs_gradient(graph). Names of
/// nodes and values have no part in it, so that equal layers share one measurement.
std::string operator_key(const graph::Graph& graph, graph::NodeIndex node, const std::vector<bool>& gradient);

/// Nodes that the loss depends on; all where there is no loss.
std::vector<bool> needed_nodes(const graph::Graph& graph, graph::ValueIndex loss);

/// Which gradients a node computes: those that some input of its asks for.
struct WantedGradients {
    bool input = false, weight = false;
};
WantedGradients wanted_gradients(const graph::Graph& graph, const graph::Node& node, const std::vector<bool>& gradient);

// Prices.

enum class PriceSource : std::uint8_t {
    nothing,  ///< costs nothing in training: constant, or computed only in evaluation
    profile,  ///< measured
    rates,    ///< FLOPs and bytes over the device's rates
};
const char* to_string(PriceSource source);

/// Seconds of one operator for one micro-batch, alone on its host, and what is added while all other cores of it
/// compute (caches, memory and clock are theirs too).
struct OperatorPrice {
    double forward = 0, input_gradient = 0, weight_gradient = 0;
    PriceSource source = PriceSource::nothing;
    double crowded_forward = 0, crowded_backward = 0;  ///< added
    std::int32_t weights = 0;                          ///< trainable ones that it reads
};

/// Seconds of several operators for one micro-batch.
struct SegmentPrice {
    double forward = 0, input_gradient = 0, weight_gradient = 0;
    double profiled = 0;                               ///< how much of total() was measured
    double crowded_forward = 0, crowded_backward = 0;  ///< added while all other cores of the host compute
    double weights = 0;                                ///< trainable ones that are read; counts one for every reader

    double backward() const { return input_gradient + weight_gradient; }
    double total() const { return forward + backward(); }
    /// 0 to 1; 0 where nothing costs anything.
    double profiled_share() const { return total() > 0 ? profiled / total() : 0; }

    SegmentPrice& operator+=(const SegmentPrice& other);
    SegmentPrice& operator-=(const SegmentPrice& other);
};

/// All operators of a graph priced on one device type, with prefix sums: any cut is composed from them.
class PricedGraph {
public:
    /// `cost` is that of `graph`, which is canonical. With `loss`, operators that it does not depend on
    /// (accuracy) cost nothing. O(nodes), and one look-up each where the profile has operators.
    PricedGraph(const graph::Graph& graph, const graph::GraphCost& cost, const DeviceProfile& profile,
                graph::ValueIndex loss = graph::no_value);

    const OperatorPrice& node(graph::NodeIndex index) const { return nodes_[index]; }
    /// Sum over nodes first <= i < last. Constant time. Constant operators cost nothing, so that it does not
    /// matter here that they change sides with their consumers.
    SegmentPrice range(graph::NodeIndex first, graph::NodeIndex last) const;
    SegmentPrice sum(const std::vector<graph::NodeIndex>& nodes) const;
    SegmentPrice total() const { return prefix_.back(); }

private:
    std::vector<OperatorPrice> nodes_;
    std::vector<SegmentPrice> prefix_;  ///< prefix_[i]: sum of nodes_[0..i)
};

/// Seconds of one optimizer step over `weights` trainable weights of `parameters` bytes in all: parameter, gradient and
/// `states` state tensors are read, all but the gradient written, in calls for each weight.
double optimizer_seconds(const DeviceRates& rates, Bytes parameters, double weights, std::int32_t states);

// Between devices.

/// Where a link's figures come from, the least certain first.
enum class LinkSource : std::uint8_t { standard, stated, measured };
/// "default", "cluster file", "measured"
const char* to_string(LinkSource source);

/// A connection in one direction. A tensor occupies it for occupancy(), in the order of sending, and arrives
/// latency_s later. Serialization is done by the thread that sends, not by the one that computes.
struct LinkModel {
    double latency_s = 0;
    double bytes_per_s = 0;           ///< 0: unlimited
    double message_s = 0;             ///< of every tensor, whatever its size: header, checksum, wake-up
    double serialize_s_per_byte = 0;  ///< copies and checksums, where bytes_per_s does not contain them
    LinkSource source = LinkSource::standard;
    /// Of a path: what all devices but one need until they have a tensor's first piece, which each takes whole before
    /// it passes it on. It comes to the latency, since further pieces follow meanwhile.
    double relayed_s_per_byte = 0;
    static constexpr Bytes relayed_piece = Bytes{1} << 20;  ///< at most

    bool operator==(const LinkModel&) const = default;
    double latency(Bytes bytes) const {
        return latency_s + relayed_s_per_byte * static_cast<double>(std::min(bytes, relayed_piece));
    }
    double occupancy(Bytes bytes) const {
        const auto size = static_cast<double>(bytes);
        return message_s + size * serialize_s_per_byte + (bytes_per_s > 0 ? size / bytes_per_s : 0);
    }
};

/// A machine. Instances that run at once and have more threads than it has cores share them evenly.
struct HostModel {
    std::string name;
    double cores = 0;  ///< 0: enough
    Bytes memory = 0;  ///< of all stages together that run there; 0: not known
};

/// Where an instance is, for what it sends and takes.
struct LinkEnd {
    std::int32_t host = 0;
    std::int32_t mic = 0;  ///< MICs are numbered as hosts are; one whose instances reach its gateway at different
                           ///< prices has a number for each of these. The same where it does not matter
};

/// A gateway or router on a path, and what it needs of a core of its host: it takes a tensor from the link before, and
/// puts it on the next.
struct PathRelay {
    std::string host;  ///< HostModel::name; where no instance runs it disturbs none
    double message_s = 0, serialize_s_per_byte = 0;

    bool operator==(const PathRelay&) const = default;
    double handling(Bytes bytes) const { return message_s + static_cast<double>(bytes) * serialize_s_per_byte; }
};

/// What instances of two MICs exchange goes through gateways and routers (backend/submit/mesh_paths.h). Paths with the
/// same narrowest link share it; what they share beside that link is wide enough for both.
struct MeshPath {
    LinkModel link;                    ///< latencies add up, the narrowest link gives the bandwidth
    std::vector<std::string> devices;  ///< by name: gateway, routers, gateway
    std::string narrowest;  ///< "sr-1, mg-2", in the direction of sending; without an instance's host: ", mg-1"
    std::vector<PathRelay> relays = {};  ///< of each device
};
/// MeshPath::narrowest with the host of the instance at its end, if it is an instance's own link with its gateway.
std::string narrowest_link(const MeshPath& path, LinkEnd from, LinkEnd to, const std::vector<HostModel>& hosts);
using MeshPaths = std::map<std::pair<std::int32_t, std::int32_t>, MeshPath>;  ///< by (from, to) MIC

/// How instances reach each other. Those of two hosts share what connects these; those of one host have a
/// connection of their own for every pair.
struct Links {
    LinkModel within_host;                                               ///< of hosts that are not listed
    LinkModel between_hosts;                                             ///< of pairs that are not listed
    std::map<std::pair<std::int32_t, std::int32_t>, LinkModel> by_host;  ///< (from, to); equal: within that host

    std::shared_ptr<const MeshPaths> paths;  ///< between MICs that have gateways; empty: there are none

    /// The path through gateways and routers; null where tensors go straight.
    const MeshPath* path(LinkEnd from, LinkEnd to) const;
    const LinkModel& of(LinkEnd from, LinkEnd to) const;
    /// Straight from host to host.
    const LinkModel& of(std::int32_t from_host, std::int32_t to_host) const;
};

/// What a cluster on one machine or in one room has, where links were neither measured nor stated.
Links default_links();

/// Refuses (invalid_input) what is negative or not finite, naming the link.
Result<void> check_links(const Links& links, const std::vector<HostModel>& hosts);

}  // namespace divisi::price
