// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "agents/instance/engine.h"
#include "agents/instance/figures_port.h"
#include "agents/instance/instance_figures.h"
#include "agents/instance/kept_segment.h"
#include "agents/instance/snapshots.h"
#include "agents/instance/span_sampler.h"
#include "agents/instance/state_rows.h"
#include "agents/instance/state_writer.h"
#include "agents/instance/trace.h"
#include "agents/instance/trained_segment.h"
#include "backend/control/agent/instance_life.h"
#include "backend/link/agent_link.h"
#include "backend/link/data_port.h"
#include "backend/link/sockets.h"
#include "backend/link/zmq_transport.h"

namespace divisi::instance {

struct ServerConfig {
    InstanceId instance;
    Sid sid;
    std::filesystem::path connection_file;
    link::Connection orchestrator;
    link::SocketSecurity security;
    std::string listen;           ///< ipc: folder for the data sockets; tcp: address of this machine
    std::filesystem::path data;   ///< this instance's folder
    std::filesystem::path blobs;  ///< the node's blob store
    std::filesystem::path store;  ///< file for the SID's state; empty: no state is stored
    std::string fingerprint;
    /// folder for the file that names its metrics port; empty: no metrics are served
    std::filesystem::path metrics = {};
};

/// One microservice instance as a process. The loop's thread has the sockets and the life cycle. A second thread loads
/// the segment and runs the engine. They communicate only by posted calls and the engine's mailbox.
class Server final : private Outlet, private Listener {
public:
    /// `kept`: what the previous instance of the process loaded and compiled.
    Server(link::EventLoop& loop, link::Context& context, ServerConfig config, Kept kept = {});
    ~Server() override;

    Result<void> start();
    void terminate();
    int exit_status() const { return exit_status_; }
    /// Returns what it has loaded and compiled, for the next instance of the process. Call it after the loop has ended;
    /// the instance cannot be used afterwards.
    Kept give_kept();

private:
    // Outlet and Listener, called on the engine's thread.
    void operation_ended(const OperationTimes& times) override;
    void passed(const Passed& step) override;
    void stepped(std::int64_t step, const segment::Executor& executor) override;
    void send(const plan::TensorKey& key, graph::HostTensor tensor) override;
    void send(const plan::TensorKey& key, graph::HostTensor tensor, const frame::ContentKey& content) override;
    void offer(const plan::TensorKey& key, const frame::ContentKey& content) override;
    void release(const plan::TensorKey& key) override;
    void ask(std::vector<frame::DataPlace> places, std::int64_t bytes) override;
    void step_done(const control::StepRecord& record) override;
    void evaluated(const control::EvalRecord& record) override;
    void trouble(const Error& error) override;

    // Called on the loop's thread.
    void feed(const control::instance::Input& input);
    void post(control::instance::Input input);
    void prepare(const control::instance::Prepare& what);
    void warm_up(const control::Deploy& deploy);
    void prepare_plan(const control::PreparePlan& order);  // this and what it calls: next_plan.cpp
    std::optional<KeptSegment> give_segment();
    std::optional<TrainedSegment> give_trained();
    void connect(const control::Peers& peers);
    void part_from_others(const std::vector<control::Peer>& peers);
    void ordered(const frame::FrameHeader& header, const frame::Demand& demand);
    void allow(const control::Peer& peer);
    void allow_gateway(const std::string& key);
    void allow(const Sid& sid, const std::string& key, const std::string& name);
    void run(const control::instance::Run& what);
    void take_snapshot(std::int64_t step);
    void measure_spans(const control::instance::MeasureSpans& what);
    void end_work();
    void open_store();
    void keep(const control::instance::Input& input);
    void keep_hardware();
    Engine* engine();  ///< thread-safe; null until the segment is loaded
    void report_load();
    static Bytes resident_bytes();
    void open_figures();  // this and what it calls: server_figures.cpp
    void show_figures();
    link::AgentLink::Events events();

