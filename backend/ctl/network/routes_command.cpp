// SPDX-License-Identifier: Apache-2.0
// divisictl routes: lists the gateways and routers of the mesh, and the paths of tensors.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "backend/base/units.h"
#include "backend/control/state/policy_origin.h"
#include "backend/ctl/network/mesh_view.h"
#include "backend/ctl/terminal/fields_json.h"
#include "backend/ctl/terminal/json_output.h"
#include "backend/ctl/terminal/terminal.h"

namespace divisi::ctl {
namespace {

using control::DeviceView;
using control::MeshState;
using nlohmann::ordered_json;

std::string path_of(const MeshState& mesh, const std::vector<std::uint32_t>& path) {
    std::string text;
    for (const std::uint32_t id : path) text += (text.empty() ? "" : " > ") + name_of(mesh, id);
    return text.empty() ? "none" : text;
}

/// Returns whether the device is the gateway where the flow begins; the routers on the path report the flow too.
bool begins_here(const DeviceView& device, const control::FlowReport& flow, const MeshState& mesh) {
    for (const control::TablePlace& place : mesh.places)
        if (place.sid == flow.source) return place.gateway == device.id;
    return false;
}

/// Returns how a neighbour that keeps failing is treated; empty if the neighbour is used normally.
std::string avoided(const DeviceView& device, std::uint32_t neighbour) {
    for (const control::BreakerReport& one : device.guard.breakers)
        if (one.neighbour == neighbour) return one.half_open ? " (tried)" : " (avoided)";
    return "";
}

std::string mic_of(const MeshState& mesh, std::uint32_t gateway) {
    for (const DeviceView& device : mesh.devices)
        if (device.id == gateway) return device.info.mic.value();
    return "";
}

void print_devices(const MeshState& mesh) {
    std::vector<std::vector<std::string>> rows;
    for (const DeviceView& device : mesh.devices) {
        std::string neighbours;
        for (const control::NeighbourReport& one : device.neighbours) {
            const std::string name = name_of(mesh, one.id), fault = fault_between(mesh, device.info.name, name);
            neighbours += (neighbours.empty() ? "" : ", ") + name + (one.usable ? "" : " (failed)") +
                          avoided(device, one.id) + (fault.empty() ? "" : " [" + fault + "]");
        }
        rows.push_back({std::to_string(device.id), device.info.name, to_string(device.info.role),
                        device.info.mic.value(), device.up ? "up" : "away", to_string(device.lease),
                        renewed_text(device.renewed_ms), std::to_string(device.counters.frames),
                        format_bytes(static_cast<Bytes>(device.counters.bytes)), format_bytes(device.held),
                        format_bytes(device.promised), std::to_string(device.counters.rerouted), neighbours});
    }
    print_table({">ID", "NAME", "ROLE", "MIC", "STATE", "LEASE", ">RENEWED", ">CHUNKS", ">FORWARDED", ">HELD",
                 ">PROMISED", ">REROUTED", "NEIGHBOURS"},
                rows);
}

/// Prints which gateways refused requests to send, and the command that shows the refusals.
void print_refusals(const MeshState& mesh) {
    for (const DeviceView& device : mesh.devices) {
        const control::GuardCounters& counted = device.guard.counters;
        const std::uint64_t refused = counted.denied + counted.unserved + counted.limited;
        if (refused > 0)
            std::printf("%s did not admit %s: divisictl requests --denied --gateway %s\n", device.info.name.c_str(),
                        ctl::counted(static_cast<std::int64_t>(refused), "set-up").c_str(), device.info.name.c_str());
    }
}

std::string rate_text(double bytes_per_s) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g MB/s", bytes_per_s / 1e6);
    return text;
}

/// Returns for example "1.2 / 3.4 ms" (median and p99); empty if nothing was measured.
std::string latency_text(const mesh::Quality& quality) {
    if (quality.latency_p99_s <= 0) return "";
    char text[48];
    std::snprintf(text, sizeof text, "%.3g / %.3g ms", quality.latency_p50_s * 1e3, quality.latency_p99_s * 1e3);
    return text;
}

ordered_json to_json(const mesh::Quality& quality) {
    return {{"bytes_per_s", quality.bytes_per_s},
            {"busy", quality.busy},
            {"credit_wait", quality.credit_wait},
            {"latency_p50_ms", quality.latency_p50_s * 1e3},
            {"latency_p99_ms", quality.latency_p99_s * 1e3},
            {"retries", quality.retries},
            {"refusals", quality.refusals}};
}

/// The policy entry with the percentage for a flow's first path, and the policy version that set it. Null: no
/// percentage is set, so all tensors take the first path that is up.
struct Steering {
    const control::PolicyEntry* share = nullptr;
    const control::PolicyVersion* origin = nullptr;
};

std::string gateway_of(const MeshState& mesh, const Sid& sid) {
    for (const control::TablePlace& place : mesh.places)
        if (place.sid == sid) return name_of(mesh, place.gateway);
    return "";
}

/// Returns the entry that devices apply to the flow: for its two SIDs, else for their gateways, else for all flows.
Steering steering_of(const control::FlowReport& flow, const MeshState& mesh, const control::PoliciesState& policies) {
    if (policies.versions.empty()) return {};
    const std::pair<std::string, std::string> ends[] = {
        {flow.source.value(), flow.destination.value()},
        {gateway_of(mesh, flow.source), gateway_of(mesh, flow.destination)},
        {"", ""}};
    std::vector<control::PolicyKey> keys{control::PolicyKey::share};
    if (flow.flow_class == mesh::FlowClass::blob) keys.insert(keys.begin(), control::PolicyKey::blob_share);
    for (const control::PolicyKey key : keys)
        for (const auto& [from, to] : ends) {
            const control::PolicyEntry wanted{key, from, to, 0};
            if (const auto* share = find_entry(policies.versions.back().entries, wanted))
                return {share, origin_of(policies.versions, wanted)};
        }
    return {};
}

/// Returns for example "40 % by the first path: policy 4 of module link-trend" for a flow on the first path. For a flow
/// on the second path, states the remaining percentage.
std::string steering_text(const control::FlowReport& flow, const Steering& steering) {
    if (steering.share == nullptr || steering.origin == nullptr) return "";
    const bool first = flow.path_index == 0;
    const std::int64_t percent = first ? steering.share->value : 100 - steering.share->value;
    return std::to_string(percent) + " % by the " + (first ? "first" : "second") + " path: policy " +
           std::to_string(steering.origin->version) + " of " + steering.origin->author;
}

/// Returns the path of a flow, for example "mg-1 > mg-2, by SRv6 through sr-3".
std::string flow_path(const MeshState& mesh, const DeviceView& device, const control::FlowReport& flow) {
    std::string text = path_of(mesh, flow.path);
    if (const auto* segments = carried_by(device, flow)) {
        text += ", by SRv6 through ";
        for (std::size_t i = 1; i + 1 < segments->path.size(); ++i)
            text += (i > 1 ? ", " : "") + name_of(mesh, segments->path[i]);
    }
    return text;
}

void print_flows(const MeshState& mesh, const control::PoliciesState& policies) {
    std::vector<std::vector<std::string>> rows;
    for (const DeviceView& device : mesh.devices)
        for (const control::FlowReport& flow : device.flows)
            if (begins_here(device, flow, mesh))
                rows.push_back({flow.source.value(), flow.destination.value(), to_string(flow.flow_class),
                                format_bytes(static_cast<Bytes>(flow.credit_bytes)),
                                format_bytes(static_cast<Bytes>(flow.queued_bytes)),
                                rate_text(flow.quality.bytes_per_s), latency_text(flow.quality),
                                flow_path(mesh, device, flow), steering_text(flow, steering_of(flow, mesh, policies))});
    if (rows.empty()) return;
    std::puts("");
    print_table({"FROM", "TO", "CLASS", ">CREDIT", ">QUEUED", ">RATE", ">P50 / P99", "PATH", "STEERED"}, rows);
}

/// Prints the paths that the kernels of the routers' hosts forward (SRv6), even if no tensors use them.
void print_segments(const MeshState& mesh) {
    for (const DeviceView& device : mesh.devices)
        for (const control::SegmentPath& one : device.segments)
            std::printf("%s uses its kernel to send by SRv6: %s\n", device.info.name.c_str(),
                        path_of(mesh, one.path).c_str());
}

/// Prints how many micro-batches each gateway has dealt to each data instance.
void print_dealt(const MeshState& mesh) {
    std::vector<std::vector<std::string>> rows;
    for (const DeviceView& device : mesh.devices)
        for (const control::DealtReport& one : device.dealt)
            rows.push_back({device.info.name, one.sid.value(), std::to_string(one.microbatches),
                            std::to_string(one.dealt_again), std::to_string(one.outstanding)});
    if (rows.empty()) return;
    std::puts("");
    print_table({"GATEWAY", "DEALT TO", ">MICRO-BATCHES", ">DEALT AGAIN", ">OUTSTANDING"}, rows);
}

ordered_json to_json(const Steering& steering) {
    if (steering.share == nullptr || steering.origin == nullptr) return nullptr;
    return {{"policy", steering.origin->version},
            {"author", steering.origin->author},
            {"entry", to_text(*steering.share)},
            {"first_path_percent", steering.share->value},
            {"reason", steering.origin->reason}};
}

/// Prints the gateway and the health of each SID, as signaling type 2 sends them to gateways and routers.
void print_places(const MeshState& mesh) {
    std::vector<std::vector<std::string>> rows;
    for (const control::TablePlace& place : mesh.places)
        rows.push_back(
            {place.sid.value(), to_string(place.health), mic_of(mesh, place.gateway), name_of(mesh, place.gateway)});
    if (rows.empty()) return;
    std::puts("");
    print_table({"SID", "HEALTH", "MIC", "GATEWAY"}, rows);
}

/// Prints the loads that devices received from neighbours (signaling type 4).
void print_loads(const MeshState& mesh) {
    std::vector<std::vector<std::string>> rows;
    for (const DeviceView& device : mesh.devices)
        for (const control::NeighbourReport& one : device.neighbours) {
            if (!one.load.known) continue;
            std::string failed;
            for (const std::uint32_t id : one.load.failed_links)
                failed += (failed.empty() ? "" : ", ") + name_of(mesh, id);
            char age[32];
            std::snprintf(age, sizeof age, "%.1f s", one.load.age_s);
            rows.push_back({device.info.name, name_of(mesh, one.id), age,
                            format_bytes(static_cast<Bytes>(one.load.queued_bytes)),
                            format_bytes(static_cast<Bytes>(one.load.credit_bytes)), failed});
        }
    if (rows.empty()) return;
    std::puts("");
    print_table({"GATEWAY", "HEARD FROM", ">AGE", ">ITS QUEUES", ">ITS CREDIT", "LINKS THAT FAILED"}, rows);
}

ordered_json to_json(const control::RouterLoad& load, const MeshState& mesh) {
    if (!load.known) return nullptr;
    ordered_json failed = ordered_json::array();
    for (const std::uint32_t id : load.failed_links) failed.push_back(name_of(mesh, id));
    return {
        {"age_s", load.age_s}, {"queued", load.queued_bytes}, {"credit", load.credit_bytes}, {"failed_links", failed}};
}

/// Returns the SIDs that the gateway serves.
ordered_json served_by(const DeviceView& device, const MeshState& mesh) {
    ordered_json served = ordered_json::array();
    for (const control::TablePlace& place : mesh.places)
        if (place.gateway == device.id)
            served.push_back({{"sid", place.sid.value()}, {"health", to_string(place.health)}});
    return served;
}

/// Prints routers that cache results, and the work saved by them.
void print_caches(const MeshState& mesh) {
    std::vector<std::vector<std::string>> rows;
    for (const DeviceView& device : mesh.devices) {
        const control::CacheReport& cache = device.cache;
        if (cache.limit_bytes == 0) continue;
        rows.push_back({device.info.name, std::to_string(cache.results),
                        format_bytes(static_cast<Bytes>(cache.held_bytes)),
                        format_bytes(static_cast<Bytes>(cache.limit_bytes)), std::to_string(cache.hits),
                        std::to_string(cache.misses), format_bytes(static_cast<Bytes>(cache.saved_bytes)),
                        std::to_string(cache.evicted), std::to_string(cache.corrupt)});
    }
    if (rows.empty()) return;
    std::puts("");
    print_table({"ROUTER", ">RESULTS", ">KEPT", ">OF", ">HITS", ">MISSES", ">SAVED", ">EVICTED", ">CORRUPT"}, rows);
}

ordered_json to_json(const control::CacheReport& cache) {
    return {{"limit", cache.limit_bytes}, {"held", cache.held_bytes},  {"results", cache.results},
            {"hits", cache.hits},         {"misses", cache.misses},    {"corrupt", cache.corrupt},
            {"evicted", cache.evicted},   {"saved", cache.saved_bytes}};
}

ordered_json neighbours_json(const DeviceView& device, const MeshState& mesh) {
    ordered_json rows = ordered_json::array();
    for (const control::NeighbourReport& one : device.neighbours)
        rows.push_back({{"name", name_of(mesh, one.id)},
                        {"usable", one.usable},
                        {"fault", fault_between(mesh, device.info.name, name_of(mesh, one.id))},
                        {"sent", one.sent_bytes},
                        {"queued", one.queued_bytes},
                        {"credit", one.credit_bytes},
                        {"quality", to_json(one.quality)},
                        {"load", to_json(one.load, mesh)}});
    return rows;
}

void print_mesh_json(const MeshState& mesh, const control::PoliciesState& policies) {
    for (const DeviceView& device : mesh.devices) {
        const control::DeviceCounters& counted = device.counters;
        ordered_json line{{"device", device.info.name},
                          {"id", device.id},
                          {"role", to_string(device.info.role)},
                          {"mic", device.info.mic.value()},
                          {"up", device.up},
                          {"lease", to_string(device.lease)},
                          {"renewed_ms", device.renewed_ms},
                          {"pid", device.info.pid},
                          {"table", device.table},
                          {"chunks", counted.frames},
                          {"bytes", counted.bytes},
                          {"rerouted", counted.rerouted},
                          {"refused_frames", counted.refused_frames},
                          {"refused_signals", counted.refused_signals},
                          {"unserved", counted.unserved},
                          {"failures", counted.failures},
                          {"policy", device.guard.policy},
                          {"admitted", device.guard.counters.admitted},
                          {"denied", device.guard.counters.denied},
                          {"unserved_set_ups", device.guard.counters.unserved},
                          {"limited", device.guard.counters.limited},
                          {"retries", device.guard.counters.retries},
                          {"refused_frames_of_set_ups", device.guard.counters.refused_frames},
                          {"ejections", device.guard.counters.ejections},
                          {"delayed", device.guard.counters.delayed},
                          {"refused_keys", device.guard.counters.refused_keys},
                          {"unfinished_handshakes", device.guard.counters.unfinished_handshakes},
                          {"avoided", ordered_json::array()},
                          {"held", device.held},
                          {"promised", device.promised},
                          {"neighbours", neighbours_json(device, mesh)},
                          {"flows", ordered_json::array()},
                          {"dealt", ordered_json::object()}};
        if (device.cache.limit_bytes > 0) line["cache"] = to_json(device.cache);
        if (device.info.role == mesh::DeviceRole::gateway) line["serves"] = served_by(device, mesh);
        for (const control::BreakerReport& one : device.guard.breakers)
            line["avoided"].push_back({{"name", name_of(mesh, one.neighbour)}, {"tried", one.half_open}});
        for (const control::FlowReport& flow : device.flows) {
            ordered_json path = ordered_json::array();
            for (const std::uint32_t id : flow.path) path.push_back(name_of(mesh, id));
            const control::SegmentPath* carried = carried_by(device, flow);
            line["flows"].push_back({{"task", flow.task.value()},
                                     {"from", flow.source.value()},
                                     {"to", flow.destination.value()},
                                     {"path", path},
                                     {"srv6", carried ? ordered_json(path_of(mesh, carried->path)) : ordered_json()},
                                     {"queued", flow.queued_bytes},
                                     {"credit", flow.credit_bytes},
                                     {"out", flow.out_bytes},
                                     {"promised", flow.promised_bytes},
                                     {"strand", flow.path_index},
                                     {"steered", to_json(steering_of(flow, mesh, policies))},
                                     {"class", to_string(flow.flow_class)},
                                     {"quality", to_json(flow.quality)}});
        }
        line["srv6"] = ordered_json::array();
        for (const control::SegmentPath& one : device.segments) line["srv6"].push_back(path_of(mesh, one.path));
        for (const control::DealtReport& one : device.dealt) line["dealt"][one.sid.value()] = fields_json(one, "sid");
        print_json(line);
    }
}

}  // namespace

int list_routes(const Common& common) {
    auto session = open_session(common);
    if (!session) return print_error(session.error());
    const auto mesh = (*session)->ask<MeshState>(control::QueryMesh{});
    if (!mesh) return print_error(mesh.error());
    const auto policies = (*session)->ask<control::PoliciesState>(control::QueryPolicies{});
    if (!policies) return print_error(policies.error());
    if (common.json) {
        print_mesh_json(*mesh, *policies);
    } else if (mesh->devices.empty()) {
        std::puts("no gateways and no routers: instances of all MICs exchange tensors directly");
    } else {
        print_devices(*mesh);
        print_places(*mesh);
        print_loads(*mesh);
        print_flows(*mesh, *policies);
        print_dealt(*mesh);
        print_segments(*mesh);
        print_caches(*mesh);
        print_refusals(*mesh);
    }
    return 0;
}

}  // namespace divisi::ctl
