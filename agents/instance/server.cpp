// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/server.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "agents/instance/files.h"
#include "agents/instance/guard.h"
#include "agents/instance/snapshot_file.h"
#include "agents/segment/warm_up.h"
#include "backend/base/version.h"
#include "backend/onnx/skeleton.h"
#include "backend/store/tensor_file.h"
#include "backend/task/checkpoint_rule.h"
#include "backend/task/model_source.h"
#include "backend/task/parse.h"
#include "backend/task/schema.h"

namespace divisi::instance {
namespace {

using graph::HostTensor;
using plan::Channel;

constexpr const char* results_name = "results.csv";
constexpr Duration load_interval = std::chrono::milliseconds(500);
constexpr Duration hardware_interval = std::chrono::seconds(10);
constexpr Duration answer_deadline = std::chrono::seconds(20);

frame::FrameKind frame_kind(const Channel& channel) {
    switch (channel.kind) {
        case Channel::Kind::value:
            return channel.from == plan::data_unit ? frame::FrameKind::input : frame::FrameKind::activation;
        case Channel::Kind::gradient: return frame::FrameKind::gradient;
        case Channel::Kind::use_gradients: return frame::FrameKind::weight_use_gradient;
        case Channel::Kind::norm_shares: return frame::FrameKind::norm_share;
    }
    return frame::FrameKind::activation;
}

Result<task::CompiledPlan> compile_plan(const control::Deploy& deploy) {
    DIVISI_ASSIGN(const task::TaskSpec spec, task::parse_task(deploy.text, deploy.task.value()));
    DIVISI_ASSIGN(const graph::Graph model, task::load_model(spec, [&] {
                      return onnx::load_skeleton(std::as_bytes(std::span(deploy.skeleton)), spec.model.onnx);
                  }));
    task::CompileOptions options;
    options.task = deploy.task.value();
    return task::compile(spec, model, options);
}

}  // namespace

Server::Server(link::EventLoop& loop, link::Context& context, ServerConfig config, Kept kept)
    : loop_(loop),
      context_(context),
      config_(std::move(config)),
      transport_(context, loop, config_.security.keys),
      orchestrator_(loop, transport_, config_.orchestrator, {"divisi-instance", version, control::Role::agent},
                    answer_deadline),
      kept_(std::move(kept)) {}

Server::~Server() {
    if (Engine* running = engine()) running->stop();
    if (worker_.joinable()) worker_.join();
    if (preparer_.joinable()) preparer_.join();
    snapshots_.reset();
    keep_hardware();
}

Result<void> Server::start() {
    DIVISI_ASSIGN(control::RegisterInstance registration, open_data_port());
    life_ = std::make_unique<control::InstanceLife>(std::move(registration));
    open_store();
    orchestrator_.start(events());
    loop_.every(control::heartbeat_interval, [this] { feed(control::instance::Tick{}); });
    loop_.every(load_interval, [this] { report_load(); });
    open_figures();
    loop_.every(hardware_interval, [this] { keep_hardware(); });
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
    const bool ipc = link::is_ipc(config_.orchestrator.endpoint);
    char name[20];
    std::snprintf(name, sizeof name, "%016llx",
                  static_cast<unsigned long long>(frame::flow_id(config_.instance.value())));
    const std::string endpoint = ipc ? "ipc://" + config_.listen + "/i-" + name : "tcp://" + config_.listen + ":0";
    control::RegisterInstance registration;
    // A tcp cluster's connection file names its address; the node passed this machine's address.
    DIVISI_ASSIGN(registration.data_endpoint, port_->listen(endpoint, !ipc));
    registration.instance = config_.instance;
    registration.sid = config_.sid;
    if (!ipc) registration.data_key = config_.security.keys->public_key;
    registration.fingerprint = config_.fingerprint;
    registration.pid = ::getpid();
    return registration;
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
        // A restarted orchestrator may have another address.
        if (auto connection = link::read_connection(config_.connection_file); connection)
            orchestrator_.retarget(*connection);
    };
    return events;
}

void Server::post(control::instance::Input input) {
    loop_.post([this, input = std::move(input)] { feed(input); });
}

