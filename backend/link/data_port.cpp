// SPDX-License-Identifier: Apache-2.0
#include "backend/link/data_port.h"

#include "backend/link/data_endpoint.h"
#include "backend/link/error_texts.h"

namespace divisi::link {
namespace {

bool may_carry_data(const Credentials& credentials) { return credentials.may_be(identity::Role::agent); }

/// Returns whether a frame belongs on the data connection. A question about a tensor uses the same connection as
/// the tensor's chunks, and so does an offer, which stands for its tensor.
bool belongs_on_data(frame::FrameKind kind) {
    return carries_tensor(kind) || kind == frame::FrameKind::ask || kind == frame::FrameKind::offer;
}

}  // namespace

DataPort::DataPort(Loop& loop, Transport& transport, const Sid& sid, frame::Incarnation incarnation, Events events)
    : loop_(loop),
      transport_(transport),
      self_{frame::flow_id(sid), incarnation},
      events_(std::move(events)),
      flow_(self_),
      timer_(loop) {}

DataPort::~DataPort() = default;

Result<std::string> DataPort::listen(const std::string& endpoint, bool allow_remote) {
    const auto frames_of = [this](bool data) {
        Listener::Events events;
        events.message = [this, data](const std::string& route, const Credentials& sender, const Parts& parts) {
            if (may_carry_data(sender)) return on_frame(data, route, parts);
            trouble(make_error(error_text("may-not-carry-data"), endpoint_, {sender.name}));
        };
        return events;
    };
    const DataEndpoint ends = DataEndpoint::at(endpoint);
    DIVISI_ASSIGN(data_listener_, transport_.listen({ends.data, Purpose::data, allow_remote}, frames_of(true)));
    DIVISI_ASSIGN(lane_listener_, transport_.listen({ends.lane, Purpose::lane, allow_remote}, frames_of(false)));
    endpoint_ = DataEndpoint{data_listener_->endpoint(), lane_listener_->endpoint()}.text();
    timer_.start(frame::tick_interval, [this] { housekeeping(); });
    return endpoint_;
}

void DataPort::enter(std::uint64_t task, Generation generation) { (void)step(frame::flow::Enter{task, generation}); }
void DataPort::leave(std::uint64_t task) { (void)step(frame::flow::Leave{task}); }
void DataPort::release(const frame::TensorKey& key) { (void)step(frame::flow::Release{key}); }

Result<void> DataPort::send(const Sid& peer, frame::TensorFrame frame) {
    return step(frame::flow::Send{frame::flow_id(peer), std::move(frame)});
}

Result<void> DataPort::offer(const Sid& peer, const frame::TensorKey& key, const frame::ContentKey& content) {
    return step(frame::flow::Offer{frame::flow_id(peer), key, content});
}

void DataPort::connect(const Sid& sid, frame::Incarnation incarnation, const std::string& endpoint,
                       const std::string& server_key) {
    const std::uint64_t id = frame::flow_id(sid);
    (void)step(frame::flow::Reach{{id, incarnation}});
    names_[id] = sid;
    const auto [data_endpoint, lane_endpoint] = DataEndpoint::parse(endpoint);
    const Address data{data_endpoint, server_key}, lane{lane_endpoint, server_key};
    if (const auto known = peers_.find(id); known != peers_.end() && known->second == data) return;
    leave_route(id);
    peers_[id] = data;
    Route& route = open_route(data, lane);
    route.peers.insert(id);
    route.names += (route.names.empty() ? "" : ", ") + sid.value();
    if (route.lane->up()) (void)step(frame::flow::LaneUp{id});
    if (route.data->up()) (void)step(frame::flow::DataUp{id});
}

DataPort::Route& DataPort::open_route(const Address& data, const Address& lane) {
    auto& route = routes_[data];
    if (route) return *route;
    route = make_route(data);
    route->lane->dial(lane);
    route->data->dial(data);
    return *route;
}

/// Creates a route to an address. Its callbacks capture the address, because the route may be gone when they run.
std::unique_ptr<DataPort::Route> DataPort::make_route(const Address& address) {
    Dialer::Events data, lane;
    data.up = [this, address] {
        Route& route = *routes_.at(address);
        route.waiting.clear();
        for (const std::uint64_t id : std::set(route.peers)) (void)step(frame::flow::DataUp{id});
    };
    data.writable = [this, address] { pump(*routes_.at(address)); };
    data.down = [this, address](const Error& error) {
        trouble({error.code, "instance " + routes_.at(address)->names + " cannot be reached: " + error.what,
                 error.where, error.next});
    };
    lane.up = [this, address] {
        for (const std::uint64_t id : std::set(routes_.at(address)->peers)) (void)step(frame::flow::LaneUp{id});
        if (gateway_ == address) say_demand();
    };
    lane.message = [this, address](const Parts& parts) { on_frame(false, routes_.at(address)->names, parts); };
    auto route = std::make_unique<Route>();
    route->data = std::make_unique<Dialer>(loop_, transport_, Purpose::data, std::move(data), route_of(self_));
    route->lane = std::make_unique<Dialer>(loop_, transport_, Purpose::lane, std::move(lane), route_of(self_));
    return route;
}

void DataPort::leave_route(std::uint64_t sid) {
    const auto peer = peers_.extract(sid);
    if (!peer) return;
    const auto route = routes_.find(peer.mapped());
    route->second->peers.erase(sid);
    if (route->second->peers.empty() && gateway_ != route->first) routes_.erase(route);
}

DataPort::Route* DataPort::route_to(std::uint64_t sid) {
    const auto peer = peers_.find(sid);
    return peer == peers_.end() ? nullptr : routes_.at(peer->second).get();
}

void DataPort::disconnect(const Sid& peer) {
    (void)step(frame::flow::Forget{frame::flow_id(peer)});
    names_.erase(frame::flow_id(peer));
    leave_route(frame::flow_id(peer));
}

Result<void> DataPort::step(frame::flow::Event event) {
    frame::flow::Actions actions = flow_.step(std::move(event), loop_.now());
    for (const frame::flow::Message& message : actions.messages) say(message);
    if (actions.arrived && events_.tensor) events_.tensor(*std::move(actions.arrived));
    if (events_.released)
        for (const frame::TensorKey& key : actions.released) events_.released(key);
    if (events_.declined)
        for (const frame::TensorKey& key : actions.declined) events_.declined(key);
    for (const std::uint64_t sid : actions.ready)
        if (Route* route = route_to(sid)) pump(*route);
    if (actions.stale) tell_stale(*actions.stale);
    if (actions.refused) return *std::move(actions.refused);
    return {};
}

/// Sends frames to the data socket until it accepts no more.
void DataPort::pump(Route& route) {
    while (route.data->up()) {
        if (route.waiting.empty() && !next_frame(route)) return;
        if (route.data->send(route.waiting) != Sent::yes) return;
        route.waiting.clear();
    }
}

/// Takes the next frame; the peers that share an address take turns. Returns false if none of these peers has a frame.
bool DataPort::next_frame(Route& route) {
    auto turn = route.peers.upper_bound(route.last);
    for (std::size_t asked = 0; asked < route.peers.size(); ++asked) {
        if (turn == route.peers.end()) turn = route.peers.begin();
        route.last = *turn++;
        const auto chunk = flow_.step(frame::flow::Room{route.last}, loop_.now()).chunk;
        if (!chunk) continue;
        // The owner keeps the tensor alive while sockets hold parts of it, even after the acknowledgement.
        route.waiting = {Part::of(frame::encode_header(chunk->header).value()), Part{chunk->owner, chunk->payload}};
        return true;
    }
    return false;
}

/// Sends a lane message over the connection that the peer opened, or else over the connection that this end opened.
void DataPort::say(const frame::flow::Message& message) {
    Parts parts{Part::of(frame::encode_header(message.header).value())};
    if (!message.payload.empty()) parts.push_back(Part::of(message.payload));
    if (lane_listener_ && lane_listener_->send(route_of(message.to), parts) != Sent::gone) return;
    if (const Route* route = route_to(message.to.sid)) route->lane->send(parts);
}

void DataPort::on_frame(bool data, const std::string& from, const Parts& parts) {
    const auto refuse = [&](const Error& error) {
        ++foreign_;
        trouble(error);
    };
    const auto foreign = [&](std::string what) {
        refuse(make_error(error_text("frames-misfit"), from, {std::move(what)}));
    };
    if (parts.empty() || parts.size() > 2 || (data && parts.size() != 2))
        return foreign("a data frame has two parts, and a lane frame one or two");
    auto header = frame::decode_header(parts[0].bytes);
    if (!header.ok()) return refuse(header.error());
    if (belongs_on_data(header->key.kind) != data)
        return foreign(std::string(name(header->key.kind)) + " on the wrong connection");
    const auto payload = parts.size() == 2 ? parts[1].bytes : std::span<const std::byte>();
    if (header->key.kind == frame::FrameKind::refused) return refused(*header, payload);
    if (header->key.kind == frame::FrameKind::demand) return demanded(*header, payload);
    auto activation = activation_.take(*header);
    if (!activation) return refuse(activation.error());
    if (*activation && events_.activated) events_.activated(**activation);
    if (auto taken = step(frame::flow::Received{*std::move(header), payload}); !taken) trouble(taken.error());
}

/// Reports that a gateway does not forward frames to a peer. The next hello asks the gateway again.
void DataPort::refused(const frame::FrameHeader& header, std::span<const std::byte> why) {
    ++refused_;
    const auto peer = names_.find(header.source.sid);
    trouble(make_error(error_text("gateway-refuses-frames"), "",
                       {(peer == names_.end() ? "another instance" : peer->second.value()),
                        std::string(reinterpret_cast<const char*>(why.data()), why.size())}));
}

/// Logs stale frames. The flow reports them once for each process of a peer and each generation.
void DataPort::tell_stale(const frame::flow::Stale& stale) {
    const auto peer = names_.find(stale.source.sid);
    trouble(make_error(error_text("stale-frames-dropped"), route_of(stale.source),
                       {(peer == names_.end() ? "an instance" : peer->second.value()), stale.what}));
}

void DataPort::housekeeping() {
    timer_.start(frame::tick_interval, [this] { housekeeping(); });
    (void)step(frame::flow::Tick{});
    if (!demand_.places.empty()) say_demand();
}

DataPort::Counters DataPort::counters() const {
    Counters all = flow_.counters();
    all.refused += foreign_;
    return all;
}

void DataPort::trouble(const Error& error) {
    if (events_.trouble) events_.trouble(error);
}

}  // namespace divisi::link
