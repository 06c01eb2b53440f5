// SPDX-License-Identifier: Apache-2.0
#include "backend/link/data_port.h"

namespace divisi::link {
namespace {

/// Chunks are pushed while the socket takes them; a tensor that was wholly sent this long ago without an
/// acknowledgement is sent again. A machine that computes on all cores may answer seconds late.
constexpr Duration resend_after = std::chrono::seconds(10);
/// Freed slots and hellos are repeated at this pace: what a lost one costs at most.
constexpr Duration housekeeping_interval = std::chrono::seconds(1);

bool may_carry_data(const Credentials& credentials) {
    return credentials.owner || credentials.role == control::Role::agent;
}

/// "data lane": one text, so that the layers above need not know that there are two sockets.
std::pair<std::string, std::string> split(const std::string& endpoint) {
    const auto space = endpoint.find(' ');
    if (space == std::string::npos) return {endpoint, {}};
    return {endpoint.substr(0, space), endpoint.substr(space + 1)};
}

frame::FrameHeader lane_frame(frame::FrameKind kind, const frame::TensorKey& about) {
    frame::FrameHeader header;
    header.key = about;
    header.key.kind = kind;
    header.about = about.kind;
    return header;
}

frame::TensorKey key_about(const frame::FrameHeader& header) {
    frame::TensorKey key = header.key;
    key.kind = header.about;
    return key;
}

}  // namespace

DataPort::DataPort(Loop& loop, Transport& transport, std::string name, Events events)
    : loop_(loop), transport_(transport), name_(std::move(name)), events_(std::move(events)), timer_(loop) {}

DataPort::~DataPort() = default;

Result<std::string> DataPort::listen(const std::string& endpoint, bool allow_remote) {
    const bool fixed = !endpoint.starts_with("tcp://");  // tcp ports are the system's choice and differ anyway
    Listener::Events on_data_events, on_lane_events;
    on_data_events.message = [this](const std::string& route, const Credentials& credentials, const Parts& parts) {
        if (may_carry_data(credentials)) return on_data(route, parts);
        trouble(
            {ErrorCode::denied, credentials.name + " may not carry data", endpoint_, "give its key the role agent"});
    };
    on_lane_events.message = [this](const std::string& route, const Credentials& credentials, const Parts& parts) {
        if (may_carry_data(credentials)) on_lane_request(route, parts);
    };
    const std::string ends[] = {fixed ? endpoint + ".data" : endpoint, fixed ? endpoint + ".lane" : endpoint};
    DIVISI_ASSIGN(data_listener_, transport_.listen({ends[0], Purpose::data, allow_remote}, std::move(on_data_events)));
    DIVISI_ASSIGN(lane_listener_, transport_.listen({ends[1], Purpose::lane, allow_remote}, std::move(on_lane_events)));
    endpoint_ = data_listener_->endpoint() + " " + lane_listener_->endpoint();
    timer_.start(housekeeping_interval, [this] { housekeeping(); });
    return endpoint_;
}

void DataPort::enter(std::uint64_t task, Generation generation) {
    const auto [it, fresh] = generations_.try_emplace(task, generation);
    if (!fresh && generation <= it->second) return;
    leave(task);
    generations_[task] = generation;
    reassembler_.enter(task, generation);
    for (auto& [name, peer] : peers_) say_hello(*peer);
}

void DataPort::leave(std::uint64_t task) {
    generations_.erase(task);
    reassembler_.leave(task);
    std::erase_if(released_, [&](const auto& entry) { return std::get<0>(entry.first) == task; });
    for (auto& [name, peer] : peers_) {
        std::erase_if(peer->kept, [&](const auto& entry) { return entry.first.task == task; });
        std::erase_if(peer->queue, [&](const auto& key) { return key.task == task; });
        std::erase_if(peer->unreleased, [&](const auto& entry) { return std::get<0>(entry.first) == task; });
    }
}

void DataPort::connect(const std::string& name, const std::string& endpoint, const std::string& server_key) {
    auto& peer = peers_[name];
    const auto [data, lane] = split(endpoint);
    if (peer && peer->data.endpoint == data && peer->data.server_key == server_key) return;
    if (!peer) {
        peer = std::make_unique<Peer>();
        peer->name = name;
        Peer& p = *peer;
        const auto down = [this, name](const Error& error) {
            trouble({error.code, "instance " + name + " cannot be reached: " + error.what, error.where, error.next});
        };
        p.data_link = std::make_unique<Dialer>(
            loop_, transport_, Purpose::data,
            Dialer::Events{{}, [this, &p] { requeue(p); }, down, {}, [this, &p] { pump(p); }}, name_);
        p.lane_link = std::make_unique<Dialer>(
            loop_, transport_, Purpose::lane,
            Dialer::Events{
                {}, [this, &p] { say_hello(p); }, {}, [this, &p](const Parts& parts) { on_lane(p, parts); }, {}},
            name_);
    }
    peer->data = {data, server_key};
    peer->lane = {lane, server_key};
    peer->lane_link->dial(peer->lane);
    peer->data_link->dial(peer->data);
}

void DataPort::disconnect(const std::string& peer) { peers_.erase(peer); }

Result<void> DataPort::send(const std::string& name, frame::TensorFrame frame) {
    const auto it = peers_.find(name);
    if (it == peers_.end())
        return Error{ErrorCode::not_found, "no such peer: " + name, "data port", "connect to it first"};
    const auto generation = generations_.find(frame.key.task);
    if (generation == generations_.end() || generation->second != frame.key.generation)
        return Error{ErrorCode::conflict, "not the generation in force", "data port", "drop the tensor"};
    Peer& peer = *it->second;
    const frame::TensorKey key = frame.key;
    // Once here, so that the chunks' headers need no error path.
    DIVISI_TRY([&]() -> Result<void> {
        DIVISI_ASSIGN(const auto header, frame::encode_header(frame::chunk_header(frame, 0, chunk_bytes_)));
        return {};
    }());
    if (!peer.kept.emplace(key, Outgoing{std::move(frame), 0, true, {}}).second)
        return Error{ErrorCode::conflict, "this tensor was sent before", "data port", "send each tensor once"};
    peer.unreleased[flow_of(key)].insert({key.step, key.microbatch});
    peer.queue.push_back(key);
    ++counters_.tensors_sent;
    pump(peer);
    return {};
}

void DataPort::pump(Peer& peer) {
    while (!peer.queue.empty()) {
        const auto it = peer.kept.find(peer.queue.front());
        if (it != peer.kept.end() && !send_chunks(peer, it->second)) return;
        peer.queue.pop_front();
    }
}

/// False when the socket takes no more for now.
bool DataPort::send_chunks(Peer& peer, Outgoing& outgoing) {
    const frame::TensorFrame& frame = outgoing.frame;
    const auto count = frame::chunk_count(static_cast<std::uint64_t>(frame.tensor.size_bytes), chunk_bytes_);
    // The chunks' owner keeps the tensor alive while sockets hold parts of it, also after the acknowledgement.
    const std::shared_ptr<const void>& owner = frame.tensor.owner;
    for (; outgoing.next_chunk < count; ++outgoing.next_chunk) {
        if (!peer.data_link->up()) return false;
        auto header = frame::encode_header(frame::chunk_header(frame, outgoing.next_chunk, chunk_bytes_));
        const auto payload = frame::chunk_payload(frame, outgoing.next_chunk, chunk_bytes_);
        if (peer.data_link->send({Part::of(*std::move(header)), Part{owner, payload}}) != Sent::yes) return false;
        counters_.bytes_sent += payload.size();
    }
    outgoing.queued = false;
    outgoing.sent = loop_.now();
    return true;
}

/// A fresh connection: what was under way on the old one may be lost.
void DataPort::requeue(Peer& peer) {
    peer.queue.clear();
    for (auto& [key, outgoing] : peer.kept) {
        counters_.chunks_resent += outgoing.next_chunk;
        outgoing.next_chunk = 0;
        outgoing.queued = true;
        peer.queue.push_back(key);
    }
    pump(peer);
}

void DataPort::say_hello(Peer& peer) {
    if (!peer.lane_link->up()) return;
    for (const auto& [task, generation] : generations_) {
        frame::TensorKey key;
        key.task = task;
        key.generation = generation;
        if (auto header = frame::encode_header(lane_frame(frame::FrameKind::hello, key)); header.ok())
            peer.lane_link->send({Part::of(*std::move(header))});
    }
}

void DataPort::on_lane(Peer& peer, const Parts& parts) {
    const auto header = parts.size() == 1 ? frame::decode_header(parts[0].bytes)
                                          : Error{ErrorCode::corrupt, "a lane frame has one part", peer.name,
                                                  "run the same Divisi version on all machines"};
    if (!header.ok()) return trouble(header.error());
    const frame::TensorKey key = key_about(*header);
    const auto generation = generations_.find(key.task);
    if (generation == generations_.end() || generation->second != key.generation) return;
    if (header->key.kind == frame::FrameKind::ack) {
        peer.kept.erase(key);
    } else if (header->key.kind == frame::FrameKind::slot) {
        const auto flow = peer.unreleased.find(flow_of(key));
        if (flow == peer.unreleased.end()) return;
        const Position last{key.step, key.microbatch};
        std::vector<Position> freed;
        while (!flow->second.empty() && *flow->second.begin() <= last) {
            freed.push_back(*flow->second.begin());
            flow->second.erase(flow->second.begin());
        }
        for (const auto& [step, microbatch] : freed) {
            frame::TensorKey one = key;
            one.step = step;
            one.microbatch = microbatch;
            peer.kept.erase(one);  // consumed, so it has arrived: the acknowledgement was lost
            if (events_.released) events_.released(one);
        }
    }
}

void DataPort::on_data(const std::string& route, const Parts& parts) {
    const auto refuse = [&](const Error& error) {
        ++counters_.refused;
        trouble(error);
    };
    if (parts.size() != 2)
        return refuse(
            {ErrorCode::corrupt, "a data frame has two parts", route, "run the same Divisi version on all machines"});
    const auto header = frame::decode_header(parts[0].bytes);
    if (!header.ok()) return refuse(header.error());
    if (header->key.kind >= frame::FrameKind::ack)
        return refuse({ErrorCode::corrupt, "not a tensor", route, "run the same Divisi version on all machines"});
    counters_.bytes_received += parts[1].bytes.size();
    auto outcome = reassembler_.feed(*header, parts[1].bytes);
    if (!outcome.ok()) return refuse(outcome.error());
    using Fate = frame::Reassembler::Fate;
    if (outcome->fate != Fate::complete && outcome->fate != Fate::already_complete) return;
    send_lane(route, lane_frame(frame::FrameKind::ack, header->key));
    if (outcome->fate == Fate::already_complete) return;
    ++counters_.tensors_received;
    auto& released = released_[flow_of(header->key)];
    released.generation = header->key.generation;
    released.route = route;
    if (events_.tensor) events_.tensor(std::move(*outcome->tensor));
}

void DataPort::on_lane_request(const std::string& route, const Parts& parts) {
    if (parts.size() != 1) return;
    const auto header = frame::decode_header(parts[0].bytes);
    if (!header.ok()) return trouble(header.error());
    if (header->key.kind != frame::FrameKind::hello) return;
    for (const auto& [flow, released] : released_)
        if (std::get<0>(flow) == header->key.task && released.route == route) tell_released(flow, released);
}

void DataPort::release(const frame::TensorKey& key) {
    const auto it = released_.find(flow_of(key));
    if (it == released_.end() || it->second.generation != key.generation) return;
    it->second.position = Position{key.step, key.microbatch};
    tell_released(it->first, it->second);
}

void DataPort::tell_released(const Flow& flow, const Released& released) {
    if (!released.position) return;
    const auto& [task, kind, edge] = flow;
    const frame::TensorKey key{task, released.generation,      kind,
                               edge, released.position->first, released.position->second};
    send_lane(released.route, lane_frame(frame::FrameKind::slot, key));
}

void DataPort::send_lane(const std::string& route, const frame::FrameHeader& header) {
    // Lost when the lane is down: acknowledgements follow the repeated tensor, freed slots the next hello.
    if (auto bytes = frame::encode_header(header); bytes.ok())
        lane_listener_->send(route, {Part::of(*std::move(bytes))});
}

void DataPort::housekeeping() {
    timer_.start(housekeeping_interval, [this] { housekeeping(); });
    const TimePoint now = loop_.now();
    for (auto& [name, peer] : peers_) {
        say_hello(*peer);
        for (auto& [key, outgoing] : peer->kept) {
            if (outgoing.queued || now - outgoing.sent < resend_after) continue;
            counters_.chunks_resent += outgoing.next_chunk;
            outgoing.next_chunk = 0;
            outgoing.queued = true;
            peer->queue.push_back(key);
        }
        pump(*peer);
    }
}

std::size_t DataPort::unacknowledged() const {
    std::size_t count = 0;
    for (const auto& [name, peer] : peers_) count += peer->kept.size();
    return count;
}

DataPort::Counters DataPort::counters() const {
    Counters all = counters_;
    all.duplicates = reassembler_.counters().duplicates;
    all.stale = reassembler_.counters().stale + reassembler_.counters().early;
    return all;
}

void DataPort::trouble(const Error& error) {
    if (events_.trouble) events_.trouble(error);
}

}  // namespace divisi::link