    // Called on the worker's thread.
    Result<void> load(const control::instance::Prepare& what);
    Result<std::shared_ptr<const task::CompiledPlan>> compiled(const control::Deploy& deploy);
    void forget_plans_but(const control::Deploy& deploy);
    std::shared_ptr<const task::CompiledPlan> known(const control::Deploy& deploy);
    std::unique_ptr<segment::Executor> take_loaded(const control::Deploy& deploy);
    std::optional<BuiltSegment> take_built();
    std::unique_ptr<segment::Executor> take_built(const control::Deploy& deploy,
                                                  const std::shared_ptr<const task::CompiledPlan>& plan);
    segment::WeightReader weight_reader(std::shared_ptr<const task::CompiledPlan> plan) const;
    Result<Snapshots::Tensors> take_state(control::Restore& rest);
    Result<void> restore(segment::Executor& executor, const control::Restore& from, Snapshots::Tensors own);
    void note_kept(const control::Restore& restore);
    Result<void> begin_snapshots();
    SegmentKey segment_key(const control::Deploy& deploy) const;
    Result<control::WeightsStored> store_weights();
    Result<control::WeightsStored> store_results();
    Result<void> keep(const std::filesystem::path& file, control::WeightsStored& stored) const;

    // Called on the preparer's thread.
    Result<std::string> prepare_next(const control::PreparePlan& order);
    Result<void> build_ahead(std::int32_t stage, const std::shared_ptr<const task::CompiledPlan>& plan);

    Result<control::RegisterInstance> open_data_port();
    frame::TensorKey frame_key(const plan::TensorKey& key) const;
    const control::Peer& peer_at(std::int32_t end) const;
    void send(std::int32_t consumer, frame::TensorFrame frame);
    std::set<std::int32_t> far_channels(const control::Peers& peers) const;

    link::EventLoop& loop_;
    link::Context& context_;
    ServerConfig config_;
    link::ZmqTransport transport_;
    std::unique_ptr<link::DataPort> port_;
    std::unique_ptr<control::InstanceLife> life_;
    link::AgentLink orchestrator_;
    std::string told_;  ///< the last connection problem that was printed
    int exit_status_ = 0;

    control::Deploy deploy_;
    std::map<std::int32_t, control::Peer> peers_;  ///< by stage, and by plan::data_unit
    std::set<Sid> data_peers_;                     ///< dealt data instances; they come and go
    std::map<Sid, std::string> peer_keys_;  ///< key of the sender of each peer's tensors: the peer or our gateway
    std::shared_ptr<const task::CompiledPlan> plan_;
    std::mutex engine_mutex_;  ///< for engine_: the worker sets it, the worker and the loop read it
    std::unique_ptr<Engine> engine_;
    SegmentKey segment_key_;      ///< identifies the loaded segment; used by the worker
    Kept kept_;                   ///< segments: used by the worker until one is loaded; plans: all that are compiled
    std::mutex plans_mutex_;      ///< for the plans and built segments, which the worker and the preparer use
    std::thread preparer_;        ///< compiles the task's next plan and builds its segment
    std::optional<Trace> trace_;  ///< used by the worker
    std::unique_ptr<StateWriter> keeper_;
    std::unique_ptr<Snapshots> snapshots_;  ///< for a training; made by the worker while it prepares
    std::mutex durable_mutex_;
    std::pair<std::int64_t, std::string> durable_;  ///< step and hash of the last snapshot; guarded by durable_mutex_
    OperationMeans means_;
    std::unique_ptr<FiguresPort> figures_;       ///< null if not requested
    std::optional<control::InstanceLoad> load_;  ///< the last measurement
    SnapshotTotals snapshot_totals_;
    SpanSampler spans_;  ///< used by the worker
    /// How often to sample spans, and until when. Set by the loop's thread, read at each operation.
    std::atomic<std::int64_t> span_every_ = 0, span_until_ns_ = 0;
    TimePoint passed_at_{};  ///< end of the last step; used by the worker
    std::thread worker_;
    std::uint64_t task_flow_ = 0;
};

}  // namespace divisi::instance
