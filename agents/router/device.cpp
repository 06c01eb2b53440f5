// SPDX-License-Identifier: Apache-2.0
#include "agents/router/device.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <random>

#include "agents/router/mic_reports.h"
#include "backend/base/version.h"
#include "backend/control/protocol/fault_messages.h"
#include "backend/control/protocol/mesh_messages.h"
#include "backend/control/protocol/probe_messages.h"
#include "backend/control/types/mic_types.h"
#include "backend/frame/end.h"
#include "backend/link/content_hash.h"
#include "backend/process/lifeline.h"
#include "backend/process/processor.h"

namespace divisi::router {
namespace {

constexpr Duration answer_deadline = std::chrono::seconds(10);
constexpr Duration again_after = std::chrono::seconds(2);
/// Time limit of a probe: long enough for a link with a rate of a few MB/s. The orchestrator's timeout is slightly
/// longer.
constexpr Duration probe_deadline = std::chrono::seconds(25);
/// Interval of checks for figures that must be reported immediately.
constexpr Duration look_interval = std::chrono::milliseconds(50);
/// Interval of reports to the orchestrator; the relay sends the routers' reports to gateways (type 4).
constexpr Duration report_interval = std::chrono::milliseconds(500);

mesh::RoutingId routing_id(std::uint32_t id) { return mesh::RoutingId(static_cast<std::uint16_t>(id)); }

/// Returns a number that differs from the numbers of all earlier processes of this device.
std::uint32_t boot_number(TimePoint now) {
    return static_cast<std::uint32_t>(now.time_since_epoch() / std::chrono::milliseconds(1)) |
           1U;  // avoids 0, which means that there is no number
}

}  // namespace

Device::Device(link::EventLoop& loop, link::Context& context, DeviceConfig config)
    : Agent(loop),
      context_(context),
      config_(std::move(config)),
      transport_(context, loop, config_.uplink.security.keys),
      port_(loop, transport_, config_.info.name,
            {[this](const Error& error) { trouble(error); },
             [this](mesh::RoutingId to, std::string_view bytes) { record(to, bytes, control::SignalKind::rsvp); },
             [this](const mesh::relay::Abnormal& abnormal) { tell_abnormal(abnormal); },
             [this](mesh::RoutingId to, std::string_view bytes) { record(to, bytes, control::SignalKind::load); }}),
      orchestrator_(loop, transport_, config_.uplink,
                    {std::string("divisi-") + to_string(config_.info.role), version, control::Role::agent, ""},
                    answer_deadline),
      lines_(loop.clock(), orchestrator_,
             std::string("divisi-") + to_string(config_.info.role) + " " + config_.info.name) {
    if (config_.info.role != mesh::DeviceRole::gateway) return;
    admission_controller_.emplace(config_.admission);
    dependencies_.emplace(config_.info.mic);
    dealer_.emplace([engine = std::mt19937_64(std::random_device()())]() mutable { return engine(); });
}

Result<void> Device::start() {
    const bool ipc = link::is_ipc(config_.uplink.orchestrator.endpoint);
    DIVISI_ASSIGN(config_.info.endpoint, port_.listen(config_.listen, !ipc));
    if (admission_controller_) port_.admit_by(admission_controller_->admission());
    set_limits();
    if (dealer_) port_.deal_by(*dealer_);
    if (!ipc) config_.info.key = config_.uplink.security.keys->public_key;
    config_.info.pid = ::getpid();
    config_.info.host = process::host_name();
    config_.info.version = version;
    if (config_.srv6) DIVISI_TRY(steer());
    orchestrator_.start(events(), registration());
    loop_.every(report_interval, [this] { report(); });
    loop_.every(look_interval, [this] { look_for_alarms(); });
    return {};
}

/// Sets up steering (--srv6); if something is missing, the error names it.
Result<void> Device::steer() {
    steering_.emplace(loop_, config_.info.role, config_.srv6_folder, [this](const std::string& text) { tell(text); });
    DIVISI_TRY(steering_->start());
    loop_.every(report_interval, [this] {
        if (port_.started()) steering_->neighbours(port_.relay().neighbours());
    });
    return {};
}

void Device::terminate(const std::string& /*reason*/) {
    orchestrator_.send(0, control::Goodbye{"it was told to end"});
    end();
}

link::AgentLink::Events Device::events() {
    link::AgentLink::Events events;
    events.up = [this] { tell("connected to the orchestrator at " + orchestrator_.target().endpoint, Severity::info); };
    events.down = [this] {
        if (admission_controller_) admission_controller_->cut_off();
        if (dependencies_) dependencies_->cut_off();
    };
    events.message = [this](std::uint64_t, const control::Message& message) { (void)take(message); };
    events.waiting = [this](const std::string& why) { tell("the orchestrator cannot be reached: " + why); };
    return events;
}

link::AgentRegistration Device::registration() {
    link::AgentRegistration registration;
    registration.request = [this] { return control::Message(control::RegisterDevice{config_.info, id_}); };
    registration.accepted = [this](const control::Message& answer) {
        const auto* done = get_if<control::DeviceRegistered>(&answer);
        if (!done) return;
        registered(done->id);
        tell_open_states();
    };
    registration.refused = [this](const Error& error) { tell("not registered: " + error.message()); };
    registration.failed = [this](const Error& error) {
        set_failure(error);
        end();
    };
    // If a device of this name is still registered but its machine is down, the orchestrator removes it after a while.
    // A conflict is therefore transient.
    registration.transient = ErrorCode::conflict;
    registration.again_after = again_after;
    return registration;
}

bool Device::take(const control::Message& message) {
    if (const auto* table = get_if<control::MeshTable>(&message)) {
        apply(*table);
        return true;
    }
    if (const auto* change = get_if<control::MeshChange>(&message)) {
        // Skip a change that does not follow the current revision. Reports contain the current revision, so the
        // orchestrator then sends the whole table.
        if (control::apply(table_, *change)) use_table();
        return true;
    }
    if (const auto* faults = get_if<control::DeviceFaults>(&message)) {
        apply(*faults);
        return true;
    }
    if (const auto* what = get_if<control::ProbeNeighbour>(&message)) {
        probe(*what);
        return true;
    }
    if (holds_alternative<control::EndProbe>(message)) {
        port_.end_probe();
        return true;
    }
    if (const auto* policy = get_if<control::AdmissionPolicy>(&message)) {
        apply(*policy);
        return true;
    }
    if (const auto* policy = get_if<control::DevicePolicy>(&message)) {
        apply(*policy);
        return true;
    }
    if (dependencies_ && take_of_mic(message, *dependencies_, loop_.now())) return true;
    if (holds_alternative<control::KillDevice>(message)) ::kill(::getpid(), SIGKILL);
    if (const auto* goodbye = get_if<control::Goodbye>(&message)) {
        tell("the cluster ends: " + goodbye->reason);
        end(process::exit_dismissed);
        return true;
    }
    return false;
}

/// Handles the routing identifier that the orchestrator assigned to this device. If the identifier has changed, the
/// device's neighbours do not know it, so the device discards its state.
void Device::registered(std::uint32_t id) {
    if (std::exchange(id_, id) == id) return;
    lines_.print("registered with routing identifier " + std::to_string(id));
    mesh::RelayConfig relay;
    relay.self = routing_id(id);
    relay.role = config_.info.role;
    relay.buffer = static_cast<std::uint64_t>(config_.info.buffer);
    if (config_.window > 0) relay.window = static_cast<std::uint64_t>(config_.window);
    relay.cache = static_cast<std::uint64_t>(config_.cache);
    relay.content_hash = link::content_hash;
    relay.boot = boot_number(loop_.now()) + boots_++;
    if (admission_controller_) admission_controller_->admission().set_self(relay.self);
    port_.start(relay);
    open_states_.clear();
    set_policy();
    if (table_.revision > 0) use_table();
}

void Device::apply(const control::AdmissionPolicy& policy) {
    if (!admission_controller_) return;
    if (auto taken = admission_controller_->take(policy, loop_.now()); !taken)
        tell("the policy cannot be used: " + taken.error().message());
}

void Device::apply(const control::DeviceFaults& faults) {
    std::map<mesh::RoutingId, link::Impairment> all;
    for (const control::NeighbourFault& one : faults.links)
        all[routing_id(one.id)] = {one.cut, one.bytes_per_s,
                                   std::chrono::round<Duration>(std::chrono::duration<double>(one.delay_s))};
    port_.impair(std::move(all));
}

void Device::probe(const control::ProbeNeighbour& what) {
    const auto ended = [this, number = what.probe](const Result<control::LinkFigures>& result) {
        control::ProbeEnded message{number, {}, {}};
        if (result) message.figures = *result;
        else message.error = result.error();
        port_.end_probe();
        orchestrator_.send(0, message);
    };
    const Error nowhere{ErrorCode::unavailable, "the device has no routing identifier yet", config_.info.name, ""};
    auto begun =
        port_.started() ? port_.probe(routing_id(what.id), what.probe, probe_deadline, ended) : Result<void>(nowhere);
    if (!begun) ended(begun.error());
}

/// Applies a complete route table. The orchestrator sends the table repeatedly; an unchanged table does not affect
/// flows, and the device answers it with a report.
void Device::apply(const control::MeshTable& table) {
    const bool same = table_.revision > 0 && table_.devices == table.devices && table_.links == table.links &&
                      table_.places == table.places;
    table_ = table;
    if (same) report();
    else use_table();
}

void Device::use_table() {
    if (!port_.started()) return;
    std::vector<mesh::Device> devices;
    std::vector<mesh::Link> links;
    const std::set<std::string> before = std::exchange(table_keys_, {});
    for (const control::TableDevice& device : table_.devices) {
        devices.push_back(
            {routing_id(device.id), device.name, device.role, device.mic, device.endpoint, device.key, true, 0});
        allow(device.key, device.name);
    }
    for (const control::TableLink& link : table_.links)
        links.push_back({routing_id(link.a), routing_id(link.b), link.latency_s, link.bytes_per_s, 0, true});
    mesh::Topology topology;
    if (auto set = topology.set(std::move(devices), std::move(links)); !set)
        return tell("the route table cannot be used: " + set.error().message());
    if (steering_) steering_->table(routing_id(id_), topology, orchestrator_.target().endpoint);
    std::map<std::uint64_t, mesh::Place> places;
    link::MeshPort::Instances instances;
    std::map<std::uint64_t, mesh::Activation> leases;
    for (const control::TablePlace& place : table_.places) {
        const std::uint64_t sid = frame::flow_id(place.sid);
        places[sid] = {place.task, place.sid, routing_id(place.gateway),
                       place.lease > 0 ? place.terms.device : std::string(), place.flops_per_s};
        if (place.lease > 0)
            leases[sid] = {place.lease, place.share, static_cast<std::uint32_t>(place.terms.threads),
                           place.terms.device, routing_id(id_)};
        if (place.gateway != id_) continue;
        instances[sid] = {place.endpoint, place.key};
        if (!table_keys_.contains(place.key)) allow(place.key, place.sid.value());
    }
    for (const std::string& key : before)
        if (!table_keys_.contains(key)) context_.access_list().revoke(key);
    port_.set_table(std::move(topology), std::move(places), std::move(instances));
    port_.set_leases(std::move(leases));
    set_servers();
    set_policy();  // device names in the policy may now refer to other routing identifiers
    drop_ended_states();
    report();
}

void Device::allow(const std::string& key, const std::string& name) {
    if (key.empty()) return;
    context_.access_list().allow(key, {name, identity::Role::agent});
    table_keys_.insert(key);
}

void Device::watch_dependencies() {
    for (control::MicReport& report : news_of_mic(*dependencies_, loop_.now()))
        orchestrator_.send(0, std::move(report));
}

void Device::report() {
    if (const auto line = troubles_.due(loop_.now())) tell(*line);
    if (admission_controller_) {
        if (orchestrator_.up()) admission_controller_->connected(loop_.now());
        if (const auto line = admission_controller_->news(loop_.now())) tell(*line);
    }
    look_at_handshakes();
    lines_.send();
    if (!port_.started() || !orchestrator_.up()) return;
    if (dependencies_) watch_dependencies();
    control::DeviceReport report = measure();
    report.signals = std::exchange(signals_, {});
    loads_ = 0;
    if (admission_controller_) admission_controller_->fill(report);
    orchestrator_.send(0, report);
    alarms_.reported(quality(), loop_.now());
}

/// Returns a report without the items that are reported only once, such as signaling messages.
control::DeviceReport Device::measure() {
    const mesh::Relay& relay = port_.relay();
    const mesh::Relay::Counters& counted = relay.counters();
    control::DeviceReport report;
    report.table = table_.revision;
    report.counters = {counted.frames,          counted.bytes,
                       counted.rerouted,        counted.refused_frames + counted.stale_frames + port_.foreign(),
                       counted.refused_signals, counted.unserved,
                       counted.failures};
    report.held = static_cast<Bytes>(relay.held());
    report.promised = static_cast<Bytes>(relay.promised());
    for (const mesh::Relay::NeighbourView& one : relay.neighbours())
        report.neighbours.push_back(
            {one.id.value(), one.usable, one.sent, one.queued, one.credit, one.quality, load_of(one)});
    for (const mesh::Relay::FlowView& flow : relay.flows()) {
        control::FlowReport row;
        row.task = TaskId(flow.sids.task);
        row.source = Sid(flow.sids.source);
        row.destination = Sid(flow.sids.destination);
        for (const mesh::RoutingId id : flow.path) row.path.push_back(id.value());
        row.queued_bytes = flow.queued;
        row.credit_bytes = flow.credit;
        row.out_bytes = flow.out;
        row.promised_bytes = flow.promised;
        row.path_index = flow.key.path_index;
        row.flow_class = flow.key.flow_class;
        row.quality = flow.quality;
        report.flows.push_back(std::move(row));
    }
    report.guard.counters.ejections = counted.ejections;
    report.guard.counters.delayed = port_.delayed();
    const link::FailedHandshakes failed = context_.handshakes().counted();
    report.guard.counters.refused_keys = failed.refused_keys;
    report.guard.counters.unfinished_handshakes = failed.unfinished;
    for (const mesh::Relay::BreakerView& one : relay.breakers())
        report.guard.breakers.push_back({one.id.value(), one.half_open});
    if (admission_controller_) admission_controller_->count(report);
    report.period = relay.period();
    report.dealt = dealt();
    if (steering_) report.segments = steering_->paths();
    report.cache = cached();
    return report;
}

QualityFigures Device::quality() {
    const mesh::Relay& relay = port_.relay();
    if (std::exchange(p99_of_, relay.period()) != relay.period()) {
        worst_p99_s_ = 0;
        for (const mesh::Relay::NeighbourView& one : relay.neighbours())
            worst_p99_s_ = std::max(worst_p99_s_, one.quality.latency_p99_s);
    }
    const mesh::Relay::Counters& counted = relay.counters();
    return {counted.rerouted, counted.refused_frames + counted.refused_signals + port_.foreign(), worst_p99_s_};
}

/// Reports immediately if a figure exceeds its threshold (signaling type 5).
void Device::look_for_alarms() {
    if (port_.started() && orchestrator_.up() && alarms_.raised_by(quality(), loop_.now())) report();
}

/// Reports the peers that this device's sockets have rejected.
void Device::look_at_handshakes() {
    for (const std::string& line : handshakes_.since_last(context_.handshakes(), loop_.now())) tell(line);
}

control::CacheReport Device::cached() const {
    const auto& cache = port_.relay().cache();
    if (!cache) return {};
    const mesh::ResultCache::Counters& counted = cache->counters();
    return {cache->limit(), cache->held(),   cache->results(), counted.hits,
            counted.misses, counted.corrupt, counted.evicted,  counted.saved_bytes};
}

/// Records a signaling message for clients that capture messages. Drops messages beyond the limits; the limits are
/// reached if reports are delayed or there are many gateways.
void Device::record(mesh::RoutingId to, std::string_view bytes, control::SignalKind kind) {
    if (signals_.size() >= control::most_reported_signals) return;
    if (kind == control::SignalKind::load && ++loads_ > control::most_reported_loads) return;
    signals_.push_back({loop_.now(), id_, to.value(), std::string(bytes), 0, kind});
}

/// Returns the last load that a neighbouring router reported to this gateway.
control::RouterLoad Device::load_of(const mesh::Relay::NeighbourView& neighbour) const {
    if (!neighbour.load) return {};
    control::RouterLoad load{true, std::chrono::duration<double>(loop_.now() - neighbour.load->at).count(), 0, 0, {}};
    for (const mesh::LinkLoad& link : neighbour.load->said.links) {
        load.queued_bytes += link.queued;
        load.credit_bytes += link.credit;
        if (!link.usable) load.failed_links.push_back(link.to);
    }
    return load;
}

/// Reports an error. If the error repeats often, as when a peer keeps sending invalid data, only a few lines and a
/// count are reported.
void Device::trouble(const Error& error) {
    if (const auto line = troubles_.pass(error.message(), loop_.now())) tell(*line);
}

/// Reports a line unless it repeats the last one.
void Device::tell(const std::string& text, Severity severity) { lines_.write_new(severity, "device", text); }

}  // namespace divisi::router
