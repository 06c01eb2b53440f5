// SPDX-License-Identifier: Apache-2.0
// divisictl links: shows bandwidth and delay of links between hosts, and the source of the figures.
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>

#include "backend/control/protocol/mesh_messages.h"
#include "backend/control/protocol/probe_messages.h"
#include "backend/ctl/terminal/commands.h"
#include "backend/ctl/terminal/terminal.h"
#include "backend/store/link_store.h"
#include "backend/store/profile_store.h"
#include "backend/submit/link_prices.h"
#include "backend/submit/mesh_paths.h"

namespace divisi::ctl {
namespace {

using submit::HostLink;

/// Time limit, extended with every new measurement. Probing a slow link takes some seconds; a failing probe takes half
/// a minute.
constexpr std::chrono::seconds measure_deadline{60};
constexpr std::chrono::milliseconds poll_interval{100};

std::string milliseconds(double seconds, double spread) {
    char text[48];
    std::snprintf(text, sizeof text, "%.3f ms", seconds * 1e3);
    std::string result = text;
    if (spread > 0) std::snprintf(text, sizeof text, " +- %.3f", spread * 1e3);
    return spread > 0 ? result + text : result;
}

std::string bandwidth(double bytes_per_s, double spread) {
    if (bytes_per_s <= 0) return "unlimited";
    char text[48];
    std::snprintf(text, sizeof text, "%.0f MB/s", bytes_per_s / 1e6);
    std::string result = text;
    if (spread > 0) std::snprintf(text, sizeof text, " +- %.0f", spread / 1e6);
    return spread > 0 ? result + text : result;
}

/// Returns the measured figures, or the figures of the link's model if the link was not measured.
control::LinkFigures measured_or_modelled(const submit::KnownLink& link) {
    if (link.measured) return link.measured->link.figures;
    return {link.model.latency_s + link.model.message_s, 0, link.model.message_s, link.model.bytes_per_s, 0};
}

void print_links(const std::vector<HostLink>& links, bool as_json) {
    std::vector<std::vector<std::string>> rows;
    for (const HostLink& one : links) {
        const control::LinkFigures figures = measured_or_modelled(one.link);
        const std::string transport = one.link.transport ? to_string(*one.link.transport) : "none";
        const std::string when = one.link.measured ? clock_time(one.link.measured->measured) : "";
        if (as_json)
            std::puts(nlohmann::ordered_json{{"from", one.from},
                                             {"to", one.to},
                                             {"transport", transport},
                                             {"latency_ms", figures.latency_s * 1e3},
                                             {"latency_spread_ms", figures.latency_spread_s * 1e3},
                                             {"message_ms", figures.message_s * 1e3},
                                             {"bytes_per_s", figures.bytes_per_s},
                                             {"bytes_spread_per_s", figures.bytes_spread_per_s},
                                             {"source", to_string(one.link.model.source)},
                                             {"measured", when}}
                          .dump()
                          .c_str());
        rows.push_back({one.from, one.to, transport, milliseconds(figures.latency_s, figures.latency_spread_s),
                        milliseconds(figures.message_s, 0), bandwidth(figures.bytes_per_s, figures.bytes_spread_per_s),
                        to_string(one.link.model.source), when});
    }
    if (!as_json)
        print_table({"FROM", "TO", "BY", ">LATENCY", ">PER TENSOR", ">BANDWIDTH", "SOURCE", "MEASURED"}, rows);
}

/// Prints the last figures measured on this machine, for use without a running cluster.
int kept_links(const Common& common) {
    const auto file = embed::default_data_folder() / store::profile_file;
    std::vector<HostLink> links;
    for (const auto& [key, view] : store::kept_links(file)) {
        // `links --mesh` lists the links of gateways and routers while the cluster runs
        if (key.transport == control::LinkTransport::mesh) continue;
        HostLink one{key.from_host, key.to_host, {key.transport, submit::model_of(view.link.figures), view}};
        links.push_back(std::move(one));
    }
    if (links.empty())
        return print_error({ErrorCode::unavailable, "no cluster runs, and no link was measured yet", file.string(),
                            "start one with 'divisictl cluster up', or name one with --connect FILE"});
    if (!common.json) std::puts("no cluster runs; the last measurements are:");
    print_links(links, common.json);
    return 0;
}

bool measured_since(const HostLink& link, const std::vector<HostLink>& before) {
    const auto same = std::find_if(before.begin(), before.end(),
                                   [&](const HostLink& old) { return old.from == link.from && old.to == link.to; });
    const bool known = same != before.end() && same->link.measured;
    return link.link.measured && (!known || link.link.measured->measured > same->link.measured->measured);
}

/// Returns the event of a probe that failed after `sequence`, with the reason; null if none failed.
const control::Noted* failure_since(const control::ClusterState& state, std::uint64_t sequence) {
    for (const control::Event& event : state.recent) {
        const auto* noted = get_if<control::Noted>(&event.body);
        if (noted && event.sequence > sequence && noted->text.find("was not measured") != std::string::npos)
            return noted;
    }
    return nullptr;
}

/// Returns the links that still have to be measured. Links of the mesh are included only if they work and are not cut
/// on purpose.
std::vector<HostLink> awaited(const control::ClusterState& state, const control::MeshState& mesh) {
    std::vector<HostLink> links = submit::host_links(state);
    std::erase_if(links, [](const HostLink& link) { return !link.link.transport; });
    const auto works = [&](const HostLink& link) {
        const auto from = state.devices.find(link.from), to = state.devices.find(link.to);
        const auto cut = [&](const control::LinkFault& fault) {
            return fault.cut && std::minmax(fault.a, fault.b) == std::minmax(link.from, link.to);
        };
        if (from == state.devices.end() || to == state.devices.end() || std::ranges::any_of(mesh.faults, cut))
            return false;
        const auto device = std::ranges::find(mesh.devices, from->second.id, &control::DeviceView::id);
        const auto other = std::ranges::find(mesh.devices, to->second.id, &control::DeviceView::id);
        return device != mesh.devices.end() && device->up && other != mesh.devices.end() && other->up &&
               std::ranges::any_of(device->neighbours, [&](const control::NeighbourReport& one) {
                   return one.usable && one.id == to->second.id;
               });
    };
    for (HostLink& link : submit::device_links(state))
        if (works(link)) links.push_back(std::move(link));
    return links;
}

/// Returns all links that have figures, whether or not they work now.
std::vector<HostLink> all_links(const control::ClusterState& state) {
    std::vector<HostLink> links = submit::host_links(state);
    std::ranges::move(submit::device_links(state), std::back_inserter(links));
    return links;
}

/// Requests new measurements and waits for them. Fails if a task runs, because links are measured only while no task
/// runs.
Result<control::ClusterState> measure(Session& session) {
    DIVISI_ASSIGN(const control::ClusterState before, session.snapshot());
    DIVISI_ASSIGN(const auto done, session.ask<control::Done>(control::MeasureLinks{}));
    (void)done;
    const auto running = std::count_if(before.tasks.begin(), before.tasks.end(),
                                       [](const auto& entry) { return entry.second.pending(); });
    if (running > 0)
        return Error{ErrorCode::unavailable, "tasks are running", session.connection().endpoint,
                     "the links are measured when no task runs; list them then with 'divisictl links'"};
    const std::vector<HostLink> old = all_links(before);
    std::ptrdiff_t most = 0;
    auto deadline = std::chrono::steady_clock::now() + measure_deadline;
    while (std::chrono::steady_clock::now() < deadline) {
        std::this_thread::sleep_for(poll_interval);
        DIVISI_ASSIGN(control::ClusterState state, session.snapshot());
        // Query the mesh in every round: links come up or fail while others are measured.
        DIVISI_ASSIGN(const control::MeshState mesh, session.ask<control::MeshState>(control::QueryMesh{}));
        const auto is_new = [&](const HostLink& link) { return measured_since(link, old); };
        if (std::ranges::all_of(awaited(state, mesh), is_new)) return state;
        if (const auto measured = std::ranges::count_if(all_links(state), is_new); measured > most) {
            most = measured;
            deadline = std::chrono::steady_clock::now() + measure_deadline;
        }
        if (const control::Noted* failure = failure_since(state, before.sequence))
            return Error{ErrorCode::failed, failure->text, session.connection().endpoint,
                         "check that the nodes reach each other, then try again"};
    }
    return Error{ErrorCode::deadline, "not all links were measured in time", session.connection().endpoint,
                 "see 'divisictl logs'"};
}

}  // namespace

int list_links(const Common& common, bool again) {
    const bool none = common.target.connection.empty() && !embed::cluster_runs(embed::default_data_folder());
    if (none && !again) return kept_links(common);
    auto session = open_session(common, again ? control::Role::operate : control::Role::viewer);
    if (!session) return print_error(session.error());
    const auto state = again ? measure(**session) : (*session)->snapshot();
    if (!state) return print_error(state.error());
    const std::vector<HostLink> links = submit::host_links(*state);
    if (links.empty() && !common.json) std::puts("the cluster has no two nodes with a link");
    else print_links(links, common.json);
    return 0;
}

}  // namespace divisi::ctl
