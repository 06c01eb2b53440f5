// SPDX-License-Identifier: Apache-2.0
#include "backend/price/simulator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <queue>
#include <string>
#include <tuple>
#include <utility>

#include "backend/plan/interpreter.h"
#include "backend/price/dealt_data.h"
#include "backend/price/error_texts.h"

namespace divisi::price {

namespace {

/// Longest operation or transfer, in seconds. Keeps the total time of a simulation within 64 bits of nanoseconds.
constexpr double longest_s = 1e4;

using Nanoseconds = std::int64_t;

Nanoseconds nanoseconds(double seconds) { return std::llround(seconds * 1e9); }
double seconds(Nanoseconds duration) { return static_cast<double>(duration) * 1e-9; }
bool usable_time(double value) { return std::isfinite(value) && value >= 0 && value <= longest_s; }

/// Returns the position of an instance: the data unit is 0, stage i is i + 1.
std::size_t position(std::int32_t instance) { return static_cast<std::size_t>(instance - plan::data_unit); }

/// An operation that an interpreter has started.
struct Work {
    const plan::Operation* operation = nullptr;
    std::int32_t microbatch = 0;
    std::int64_t step = 0;
};

/// A thread. Its units are instances of the programs: a stage, the data unit, or both in this order. The thread of a
/// data instance has orders instead of units.
struct Worker {
    std::size_t host = 0;
    LinkEnd link_end;
    double threads = 1;
    std::vector<std::int32_t> units;
    std::int32_t running = plan::data_unit - 1;  ///< the running instance; below data_unit: none
    Work work;
    Nanoseconds begin = 0, end = 0;
    double crowded_cores = 0;  ///< see InstancePlace
    double added = 0;          ///< share by which the current work takes longer while all crowded cores compute
    double left = 0;           ///< on a shared host: nanoseconds that the current work would still need if it ran alone
    double speed = 1;          ///< current speed of the worker
    std::optional<std::size_t> dealt = {};     ///< number of the data instance that it runs
    std::deque<DealtData::Order> orders = {};  ///< for a data instance, which works on the first order
    bool idle() const { return running < plan::data_unit; }
};

struct Host {
    double cores = 0;
    bool shared = false;       ///< its workers affect each other's speed: cores may be scarce or crowded
    double busy = 0;           ///< number of busy threads
    double owed = 0;           ///< core time in nanoseconds that the handling of messages still needs
    double threads = 0;        ///< total of all its workers
    Nanoseconds settled = 0;   ///< time of the last update of `left` for its workers
    std::int32_t version = 0;  ///< version of the next end event; events of older versions are ignored
    std::vector<std::size_t> workers;
};

/// A link modelled as a queue.
struct Connection {
    LinkUse use;
    Nanoseconds free_at = 0, busy = 0, queued = 0, longest_queue = 0;
};

/// A channel, in the form that the simulation needs.
struct Route {
    std::size_t from = 0, to = 0;  ///< positions of the instances
    std::int32_t from_host = 0, to_host = 0;
    std::int32_t connection = -1;  ///< -1: both ends run on one thread
    Nanoseconds occupancy = 0, latency = 0, latency_back = 0;
    double handling = 0, handling_back = 0;  ///< core time in nanoseconds at each end, for a tensor and for its receipt
    struct Relayed {
        std::size_t host = 0;
        /// core time in nanoseconds at a gateway or router, for a tensor and for its receipt
        double handling = 0, handling_back = 0;
    };
    std::vector<Relayed> relays = {};
    Bytes bytes = 0;
};

struct Event {
    enum class Kind : std::uint8_t { operation_done, host_done, input_arrived, slot_freed, ordered };
    Nanoseconds time = 0;
    std::int64_t sequence = 0;
    Kind kind = Kind::operation_done;
    std::int32_t target = 0;  ///< index of a worker (operation_done, ordered), a host (host_done) or a channel
    std::int32_t microbatch = 0;
    std::int64_t step = 0;   ///< for host_done: version of the host's end event
    std::int32_t stage = 0;  ///< for ordered: the requesting stage

