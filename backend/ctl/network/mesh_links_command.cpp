// SPDX-License-Identifier: Apache-2.0
// divisictl links --mesh: lists the traffic and capacity of links between gateways and routers, in each direction.
#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "backend/base/units.h"
#include "backend/control/protocol/mesh_messages.h"
#include "backend/ctl/network/mesh_view.h"
#include "backend/ctl/terminal/json_output.h"
#include "backend/ctl/terminal/terminal.h"
#include "backend/submit/mesh_paths.h"

namespace divisi::ctl {
namespace {

using control::DeviceView;
using control::MeshState;
using control::NeighbourReport;

/// Devices report twice a second, so two samples this far apart come from different reports.
constexpr std::chrono::milliseconds between_looks{1200};

const NeighbourReport* report_of(const MeshState& mesh, std::uint32_t from, std::uint32_t to) {
    for (const DeviceView& device : mesh.devices)
        for (const NeighbourReport& one : device.neighbours)
            if (device.id == from && one.id == to) return &one;
    return nullptr;
}

const DeviceView* device_of(const MeshState& mesh, std::uint32_t id) {
    const auto found = std::ranges::find(mesh.devices, id, &DeviceView::id);
    return found == mesh.devices.end() ? nullptr : &*found;
}

/// One direction of a link, as its sending device reports it.
struct Direction {
    const DeviceView* from;
    const DeviceView* to;
    const NeighbourReport* report;      ///< report of the device; null: it has not reported this neighbour yet
    std::optional<double> bytes_per_s;  ///< rate between the two samples; none: fewer than two reports
};

std::optional<double> rate(const MeshState& before, const Direction& now) {
    const DeviceView* then = device_of(before, now.from->id);
    const NeighbourReport* old = report_of(before, now.from->id, now.to->id);
    if (!then || !old || !now.report || now.from->heard <= then->heard) return std::nullopt;
    if (now.report->sent_bytes < old->sent_bytes) return std::nullopt;  // the counter restarted
    const double seconds = std::chrono::duration<double>(now.from->heard - then->heard).count();
    return static_cast<double>(now.report->sent_bytes - old->sent_bytes) / seconds;
}

std::vector<Direction> directions(const MeshState& before, const MeshState& now) {
    std::vector<Direction> all;
    for (const control::TableLink& link : now.links)
        for (const auto& [from, to] : {std::pair(link.a, link.b), {link.b, link.a}}) {
            Direction one{device_of(now, from), device_of(now, to), report_of(now, from, to), {}};
            if (!one.from || !one.to) continue;
            one.bytes_per_s = rate(before, one);
            all.push_back(one);
        }
    return all;
}

const char* state_of(const Direction& one) {
    if (!one.from->up) return "away";
    if (!one.report) return "unknown";
    return one.report->usable ? "up" : "failed";
}

/// Figures that plans use, by the names of the link's ends.
using Figures = std::map<std::pair<std::string, std::string>, price::LinkModel>;

Figures figures_of(const control::ClusterState& state) {
    Figures figures;
    for (const submit::HostLink& one : submit::device_links(state)) figures[{one.from, one.to}] = one.link.model;
    return figures;
}

void print_link_json(const Direction& one, const price::LinkModel& model, const std::string& fault) {
    nlohmann::ordered_json line{{"from", one.from->info.name}, {"to", one.to->info.name}, {"state", state_of(one)}};
    if (one.report) {
        line["queued"] = one.report->queued_bytes;
        line["credit"] = one.report->credit_bytes;
        line["sent"] = one.report->sent_bytes;
    }
    if (one.bytes_per_s) line["bytes_per_s"] = *one.bytes_per_s;
    line["latency_ms"] = (model.latency_s + model.message_s) * 1e3;
    line["link_bytes_per_s"] = submit::bytes_per_s(model);
    line["source"] = to_string(model.source);
    line["fault"] = fault;
    print_json(line);
}

std::vector<std::string> row(const Direction& one, const price::LinkModel& model, const std::string& fault) {
    char latency[32];
    std::snprintf(latency, sizeof latency, "%.3f ms", (model.latency_s + model.message_s) * 1e3);
    const double most = submit::bytes_per_s(model);
    const std::string bandwidth = most > 0 ? format_bytes(static_cast<Bytes>(most)) + "/s" : "unlimited";
    std::vector<std::string> cells{one.from->info.name, one.to->info.name,       state_of(one), "", "", "", "", latency,
                                   bandwidth,           to_string(model.source), fault};
    if (one.report) {
        cells[3] = format_bytes(static_cast<Bytes>(one.report->queued_bytes));
        cells[4] = format_bytes(static_cast<Bytes>(one.report->credit_bytes));
        cells[5] = format_bytes(static_cast<Bytes>(one.report->sent_bytes));
    }
    if (one.bytes_per_s) cells[6] = format_bytes(static_cast<Bytes>(*one.bytes_per_s)) + "/s";
    return cells;
}

}  // namespace

int list_mesh_links(const Common& common) {
    auto session = open_session(common);
    if (!session) return print_error(session.error());
    const auto before = (*session)->ask<MeshState>(control::QueryMesh{});
    if (!before) return print_error(before.error());
    if (before->links.empty()) {
        if (!common.json) std::puts("no links between gateways and routers");
        return 0;
    }
    std::this_thread::sleep_for(between_looks);
    const auto now = (*session)->ask<MeshState>(control::QueryMesh{});
    if (!now) return print_error(now.error());
    const auto state = (*session)->snapshot();
    if (!state) return print_error(state.error());
    Figures figures = figures_of(*state);
    std::vector<std::vector<std::string>> rows;
    for (const Direction& one : directions(*before, *now)) {
        const std::string fault = fault_between(*now, one.from->info.name, one.to->info.name);
        const price::LinkModel& model = figures[{one.from->info.name, one.to->info.name}];
        if (common.json) print_link_json(one, model, fault);
        rows.push_back(row(one, model, fault));
    }
    if (!common.json)
        print_table({"FROM", "TO", "STATE", ">QUEUED", ">CREDIT", ">SENT", ">RATE", ">LATENCY", ">BANDWIDTH", "FIGURES",
                     "FAULT"},
                    rows);
    return 0;
}

}  // namespace divisi::ctl
