// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/serving/server.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <utility>

#include "agents/instance/engine/unit_setup.h"
#include "agents/instance/keeping/files.h"
#include "agents/instance/keeping/guard.h"
#include "agents/instance/keeping/snapshot_file.h"
#include "agents/instance/keeping/stored_output.h"
#include "agents/segment/executor.h"
#include "backend/base/version.h"
#include "backend/control/state/incarnation.h"
#include "backend/task/checkpoint_rule.h"
#include "backend/task/schema.h"

namespace divisi::instance {
namespace {

constexpr Duration load_interval = std::chrono::milliseconds(500);
constexpr Duration hardware_interval = std::chrono::seconds(10);
constexpr Duration figures_interval = std::chrono::seconds(1);  ///< interval of updates; Prometheus scrapes every few
                                                                ///< seconds
constexpr Duration answer_deadline = std::chrono::seconds(20);

}  // namespace

Server::Server(link::EventLoop& loop, link::Context& context, ServerConfig config, Kept kept)
    : loop_(loop),
      context_(context),
      config_(std::move(config)),
      transport_(context, loop, config_.uplink.security.keys),
      orchestrator_(loop, transport_, config_.uplink, {"divisi-instance", version, control::Role::agent},
                    answer_deadline),
      peers_(config_.instance, peer_actions()),
      plans_(std::move(kept.plans), std::move(kept.built)),
      segments_(std::move(kept.segment), std::move(kept.trained)),
      record_(loop.clock(), config_.fingerprint),
      next_plan_(plans_, config_.instance, config_.blobs,
                 {[this](control::PlanPrepared told) { post(control::instance::PlanCompiled{std::move(told)}); },
                  [this](const Error& error) { post(control::instance::NonFatalError{error}); }}) {}

Server::~Server() {
    if (Engine* running = engine()) running->stop();
    worker_.join();
    next_plan_.join();
    snapshots_.reset();
    record_.add_hardware();
}

Result<void> Server::start() {
    DIVISI_ASSIGN(control::RegisterInstance registration, open_data_port());
    life_ = std::make_unique<control::InstanceLife>(std::move(registration));
    // Training continues even if the store cannot be opened.
    if (!config_.store.empty())
        record_.open(config_.store, config_.sid, control::incarnation_of(config_.instance),
                     [this](const Error& error) { post(control::instance::NonFatalError{error}); });
    orchestrator_.start(events());
    loop_.every(control::heartbeat_interval, [this] { feed(control::instance::Tick{}); });
    loop_.every(load_interval, [this] { report_load(); });
    open_figures();
    loop_.every(hardware_interval, [this] { record_.add_hardware(); });
    return {};
}

Result<control::RegisterInstance> Server::open_data_port() {
    link::DataPort::Events events;
    events.tensor = [this](frame::TensorFrame frame) {
        if (Engine* running = engine())
            running->deliver({static_cast<std::int32_t>(frame.key.edge), frame.key.step, frame.key.microbatch},
                             std::move(frame.tensor));
    };
    events.released = [this](const frame::TensorKey& key) {
        if (Engine* running = engine()) running->freed({static_cast<std::int32_t>(key.edge), key.step, key.microbatch});
    };
    events.declined = [this](const frame::TensorKey& key) {
        if (Engine* running = engine())
            running->declined({static_cast<std::int32_t>(key.edge), key.step, key.microbatch});
    };
    events.trouble = [this](const Error& error) { feed(control::instance::NonFatalError{error}); };
    events.activated = [this](const mesh::Activation& activation) {
        feed(control::instance::Activated{activation.by.value()});
    };
    events.demand = [this](const frame::FrameHeader& header, const frame::Demand& demand) { ordered(header, demand); };
    port_ = std::make_unique<link::DataPort>(loop_, transport_, config_.sid, control::incarnation_of(config_.instance),
                                             std::move(events));
    const bool ipc = link::is_ipc(config_.uplink.orchestrator.endpoint);
    char name[20];
    std::snprintf(name, sizeof name, "%016llx",
                  static_cast<unsigned long long>(frame::flow_id(config_.instance.value())));
    const std::string endpoint = ipc ? "ipc://" + config_.listen + "/i-" + name : "tcp://" + config_.listen + ":0";
    control::RegisterInstance registration;
    // In a tcp cluster, the connection file names the cluster's address, and the node passes this machine's address.
    DIVISI_ASSIGN(registration.data_endpoint, port_->listen(endpoint, !ipc));
    registration.instance = config_.instance;
    registration.sid = config_.sid;
    if (!ipc) registration.data_key = config_.uplink.security.keys->public_key;
    registration.fingerprint = config_.fingerprint;
    registration.pid = ::getpid();
    return registration;
}

PeerTable::Actions Server::peer_actions() {
    PeerTable::Actions actions;
    actions.connect = [this](const control::Peer& peer) {
        port_->connect(peer.sid, control::incarnation_of(peer.instance), peer.data_endpoint, peer.data_key);
    };
    actions.disconnect = [this](const Sid& sid) { port_->disconnect(sid); };
    actions.allow = [this](const std::string& key, const std::string& name) {
        context_.access_list().allow(key, {name, control::Role::agent});
    };
    actions.revoke = [this](const std::string& key) { context_.access_list().revoke(key); };
    return actions;
}

void Server::terminate() { feed(control::instance::Terminate{}); }

link::AgentLink::Events Server::events() {
    link::AgentLink::Events events;
    events.up = [this] {
        told_.clear();
        feed(control::instance::Connected{});
    };
    events.down = [this] { feed(control::instance::Disconnected{}); };
    events.message = [this](std::uint64_t correlation, const control::Message& message) {
        feed(control::instance::FromOrchestrator{correlation, message});
    };
    events.waiting = [this](const std::string& why) {
        if (std::exchange(told_, why) != why)
            std::fprintf(stderr, "warning: the orchestrator cannot be reached: %s\n", why.c_str());
    };
    return events;
}

void Server::post(control::instance::Input input) {
    loop_.post([this, input = std::move(input)] { feed(input); });
}

void Server::feed(const control::instance::Input& input) {
    record_.add(input, "orchestrator at " + config_.uplink.orchestrator.endpoint);
    if (const auto* snapshot = get_if<control::instance::SnapshotWritten>(&input)) metrics_.add(snapshot->snapshot);
    const control::instance::Output output = life_->step(input, loop_.clock().now());
    for (const auto& up : output.sends) orchestrator_.send(up.correlation, up.message);
    if (output.prepare) prepare(*output.prepare);
    if (output.warm_up) warm_up(output.warm_up->deploy);
    if (output.reconnect) connect(output.reconnect->peers);
    if (output.run) run(*output.run);
    // Hold before ordering the snapshot: the step that ends with the snapshot may end at any time.
    if (Engine* running = output.hold ? engine() : nullptr) running->hold(*output.hold);
    if (output.take_snapshot) take_snapshot(*output.take_snapshot);
    if (output.measure_spans) spans_.watch(output.measure_spans->every, loop_.clock().now() + control::span_watch);
    if (output.prepare_plan) next_plan_.prepare(*output.prepare_plan, deploy_, plan_);
    if (output.end_work) end_work();
    if (output.exit) {
        exit_status_ = *output.exit;
        loop_.stop();
    }
}

// --- preparing and running --------------------------------------------------------------------

void Server::prepare(const control::instance::Prepare& what) {
    deploy_ = what.deploy;
    record_.deployed(deploy_, what.peers);
    task_flow_ = frame::flow_id(deploy_.task);
    peers_.set(what.peers.peers);
    if (deploy_.lease > 0)
        port_->hold({deploy_.lease,
                     deploy_.share,
                     static_cast<std::uint32_t>(deploy_.terms.threads),
                     deploy_.terms.device,
                     {}});
    port_->enter(task_flow_, deploy_.generation);
    connect(what.peers);
    worker_.start([this, what] {
        const auto loaded = guard(config_.instance.value() + ": loading", [&] { return load(what); });
        if (!loaded) return post(control::instance::WorkFailed{loaded.error()});
        const auto evaluation = engine_->evaluation_microbatches();
        const auto samples = engine_->batch_samples();
        const task::Schema schema = task::schema_of(*plan_, std::max(what.deploy.stage, plan::data_unit),
                                                    what.deploy.data, mesh::longest_schema);
        post(control::instance::Prepared{plan_->hash, evaluation.value_or(-1), schema.input, schema.output,
                                         samples.value_or(0)});
    });
}

/// Prepares a standby: compiles the task and initialises LibTorch. The segment to be loaded is not known yet.
void Server::warm_up(const control::Deploy& deploy) {
    deploy_ = deploy;
    worker_.start([this, deploy] {
        const auto warm = guard(config_.instance.value() + ": standing by", [&]() -> Result<std::string> {
            DIVISI_ASSIGN(const auto plan, plans_.compiled(deploy));
            const task::PlaceSection& place = plan->spec.place;
            DIVISI_TRY(segment::warm_up(place.device, static_cast<int>(place.threads)));
            return plan->hash;
        });
        if (!warm) return post(control::instance::WorkFailed{warm.error()});
        post(control::instance::Prepared{*warm});
    });
}

void Server::connect(const control::Peers& peers) {
    peers_.connect(peers);
    port_->set_gateway(peers.gateway, peers.gateway_key);
}

Result<void> Server::load(const control::instance::Prepare& what) {
    DIVISI_ASSIGN(plan_, plans_.compiled(what.deploy));
    plans_.forget_but(what.deploy);
    auto built = plans_.take_built(what.deploy, plan_);
    if (built) record_.add_event("built beforehand", "plan " + plan_->hash);
    const control::Restore& restored = what.deploy.restore;
    if (restored.step > 0) {
        DIVISI_ASSIGN(plan::Programs rest, plan::resumed_after(*plan_->programs, restored.step));
        auto resumed = std::make_shared<task::CompiledPlan>(*plan_);
        resumed->programs = std::make_shared<const plan::Programs>(std::move(rest));
        plan_ = std::move(resumed);
    }
    EngineConfig config;
    config.plan = plan_;
    config.stage = std::max(what.deploy.stage, plan::data_unit);
    config.data = what.deploy.data;
    config.dealt = plan_->spec.data.instances > 0;
    config.generation = what.deploy.generation;
    config.results = config_.data / results_name;
    config.far_channels = peers_.far_channels(plan_->programs->channels, deploy_.stage, what.peers.gateway);
    config.fingerprint = config_.fingerprint;
    config.restored = restored.step > 0;
    if (config.data) {
        DIVISI_ASSIGN(config.dataset, dataset_spec(*plan_, [&](const std::string& purpose, const std::string& path) {
                          return local_path(what.deploy, config_.blobs, purpose, path);
                      }));
    }
    config.read_weight = weight_reader(plan_, what.deploy, config_.blobs);
    trace_ = Trace::from_environment(config_.instance.value());
    segment_key_ = segment_key(what.deploy, *plan_, config_.blobs);
    std::unique_ptr<segment::Executor> loaded = segments_.take_loaded(what.deploy, *plan_, segment_key_);
    const bool goes_on = loaded && restored.step > 0;
    control::Restore rest = restored;
    DIVISI_ASSIGN(auto own, segments_.take_state(rest));  // before another segment reuses its memory
    if (!loaded) loaded = std::move(built);
    built.reset();
    open_outlet();
    auto engine = std::make_unique<Engine>(std::move(config), loop_.clock(), *outlet_, static_cast<Listener&>(*this));
    DIVISI_TRY(engine->prepare(std::move(loaded)));
    if (goes_on) record_.add_event("kept", "after step " + std::to_string(restored.step));
    else if (restored.step > 0 && engine->executor()) DIVISI_TRY(restore(*engine->executor(), rest, std::move(own)));
    if (engine->executor() && !task::is_batch(plan_->spec)) DIVISI_TRY(begin_snapshots());
    const std::lock_guard lock(engine_mutex_);
    engine_ = std::move(engine);
    return {};
}

/// Restores the executor's state. `own`: the part of the state that the process has in memory.
Result<void> Server::restore(segment::Executor& executor, const control::Restore& from, Snapshots::Tensors own) {
    DIVISI_ASSIGN(auto tensors, read_snapshots(config_.blobs, from));
    std::move(own.begin(), own.end(), std::back_inserter(tensors));
    std::string blobs;
    for (const std::string& hash : from.hashes) blobs += " " + hash;
    if (auto restored = executor.restore(state_of(plan_->graph(), std::move(tensors))); !restored) {
        Error error = std::move(restored).error();
        error.what += " in the snapshots of step " + std::to_string(from.step) + " (blobs" + blobs + ")";
        error.next = "go back to an older checkpoint, or start the task again";
        return error;
    }
    record_.add_event("restored", "after step " + std::to_string(from.step) + blobs);
    return {};
}

/// Sets up the snapshots of a stage that trains; a batch task does not change its segments.
Result<void> Server::begin_snapshots() {
    using Every = task::CheckpointRule::Every;
    DIVISI_ASSIGN(const task::CheckpointRule rule, task::checkpoint_rule(plan_->spec.checkpoint));
    const plan::RunLength& length = plan_->programs->length;
    const auto write = [this](std::int64_t step, const Snapshots::Tensors& tensors) {
        return write_snapshot(config_.data / ("snapshot-" + std::to_string(step) + ".sqlite"), config_.blobs, tensors);
    };
    const auto report = [this](control::SnapshotTaken snapshot) {
        post(control::instance::SnapshotWritten{std::move(snapshot)});
    };
    snapshots_ = std::make_unique<StageSnapshots>(
        SnapshotSteps::Run{length.first_step, length.last_step, rule.every == Every::steps ? rule.count : 0},
        loop_.clock(), write, report);
    return {};
}

Kept Server::give_kept() {
    if (Engine* running = engine()) running->stop();
    worker_.join();
    next_plan_.join();
    if (snapshots_) snapshots_->finish();
    return {give_segment(), give_trained(), plans_.take_plans(), plans_.take_built()};
}

std::optional<KeptSegment> Server::give_segment() {
    if (!engine_ || !engine_->executor() || segment_key_.group.empty()) return std::nullopt;
    return KeptSegment{segment_key_, engine_->take_executor()};
}

/// Returns the segment of a training task if its state is the state at the end of a step with a durable snapshot.
std::optional<TrainedSegment> Server::give_trained() {
    if (!engine_ || !engine_->executor() || task::is_batch(plan_->spec)) return std::nullopt;
    const auto stands = engine_->stands_after();
    const std::string snapshot = stands && snapshots_ ? snapshots_->durable_after(*stands) : "";
    if (snapshot.empty()) return std::nullopt;
    return TrainedSegment{plan_->spec, deploy_.skeleton, segment_config(*plan_, deploy_.stage), snapshot,
                          engine_->take_executor()};
}

void Server::run(const control::instance::Run& what) {
    worker_.start([this, what] {
        const std::string me = config_.instance.value();
        const auto ran = guard(me + ": running", [&] { return engine_->run({what.eval_microbatches, what.samples}); });
        if (!ran) return post(control::instance::WorkFailed{ran.error()});
        if (engine_->stopped()) return;
        const auto stored =
            task::is_batch(plan_->spec)
                ? guard(me + ": storing the results",
                        [&] { return store_results(engine_->results_step(), config_.data, config_.blobs); })
                : guard(me + ": storing the weights",
                        [&] { return store_weights(*plan_, engine_->executor(), config_.data, config_.blobs); });
        loop_.post([this] { report_load(); });  // reports the final counts of bytes sent and received
        if (stored) post(control::instance::RunFinished{*stored});
        else post(control::instance::WorkFailed{stored.error()});
    });
}

void Server::take_snapshot(std::int64_t step) {
    if (snapshots_) return snapshots_->order(step);
    control::SnapshotTaken none;
    none.step = step;
    none.error = Error{ErrorCode::conflict, "the instance has no state to save", config_.instance.value(),
                       "order snapshots of stages that train"};
    post(control::instance::SnapshotWritten{std::move(none)});
}

Engine* Server::engine() {
    const std::lock_guard lock(engine_mutex_);
    return engine_.get();
}

void Server::end_work() {
    if (Engine* running = engine()) running->stop();
}

Bytes Server::resident_bytes() {
    std::ifstream stream("/proc/self/statm");
    std::int64_t total = 0, resident = 0;
    stream >> total >> resident;
    return resident * ::sysconf(_SC_PAGESIZE);
}

void Server::report_load() {
    if (life_->state() != control::InstanceState::running) return;
    control::InstanceLoad load = engine_->measure();
    load.instance = config_.instance;
    load.resident = resident_bytes();
    load.duplicates = static_cast<std::int64_t>(port_->counters().duplicates);
    const Mailbox::Awaited awaited = engine_->awaited();
    for (const std::int32_t end : awaited.ends) load.waits_for.push_back(peers_.at(end).instance);
    load.waits_ms = awaited.time / std::chrono::milliseconds(1);
    metrics_.set_load(load);
    feed(control::instance::LoadMeasured{load});
}

/// Opens the port for the figures. If the port cannot be opened, the instance reports this and works without it.
void Server::open_figures() {
    if (config_.metrics.empty()) return;
    if (auto opened = metrics_.open(config_.metrics, config_.instance); !opened)
        return post(control::instance::NonFatalError{opened.error()});
    show_figures();
    loop_.every(figures_interval, [this] { show_figures(); });
}

void Server::show_figures() {
    InstanceFigures shown;
    shown.instance = config_.instance;
    shown.sid = config_.sid;
    shown.connected = orchestrator_.up();
    shown.state = life_->state();
    shown.generation = deploy_.task.value().empty() ? 0 : deploy_.generation;
    shown.resident = resident_bytes();
    shown.data = port_->counters();
    shown.unacknowledged = port_->unacknowledged();
    if (const Engine* running = engine()) shown.work = running->work();
    metrics_.show(std::move(shown));
}

/// Passes a gateway's order to the engine: the micro-batches that this data instance must send to a stage.
void Server::ordered(const frame::FrameHeader& header, const frame::Demand& demand) {
    Engine* running = engine();
    if (!running || deploy_.stage != control::dealt_stage) return;  // ignored: the gateway repeats its order
    if (header.key.task != task_flow_ || header.key.generation != deploy_.generation) return;
    for (const std::int32_t stage : peers_.stages_of(header.source.sid)) running->order(header.source, stage, demand);
}

// --- the engine's thread ----------------------------------------------------------------------

/// Makes the outlet of the engine. Its frames pass through the loop, whose thread has the sockets.
void Server::open_outlet() {
    TensorOutlet::Port port;
    port.send = [this](const Sid& peer, frame::TensorFrame frame) {
        loop_.post([this, peer, frame = std::move(frame)] { send(peer, frame); });
    };
    port.offer = [this](const Sid& peer, const frame::TensorKey& key, const frame::ContentKey& content) {
        loop_.post([this, peer, key, content] {
            if (auto offered = port_->offer(peer, key, content); !offered)
                feed(control::instance::WorkFailed{offered.error()});
        });
    };
    port.release = [this](const frame::TensorKey& key) { loop_.post([this, key] { port_->release(key); }); };
    port.ask = [this](std::vector<frame::DataPlace> places, std::int64_t bytes) {
        loop_.post([this, places = std::move(places), bytes]() mutable {
            port_->ask(Sid(deploy_.task.value() + "/data"), task_flow_, deploy_.generation, std::move(places),
                       static_cast<std::uint64_t>(bytes));
        });
    };
    outlet_ = std::make_unique<TensorOutlet>(plan_, task_flow_, deploy_.generation, peers_.sids(), std::move(port));
}

/// Sends a frame, on the loop's thread.
void Server::send(const Sid& peer, const frame::TensorFrame& frame) {
    auto sent = port_->send(peer, frame);
    // A duplicate is not an error. A micro-batch can be assigned to another instance and then to this one again, while
    // its first tensor is still in transit.
    if (!sent && deploy_.stage == control::dealt_stage && sent.error().code == ErrorCode::conflict) return;
    if (!sent) feed(control::instance::WorkFailed{sent.error()});
}

void Server::operation_ended(const OperationTimes& times) {
    if (trace_) trace_->write(times);
    record_.operation_ended(times);
    spans_.operation_ended(times, plan_->programs->length.microbatches);
}

void Server::passed(const Passed& step) {
    if (auto spans = spans_.passed(step.step)) post(control::instance::SpansMeasured{*std::move(spans)});
    record_.passed(deploy_.generation, step);
}

void Server::stepped(std::int64_t step, const segment::Executor& executor) {
    if (!snapshots_) return;
    snapshots_->step_ended(step, [&]() -> Result<Snapshots::Tensors> {
        DIVISI_ASSIGN(auto state, executor.state());
        return named_state(plan_->graph(), std::move(state));
    });
}

void Server::step_done(const control::StepRecord& record) { post(control::instance::StepFinished{record}); }
void Server::evaluated(const control::EvalRecord& record) { post(control::instance::EvalFinished{record}); }
void Server::trouble(const Error& error) { post(control::instance::NonFatalError{error}); }

}  // namespace divisi::instance
