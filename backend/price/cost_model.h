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

// Performance of devices.

/// A time measured several times: the median and the interquartile range.
struct MeasuredTime {
    double seconds = 0;
    double spread = 0;
    double crowded = 0;  ///< the median while other cores of the host ran the same kind of work; 0: not measured
};

/// Measured times of one distinct operator on one device type, for the batch size that its shapes contain. Times of
/// missing parts (no weight, no gradient wanted) are zero.
struct OperatorProfile {
    MeasuredTime forward;
    MeasuredTime input_gradient;   ///< gradients of inputs that are not weights
    MeasuredTime weight_gradient;  ///< gradients of trainable weights
};

/// The rates of a device, for operators without measurements. One direction of an operator takes dispatch_s + max(FLOPs
/// / rate, bytes / bytes_per_s): Williams et al., Roofline, CACM 52 (2009).
struct DeviceRates {
    double product_flops_per_s = 0;  ///< matrix products and convolutions
    double other_flops_per_s = 0;    ///< all other operators
    double bytes_per_s = 0;          ///< memory reads and writes
    double dispatch_s = 0;           ///< overhead per operator and direction, independent of its size
    double pass_s = 0;               ///< overhead per forward or backward pass, independent of its operators
    double call_s = 0;               ///< overhead per call of an optimizer's step, independent of its size
};

/// The measured or assumed performance of a device type.
struct DeviceProfile {
    std::string device_type;  ///< "cpu", "NVIDIA H200"; the profile store's key
    DeviceRates rates;
    std::map<std::string, OperatorProfile, std::less<>> operators;  ///< keyed by operator_key()
    double crowded_cores = 0;  ///< number of cores that computed at once for MeasuredTime::crowded, in total
};

/// Fails (invalid_input) on times that are negative or not finite and on rates that are not above zero. The error names
/// the entry.
Result<void> check_profile(const DeviceProfile& profile);

/// Returns rates for a device without measurements: "cpu", "cuda" or "cuda:<n>" (any other name counts as cpu). The
/// compute rates of a processor grow with its threads, its memory rate only with the first eight threads.
DeviceProfile default_profile(std::string_view device, double threads = 1);

/// Returns a key that is equal for operators of equal cost. It consists of the operator's type and attributes, the
/// dtype and shape of every input and output, and the role of every input, e.g.
/// "MatMul(float32[16,192]g,float32[192,576]w)->float32[16,576]". Roles: w for a trainable weight, g for a value whose
/// gradient is wanted, otherwise none. `gradient` is graph::needs_gradient(graph). Names of nodes and values are not
/// part of the key, so that equal layers share a measurement.
std::string operator_key(const graph::Graph& graph, graph::NodeIndex node, const std::vector<bool>& gradient);

/// Returns the nodes that the loss depends on, or all nodes if there is no loss.
std::vector<bool> needed_nodes(const graph::Graph& graph, graph::ValueIndex loss);

/// The gradients that a node computes, because some input needs them.
struct WantedGradients {
    bool input = false, weight = false;
};
WantedGradients wanted_gradients(const graph::Graph& graph, const graph::Node& node, const std::vector<bool>& gradient);

// Prices of operators.

enum class PriceSource : std::uint8_t {
    nothing,  ///< no cost in training: constant, or computed only in evaluation
    profile,  ///< measured
    rates,    ///< computed from FLOPs and bytes with the device's rates
};
const char* to_string(PriceSource source);

/// Seconds of one operator for one micro-batch, alone on its host, plus the time added while all other cores compute
/// (the cores share caches, memory and clock).
struct OperatorPrice {
    double forward = 0, input_gradient = 0, weight_gradient = 0;
    PriceSource source = PriceSource::nothing;
    double crowded_forward = 0, crowded_backward = 0;  ///< time added while all other cores compute
    std::int32_t weights = 0;                          ///< number of trainable weights that it reads
};

/// Seconds of several operators for one micro-batch.
struct SegmentPrice {
    double forward = 0, input_gradient = 0, weight_gradient = 0;
    double profiled = 0;                               ///< the measured part of total()
    double crowded_forward = 0, crowded_backward = 0;  ///< time added while all other cores of the host compute
    double weights = 0;  ///< number of trainable weights read; a weight counts once for every reader

    double backward() const { return input_gradient + weight_gradient; }
    double total() const { return forward + backward(); }
    /// Returns a share from 0 to 1; 0 if the total cost is zero.
    double profiled_share() const { return total() > 0 ? profiled / total() : 0; }

    SegmentPrice& operator+=(const SegmentPrice& other);
    SegmentPrice& operator-=(const SegmentPrice& other);
};

/// Prices all operators of a graph on one device type and stores prefix sums, from which the price of any cut is
/// composed.
class PricedGraph {
public:
    /// Prices a canonical `graph`; `cost` is its cost. If `loss` is given, operators on which the loss does not depend
    /// (accuracy) cost nothing. Takes O(nodes), plus one look-up per node if the profile has operators.
    PricedGraph(const graph::Graph& graph, const graph::GraphCost& cost, const DeviceProfile& profile,
                graph::ValueIndex loss = graph::no_value);

