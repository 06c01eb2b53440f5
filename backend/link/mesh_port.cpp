// SPDX-License-Identifier: Apache-2.0
#include "backend/link/mesh_port.h"

#include "backend/frame/control_frame.h"
#include "backend/frame/crc32c.h"
#include "backend/link/data_endpoint.h"
#include "backend/link/error_texts.h"
#include "backend/wire/message_codec.h"

namespace divisi::link {
namespace {

/// Prefix of the route names under which devices connect to each other; instances connect under numbers.
constexpr std::string_view device_route = "device:";
/// Types of control frames between neighbours.
constexpr std::uint16_t rsvp_type = 1, beat_type = 2, load_type = 5;  // 3 and 4: see neighbour_probe.h

}  // namespace

MeshPort::MeshPort(Loop& loop, Transport& transport, std::string name, Events events)
    : loop_(loop), transport_(transport), name_(std::move(name)), events_(std::move(events)), timer_(loop) {}

MeshPort::~MeshPort() = default;

Result<std::string> MeshPort::listen(const std::string& endpoint, bool allow_remote) {
    const auto frames_of = [this](bool data) {
        Listener::Events events;
        events.message = [this, data](const std::string& route, const Credentials& sender, const Parts& parts) {
            on_frame(data, route, sender, parts);
        };
        return events;
    };
    const DataEndpoint ends = DataEndpoint::at(endpoint);
    DIVISI_ASSIGN(data_listener_, transport_.listen({ends.data, Purpose::data, allow_remote}, frames_of(true)));
    DIVISI_ASSIGN(lane_listener_, transport_.listen({ends.lane, Purpose::lane, allow_remote}, frames_of(false)));
    return DataEndpoint{data_listener_->endpoint(), lane_listener_->endpoint()}.text();
}

void MeshPort::start(const mesh::RelayConfig& config) {
    links_.clear();
    config_ = config;
    relay_.emplace(config);
    beat();
}

void MeshPort::set_table(mesh::Topology topology, std::map<std::uint64_t, mesh::Place> places, Instances instances) {
    names_.clear();
    for (const mesh::Device& device : topology.devices()) names_[device.name] = device.id;
    instances_ = std::move(instances);
    if (admission_) admission_->set_places(places, loop_.now());
    gateways_.clear();
    for (const auto& [sid, place] : places)
        if (const mesh::Device* device = topology.device(place.gateway)) gateways_[device->id] = device->name;
    std::erase_if(links_, [&](const auto& entry) {
        const auto& [exit, link] = entry;
        if (exit.device.value() == 0) {
            const auto known = instances_.find(exit.sid);
            return known == instances_.end() || known->second != Address{link->endpoint, link->key};
        }
        const mesh::Device* device = topology.device(exit.device);
        return !device || !topology.link(config_.self, exit.device) || device->endpoint != link->endpoint ||
               device->key != link->key;
    });
    step(mesh::relay::Table{topology, std::move(places)});
    for (const mesh::Device& device : topology.devices()) {
        const mesh::Exit exit{device.id, 0};
        if (topology.link(config_.self, device.id) && !links_.contains(exit))
            connect(exit, {device.endpoint, device.key}, device.name);
    }
    // Connects to the instances in advance, so that their first hellos find a connection.
    for (const auto& [sid, address] : instances_) (void)link_to({mesh::RoutingId(), sid});
}

MeshPort::Link& MeshPort::connect(const mesh::Exit& exit, const Address& address, const std::string& name) {
    Dialer::Events data, lane;
    data.up = [this, exit] {
        Link& link = *links_.at(exit);
        link.waiting.clear();
        if (link.impaired) link.impaired->clear();
        changed(exit);
        pump(exit);
    };
    data.writable = [this, exit] { pump(exit); };
    data.down = [this, exit, name](const Error& error) {
        if (events_.trouble)
            events_.trouble({error.code, name + " cannot be reached: " + error.what, error.where, error.next});
        changed(exit);
    };
    lane.up = [this, exit] { changed(exit); };
    lane.down = [this, exit](const Error&) { changed(exit); };
    auto link = std::make_unique<Link>();
    link->endpoint = address.endpoint;
    link->key = address.server_key;
    const std::string own = std::string(device_route) + name_;
    link->data = std::make_unique<Dialer>(loop_, transport_, Purpose::data, std::move(data), own);
    link->lane = std::make_unique<Dialer>(loop_, transport_, Purpose::lane, std::move(lane), own);
    const auto [data_endpoint, lane_endpoint] = DataEndpoint::parse(address.endpoint);
    Link& made = *(links_[exit] = std::move(link));
    impair(exit, made);
    made.lane->dial({lane_endpoint, address.server_key});
    made.data->dial({data_endpoint, address.server_key});
    return made;
}

/// Reports a neighbour as up while both connections to it are up. Frames on a broken connection are lost, so both sides
/// restart their counters.
void MeshPort::changed(const mesh::Exit& exit) {
    Link& link = *links_.at(exit);
    const bool up = link.data->up() && link.lane->up();
    if (exit.device.value() == 0 || std::exchange(link.up, up) == up) return;
    if (up) step(mesh::relay::Up{exit.device});
    else step(mesh::relay::Down{exit.device});
}

void MeshPort::impair(std::map<mesh::RoutingId, Impairment> all) {
    const auto before = std::exchange(impairments_, std::move(all));
    for (auto& [exit, link] : links_) impair(exit, *link);
    for (const auto& [neighbour, impairment] : before) {
        const auto link = links_.find({neighbour, 0});
        // A cut link has lost frames, so both sides restart their counters, as after a broken connection.
        if (impairment.cut && !cut(neighbour) && link != links_.end() && link->second->up)
            step(mesh::relay::Up{neighbour});
    }
    for (const auto& [exit, link] : links_) pump(exit);
}

void MeshPort::impair(const mesh::Exit& exit, Link& link) {
    const auto fault = impairments_.find(exit.device);
    if (fault == impairments_.end() && !link.impaired) return;
    if (!link.impaired)
        link.impaired = std::make_unique<ImpairedLine>(
            loop_, [&link](bool data, const Parts& parts) { return (data ? link.data : link.lane)->send(parts); },
            [this, exit] { pump(exit); });
    link.impaired->set(fault == impairments_.end() ? Impairment() : fault->second);
}

bool MeshPort::cut(mesh::RoutingId neighbour) const {
    const auto fault = impairments_.find(neighbour);
    return fault != impairments_.end() && fault->second.cut;
}

MeshPort::Link* MeshPort::link_to(const mesh::Exit& exit) {
    if (const auto link = links_.find(exit); link != links_.end()) return link->second.get();
    const auto instance = instances_.find(exit.sid);
    if (exit.device.value() != 0 || instance == instances_.end()) return nullptr;
    return &connect(exit, instance->second, "an instance of this MIC");
}

void MeshPort::step(mesh::relay::Event event) {
    if (!relay_) return;
    mesh::relay::Actions actions = relay_->step(std::move(event), loop_.now());
    send_signals(actions.signals);
    for (const mesh::RoutingId to : actions.beats) send_control(to, beat_type, {});
    if (actions.load) send_load(*actions.load);
    for (const mesh::relay::LaneFrame& lane : actions.lane) send_lane(lane);
    if (events_.trouble)
        for (const Error& error : actions.refused) events_.trouble(error);
    if (events_.abnormal)
        for (const mesh::relay::Abnormal& one : actions.abnormal) events_.abnormal(one);
    for (const mesh::Exit& exit : actions.ready) pump(exit);
}

/// Sends frames to the data socket until it accepts no more.
void MeshPort::pump(const mesh::Exit& exit) {
    Link* link = link_to(exit);
    if (!link) return;
    if (link->impaired) link->impaired->flush();
    pump_probe(exit, *link);
    while (link->data->up()) {
        if (link->waiting.empty()) {
            if (link->impaired && !link->impaired->takes_chunk()) return;
            mesh::relay::Actions actions = relay_->step(mesh::relay::Room{exit}, loop_.now());
            send_signals(actions.signals);
            if (!actions.chunk) return;
            link->waiting = {Part::of(frame::encode_header(actions.chunk->header).value()),
                             Part{actions.chunk->owner, actions.chunk->payload}};
            if (link->impaired) {
                link->impaired->pass(true, std::exchange(link->waiting, {}));
                continue;
            }
        }
        if (link->data->send(link->waiting) != Sent::yes) return;
        link->waiting.clear();
    }
}

void MeshPort::send_lane(const mesh::relay::LaneFrame& lane) {
    Link* link = link_to(lane.to);
    auto header = frame::encode_header(lane.header);
    if (!link || !header) return;
    Parts parts{Part::of(*std::move(header))};
    if (!lane.payload.empty()) parts.push_back(Part::of(lane.payload));
    pass_lane(*link, std::move(parts));
}

void MeshPort::pass_lane(Link& link, Parts parts) {
    if (link.impaired) link.impaired->pass(false, std::move(parts));
    else link.lane->send(parts);
}

void MeshPort::send_signals(std::vector<mesh::relay::SignalTo>& signals) {
    for (mesh::relay::SignalTo& signal : signals) {
        if (events_.signal) events_.signal(signal.to, signal.bytes);
        send_control(signal.to, rsvp_type, std::move(signal.bytes));
    }
}

void MeshPort::send_load(const mesh::relay::LoadTo& load) {
    const auto bytes = wire::encode_load(load.advert);
    if (!bytes) {
        if (events_.trouble) events_.trouble(bytes.error());
        return;
    }
    for (const mesh::RoutingId to : load.to) {
        if (events_.load) events_.load(to, *bytes);
        send_control(to, load_type, *bytes);
    }
}

void MeshPort::take_load(mesh::RoutingId from, const Part& part) {
    auto said = wire::decode_load(part.bytes);
    if (!said) return refuse("type 4 that cannot be decoded: " + said.error().what, "lane");
    step(mesh::relay::Load{from, *std::move(said)});
}

void MeshPort::send_control(mesh::RoutingId to, std::uint16_t type, std::string bytes) {
    const auto link = links_.find({to, 0});
    if (link == links_.end()) return;
    const frame::ControlHeader header{0, type, static_cast<std::uint32_t>(bytes.size()), 0};
    pass_lane(*link->second, {Part::of(frame::encode_control_header(header)), Part::of(std::move(bytes))});
}

/// Returns the device that a connection belongs to; 0 for an instance's connection. Returns our own id for an unknown
/// device, or if the sender's key is not the device's.
mesh::RoutingId MeshPort::sender_of(const std::string& route, const Credentials& sender) const {
    if (!route.starts_with(device_route)) return {};
    const std::string name = route.substr(device_route.size());
    const auto device = names_.find(name);
    const bool itself = sender.owner || sender.name == name;  // on tcp, the name of the sender's key identifies it
    return device == names_.end() || !itself ? config_.self : device->second;
}

/// Returns whether the sender may send for this SID. On tcp the keys must match; instances of one node share its key.
bool MeshPort::plays(const Credentials& sender, std::uint64_t sid) const {
    const auto instance = instances_.find(sid);
    return sender.owner || (instance != instances_.end() && instance->second.server_key == sender.key);
}

void MeshPort::on_frame(bool data, const std::string& route, const Credentials& sender, const Parts& parts) {
    if (!relay_ || !sender.may_be(identity::Role::agent)) return refuse("the sender may not send data", sender.name);
    const mesh::RoutingId from = sender_of(route, sender);
    if (from == config_.self) return refuse("not a device of this mesh", route);
    if (from.value() == 0 && config_.role == mesh::DeviceRole::router)
        return refuse("a router accepts frames only from its neighbours", route);
    if (cut(from)) return;
    if (parts.empty() || parts.size() > 2 || (data && parts.size() != 2))
        return refuse("a data frame has two parts, and a lane frame one or two", route);
    const bool control = parts[0].bytes.size() == frame::control_header_bytes;
    if (data && control && from.value() != 0) return echo(from, parts);
    if (!data && control) return on_control(from, parts);
    auto header = frame::decode_header(parts[0].bytes);
    if (!header) return refuse(header.error().what, route);
    if (from.value() == 0 && dealer_ && header->key.kind == frame::FrameKind::demand)
        return deal(sender, *header, parts);
    if (from.value() == 0 && admission_ && !admission_->admits(sender, *header, loop_.now())) return answer_refusals();
    if (from.value() == 0 && !admission_ && !plays(sender, header->source.sid))
        return refuse(sender.name + " sends under the SID of another instance", route);
    if (data && from.value() == 0) activator_.mark(*header);
    if (data && from.value() == 0) return take({*std::move(header), parts[1].owner, parts[1].bytes});
    if (data) return step(mesh::relay::Data{from, {*std::move(header), parts[1].owner, parts[1].bytes}});
    std::string payload;
    if (parts.size() == 2) payload.assign(reinterpret_cast<const char*>(parts[1].bytes.data()), parts[1].bytes.size());
    step(mesh::relay::Lane{from, *std::move(header), std::move(payload)});
}

void MeshPort::on_control(mesh::RoutingId from, const Parts& parts) {
    const auto header = frame::decode_control_header(parts[0].bytes);
    if (!header || from.value() == 0 || parts.size() != 2) return refuse("an invalid control frame", "lane");
    if (header->type == beat_type) return step(mesh::relay::Beat{from});
    if (header->type == echo_type) {
        if (probe_ && probed_.device == from) probe_->echoed(header->correlation);
        return;
    }
    if (header->type == rsvp_type) return step(mesh::relay::Signal{from, parts[1].bytes});
    if (header->type == load_type) return take_load(from, parts[1]);
    refuse("control frame of type " + std::to_string(header->type), "lane");
}

/// Accepts a chunk from an instance of this MIC.
void MeshPort::take(frame::Chunk chunk) {
    if (!shaper_.limits()) return step(mesh::relay::Data{mesh::RoutingId(), std::move(chunk)});
    shaper_.take(std::move(chunk));
    pass_due();
}

void MeshPort::limit(mesh::ShaperConfig rates) {
    shaper_.set_rates(rates);
    if (relay_) pass_due();  // send the chunks that the new rates release, so that later chunks do not overtake them
}

void MeshPort::pass_due() {
    for (frame::Chunk& chunk : shaper_.due(loop_.now())) step(mesh::relay::Data{mesh::RoutingId(), std::move(chunk)});
}

/// Notifies senders why their frames are not forwarded.
void MeshPort::answer_refusals() {
    for (const mesh::Refusal& refusal : admission_->take_refusals())
        say_refused(refusal.task, refusal.destination, refusal.sender, refusal.reason);
}

void MeshPort::say_refused(std::uint64_t task, std::uint64_t destination, const frame::End& sender,
                           const std::string& why) {
    frame::FrameHeader header;
    header.key.task = task;
    header.key.kind = frame::FrameKind::refused;
    header.source.sid = destination;
    header.destination = sender;
    header.total_bytes = why.size();
    header.payload_bytes = static_cast<std::uint32_t>(why.size());
    header.payload_crc = frame::crc32c(std::as_bytes(std::span(why)));
    if (auto bytes = frame::encode_header(header))
        lane_listener_->send(route_of(sender), {Part::of(*std::move(bytes)), Part::of(why)});
}

void MeshPort::look_for_ways() {
    std::map<mesh::RoutingId, std::string> unreachable;
    for (const auto& [id, name] : gateways_)
        if (!relay_->reaches(id)) unreachable[id] = name;
    admission_->set_unreachable(std::move(unreachable));
    admission_->tick(loop_.now());
    answer_refusals();
}

void MeshPort::beat() {
    timer_.start(config_.heartbeat / 4, [this] { beat(); });
    if (admission_ && relay_) look_for_ways();
    if (shaper_.limits()) pass_due();
    step(mesh::relay::Tick{});
}

void MeshPort::refuse(std::string what, const std::string& where) {
    ++foreign_;
    if (events_.trouble) events_.trouble(make_error(error_text("foreign-frame"), where, {std::move(what)}));
}

}  // namespace divisi::link
