// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/topology/element_details.h"

#include <QCoreApplication>
#include <utility>

#include "app/model/wording/drain_text.h"
#include "app/model/wording/states.h"
#include "app/model/wording/text.h"
#include "app/topology/mesh_paint.h"
#include "app/topology/node_age.h"
#include "backend/control/state/incarnation.h"

namespace divisi::topology {

namespace {

struct Details {
    Q_DECLARE_TR_FUNCTIONS(divisi::topology::Details)
};

QString text_of(const std::string& text) { return QString::fromStdString(text); }
QString bytes_of(std::uint64_t bytes) { return model::bytes_text(static_cast<Bytes>(bytes)); }
/// Returns the state in words, without its colour.
template <typename State>
QString word_of(State state) {
    return model::look_of(state, model::dark_colours()).text();
}
QString dash() { return QStringLiteral("\u2013"); }

QString path_of(const MeshWatch& watch, const std::vector<std::uint32_t>& path) {
    QStringList names;
    for (const std::uint32_t id : path) names << text_of(watch.name_of(id));
    return names.join(QStringLiteral(" \u2192 "));
}

std::vector<LinkName> links_of(const MeshWatch& watch, const std::vector<std::uint32_t>& path) {
    std::vector<LinkName> links;
    for (std::size_t hop = 1; hop < path.size(); ++hop)
        links.push_back(link_name(watch.name_of(path[hop - 1]), watch.name_of(path[hop])));
    return links;
}

/// Returns the path of a flow from this device on. Only the gateway that chose the path knows it; other devices only
/// know the credit that they have promised.
QString way_of(const control::FlowReport& flow, const control::DeviceView& view, const MeshWatch& watch) {
    if (!flow.path.empty()) return path_of(watch, flow.path);
    for (const control::TablePlace& place : watch.mesh().places) {
        if (place.gateway != view.id) continue;
        if (place.sid == flow.source) return QStringLiteral("\u2715 ") + Details::tr("no path now");
        if (place.sid == flow.destination) return Details::tr("ends here");
    }
    if (!view.up) return Details::tr("unknown: it is away");
    return flow.promised_bytes > 0 ? Details::tr("keeps a backup path ready") : Details::tr("not routed here now");
}

void add_flows(std::vector<Detail>& rows, const control::DeviceView& view, const MeshWatch& watch) {
    for (const control::FlowReport& flow : view.flows) {
        const QString name =
            text_of(flow.source.value()) + QStringLiteral(" \u2192 ") + text_of(flow.destination.value());
        rows.push_back(
            {name,
             way_of(flow, view, watch) + QStringLiteral("\n") +
                 Details::tr("credit %1, waiting %2, promised %3")
                     .arg(bytes_of(flow.credit_bytes), bytes_of(flow.queued_bytes), bytes_of(flow.promised_bytes)),
             links_of(watch, flow.path)});
    }
}

/// Returns the lease of the device's registration.
QString lease_of(const control::DeviceView& view) {
    const QString age =
        Details::tr("renewed %1 s ago").arg(model::fixed_text(static_cast<double>(view.renewed_ms) / 1e3, 1));
    switch (view.lease) {
        case mesh::LeaseStanding::held: return Details::tr("held, %1").arg(age);
        case mesh::LeaseStanding::stale:
            return Details::tr(
                       "overdue, but kept because many leases are overdue; "
                       "%1")
                .arg(age);
        case mesh::LeaseStanding::lapsed: return Details::tr("lapsed, %1").arg(age);
    }
    return {};
}

std::vector<Detail> device_details(const std::string& name, const MeshPicture& picture, const MeshWatch& watch,
                                   MeshWatch::Time now) {
    const control::DeviceView* view = watch.device(name);
    if (!view) return {{Details::tr("State"), Details::tr("The device has left the cluster; its position is kept.")}};
    const DeviceLook& look = picture.devices.at(name);
    const control::DeviceCounters& counted = view->counters;
    std::vector<Detail> rows{
        {Details::tr("State"), view->up ? Details::tr("up") : Details::tr("away: %1").arg(text_of(view->reason))},
        {Details::tr("Last report"), look.heard ? model::age_text(now - *look.heard) : Details::tr("time unknown")},
        {Details::tr("Lease"), lease_of(*view)},
        {Details::tr("Routing identifier"), QString::number(view->id)},
        {Details::tr("Route table"), Details::tr("%1 of %2").arg(view->table).arg(watch.mesh().revision)},
        {Details::tr("Buffer"), model::bytes_text(view->info.buffer)},
        {Details::tr("Promised"), model::bytes_text(view->promised)},
        {Details::tr("Held now"), model::bytes_text(view->held)},
        {Details::tr("Forwarded"),
         Details::tr("%1 in %2 chunks")
             .arg(bytes_of(counted.bytes), model::count_text(static_cast<std::int64_t>(counted.frames)))},
        {Details::tr("Rerouted"), Details::tr("%Ln chunks", nullptr, static_cast<int>(counted.rerouted))},
        {Details::tr("Refused"), Details::tr("%Ln chunks", nullptr, static_cast<int>(counted.refused_frames)) +
                                     QStringLiteral(", ") +
                                     Details::tr("%Ln signals", nullptr, static_cast<int>(counted.refused_signals))},
        {Details::tr("Failures of neighbours"), QString::number(counted.failures)},
        {Details::tr("Process"), Details::tr("%1 on %2").arg(view->info.pid).arg(text_of(view->info.host))},
        {Details::tr("Address"), text_of(view->info.endpoint)},
        {Details::tr("Version"), text_of(view->info.version)}};
    if (!view->info.mic.value().empty())
        rows.insert(rows.begin() + 2, {Details::tr("MIC"), text_of(view->info.mic.value())});
    std::erase_if(rows, [](const Detail& row) { return row.value.isEmpty(); });
    for (const control::SegmentPath& one : view->segments)
        rows.push_back({Details::tr("By SRv6"), path_of(watch, one.path), links_of(watch, one.path)});
    add_flows(rows, *view, watch);
    return rows;
}

std::vector<Detail> link_details(const LinkName& link, const MeshPicture& picture, const MeshWatch& watch,
                                 MeshWatch::Time now) {
    LinkLook look = picture.links.at(link);
    const std::optional<control::LinkFault> fault = std::exchange(look.fault, std::nullopt);
    std::vector<Detail> rows{{Details::tr("State"), link_text(look)}};
    if (fault) rows.push_back({Details::tr("Fault"), fault_text(*fault)});
    for (const auto& [from, to] : {link, LinkName(link.second, link.first)}) {
        const LaneLook& lane = from == link.first ? look.there : look.back;
        const LaneFigures* figures = watch.lane(from, to);
        const QString name = text_of(from) + QStringLiteral(" \u2192 ") + text_of(to);
        if (!figures || !lane.reported) {
            rows.push_back({name, Details::tr("not reported")});
            continue;
        }
        rows.push_back({name, lane.bytes_per_s ? rate_text(*lane.bytes_per_s) : dash()});
        rows.push_back({Details::tr("Reported"), lane.heard ? model::age_text(now - *lane.heard) : dash()});
        rows.push_back({Details::tr("Sent since start"), bytes_of(figures->sent)});
        rows.push_back({Details::tr("Credit left"),
                        Details::tr("%1, at most %2 so far").arg(bytes_of(lane.credit), bytes_of(lane.most_credit))});
        rows.push_back({Details::tr("Waiting"), bytes_of(figures->queued)});
    }
    return rows;
}

/// Adds the figures of the node's machine, with a dash for missing ones.
void add_machine(std::vector<Detail>& rows, const control::MachineFigures* machine) {
    const bool told = machine && machine->memory > 0;
    const std::optional<double> warm = machine ? machine->temperature_c : std::nullopt;
    const std::optional<double> power = machine ? machine->power_w : std::nullopt;
    rows.push_back({Details::tr("Processor"), told ? model::percent(machine->cpu_share) : dash()});
    rows.push_back(
        {Details::tr("Memory in use"),
         told ? Details::tr("%1 of %2")
                    .arg(model::bytes_text(machine->memory - machine->memory_free), model::bytes_text(machine->memory))
              : dash()});
    rows.push_back({Details::tr("Temperature"), warm ? model::degrees_text(*warm) : dash()});
    rows.push_back({Details::tr("Power"), power ? model::watts_text(*power) : dash()});
}

std::vector<Detail> node_details(const std::string& name, const MeshPicture& picture,
                                 const client::ClusterData& cluster, MeshWatch::Time now) {
    const auto view = cluster.state.nodes.find(NodeId(name));
    if (view == cluster.state.nodes.end())
        return {{Details::tr("State"), Details::tr("The device has left the cluster; its position is kept.")}};
    const control::NodeInfo& info = view->second.info;
    const NodeLook& look = picture.nodes.at(name);
    std::vector<Detail> rows{{Details::tr("State"), node_look(look, model::dark_colours(), now).text()},
                             {Details::tr("Last heard"), look.heard ? model::age_text(now - *look.heard) : dash()},
                             {Details::tr("MIC"), text_of(info.mic.value())},
                             {Details::tr("Host"), text_of(info.host)}};
    if (!view->second.reason.empty())
        rows.insert(rows.begin() + 1, {Details::tr("Reason"), text_of(view->second.reason)});
    if (const QString drain = model::drain_text(cluster.state, NodeId(name)); !drain.isEmpty())
        rows.insert(rows.begin() + 1, {Details::tr("Drain"), drain});
    for (const control::Device& device : info.devices)
        rows.push_back({text_of(device.name), Details::tr("%1, %2 cores, %3")
                                                  .arg(text_of(device.type))
                                                  .arg(device.cores)
                                                  .arg(model::bytes_text(device.memory))});
    add_machine(rows, machine_of(cluster, NodeId(name), now));
    for (const InstanceLook& one : picture.nodes.at(name).instances)
        rows.push_back({text_of(one.id), word_of(one.state)});
    return rows;
}

std::vector<Detail> instance_details(const std::string& name, const client::ClusterData& cluster, MeshWatch::Time now) {
    const auto found = cluster.state.instances.find(InstanceId(name));
    if (found == cluster.state.instances.end()) return {};
    const control::InstanceView& view = found->second;
    std::vector<Detail> rows{
        {Details::tr("State"), word_of(view.state)},
        {Details::tr("Task"), text_of(view.task.value())},
        {Details::tr("SID"), text_of(view.sid.value())},
        {Details::tr("Incarnation"), QString::number(control::incarnation_of(view.id))},
        {Details::tr("Generation"), QString::number(view.generation)},
        {Details::tr("Node"), text_of(view.node.value())},
        {Details::tr("Stage"), view.stage >= 0                        ? QString::number(view.stage + 1)
                               : view.stage == control::standby_stage ? Details::tr("none: on standby")
                                                                      : Details::tr("loads data")},
        {Details::tr("Address"), text_of(view.data_endpoint)}};
    if (!view.detail.empty()) rows.push_back({Details::tr("Message of the instance"), text_of(view.detail)});
    const auto loads = cluster.loads.find(view.id);
    if (loads == cluster.loads.end() || loads->second.empty()) return rows;
    const client::LoadSample& last = loads->second.back();
    rows.push_back({Details::tr("Busy"), model::percent(last.load.busy_share)});
    rows.push_back({Details::tr("Memory"), model::bytes_text(last.load.resident)});
    rows.push_back({Details::tr("Last report"), model::age_text(now - last.time)});
    return rows;
}

}  // namespace

QString title_of(const Element& element, const MeshPicture& picture) {
    const QString name = text_of(element.name);
    switch (element.kind) {
        case Element::Kind::mic:
            return name.isEmpty() ? Details::tr("Nodes without a MIC") : Details::tr("MIC %1").arg(name);
        case Element::Kind::node: return Details::tr("Node %1").arg(name);
        case Element::Kind::instance: return Details::tr("Instance %1").arg(name);
        case Element::Kind::device:
            return picture.devices.at(element.name).role == mesh::DeviceRole::router
                       ? Details::tr("Router %1").arg(name)
                       : Details::tr("Gateway %1").arg(name);
        case Element::Kind::link: return Details::tr("Link %1 \u2013 %2").arg(name, text_of(element.other));
        case Element::Kind::none: break;
    }
    return {};
}

QString node_title(const std::string& node) { return text_of(node.substr(node.rfind('/') + 1)); }

std::vector<Detail> details_of(const Element& element, const MeshPicture& picture, const client::ClusterData& cluster,
                               const MeshWatch& watch, MeshWatch::Time now) {
    switch (element.kind) {
        case Element::Kind::mic:
            return {{Details::tr("What it is"), Details::tr("microservice instance cluster")},
                    {Details::tr("State"), mic_text(picture.mics.at(element.name))}};
        case Element::Kind::node: return node_details(element.name, picture, cluster, now);
        case Element::Kind::instance: return instance_details(element.name, cluster, now);
        case Element::Kind::device: return device_details(element.name, picture, watch, now);
        case Element::Kind::link: return link_details(element.link(), picture, watch, now);
        case Element::Kind::none: break;
    }
    return {};
}

}  // namespace divisi::topology