void Server::feed(const control::instance::Input& input) {
    if (keeper_) keep(input);
    if (const auto* snapshot = get_if<control::instance::SnapshotWritten>(&input))
        snapshot_totals_.add(snapshot->snapshot);
    const control::instance::Output output = life_->step(input, loop_.clock().now());
    for (const auto& up : output.sends) orchestrator_.send(up.correlation, up.message);
    if (output.prepare) prepare(*output.prepare);
    if (output.warm_up) warm_up(output.warm_up->deploy);
    if (output.reconnect) connect(output.reconnect->peers);
    if (output.run) run(*output.run);
    // Hold before ordering the snapshot: the step that ends with the snapshot may end at any moment.
    if (Engine* running = output.hold ? engine() : nullptr) running->hold(*output.hold);
    if (output.take_snapshot) take_snapshot(*output.take_snapshot);
    if (output.measure_spans) measure_spans(*output.measure_spans);
    if (output.prepare_plan) prepare_plan(*output.prepare_plan);
    if (output.end_work) end_work();
    if (output.exit) {
        exit_status_ = *output.exit;
        loop_.stop();
    }
}

// --- its store ---------------------------------------------------------------------------------

/// Opens the store. Training does not depend on it: without a store it continues, and the problem is reported.
void Server::open_store() {
    if (config_.store.empty()) return;
    const auto open = [&] {
        return store::InstanceStore::open(config_.store, config_.sid, control::incarnation_of(config_.instance),
                                          loop_.clock().now());
    };
    auto store = open();
    if (!store && store.error().code == ErrorCode::corrupt) {
        // Keep the damaged file for inspection, and begin a new one.
        post(control::instance::NonFatalError{store.error()});
        std::error_code ignored;
        std::filesystem::rename(config_.store, config_.store.string() + ".damaged", ignored);
        for (const char* beside : {"-wal", "-shm"}) std::filesystem::remove(config_.store.string() + beside, ignored);
        store = open();
    }
    if (!store) return post(control::instance::NonFatalError{store.error()});
    keeper_ = std::make_unique<StateWriter>(
        std::move(*store), [this](const Error& error) { post(control::instance::NonFatalError{error}); });
    keep_hardware();
}

void Server::keep(const control::instance::Input& input) {
    const TimePoint now = loop_.clock().now();
    if (const auto* told = get_if<control::instance::FromOrchestrator>(&input)) {
        if (auto order = order_of(told->message, "orchestrator at " + config_.orchestrator.endpoint, now))
            keeper_->write(std::move(*order));
    } else if (auto event = event_of(input, now)) {
        keeper_->write(std::move(*event));
    }
}

void Server::keep_hardware() {
    if (!keeper_) return;
    store::Hardware hardware{loop_.clock().now(), means_.means()};
    hardware.parameters["fingerprint"] = config_.fingerprint;
    hardware.parameters["processors"] = std::to_string(std::thread::hardware_concurrency());
    if (const char* threads = std::getenv("OMP_NUM_THREADS")) hardware.parameters["threads"] = threads;
    keeper_->write(std::move(hardware));
}

// --- preparing and running --------------------------------------------------------------------

