// SPDX-License-Identifier: Apache-2.0
// divisictl routes: the gateways and routers of the mesh, and by which of them tensors go.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "backend/base/units.h"
#include "backend/ctl/json_output.h"
#include "backend/ctl/mesh_view.h"
#include "backend/ctl/terminal.h"

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

/// Of the gateway where the flow begins; routers on its way report it too.
bool begins_here(const DeviceView& device, const control::FlowReport& flow, const MeshState& mesh) {
    for (const control::TablePlace& place : mesh.places)
        if (place.sid == flow.source) return place.gateway == device.id;
    return false;
}

/// How a neighbour that keeps failing is treated; empty where it is used.
std::string avoided(const DeviceView& device, std::uint32_t neighbour) {
    for (const control::BreakerReport& one : device.guard.breakers)
        if (one.neighbour == neighbour) return one.half_open ? " (tried)" : " (avoided)";
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
                        device.info.mic.value(), device.up ? "up" : "away", std::to_string(device.counters.frames),
                        format_bytes(static_cast<Bytes>(device.counters.bytes)), format_bytes(device.held),
                        format_bytes(device.promised), std::to_string(device.counters.rerouted), neighbours});
    }
    print_table({">ID", "NAME", "ROLE", "MIC", "STATE", ">CHUNKS", ">FORWARDED", ">HELD", ">PROMISED", ">REROUTED",
                 "NEIGHBOURS"},
                rows);
}

/// Gateways that have refused something, and where to read what.
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

/// "1.2 / 3.4 ms": median and p99; empty where nothing was measured.
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

void print_flows(const MeshState& mesh) {
    std::vector<std::vector<std::string>> rows;
    for (const DeviceView& device : mesh.devices)
        for (const control::FlowReport& flow : device.flows)
            if (begins_here(device, flow, mesh))
                rows.push_back(
                    {flow.source.value(), flow.destination.value(), format_bytes(static_cast<Bytes>(flow.credit_bytes)),
                     format_bytes(static_cast<Bytes>(flow.queued_bytes)), rate_text(flow.quality.bytes_per_s),
                     latency_text(flow.quality), path_of(mesh, flow.path)});
    if (rows.empty()) return;
    std::puts("");
    print_table({"FROM", "TO", ">CREDIT", ">QUEUED", ">RATE", ">P50 / P99", "PATH"}, rows);
}

/// What gateways dealt to the data instances that are there.
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

void print_json(const MeshState& mesh) {
    for (const DeviceView& device : mesh.devices) {
        const control::DeviceCounters& counted = device.counters;
        ordered_json line{{"device", device.info.name},
                          {"id", device.id},
                          {"role", to_string(device.info.role)},
                          {"mic", device.info.mic.value()},
                          {"up", device.up},
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
                          {"avoided", ordered_json::array()},
                          {"held", device.held},
                          {"promised", device.promised},
                          {"neighbours", ordered_json::array()},
                          {"flows", ordered_json::array()},
                          {"dealt", ordered_json::object()}};
        for (const control::NeighbourReport& one : device.neighbours)
            line["neighbours"].push_back({{"name", name_of(mesh, one.id)},
                                          {"usable", one.usable},
                                          {"fault", fault_between(mesh, device.info.name, name_of(mesh, one.id))},
                                          {"sent", one.sent_bytes},
                                          {"queued", one.queued_bytes},
                                          {"credit", one.credit_bytes},
                                          {"quality", to_json(one.quality)}});
        for (const control::BreakerReport& one : device.guard.breakers)
            line["avoided"].push_back({{"name", name_of(mesh, one.neighbour)}, {"tried", one.half_open}});
        for (const control::FlowReport& flow : device.flows) {
            ordered_json path = ordered_json::array();
            for (const std::uint32_t id : flow.path) path.push_back(name_of(mesh, id));
            line["flows"].push_back({{"task", flow.task.value()},
                                     {"from", flow.source.value()},
                                     {"to", flow.destination.value()},
                                     {"path", path},
                                     {"queued", flow.queued_bytes},
                                     {"credit", flow.credit_bytes},
                                     {"out", flow.out_bytes},
                                     {"promised", flow.promised_bytes},
                                     {"strand", flow.strand},
                                     {"quality", to_json(flow.quality)}});
        }
        for (const control::DealtReport& one : device.dealt)
            line["dealt"][one.sid.value()] = {
                {"microbatches", one.microbatches}, {"dealt_again", one.dealt_again}, {"outstanding", one.outstanding}};
        ctl::print_json(line);
    }
}

}  // namespace

int list_routes(const Common& common) {
    auto session = open_session(common);
    if (!session) return print_error(session.error());
    const auto mesh = (*session)->ask<MeshState>(control::QueryMesh{});
    if (!mesh) return print_error(mesh.error());
    if (common.json) {
        print_json(*mesh);
    } else if (mesh->devices.empty()) {
        std::puts("no gateways and no routers: instances of all MICs exchange tensors directly");
    } else {
        print_devices(*mesh);
        print_flows(*mesh);
        print_dealt(*mesh);
        print_refusals(*mesh);
    }
    return 0;
}

}  // namespace divisi::ctl