    bool operator>(const Event& other) const {
        return time != other.time ? time > other.time : sequence > other.sequence;
    }
};

Result<void> check_sizes(const SimulatedPlan& plan) {
    const plan::Programs& programs = *plan.programs;
    if (plan.seconds.size() != programs.stages.size() || plan.places.size() != programs.stages.size() ||
        plan.tensor_bytes.size() != programs.channels.size())
        return make_error(error_text("prices-not-per-stage"), "simulation");
    if (programs.stages.empty()) return make_error(error_text("plan-without-stage"), "simulation");
    const auto placed = [&](const InstancePlace& place) {
        return place.host >= 0 && static_cast<std::size_t>(place.host) < plan.hosts.size() &&
               usable_time(place.threads);
    };
    for (std::size_t i = 0; i < plan.places.size(); ++i)
        if (!placed(plan.places[i])) return make_error(error_text("placed-on-no-host"), "stage " + std::to_string(i));
    if (plan.data_place && !placed(*plan.data_place))
        return make_error(error_text("placed-on-no-host"), "the data unit");
    for (std::size_t i = 0; i < plan.dealt.size(); ++i)
        if (!placed(plan.dealt[i].place))
            return make_error(error_text("placed-on-no-host"), "data instance " + std::to_string(i));
    return {};
}

Result<void> check_numbers(const SimulatedPlan& plan) {
    for (std::size_t i = 0; i < plan.seconds.size(); ++i) {
        const StageSeconds& s = plan.seconds[i];
        for (const double value : {s.forward, s.backward, s.share_gradients, s.finish_gradients, s.optimizer,
                                   s.crowded_forward, s.crowded_backward})
            if (!usable_time(value))
                return make_error(error_text("no-seconds-of-operation"), "stage " + std::to_string(i),
                                  {std::to_string(value)});
    }
    if (!usable_time(plan.data.load) || !usable_time(plan.data.preprocess))
        return make_error(error_text("no-time-of-operation"), "the data unit");
    for (std::size_t i = 0; i < plan.dealt.size(); ++i)
        if (!usable_time(plan.dealt[i].seconds.load) || !usable_time(plan.dealt[i].seconds.preprocess))
            return make_error(error_text("no-time-of-operation"), "data instance " + std::to_string(i));
    for (const Bytes bytes : plan.tensor_bytes)
        if (bytes < 0) return make_error(error_text("tensor-of-negative-size"), "simulation");
    return check_links(plan.links, plan.hosts);
}

class Simulator final : private plan::ActionHandler {
public:
    Simulator(const SimulatedPlan& plan, const SimulateOptions& options) : plan_(plan), options_(options) {}

    Result<Simulation> run();

private:
    void place_workers();
    Result<void> lay_routes();
    void add_worker(const InstancePlace& place, std::vector<std::int32_t> units);
    Result<void> route(std::size_t channel);
    void add_relays(Route& route, LinkEnd from, LinkEnd to);
    Result<void> lead(Route& route, std::pair<std::int32_t, std::int32_t> ends, LinkEnd from, LinkEnd to);
    std::int32_t connection_between(std::int32_t from, std::int32_t to, LinkEnd here, LinkEnd there);

    // Callbacks of the interpreter of `caller_`.
    void start(const At& at) override;
    void send(const plan::TensorKey& key) override { sent_.push_back(key); }
    void release(const plan::TensorKey& key) override { released_.push_back(key); }
    void ended(const At& at, TimePoint, TimePoint, TimePoint) override;
    void step_finished(std::int64_t step) override;
    void evaluation_finished(std::int64_t) override {}
    void run_finished() override {}

    Result<void> feed(std::size_t instance, const plan::InterpreterEvent& event);
    Result<void> handle(const Event& event);
    Result<void> deliver(const Event& event);
    Result<void> hand_over(const Event& event);
    std::size_t receiver(const Event& event) const {
        const Route& r = routes_[event.target];
        return worker_of_[event.kind == Event::Kind::slot_freed ? r.from : r.to];
    }
    void post(Event event);
    void owe(const Route& route, double nanoseconds);
    Result<void> flush();
    Result<void> transmit(const Route& route, const plan::TensorKey& key);
    // Functions for data instances.
    bool comes_dealt(const Route& route) const { return dealt_ && route.from == position(plan::data_unit); }
    void deal(const std::vector<DealtData::Order>& orders);
    void make(Worker& worker);
    Result<void> made(Worker& worker);
    void dispatch(std::size_t worker);
    void begin_work(Worker& worker, std::int32_t instance);
    void compute(Worker& worker, std::int32_t instance, double alone, double added);
    void finish_work(Worker& worker);
    void settle(Host& host);
    double speed_of(const Worker& worker, const Host& host) const;
    void set_speeds(Host& host, const Worker* fresh);
    Worker& first_to_end(const Host& host);
    /// The duration of an operation in seconds.
    struct Needs {
        double alone = 0, added = 0;  ///< as in StageSeconds
    };
    Needs needs(std::int32_t instance, plan::OperationKind kind) const;
    bool measured() const;
    Simulation report() const;
    Result<Simulation> standstill() const;