    const OperatorPrice& node(graph::NodeIndex index) const { return nodes_[index]; }
    /// Returns the sum over nodes first <= i < last in constant time. Constant operators cost nothing, so their actual
    /// position, next to their consumers, does not matter.
    SegmentPrice range(graph::NodeIndex first, graph::NodeIndex last) const;
    SegmentPrice sum(const std::vector<graph::NodeIndex>& nodes) const;
    SegmentPrice total() const { return prefix_.back(); }

private:
    std::vector<OperatorPrice> nodes_;
    std::vector<SegmentPrice> prefix_;  ///< prefix_[i]: sum of nodes_[0..i)
};

/// Returns the seconds of one optimizer step over `weights` trainable weights of `parameters` bytes in total. The step
/// reads parameter, gradient and `states` state tensors, writes all but the gradient, and makes one or more calls per
/// weight.
double optimizer_seconds(const DeviceRates& rates, Bytes parameters, double weights, std::int32_t states);

// Links between devices.

/// The source of a link's figures, the least certain first.
enum class LinkSource : std::uint8_t { standard, stated, measured };
/// Returns "default", "cluster file" or "measured".
const char* to_string(LinkSource source);

/// A one-way connection. Tensors occupy the connection one after another in the order of sending, each for occupancy(),
/// and arrive latency_s later. Tensors are serialized by the sending thread, not by the computing thread.
struct LinkModel {
    double latency_s = 0;
    double bytes_per_s = 0;           ///< 0: unlimited
    double message_s = 0;             ///< overhead per tensor, independent of its size: header, checksum, wake-up
    double serialize_s_per_byte = 0;  ///< copies and checksums, if bytes_per_s does not include them
    LinkSource source = LinkSource::standard;
    /// For a path: the seconds per byte that forwarding adds to a tensor's first piece. Each device forwards a piece
    /// only after receiving it completely. So the time on every link except the narrowest is added, but only to the
    /// latency, since later pieces overlap.
    double relayed_s_per_byte = 0;
    static constexpr Bytes relayed_piece = Bytes{1} << 20;  ///< maximum size of a piece

    bool operator==(const LinkModel&) const = default;
    double latency(Bytes bytes) const {
        return latency_s + relayed_s_per_byte * static_cast<double>(std::min(bytes, relayed_piece));
    }
    double occupancy(Bytes bytes) const {
        const auto size = static_cast<double>(bytes);
        return message_s + size * serialize_s_per_byte + (bytes_per_s > 0 ? size / bytes_per_s : 0);
    }
};

/// A machine. If running instances have more threads than the host has cores, they share the cores evenly.
struct HostModel {
    std::string name;
    double cores = 0;  ///< 0: unlimited
    Bytes memory = 0;  ///< memory for all stages on the host together; 0: not known
};

/// The location of an instance as the end point of a link.
struct LinkEnd {
    std::int32_t host = 0;
    /// Number of the MIC, as in the keys of MeshPaths. A MIC whose instances reach its gateway at different prices has
    /// one number for each price. All numbers are equal if the MIC does not matter.
    std::int32_t mic = 0;
};

/// A gateway or router on a path, and the core time on its host for forwarding a tensor.
struct PathRelay {
    std::string host;  ///< HostModel::name; if no instance runs on this host, the relay slows down no instance
    double message_s = 0, serialize_s_per_byte = 0;

    bool operator==(const PathRelay&) const = default;
    double handling(Bytes bytes) const { return message_s + static_cast<double>(bytes) * serialize_s_per_byte; }
};

/// A path through gateways and routers between the instances of two MICs (backend/submit/mesh_paths.h). Paths with the
/// same narrowest link share the bandwidth of that link. Every other link that several paths share is assumed to have
/// enough bandwidth for all of them.
struct MeshPath {
    LinkModel link;                    ///< latency: the sum over all links; bandwidth: that of the narrowest link
    std::vector<std::string> devices;  ///< names in order: gateway, routers, gateway
    /// the ends of the narrowest link in the direction of sending: "sr-1, mg-2"; the name of an instance is left empty:
    /// ", mg-1"
    std::string narrowest;
    std::vector<PathRelay> relays = {};  ///< one for each device
};
/// Returns MeshPath::narrowest. If that is the link between an instance and its gateway, adds the host of the instance.
std::string narrowest_link(const MeshPath& path, LinkEnd from, LinkEnd to, const std::vector<HostModel>& hosts);
using MeshPaths = std::map<std::pair<std::int32_t, std::int32_t>, MeshPath>;  ///< keyed by (from, to) MIC

/// The connections between instances. All pairs of nodes on two hosts share the link between these hosts. Within one
/// host, every pair has its own connection.
struct Links {
    LinkModel within_host;    ///< link within a host that is not listed
    LinkModel between_hosts;  ///< link between hosts that are not listed
    /// keyed by (from, to); if `from` equals `to`, the link within that host
    std::map<std::pair<std::int32_t, std::int32_t>, LinkModel> by_host;

    std::shared_ptr<const MeshPaths> paths;  ///< paths between MICs that have gateways; null if there are none

    /// Returns the path through gateways and routers; nullptr if tensors go directly.
    const MeshPath* path(LinkEnd from, LinkEnd to) const;
    const LinkModel& of(LinkEnd from, LinkEnd to) const;
    /// Returns the direct link from host to host.
    const LinkModel& of(std::int32_t from_host, std::int32_t to_host) const;
};

/// Returns typical links of a cluster on one machine or in one room, for links that are neither measured nor stated.
Links default_links();

/// Fails (invalid_input) on figures of links, relays or hosts that are negative or not finite. The error names the
/// entry.
Result<void> check_links(const Links& links, const std::vector<HostModel>& hosts);

}  // namespace divisi::price
