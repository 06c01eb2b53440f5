// SPDX-License-Identifier: Apache-2.0
#include "backend/control/network/mesh_devices.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "backend/control/protocol/signal_texts.h"
#include "backend/control/state/incarnation.h"
#include "backend/control/types/error_texts.h"
#include "backend/control/types/flow_bounds.h"
#include "backend/mesh/base/topology.h"

namespace divisi::control::inline network {
namespace {

/// Time that the orchestrator waits after a restart before it sends the first route table. Devices return one after the
/// other, within a second. A table that lacks some devices would tear down running flows.
constexpr Duration settle_time = std::chrono::seconds(3);
/// Interval at which summaries of suppressed log lines are logged.
constexpr Duration notes_interval = std::chrono::seconds(1);
constexpr std::size_t longest_name = 255, most_neighbours = 1024;

Result<void> check(const DeviceInfo& device) {
    const auto bad = [&](const ErrorText& text) { return make_error(text, device.name); };
    if (device.name.empty() || device.name.size() > longest_name) return bad(error_text("device-name-length"));
    const bool gateway = device.role == mesh::DeviceRole::gateway;
    if (gateway == device.mic.value().empty()) return bad(error_text("device-role-and-mic"));
    if (device.neighbours.size() > most_neighbours) return bad(error_text("device-too-many-neighbours"));
    for (const std::string& text : {device.mic.value(), device.endpoint, device.key, device.host, device.version})
        if (text.size() > mesh::most_text_bytes) return bad(error_text("device-text-too-long"));
    for (const std::string& neighbour : device.neighbours)
        if (neighbour.size() > longest_name) return bad(error_text("device-neighbour-name-length"));
    if (std::ranges::find(device.neighbours, device.name) != device.neighbours.end())
        return bad(error_text("device-neighbour-of-itself"));
    for (const double rate : {device.mic_bytes_per_s, device.task_bytes_per_s})
        if (!std::isfinite(rate) || rate < 0) return bad(error_text("device-rate"));
    return {};
}

/// Returns the open leases by the instance that holds them.
std::map<InstanceId, const Lease*> open_leases(const ClusterState& state) {
    std::map<InstanceId, const Lease*> leases;
    for (const auto& [number, view] : state.leases)
        if (view.open()) leases[view.lease.instance] = &view.lease;
    return leases;
}

}  // namespace

void MeshDevices::handle(const Received& received, const RegisterDevice& message) {
    const DeviceInfo& info = message.device;
    if (auto checked = check(info); !checked) return context_.refuse(received, checked.error());
    if (auto may = may_register(received.peer, info); !may) return context_.deny(received, may.error());
    const Known* known = devices_.find(info.name);
    if (known && known->peer && *known->peer != received.peer)
        return context_.refuse(received, make_error(error_text("device-name-taken"), info.name));
    if (const auto error = make_room(info)) return context_.refuse(received, *error);
    Known& device = devices_.put(info, received.peer, message.held);
    device.view.reason.clear();
    device.view.heard = context_.now();
    device.view.table = 0;
    adverts_.forget(received.peer);
    registered_.insert(info.name);
    heard_.registered.insert(info.name);
    if (info.role == mesh::DeviceRole::gateway) registered_gateways_.insert(info.name);
    const bool adopts =
        std::ranges::any_of(context_.state().tasks, [](const auto& task) { return task.second.runs(); });
    if (revision_ == 0 && adopts && !settled_) settled_ = context_.lived() + settle_time;
    note_coming(info, Severity::info, "registered with routing identifier " + std::to_string(device.view.id));
    context_.answer(received, DeviceRegistered{device.view.id});
    signals_.add(noted(registration_signal, context_.now(), device.view.id, describe(info)));
    // A new process has none of the faults of its predecessor, so its links are healed at both ends.
    if (message.held == 0) heal_device(info.name, info.name + " restarted");
    tell_faults(info.name);
    send_policy(device);
    remember(info.name);
    devices_changed();
}

/// Makes room for a device. Removes an absent gateway that this device replaces, and all absent devices if the mesh is
/// full.
std::optional<Error> MeshDevices::make_room(const DeviceInfo& info) {
    std::set<std::string> away;
    const Known* rival = info.role == mesh::DeviceRole::gateway ? devices_.gateway_of(info.mic) : nullptr;
    if (rival && rival->view.info.name != info.name) {
        if (rival->peer) return make_error(error_text("mic-has-gateway"), rival->view.info.name, {info.mic.value()});
        away.insert(rival->view.info.name);
    }
    const bool full = !devices_.contains(info.name) && devices_.size() >= most_mesh_devices;
    for (const auto& [name, device] : devices_.all())
        if (full && !device.peer && name != info.name) away.insert(name);
    if (full && away.empty()) return make_error(error_text("mesh-full"), info.name);
    for (const std::string& name : away) {
        heal_device(name, name + " was removed to make room for " + info.name);
        devices_.erase(name);
        forget(name);
    }
    return std::nullopt;
}

/// Checks whether a connection may register this device. On tcp the device must use an allowed key, and have the name
/// for which that key was allowed. One process is one device.
Result<void> MeshDevices::may_register(PeerId peer, const DeviceInfo& info) const {
    const Credentials& credentials = context_.sessions().at(peer).credentials;
    if (!credentials.owner && credentials.name != info.name)
        return make_error(error_text("device-key-of-another"), info.name, {credentials.name, info.name});
    if (!credentials.owner && info.key != credentials.key)
        return make_error(error_text("device-brings-another-key"), info.name);
    const Known* other = devices_.find(peer);
    if (other && other->view.info.name != info.name)
        return make_error(error_text("device-of-another-connection"), info.name, {other->view.info.name});
    return {};
}

void MeshDevices::handle(const Received& received, const DeviceReport& message) {
    Known* device = devices_.find(received.peer);
    if (!device) return context_.refuse(received, make_error(error_text("report-of-no-device"), ""));
    DeviceView& view = device->view;
    view.heard = context_.now();
    view.table = message.table;
    view.counters = message.counters;
    view.held = message.held;
    view.promised = message.promised;
    view.neighbours = message.neighbours;
    view.flows = plausible(message.flows);
    view.guard = message.guard;
    view.dealt = message.dealt;
    view.dealt.resize(std::min(view.dealt.size(), most_reported_dealt));
    view.segments = message.segments;
    view.segments.resize(std::min(view.segments.size(), most_reported_segments));
    if (view.info.role == mesh::DeviceRole::gateway) requests_.take(view.info.name, message.requests);
    view.period = message.period;
    view.cache = message.cache;
    reported_.insert(view.info.name);
    heard_.reported.insert(view.info.name);
    adverts_.heard(context_, received.peer, message.table);
    signals_.take(view.id, message.signals);
    const auto name = [this](std::uint32_t id) { return name_of(id); };
    for (SignalRecord& one : noted(message, context_.now(), view.id, view.info.role, name))
        signals_.add(std::move(one));
}

void MeshDevices::handle(const Received& received, const QuerySignals& message) {
    context_.answer(received, signals_.after(message.after));
}

void MeshDevices::handle(const Received& received, const QueryMesh&) {
    const MeshTable now = table();
    MeshState answer{revision_, {}, now.links, now.places, faults_, faults_allowed_};
    for (const auto& [name, device] : devices_.all()) answer.devices.push_back(shown(device));
    context_.answer(received, std::move(answer));
}

void MeshDevices::device_gone(PeerId peer, const std::string& why, bool left) {
    adverts_.forget(peer);
    Known* device = devices_.find(peer);
    if (!device) return;
    const std::string gone = device->view.info.name;
    device->view.reason = why;
    note_coming(device->view.info, left ? Severity::info : Severity::warning,
                left ? "left: " + why : "its connection to the orchestrator is gone: " + why);
    devices_.part(gone);
    if (!left) return;
    devices_.erase(gone);
    forget(gone);
    devices_changed();
    heal_device(gone, gone + " has left");
}

/// Forgets everything recorded under a device's name.
void MeshDevices::forget(const std::string& name) {
    requests_.forget(name);
    admitted_.erase(name);
    left_.insert(name);
    heard_.left.insert(name);
    leases_.erase(name);
    context_.append(DeviceLeft{name});
}

/// Logs that a device connected or left. Limits the rate of such lines and counts the suppressed ones, since a device
/// may connect frequently.
void MeshDevices::note_coming(const DeviceInfo& device, Severity severity, const std::string& text) {
    const std::string source = std::string(mesh::to_string(device.role)) + " " + device.name;
    if (const auto line = comings_.try_emplace(source, flap_interval).first->second.pass(text, context_.now()))
        context_.append(Noted{severity, source, "", *line});
}

void MeshDevices::notes_due() {
    if (context_.now() < notes_at_) return;  // a large mesh reports thousands of times a second
    notes_at_ = context_.now() + notes_interval;
    for (auto& [source, limiter] : comings_)
        if (const auto line = limiter.due(context_.now())) context_.append(Noted{Severity::warning, source, "", *line});
    std::erase_if(comings_, [](const auto& entry) { return entry.second.idle(); });
}

void MeshDevices::follow(const Event& event) {
    access_.follow(event);
    changed_ = changed_ || holds_alternative<InstanceJoined>(event.body) ||
               holds_alternative<InstanceEnded>(event.body) || holds_alternative<TaskEnded>(event.body);
    // The event may change whether a data instance takes work.
    if (const auto* now = get_if<InstanceChanged>(&event.body)) {
        const auto instance = context_.state().instances.find(now->instance);
        changed_ = changed_ || (instance != context_.state().instances.end() && instance->second.stage == dealt_stage);
    }
    if (const auto* now = get_if<ServiceJoined>(&event.body)) {
        const mesh::Registration& said = now->service.said;
        const InstanceHealth health{instance_of(said.sid, said.incarnation), said.health};
        const InstanceHealth before = std::exchange(healths_[said.sid], health);
        if (before != health) changed_ = changed_ || stands_in_table(health.first) || stands_in_table(before.first);
        signals_.add(noted(registration_signal, context_.now(), 0, describe(said)));
    }
    if (const auto* now = get_if<PolicyChanged>(&event.body))
        signals_.add(noted(report_signal, context_.now(), 0, describe(now->policy)));
    if (const auto* gone = get_if<ServiceLeft>(&event.body))
        if (const auto known = healths_.extract(gone->sid))
            changed_ = changed_ || stands_in_table(known.mapped().first);
}

bool MeshDevices::stands_in_table(const InstanceId& instance) const {
    const auto view = context_.state().instances.find(instance);
    return view != context_.state().instances.end() && view->second.joined && !view->second.exited;
}

/// Returns the health that this instance has reported. Returns pending if only another process of the SID has reported.
mesh::Health MeshDevices::health_of(const InstanceView& instance) const {
    const auto service = context_.state().services.find(instance.sid);
    if (service == context_.state().services.end()) return mesh::Health::pending;
    const mesh::Registration& said = service->second.said;
    return instance_of(said.sid, said.incarnation) == instance.id ? said.health : mesh::Health::pending;
}

bool MeshDevices::advertise() {
    notes_due();
    send_policies();  // send the policies before the table, so that every process in the table may send
    adverts_.repeat(context_);
    record_adverts();
    if (const auto due = change_due(); !due || context_.lived() < *due) return false;
    settled_.reset();
    changed_ = false;
    std::vector<PeerId> present;
    for (const auto& [name, device] : devices_.all())
        if (device.peer) present.push_back(*device.peer);
    if (!present.empty()) {
        ++revision_;
        adverts_.send(context_, table(), present);
        record_adverts();
    }
    return std::exchange(ways_changed_, false);
}

/// Records the route advertisements for clients that watch the signaling.
void MeshDevices::record_adverts() {
    for (RouteAdverts::Said& said : adverts_.take_said()) {
        const Known* device = said.to ? devices_.find(*said.to) : nullptr;
        signals_.add({context_.now(), 0, device ? device->view.id : 0, std::move(said.text), 0, SignalKind::routes});
    }
}

std::optional<TimePoint> MeshDevices::change_due() const {
    if (!changed_) return std::nullopt;
    return std::max(settled_.value_or(TimePoint::min()), adverts_.free_at());
}

std::optional<TimePoint> MeshDevices::next_deadline() const {
    const auto change = change_due(), whole = adverts_.whole_due();
    if (!change || !whole) return change ? change : whole;
    return std::min(*change, *whole);
}

/// Fills the table with devices and links. Devices that lost their connection to the orchestrator stay in the table.
/// Such a device may still forward; if it does not, its neighbours notice.
void MeshDevices::lay_out(MeshTable& table) const {
    std::set<mesh::LinkKey> links;
    for (const auto& [name, device] : devices_.all()) {
        if (leads_nowhere(device)) continue;
        const DeviceInfo& info = device.view.info;
        table.devices.push_back({device.view.id, name, info.role, info.mic, info.endpoint, info.key});
        for (const std::string& other : devices_.neighbours(name))
            if (const Known& there = *devices_.find(other); !leads_nowhere(there))
                links.insert(mesh::link_key(routing_id(device.view.id), routing_id(there.view.id)));
    }
    for (const auto& [a, b] : links) table.links.push_back({a.value(), b.value(), table_latency_s, table_bytes_per_s});
}

MeshTable MeshDevices::table() const {
    MeshTable table{revision_, {}, {}, {}};
    lay_out(table);
    const auto leases = open_leases(context_.state());
    for (const auto& [id, task] : context_.state().tasks) {
        if (!task.runs()) continue;
        for (const InstanceView* one : instances_of(context_.state(), id)) {
            const Known* gateway = one->joined && !one->exited ? gateway_of(one->node) : nullptr;
            if (!gateway) continue;
            TablePlace place{id, one->sid, gateway->view.id, one->data_endpoint, one->data_key};
            // The detail is not empty if the instance is away or stuck in one operation; such an instance gets no
            // micro-batches.
            place.dealt = one->stage == dealt_stage && one->state == InstanceState::running && one->detail.empty();
            place.health = health_of(*one);
            if (const auto lease = leases.find(one->id); lease != leases.end()) {
                place.lease = lease->second->number;
                place.share = lease->second->share;
                place.terms = lease->second->terms;
            }
            place.flops_per_s = flops_of(one->node, place.dealt ? "cpu" : place.terms.device);
            table.places.push_back(std::move(place));
        }
    }
    place_blob_ends(table);
    return table;
}

/// Returns the speed of a device that the cluster file states, in FLOP/s; 0 if the file states none for this device.
double MeshDevices::flops_of(const NodeId& node, const std::string& name) const {
    const auto view = context_.state().nodes.find(node);
    if (view == context_.state().nodes.end()) return 0;
    for (const Device& device : view->second.info.devices)
        if (device.name == name) return device.flops_per_s;
    return 0;
}

std::optional<MeshDevices::Entry> MeshDevices::gateway(const NodeId& node) const {
    const Known* known = gateway_of(node);
    if (!known) return std::nullopt;
    return Entry{known->view.info.endpoint, known->view.info.key};
}

const MeshDevices::Known* MeshDevices::gateway_of(const NodeId& node) const {
    const auto view = context_.state().nodes.find(node);
    return view == context_.state().nodes.end() ? nullptr : devices_.gateway_of(view->second.info.mic);
}

/// Returns the gateways that can be reached from a gateway. Routers forward, gateways do not.
const std::set<std::string>& MeshDevices::reached_from(const std::string& gateway) const {
    const auto [known, fresh] = reached_.try_emplace(gateway);
    if (!fresh) return known->second;
    const std::vector<mesh::Device>& devices = topology().devices();
    const auto hops = mesh::next_hops(topology(), routing_id(devices_.find(gateway)->view.id));
    for (std::size_t i = 0; i < devices.size(); ++i)
        if (hops[i] && devices[i].role == mesh::DeviceRole::gateway) known->second.insert(devices[i].name);
    return known->second;
}

void MeshDevices::devices_changed() {
    changed_ = true;
    ways_changed_ = true;
    reached_.clear();
    ways_.clear();
    topology_.reset();
}

std::optional<MeshDevices::Entry> MeshDevices::entry(const NodeId& from, const NodeId& to) const {
    const Known* here = gateway_of(from);
    const Known* there = gateway_of(to);
    if (!here || !there || here == there) return std::nullopt;
    if (!reached_from(here->view.info.name).contains(there->view.info.name)) return std::nullopt;
    return Entry{here->view.info.endpoint, here->view.info.key};
}

}  // namespace divisi::control::inline network