    const SimulatedPlan& plan_;
    const SimulateOptions& options_;
    std::vector<plan::Interpreter> interpreters_;  ///< indexed by position
    std::vector<Work> pending_;                    ///< indexed by position
    std::vector<std::size_t> worker_of_;           ///< indexed by position
    std::vector<Worker> workers_;
    std::vector<Host> hosts_;
    std::vector<Connection> connections_;
    std::map<std::tuple<bool, std::int32_t, std::int32_t>, std::int32_t> connection_index_;
    std::map<std::string, std::int32_t> narrowest_index_;
    std::vector<Route> routes_;  ///< indexed by channel; for data from data instances, the route of the first instance
    std::optional<DealtData> dealt_;
    /// indexed by data instance and channel; used only for data channels
    std::vector<std::vector<Route>> dealt_routes_;
    std::vector<std::size_t> dealt_workers_;        ///< indexed by data instance
    std::vector<std::vector<Nanoseconds>> making_;  ///< indexed by data instance and step

    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    std::int64_t sequence_ = 0;
    Nanoseconds now_ = 0;
    std::size_t caller_ = 0;
    std::vector<plan::TensorKey> sent_, released_;

    std::int64_t first_step_ = 1, last_step_ = 1;
    std::int64_t finished_step_ = 0;              ///< the last step that all stages have finished
    std::vector<std::size_t> stages_done_;        ///< indexed by step from first_step_
    std::vector<Nanoseconds> step_end_;           ///< indexed by step from first_step_
    std::vector<std::vector<Nanoseconds>> busy_;  ///< indexed by position and step
    std::vector<std::int32_t> in_flight_;         ///< indexed by position
    std::vector<Bytes> buffered_;                 ///< indexed by position
    std::vector<InstanceUse> use_;                ///< indexed by position
    std::vector<TimedOperation> operations_;
};

void Simulator::add_worker(const InstancePlace& place, std::vector<std::int32_t> units) {
    Worker worker;
    worker.host = static_cast<std::size_t>(place.host);
    worker.link_end = place.end();
    worker.threads = place.threads;
    worker.crowded_cores = place.crowded_cores;
    for (const std::int32_t unit : units) worker_of_[position(unit)] = workers_.size();
    worker.units = std::move(units);
    hosts_[worker.host].workers.push_back(workers_.size());
    workers_.push_back(std::move(worker));
}

void Simulator::place_workers() {
    const auto stages = static_cast<std::int32_t>(plan_.programs->stages.size());
    hosts_.resize(plan_.hosts.size());
    worker_of_.resize(static_cast<std::size_t>(stages) + 1);
    for (std::int32_t stage = 0; stage < stages; ++stage) {
        const bool with_data = stage == 0 && !plan_.data_place && plan_.dealt.empty();
        add_worker(plan_.places[stage],
                   with_data ? std::vector<std::int32_t>{stage, plan::data_unit} : std::vector<std::int32_t>{stage});
    }
    if (plan_.data_place && plan_.dealt.empty()) add_worker(*plan_.data_place, {plan::data_unit});
    for (std::size_t i = 0; i < plan_.dealt.size(); ++i) {
        dealt_workers_.push_back(workers_.size());
        add_worker(plan_.dealt[i].place, {});
        workers_.back().dealt = i;
    }
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
        Host& host = hosts_[i];
        host.cores = plan_.hosts[i].cores;
        bool crowded = false;
        for (const std::size_t worker : host.workers) {
            host.threads += workers_[worker].threads;
            crowded |= workers_[worker].crowded_cores > workers_[worker].threads;
        }
        const bool full = host.cores > 0 && host.threads >= host.cores;
        host.shared = host.workers.size() > 1 ? crowded || full : full && host.threads > host.cores;
    }
}

std::int32_t Simulator::connection_between(std::int32_t from, std::int32_t to, LinkEnd here, LinkEnd there) {
    const MeshPath* const path = plan_.links.path(here, there);
    const bool within = !path && here.host == there.host;
    const auto ends = within ? std::pair{from, to} : std::pair{here.host, there.host};
    const auto next = static_cast<std::int32_t>(connections_.size());
    const auto [number, fresh] = [&] {
        if (path) {
            const auto [found, added] =
                narrowest_index_.try_emplace(narrowest_link(*path, here, there, plan_.hosts), next);
            return std::pair{found->second, added};
        }
        const auto [found, added] = connection_index_.try_emplace({within, ends.first, ends.second}, next);
        return std::pair{found->second, added};
    }();
    if (fresh) {
        connections_.emplace_back();
        connections_.back().use.from = ends.first;
        connections_.back().use.to = ends.second;
        connections_.back().use.within_host = within;
    }
    return number;
}

Result<void> Simulator::route(std::size_t number) {
    const plan::Channel& channel = plan_.programs->channels[number];
    Route& route = routes_[number];
    route.from = position(channel.from);
    route.to = position(channel.to);
    route.bytes = plan_.tensor_bytes[number];
    const LinkEnd to = workers_[worker_of_[route.to]].link_end;
    if (comes_dealt(route)) {
        for (std::size_t i = 0; i < plan_.dealt.size(); ++i) {
            Route& way = dealt_routes_[i][number] = route;
            const std::int32_t name = plan::data_unit - static_cast<std::int32_t>(i);
            DIVISI_TRY(lead(way, {name, channel.to}, plan_.dealt[i].place.end(), to));
        }
        route = dealt_routes_.front()[number];
        return {};
    }
    if (worker_of_[route.from] == worker_of_[route.to]) return {};
    return lead(route, {channel.from, channel.to}, workers_[worker_of_[route.from]].link_end, to);
}

/// Sets the connection of a route. If both ends are on one host, `ends` identifies the connection.
Result<void> Simulator::lead(Route& route, std::pair<std::int32_t, std::int32_t> ends, LinkEnd from, LinkEnd to) {
    const LinkModel& link = plan_.links.of(from, to);
    const LinkModel& back = plan_.links.of(to, from);
    const double occupancy = link.occupancy(route.bytes);
    if (!usable_time(occupancy) || !usable_time(link.latency_s) || !usable_time(back.latency_s))
        return make_error(error_text("tensor-takes-hours"),
                          "link from " + plan_.hosts[from.host].name + " to " + plan_.hosts[to.host].name,
                          {format_bytes(route.bytes)});
    route.connection = connection_between(ends.first, ends.second, from, to);
    route.from_host = from.host;
    route.to_host = to.host;
    route.occupancy = nanoseconds(occupancy);
    route.latency = nanoseconds(link.latency(route.bytes));
    route.latency_back = nanoseconds(back.latency_s);
    route.handling = 1e9 * (link.message_s + static_cast<double>(route.bytes) * link.serialize_s_per_byte);
    route.handling_back = 1e9 * back.message_s;
    add_relays(route, from, to);
    return {};
}

/// Adds the gateways and routers on hosts that run instances. If such a device is on the host of a single instance that
/// keeps all cores busy, the device and the instance share the cores. Receipts pass the same devices.
void Simulator::add_relays(Route& route, LinkEnd from, LinkEnd to) {
    const MeshPath* const path = plan_.links.path(from, to);
    if (!path) return;
    for (const PathRelay& relay : path->relays)
        for (std::size_t i = 0; i < hosts_.size(); ++i) {
            Host& host = hosts_[i];
            if (host.workers.empty() || plan_.hosts[i].name != relay.host) continue;
            route.relays.push_back({i, 1e9 * relay.handling(route.bytes), 1e9 * relay.message_s});
            host.shared |= host.cores > 0 && host.threads >= host.cores;
        }
}

Result<void> Simulator::lay_routes() {
    routes_.resize(plan_.programs->channels.size());
    dealt_routes_.assign(plan_.dealt.size(), std::vector<Route>(routes_.size()));
    for (std::size_t channel = 0; channel < routes_.size(); ++channel) DIVISI_TRY(route(channel));
    return {};
}

void Simulator::start(const At& at) { pending_[caller_] = {&at.operation, at.microbatch, at.step}; }

void Simulator::ended(const At& at, TimePoint, TimePoint, TimePoint) {
    const Worker& worker = workers_[worker_of_[caller_]];
    const std::int32_t instance = static_cast<std::int32_t>(caller_) + plan::data_unit;
    if (at.step <= last_step_) busy_[caller_][at.step - first_step_] += worker.end - worker.begin;
    if (at.operation.kind == plan::OperationKind::forward)
        use_[caller_].in_flight = std::max(use_[caller_].in_flight, ++in_flight_[caller_]);
    else if (at.operation.kind == plan::OperationKind::backward) --in_flight_[caller_];
    if (options_.record_operations)
        operations_.push_back({instance, at.operation.kind, at.microbatch, at.step, TimePoint(Duration(worker.begin)),
                               TimePoint(Duration(worker.end))});
}

void Simulator::step_finished(std::int64_t step) {
    if (caller_ == position(plan::data_unit) || step > last_step_) return;
    const auto index = static_cast<std::size_t>(step - first_step_);
    if (++stages_done_[index] < plan_.programs->stages.size()) return;
    step_end_[index] = now_;
    finished_step_ = step;
}

void Simulator::post(Event event) {
    event.sequence = sequence_++;
    events_.push(event);
}

Result<void> Simulator::feed(std::size_t instance, const plan::InterpreterEvent& event) {
    caller_ = instance;
    return interpreters_[instance].step(event, TimePoint(Duration(now_)), *this);
}

Result<void> Simulator::hand_over(const Event& event) {
    const Route& route = routes_[event.target];
    const plan::TensorKey key{event.target, event.step, event.microbatch};
    if (event.kind == Event::Kind::slot_freed) return feed(route.from, plan::SlotFreed{key});
    buffered_[route.to] += route.bytes;
    use_[route.to].buffered = std::max(use_[route.to].buffered, buffered_[route.to]);
    if (comes_dealt(route)) dealt_->arrived(key);
    return feed(route.to, plan::InputArrived{key});
}

/// Delivers a message immediately if sender and receiver are the same thread. If the receiving thread is busy until
/// after the arrival, the message has no effect before the thread is free, so it is delivered immediately too.
Result<void> Simulator::deliver(const Event& event) {
    const Route& route = routes_[event.target];
    const Worker& worker = workers_[receiver(event)];
    const bool early = !worker.idle() && !hosts_[worker.host].shared && worker.end >= event.time;
    if (early || route.connection < 0) return hand_over(event);
    post(event);
    return {};
}

/// Charges core time for a message to the hosts at both ends.
void Simulator::owe(const Route& route, double nanoseconds) {
    for (const std::int32_t host : {route.from_host, route.to_host})
        hosts_[static_cast<std::size_t>(host)].owed += nanoseconds;
}

Result<void> Simulator::transmit(const Route& route, const plan::TensorKey& key) {
    Nanoseconds arrival = now_;
    if (route.connection >= 0) {
        Connection& link = connections_[route.connection];
        const Nanoseconds begin = std::max(now_, link.free_at);
        link.free_at = begin + route.occupancy;
        link.busy += route.occupancy;
        link.queued += begin - now_;
        link.longest_queue = std::max(link.longest_queue, begin - now_);
        link.use.bytes += route.bytes;
        ++link.use.tensors;
        arrival = link.free_at + route.latency;
        owe(route, route.handling);
        for (const Route::Relayed& one : route.relays) hosts_[one.host].owed += one.handling;
    }
    return deliver({arrival, 0, Event::Kind::input_arrived, key.channel, key.microbatch, key.step});
}

/// Transmits the tensors and freed slots that the last interpreter reported.
Result<void> Simulator::flush() {
    for (std::size_t i = 0; i < sent_.size(); ++i) {
        const plan::TensorKey key = sent_[i];
        DIVISI_TRY(transmit(routes_[key.channel], key));
    }
    sent_.clear();
    for (std::size_t i = 0; i < released_.size(); ++i) {
        const plan::TensorKey key = released_[i];
        const Route& route = routes_[key.channel];
        buffered_[route.to] -= route.bytes;
        if (comes_dealt(route)) {
            deal(dealt_->released(key));
            continue;
        }
        if (route.connection >= 0) {
            owe(route, route.handling_back);
            for (const Route::Relayed& one : route.relays) hosts_[one.host].owed += one.handling_back;
        }
        DIVISI_TRY(
            deliver({now_ + route.latency_back, 0, Event::Kind::slot_freed, key.channel, key.microbatch, key.step}));
    }
    released_.clear();
    return {};
}

/// Sends the stages' orders to the data instances over the reverse direction of the routes.
void Simulator::deal(const std::vector<DealtData::Order>& orders) {
    for (const DealtData::Order& order : orders) {
        const std::vector<Route>& ways = dealt_routes_[order.instance];
        const auto way = std::ranges::find_if(
            ways, [&](const Route& one) { return one.connection >= 0 && one.to == position(order.stage); });
        owe(*way, way->handling_back);
        post({now_ + way->latency_back, 0, Event::Kind::ordered,
              static_cast<std::int32_t>(dealt_workers_[order.instance]), order.place.microbatch, order.place.step,
              order.stage});
    }
}

/// Starts on the earliest of the worker's orders, as instance::Orders does.
void Simulator::make(Worker& worker) {
    std::iter_swap(worker.orders.begin(), std::ranges::min_element(worker.orders, {}, &DealtData::Order::place));
    const DataSeconds& seconds = plan_.dealt[*worker.dealt].seconds;
    compute(worker, plan::data_unit, seconds.load + seconds.preprocess, 0);
}

/// Sends the stage the micro-batch that it requested.
Result<void> Simulator::made(Worker& worker) {
    const DealtData::Order order = worker.orders.front();
    worker.orders.pop_front();
    if (order.place.step <= last_step_)
        making_[order.instance][static_cast<std::size_t>(order.place.step - first_step_)] += worker.end - worker.begin;
    const std::vector<Route>& ways = dealt_routes_[order.instance];
    for (std::size_t channel = 0; channel < ways.size(); ++channel)
        if (ways[channel].connection >= 0 && ways[channel].to == position(order.stage))
            DIVISI_TRY(transmit(ways[channel],
                                {static_cast<std::int32_t>(channel), order.place.step, order.place.microbatch}));
    return {};
}

Result<void> Simulator::handle(const Event& event) {
    if (event.kind == Event::Kind::ordered) {
        const auto index = static_cast<std::size_t>(event.target);
        Worker& worker = workers_[index];
        worker.orders.push_back({*worker.dealt, event.stage, {event.step, event.microbatch}});
        dispatch(index);
        return {};
    }
    if (event.kind == Event::Kind::input_arrived || event.kind == Event::Kind::slot_freed) {
        DIVISI_TRY(hand_over(event));
        dispatch(receiver(event));
        return {};
    }
    const bool of_host = event.kind == Event::Kind::host_done;
    if (of_host && hosts_[event.target].version != event.step) return {};
    Worker& worker = of_host ? first_to_end(hosts_[event.target]) : workers_[event.target];
    const std::size_t instance = position(worker.running);
    finish_work(worker);
    if (worker.dealt) DIVISI_TRY(made(worker));
    else DIVISI_TRY(feed(instance, plan::OperationDone{}));
    DIVISI_TRY(flush());
    dispatch(static_cast<std::size_t>(&worker - workers_.data()));
    return {};
}

void Simulator::dispatch(std::size_t index) {
    Worker& worker = workers_[index];
    if (!worker.idle()) return;
    if (!worker.orders.empty()) return make(worker);
    for (const std::int32_t unit : worker.units)
        if (pending_[position(unit)].operation) return begin_work(worker, unit);
}

Simulator::Needs Simulator::needs(std::int32_t instance, plan::OperationKind kind) const {
    if (instance == plan::data_unit)
        return {kind == plan::OperationKind::load ? plan_.data.load : plan_.data.preprocess};
    const StageSeconds& s = plan_.seconds[instance];
    switch (kind) {
        case plan::OperationKind::forward:
        case plan::OperationKind::evaluate: return {s.forward, s.crowded_forward};
        case plan::OperationKind::backward: return {s.backward, s.crowded_backward};
        case plan::OperationKind::share_gradients: return {s.share_gradients};
        case plan::OperationKind::finish_gradients: return {s.finish_gradients};
        case plan::OperationKind::optimizer: return {s.optimizer};
        default: return {};
    }
}

void Simulator::begin_work(Worker& worker, std::int32_t instance) {
    worker.work = std::exchange(pending_[position(instance)], {});
    const Needs needed = needs(instance, worker.work.operation->kind);
    compute(worker, instance, needed.alone, needed.added);
}

/// Starts an operation. Durations are in seconds, as in Needs.
void Simulator::compute(Worker& worker, std::int32_t instance, double alone, double added) {
    worker.running = instance;
    worker.begin = now_;
    Host& host = hosts_[worker.host];
    if (!host.shared) {
        worker.end = now_ + nanoseconds(alone);
        const auto index = static_cast<std::int32_t>(&worker - workers_.data());
        return post({worker.end, 0, Event::Kind::operation_done, index, 0, 0});
    }
    settle(host);
    worker.left = static_cast<double>(nanoseconds(alone));
    worker.added = alone > 0 ? added / alone : 0;
    host.busy += worker.threads;
    set_speeds(host, &worker);
}

void Simulator::finish_work(Worker& worker) {
    worker.running = plan::data_unit - 1;
    Host& host = hosts_[worker.host];
    if (!host.shared) return;
    settle(host);
    host.busy -= worker.threads;
    set_speeds(host, nullptr);
}

void Simulator::settle(Host& host) {
    const auto passed = static_cast<double>(now_ - host.settled);
    host.settled = now_;
    if (passed == 0) return;
    if (host.busy < host.cores) host.owed = std::max(0.0, host.owed - (host.cores - host.busy) * passed);
    for (const std::size_t index : host.workers) {
        Worker& worker = workers_[index];
        if (!worker.idle()) worker.left = std::max(0.0, worker.left - passed * worker.speed);
    }
}

double Simulator::speed_of(const Worker& worker, const Host& host) const {
    const bool short_of_cores = host.cores > 0 && host.busy > host.cores;
    const double computing = short_of_cores ? host.cores : host.busy;
    const double others = worker.crowded_cores - worker.threads;
    const double crowd = others > 0 ? std::clamp((computing - worker.threads) / others, 0.0, 1.0) : 0.0;
    return (short_of_cores ? host.cores / host.busy : 1.0) / (1.0 + worker.added * crowd);
}

/// Updates speeds of a host's workers, and the end times of workers whose speed changed. `fresh` is a worker that has
/// just started and has no end time yet. If no core is idle, the core time needed for messages delays all workers;
/// otherwise idle cores do this work over time (see settle()).
void Simulator::set_speeds(Host& host, const Worker* fresh) {
    Nanoseconds next = std::numeric_limits<Nanoseconds>::max();
    const bool none_idle = host.cores > 0 && host.busy >= host.cores;
    const double owed = none_idle ? std::exchange(host.owed, 0.0) / host.cores : 0;
    for (const std::size_t index : host.workers) {
        Worker& worker = workers_[index];
        if (worker.idle()) continue;
        const double speed = speed_of(worker, host);
        if (speed != worker.speed || &worker == fresh || owed > 0) {
            worker.speed = speed;
            worker.left += owed * speed;
            worker.end = now_ + static_cast<Nanoseconds>(std::ceil(worker.left / speed));
        }
        next = std::min(next, worker.end);
    }
    ++host.version;
    if (next == std::numeric_limits<Nanoseconds>::max()) return;
    const auto index = static_cast<std::int32_t>(&host - hosts_.data());
    post({next, 0, Event::Kind::host_done, index, 0, host.version});
}

Worker& Simulator::first_to_end(const Host& host) {
    Worker* first = nullptr;
    for (const std::size_t index : host.workers) {
        Worker& worker = workers_[index];
        if (!worker.idle() && (first == nullptr || worker.end < first->end)) first = &worker;
    }
    return *first;
}

/// Returns whether the last step took as long as the previous one, or no step remains.
bool Simulator::measured() const {
    if (finished_step_ < first_step_) return false;
    if (finished_step_ == last_step_) return true;
    const std::size_t last = finished_step_ - first_step_;
    if (last == 0) return false;
    const Nanoseconds before = step_end_[last - 1] - (last > 1 ? step_end_[last - 2] : 0);
    const Nanoseconds now = step_end_[last] - step_end_[last - 1];
    return std::abs(static_cast<double>(now - before)) <= steady_difference * static_cast<double>(now);
}

Result<Simulation> Simulator::run() {
    const plan::RunLength& length = plan_.programs->length;
    const std::size_t instances = plan_.programs->stages.size() + 1;
    first_step_ = length.first_step;
    last_step_ = std::min(length.last_step, first_step_ + most_simulated_steps - 1);
    finished_step_ = first_step_ - 1;
    if (last_step_ < first_step_) return make_error(error_text("run-without-step"), "simulation");
    const auto steps = static_cast<std::size_t>(last_step_ - first_step_ + 1);
    stages_done_.resize(steps);
    step_end_.resize(steps);
    busy_.assign(instances, std::vector<Nanoseconds>(steps));
    in_flight_.resize(instances);
    buffered_.resize(instances);
    use_.resize(instances);
    pending_.resize(instances);
    making_.assign(plan_.dealt.size(), std::vector<Nanoseconds>(steps));
    if (!plan_.dealt.empty()) dealt_.emplace(*plan_.programs, plan_.dealt.size());
    place_workers();
    DIVISI_TRY(lay_routes());
    interpreters_.reserve(instances);
    for (std::int32_t i = plan::data_unit; i < static_cast<std::int32_t>(instances) - 1; ++i)
        interpreters_.emplace_back(plan_.programs, i);
    for (std::size_t i = dealt_ ? 1 : 0; i < instances; ++i) DIVISI_TRY(feed(i, plan::Begin{0}));
    if (dealt_) deal(dealt_->begin());
    for (std::size_t i = 0; i < workers_.size(); ++i) dispatch(i);
    while (!measured()) {
        if (events_.empty()) return standstill();
        const Event event = events_.top();
        events_.pop();
        now_ = event.time;
        DIVISI_TRY(handle(event));
    }
    return report();
}

Simulation Simulator::report() const {
    Simulation result;
    const std::size_t last = finished_step_ - first_step_;
    const Nanoseconds step = step_end_[last] - (last > 0 ? step_end_[last - 1] : 0);
    result.step_s = seconds(step);
    result.measured_step = finished_step_;
    if (last > 0) {
        const Nanoseconds before = step_end_[last - 1] - (last > 1 ? step_end_[last - 2] : 0);
        result.steady = std::abs(static_cast<double>(step - before)) <= steady_difference * static_cast<double>(step);
    }
    for (std::size_t i = 0; i < use_.size(); ++i) {
        InstanceUse use = use_[i];
        use.busy_s = seconds(busy_[i][last]);
        use.bubble = step > 0 ? std::max(0.0, 1.0 - use.busy_s / result.step_s) : 0;
        if (i == position(plan::data_unit)) result.data = use;
        else result.stages.push_back(use);
    }
    for (const std::vector<Nanoseconds>& making : making_) {
        InstanceUse& use = result.dealt.emplace_back();
        use.busy_s = seconds(making[last]);
        use.bubble = step > 0 ? std::max(0.0, 1.0 - use.busy_s / result.step_s) : 0;
    }
    for (const Connection& connection : connections_) {
        if (connection.use.tensors == 0) continue;
        LinkUse use = connection.use;
        use.busy_s = seconds(connection.busy);
        use.queued_s = seconds(connection.queued);
        use.longest_queue_s = seconds(connection.longest_queue);
        result.links.push_back(use);
    }
    result.operations = operations_;
    return result;
}

Result<Simulation> Simulator::standstill() const {
    for (std::size_t i = dealt_ ? 1 : 0; i < interpreters_.size(); ++i) {
        const auto waiting = interpreters_[i].waiting();
        if (!waiting) continue;
        return make_error(error_text("schedule-waits-before"),
                          i == position(plan::data_unit) ? "the data unit" : "stage " + std::to_string(i - 1),
                          {plan::describe(waiting->operation, waiting->step)});
    }
    return make_error(error_text("schedule-waits"), "simulation");
}

}  // namespace

Result<Simulation> simulate(const SimulatedPlan& plan, const SimulateOptions& options) {
    DIVISI_TRY(check_sizes(plan));
    DIVISI_TRY(check_numbers(plan));
    return Simulator(plan, options).run();
}

}  // namespace divisi::price