void Server::prepare(const control::instance::Prepare& what) {
    deploy_ = what.deploy;
    if (keeper_) keeper_->write(deployment_of(deploy_, what.peers, loop_.clock().now()));
    task_flow_ = frame::flow_id(deploy_.task);
    for (const control::Peer& peer : what.peers.peers) peers_[peer.stage] = peer;
    // Without a separate instance, the data unit runs on the first stage.
    if (!peers_.contains(plan::data_unit)) peers_[plan::data_unit] = peers_[0];
    if (deploy_.lease > 0)
        port_->hold({deploy_.lease,
                     deploy_.share,
                     static_cast<std::uint32_t>(deploy_.terms.threads),
                     deploy_.terms.device,
                     {}});
    port_->enter(task_flow_, deploy_.generation);
    connect(what.peers);
    worker_ = std::thread([this, what] {
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

/// Prepares a standby: compiles the task and initialises LibTorch. The segment to load is not known yet.
void Server::warm_up(const control::Deploy& deploy) {
    deploy_ = deploy;
    worker_ = std::thread([this, deploy] {
        const auto warm = guard(config_.instance.value() + ": standing by", [&]() -> Result<std::string> {
            DIVISI_ASSIGN(const auto plan, compiled(deploy));
            const task::PlaceSection& place = plan->spec.place;
            DIVISI_TRY(segment::warm_up(place.device, static_cast<int>(place.threads)));
            return plan->hash;
        });
        if (!warm) return post(control::instance::WorkFailed{warm.error()});
        post(control::instance::Prepared{*warm});
    });
}

void Server::connect(const control::Peers& peers) {
    allow_gateway(peers.gateway_key);
    for (const control::Peer& peer : peers.peers) {
        if (peer.instance == config_.instance) continue;
        allow(peer);
        port_->connect(peer.sid, control::incarnation_of(peer.instance), peer.data_endpoint, peer.data_key);
    }
    part_from_others(peers.peers);
    port_->set_gateway(peers.gateway, peers.gateway_key);
}

/// Disconnects data instances that have ended.
void Server::part_from_others(const std::vector<control::Peer>& peers) {
    std::set<Sid> present;
    for (const control::Peer& peer : peers)
        if (peer.stage == control::dealt_stage && peer.instance != config_.instance) present.insert(peer.sid);
    for (const Sid& sid : std::exchange(data_peers_, present))
        if (!present.contains(sid)) port_->disconnect(sid);
}

/// Allows the peer's key; revokes the key of a gateway that was replaced.
void Server::allow(const control::Peer& peer) { allow(peer.sid, peer.data_key, peer.instance.value()); }

/// Allows the gateway's key. A gateway brings the demands of consumers to a data instance, even if all of them are in
/// one MIC.
void Server::allow_gateway(const std::string& key) { allow(Sid("gateway"), key, "gateway"); }

void Server::allow(const Sid& sid, const std::string& key, const std::string& name) {
    const std::string before = std::exchange(peer_keys_[sid], key);
    const auto has = [](const std::string& one) { return [&one](const auto& entry) { return entry.second == one; }; };
    if (!before.empty() && std::none_of(peer_keys_.begin(), peer_keys_.end(), has(before)))
        context_.access_list().revoke(before);
    if (!key.empty()) context_.access_list().allow(key, {name, control::Role::agent});
}

/// Returns the compiled plan; null if the process has not compiled it yet.
std::shared_ptr<const task::CompiledPlan> Server::known(const control::Deploy& deploy) {
    const std::lock_guard lock(plans_mutex_);
    const auto found = std::ranges::find_if(kept_.plans, [&](const KeptPlan& one) { return one.is_of(deploy); });
    return found == kept_.plans.end() ? nullptr : found->plan;
}

/// Compiles a plan of a task once in the life of the process, whichever instances of it the process plays.
Result<std::shared_ptr<const task::CompiledPlan>> Server::compiled(const control::Deploy& deploy) {
    if (auto plan = known(deploy)) return plan;
    DIVISI_ASSIGN(task::CompiledPlan made, compile_plan(deploy));
    auto plan = std::make_shared<const task::CompiledPlan>(std::move(made));
    const std::lock_guard lock(plans_mutex_);
    kept_.plans.push_back({deploy.task, deploy.text, deploy.skeleton, plan});
    return plan;
}

/// Returns the loaded segment that this instance can reuse unchanged; null if it has to load one. For a training, no
/// state has to be restored then.
std::unique_ptr<segment::Executor> Server::take_loaded(const control::Deploy& deploy) {
    auto batch = std::exchange(kept_.segment, std::nullopt);
    if (batch && !segment_key_.group.empty() && batch->key == segment_key_) return std::move(batch->executor);
    std::optional<TrainedSegment>& trained = kept_.trained;
    if (trained && (deploy.stage < 0 || !trained->is_begun_with(deploy, *plan_))) trained.reset();
    if (!trained || !trained->is(segment_config(*plan_, deploy.stage))) return nullptr;
    auto executor = std::move(trained->executor);
    trained.reset();
    return executor;
}

/// Returns the state in memory of a differently cut segment, so that it need not come from a file.
Result<Snapshots::Tensors> Server::take_state(control::Restore& rest) {
    auto trained = std::exchange(kept_.trained, std::nullopt);
    if (!trained) return Snapshots::Tensors();
    DIVISI_ASSIGN(auto state, trained->executor->state());
    std::erase(rest.hashes, trained->snapshot);
    return named_state(*trained->config.graph, std::move(state));
}

Result<void> Server::load(const control::instance::Prepare& what) {
    DIVISI_ASSIGN(plan_, compiled(what.deploy));
    forget_plans_but(what.deploy);
    auto built = take_built(what.deploy, plan_);
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
    config.far_channels = far_channels(what.peers);
    config.fingerprint = config_.fingerprint;
    config.restored = restored.step > 0;
    if (config.data) {
        DIVISI_ASSIGN(config.dataset, dataset_spec(*plan_, [&](const std::string& purpose, const std::string& path) {
                          return local_path(what.deploy, config_.blobs, purpose, path);
                      }));
    }
    config.read_weight = weight_reader(plan_);
    trace_ = Trace::from_environment(config_.instance.value());
    segment_key_ = segment_key(what.deploy);
    std::unique_ptr<segment::Executor> loaded = take_loaded(what.deploy);
    const bool goes_on = loaded && restored.step > 0;
    control::Restore rest = restored;
    DIVISI_ASSIGN(auto own, take_state(rest));  // before another segment takes its memory
    if (!loaded) loaded = std::move(built);
    built.reset();
    auto engine = std::make_unique<Engine>(std::move(config), loop_.clock(), static_cast<Outlet&>(*this),
                                           static_cast<Listener&>(*this));
    DIVISI_TRY(engine->prepare(std::move(loaded)));
    if (goes_on) note_kept(restored);
    else if (restored.step > 0 && engine->executor()) DIVISI_TRY(restore(*engine->executor(), rest, std::move(own)));
    if (engine->executor() && !task::is_batch(plan_->spec)) DIVISI_TRY(begin_snapshots());
    const std::lock_guard lock(engine_mutex_);
    engine_ = std::move(engine);
    return {};
}

/// Returns a reader of the task's weights file. Only stages that have such weights call it; nodes of other stages need
/// no copy of the file.
segment::WeightReader Server::weight_reader(std::shared_ptr<const task::CompiledPlan> plan) const {
    return [this, plan = std::move(plan)](const graph::Initializer& initializer) -> Result<HostTensor> {
        DIVISI_ASSIGN(const std::string file, local_path(deploy_, config_.blobs, "weights", ""));
        const graph::Graph& graph = plan->graph();
        return onnx::read_weight(graph, static_cast<std::size_t>(&initializer - graph.initializers.data()), file);
    };
}

void Server::note_kept(const control::Restore& restore) {
    if (keeper_)
        keeper_->write(store::EventRow{loop_.clock().now(), "kept", "after step " + std::to_string(restore.step)});
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
    if (keeper_)
        keeper_->write(
            store::EventRow{loop_.clock().now(), "restored", "after step " + std::to_string(from.step) + blobs});
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
        if (!snapshot.error) {
            const std::lock_guard lock(durable_mutex_);
            durable_ = {snapshot.step, snapshot.hash};
        }
        post(control::instance::SnapshotWritten{std::move(snapshot)});
    };
    snapshots_ = std::make_unique<Snapshots>(
        SnapshotSteps::Run{length.first_step, length.last_step, rule.every == Every::steps ? rule.count : 0},
        loop_.clock(), write, report);
    return {};
}

SegmentKey Server::segment_key(const control::Deploy& deploy) const {
    SegmentKey key{task::group_hash(*plan_), deploy.skeleton, "", deploy.stage};
    const bool apart = std::ranges::any_of(deploy.files, [](const auto& file) { return file.purpose == "weights"; });
    // A node has no copy if its stages read none of these weights.
    if (!apart) return key;
    if (auto file = local_path(deploy, config_.blobs, "weights", ""); file) key.weights = std::move(*file);
    return key;
}

Kept Server::give_kept() {
    if (Engine* running = engine()) running->stop();
    if (worker_.joinable()) worker_.join();
    if (preparer_.joinable()) preparer_.join();
    snapshots_.reset();
    return {give_segment(), give_trained(), std::move(kept_.plans), std::move(kept_.built)};
}

std::optional<KeptSegment> Server::give_segment() {
    if (!engine_ || !engine_->executor() || segment_key_.group.empty()) return std::nullopt;
    return KeptSegment{segment_key_, engine_->take_executor()};
}

/// Returns the segment of a training if its state is that of the end of a step with a durable snapshot.
std::optional<TrainedSegment> Server::give_trained() {
    if (!engine_ || !engine_->executor() || task::is_batch(plan_->spec)) return std::nullopt;
    const auto stands = engine_->stands_after();
    if (!stands || *stands != durable_.first || durable_.second.empty()) return std::nullopt;
    return TrainedSegment{plan_->spec, deploy_.skeleton, segment_config(*plan_, deploy_.stage), durable_.second,
                          engine_->take_executor()};
}

void Server::run(const control::instance::Run& what) {
    worker_.join();  // preparation has ended
    worker_ = std::thread([this, what] {
        const std::string me = config_.instance.value();
        const auto ran = guard(me + ": running", [&] { return engine_->run({what.eval_microbatches, what.samples}); });
        if (!ran) return post(control::instance::WorkFailed{ran.error()});
        if (engine_->stopped()) return;
        const auto stored = task::is_batch(plan_->spec)
                                ? guard(me + ": storing the results", [&] { return store_results(); })
                                : guard(me + ": storing the weights", [&] { return store_weights(); });
        loop_.post([this] { report_load(); });  // reports the final counts of bytes sent and received
        if (stored) post(control::instance::RunFinished{*stored});
        else post(control::instance::WorkFailed{stored.error()});
    });
}

Result<control::WeightsStored> Server::store_weights() {
    control::WeightsStored stored;
    stored.step = plan_->spec.train.steps;
    segment::Executor* executor = engine_->executor();
    if (!executor) return stored;
    std::vector<store::NamedTensor> tensors;
    const graph::Graph& graph = plan_->graph();
    for (const std::int32_t initializer : executor->initializers()) {
        DIVISI_ASSIGN(HostTensor tensor, executor->read(initializer));
        const graph::ValueIndex value = graph.initializers[static_cast<std::size_t>(initializer)].value;
        tensors.push_back({graph.values[static_cast<std::size_t>(value)].name, std::move(tensor)});
    }
    const std::filesystem::path file = config_.data / ("weights-" + std::to_string(stored.step) + ".sqlite");
    DIVISI_ASSIGN(stored.size, store::write_tensors(file, tensors));
    DIVISI_TRY(keep(file, stored));
    return stored;
}

/// Stores the results of a batch task. Returns an empty record if there are none, as on most stages.
Result<control::WeightsStored> Server::store_results() {
    control::WeightsStored stored;
    const auto step = engine_->results_step();
    if (!step) return stored;
    const std::filesystem::path file = config_.data / results_name;
    stored.step = *step;
    stored.size = static_cast<Bytes>(std::filesystem::file_size(file));
    stored.results = true;
    DIVISI_TRY(keep(file, stored));
    return stored;
}

Result<void> Server::keep(const std::filesystem::path& file, control::WeightsStored& stored) const {
    DIVISI_ASSIGN(KeptFile kept, keep_as_blob(file, config_.blobs));
    stored.hash = std::move(kept.hash);
    stored.path = std::move(kept.path);
    return {};
}

void Server::take_snapshot(std::int64_t step) {
    if (snapshots_) return snapshots_->order(step);
    control::SnapshotTaken none;
    none.step = step;
    none.error = Error{ErrorCode::conflict, "nothing changes here from step to step", config_.instance.value(),
                       "order snapshots of stages that train"};
    post(control::instance::SnapshotWritten{std::move(none)});
}

void Server::measure_spans(const control::instance::MeasureSpans& what) {
    span_every_ = what.every;
    span_until_ns_ = (loop_.clock().now() + control::span_watch).time_since_epoch().count();
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
    const Engine::Awaited awaited = engine_->awaited();
    for (const std::int32_t end : awaited.ends) load.waits_for.push_back(peer_at(end).instance);
    load.waits_ms = awaited.time / std::chrono::milliseconds(1);
    load_ = load;
    feed(control::instance::LoadMeasured{load});
}

// --- the engine's thread ----------------------------------------------------------------------

const control::Peer& Server::peer_at(std::int32_t end) const { return peers_.at(end); }

frame::TensorKey Server::frame_key(const plan::TensorKey& key) const {
    const Channel& channel = plan_->programs->channels[static_cast<std::size_t>(key.channel)];
    return {task_flow_, deploy_.generation, frame_kind(channel), static_cast<std::uint32_t>(key.channel),
            key.step,   key.microbatch};
}

/// Returns the channels of this instance whose other end is behind the gateway of its MIC.
std::set<std::int32_t> Server::far_channels(const control::Peers& peers) const {
    std::set<std::int32_t> far;
    const auto& channels = plan_->programs->channels;
    for (std::size_t number = 0; number < channels.size(); ++number) {
        if (channels[number].from != deploy_.stage || peers.gateway.empty()) continue;
        const auto peer = peers_.find(channels[number].to);
        if (peer != peers_.end() && peer->second.data_endpoint == peers.gateway)
            far.insert(static_cast<std::int32_t>(number));
    }
    return far;
}

void Server::send(const plan::TensorKey& key, HostTensor tensor) {
    frame::TensorFrame frame;
    frame.key = frame_key(key);
    frame.tensor = std::move(tensor);
    send(plan_->programs->channels[static_cast<std::size_t>(key.channel)].to, std::move(frame));
}

void Server::send(const plan::TensorKey& key, HostTensor tensor, const frame::ContentKey& content) {
    frame::TensorFrame frame;
    frame.key = frame_key(key);
    frame.tensor = std::move(tensor);
    frame::set_content(frame.routing, content);
    send(plan_->programs->channels[static_cast<std::size_t>(key.channel)].to, std::move(frame));
}

void Server::offer(const plan::TensorKey& key, const frame::ContentKey& content) {
    const Channel& channel = plan_->programs->channels[static_cast<std::size_t>(key.channel)];
    loop_.post([this, peer = peer_at(channel.to).sid, key = frame_key(key), content] {
        if (auto offered = port_->offer(peer, key, content); !offered)
            feed(control::instance::WorkFailed{offered.error()});
    });
}

void Server::send(std::int32_t consumer, frame::TensorFrame frame) {
    loop_.post([this, peer = peer_at(consumer).sid, frame = std::move(frame)] {
        auto sent = port_->send(peer, frame);
        // A micro-batch that was dealt to another instance meanwhile may be dealt to this one again while its first
        // tensor is still on its way.
        if (!sent && deploy_.stage == control::dealt_stage && sent.error().code == ErrorCode::conflict) return;
        if (!sent) feed(control::instance::WorkFailed{sent.error()});
    });
}

void Server::ask(std::vector<frame::DataPlace> places, std::int64_t bytes) {
    loop_.post([this, places = std::move(places), bytes]() mutable {
        port_->ask(Sid(deploy_.task.value() + "/data"), task_flow_, deploy_.generation, std::move(places),
                   static_cast<std::uint64_t>(bytes));
    });
}

/// Passes on a gateway's order of what this data instance is to send to a stage.
void Server::ordered(const frame::FrameHeader& header, const frame::Demand& demand) {
    Engine* running = engine();
    if (!running || deploy_.stage != control::dealt_stage) return;  // the gateway repeats the order
    if (header.key.task != task_flow_ || header.key.generation != deploy_.generation) return;
    for (const auto& [stage, peer] : peers_)
        if (stage >= 0 && frame::flow_id(peer.sid) == header.source.sid) running->order(header.source, stage, demand);
}

void Server::release(const plan::TensorKey& key) {
    loop_.post([this, sent = frame_key(key)] { port_->release(sent); });
}

void Server::operation_ended(const OperationTimes& times) {
    if (trace_) trace_->write(times);
    if (keeper_) means_.add(times);
    if (span_every_ > 0) spans_.watch(span_every_, TimePoint(Duration(span_until_ns_)));
    const bool of_step = times.ended.operation.microbatch < plan_->programs->length.microbatches;
    if (of_step) spans_.add(times.unit, times.ended);
}

void Server::passed(const Passed& step) {
    if (auto spans = spans_.passed(step.step)) post(control::instance::SpansMeasured{*std::move(spans)});
    if (!keeper_) return;
    const TimePoint now = loop_.clock().now();
    const TimePoint before = std::exchange(passed_at_, now);
    const double duration_ms = before == TimePoint() ? 0 : to_ms(now - before);
    keeper_->write(store::StepRow{deploy_.generation, step.step, now, duration_ms,
                                  step.loss ? std::optional<double>(*step.loss) : std::nullopt});
    keeper_->write(store::Progress{deploy_.generation, step.step, step.samples, now});
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
