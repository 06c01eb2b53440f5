// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/instance_process.h"

#include <sstream>

namespace divisi::sim {

using namespace control;
using std::chrono::milliseconds;

namespace {

constexpr Duration answer_deadline = std::chrono::seconds(20);
/// Two micro-batches in each direction.
constexpr std::size_t most_unacknowledged = 8;

}  // namespace

InstanceProcess::InstanceProcess(Surroundings around, Place place, InstanceId id, Events events)
    : Process(around, std::move(place)),
      id_(std::move(id)),
      events_(std::move(events)),
      port_(loop_, sockets(), sid_of(id_), incarnation_of(id_), port_events()),
      orchestrator_(loop_, sockets(), orchestrator_address, hello("divisi-instance", Role::agent), answer_deadline),
      tick_timer_(loop_),
      work_timer_(loop_),
      exit_timer_(loop_) {
    RegisterInstance registration;
    registration.instance = id_;
    registration.sid = sid_of(id_);
    registration.data_endpoint = port_.listen("mem://" + place_.process).value();
    registration.pid = place_.pid;
    life_.emplace(std::move(registration));
    orchestrator_.start(link_events());
    tick();
}

link::AgentLink::Events InstanceProcess::link_events() {
    link::AgentLink::Events events;
    events.up = [this] { feed(instance::Connected{}); };
    events.down = [this] { feed(instance::Disconnected{}); };
    events.message = [this](std::uint64_t correlation, const Message& message) {
        feed(instance::FromOrchestrator{correlation, message});
    };
    return events;
}

link::DataPort::Events InstanceProcess::port_events() {
    link::DataPort::Events events;
    events.tensor = [this](const frame::TensorFrame& frame) {
        if (engine_) engine_->deliver(frame);
    };
    events.released = [this](const frame::TensorKey& key) {
        if (engine_) engine_->freed(key);
    };
    events.trouble = [this](const Error& error) {
        if (life_) feed(instance::Trouble{error});
    };
    return events;
}

void InstanceProcess::tick() {
    tick_timer_.start(heartbeat_interval, [this] { tick(); });
    feed(instance::Tick{});
    watch().holds("the data port of " + place_.process, port_.unacknowledged(), most_unacknowledged);
    if (life_->state() != InstanceState::running) return;
    InstanceLoad load;
    load.instance = id_;
    load.step = engine_->step();
    feed(instance::LoadMeasured{load});
}

void InstanceProcess::feed(const instance::Input& input) {
    const instance::Output output = life_->step(input, loop_.now());
    for (const auto& up : output.sends) orchestrator_.send(up.correlation, up.message);
    if (output.prepare) prepare(*output.prepare);
    if (output.run) run();
    if (output.end_work && engine_) engine_->stop();
    if (output.exit && !exit_timer_.active())
        exit_timer_.start(milliseconds(20), [this, status = *output.exit] { events_.exit(status); });
}

void InstanceProcess::prepare(const instance::Prepare& what) {
    std::istringstream words(what.deploy.text);
    std::string name;
    words >> name >> stage_.stages >> stage_.steps;
    stage_.task = frame::flow_id(what.deploy.task);
    stage_.generation = what.deploy.generation;
    stage_.stage = what.deploy.stage;
    stage_.operation = world().between(milliseconds(5), milliseconds(25));
    plan_hash_ = what.deploy.plan_hash;
    if (what.peers.peers.size() != static_cast<std::size_t>(stage_.stages)) watch().violate("a peer is missing");
    port_.enter(stage_.task, stage_.generation);
    for (const control::Peer& peer : what.peers.peers) {
        peers_[peer.stage] = peer.sid;
        if (peer.instance != id_) port_.connect(peer.sid, incarnation_of(peer.instance), peer.data_endpoint);
    }
    engine_.emplace(loop_, stage_, outlet());
    work_timer_.start(world().between(milliseconds(10), milliseconds(1500)), [this] {
        if (!events_.work_fails()) return feed(instance::Prepared{plan_hash_});
        feed(instance::WorkFailed{{ErrorCode::failed, "cannot prepare", id_.value(), "try again"}});
    });
}

void InstanceProcess::run() { engine_->start(); }

StageEngine::Outlet InstanceProcess::outlet() {
    return {[this](std::int32_t stage, frame::TensorFrame frame) {
                const auto sent = port_.send(peers_.at(stage), std::move(frame));
                if (!sent) watch().violate(id_.value() + " cannot send: " + sent.error().message());
            },
            [this](const frame::TensorKey& key) { port_.release(key); },
            [this](std::int64_t step, float loss) {
                if (events_.work_fails()) {
                    engine_->stop();
                    return feed(instance::WorkFailed{{ErrorCode::failed, "cannot go on", id_.value(), "try again"}});
                }
                StepRecord record;
                record.step = step;
                record.loss = loss;
                record.generation = stage_.generation;
                feed(instance::StepFinished{record});
            },
            [this] {
                feed(instance::RunFinished{{TaskId(), id_, stage_.steps, "h", "p", 1}});
            },
            [this](const std::string& what) { watch().violate(id_.value() + ": " + what); }};
}

}  // namespace divisi::sim
