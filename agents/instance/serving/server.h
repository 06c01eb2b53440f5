// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "agents/instance/engine/engine.h"
#include "agents/instance/engine/trace.h"
#include "agents/instance/keeping/plan_cache.h"
#include "agents/instance/keeping/segment_cache.h"
#include "agents/instance/keeping/stage_snapshots.h"
#include "agents/instance/keeping/state_record.h"
#include "agents/instance/serving/instance_metrics.h"
#include "agents/instance/serving/job_thread.h"
#include "agents/instance/serving/next_plan.h"
#include "agents/instance/serving/peer_table.h"
#include "agents/instance/serving/span_watch.h"
#include "agents/instance/serving/tensor_outlet.h"
#include "backend/control/agent/instance_life.h"
#include "backend/link/agent_link.h"
#include "backend/link/data_port.h"
#include "backend/link/sockets.h"
#include "backend/link/zmq_transport.h"

namespace divisi::instance {

struct ServerConfig {
    InstanceId instance;
    Sid sid;
    link::Uplink uplink;
    std::string listen;  ///< address for receiving data: a folder for ipc sockets, or this machine's address for tcp
    std::filesystem::path data;   ///< this instance's folder
    std::filesystem::path blobs;  ///< the node's blob store
    std::filesystem::path store;  ///< file for the SID's state; empty: no state is stored
    std::string fingerprint;
    /// folder for the file that names its metrics port; empty: no metrics are served
    std::filesystem::path metrics = {};
};

/// One microservice instance as a process: owns the parts of an instance, and passes inputs and reports between them.
/// The loop's thread uses the sockets and runs the life cycle. A second thread loads the segment and runs the engine.
/// The two threads communicate by posted calls and by functions that are documented as thread-safe.
class Server final : private Listener {
public:
    /// `kept`: what the previous instance of the process loaded and compiled.
    Server(link::EventLoop& loop, link::Context& context, ServerConfig config, Kept kept = {});
    ~Server() override;

    Result<void> start();
    void terminate();
    int exit_status() const { return exit_status_; }
    /// Returns everything that this instance has loaded and compiled, for the next instance of the process. Call it
    /// after the loop has ended; the instance cannot be used afterwards.
    Kept give_kept();

private:
    // The functions of Listener, called on the engine's thread.
    void operation_ended(const OperationTimes& times) override;
    void passed(const Passed& step) override;
    void stepped(std::int64_t step, const segment::Executor& executor) override;
    void step_done(const control::StepRecord& record) override;
    void evaluated(const control::EvalRecord& record) override;
    void trouble(const Error& error) override;

    // Called on the loop's thread. post() and engine() may be called on any thread.
    void feed(const control::instance::Input& input);
    void post(control::instance::Input input);
    void prepare(const control::instance::Prepare& what);
    void warm_up(const control::Deploy& deploy);
    std::optional<KeptSegment> give_segment();
    std::optional<TrainedSegment> give_trained();
    void connect(const control::Peers& peers);
    PeerTable::Actions peer_actions();
    void ordered(const frame::FrameHeader& header, const frame::Demand& demand);
    void send(const Sid& peer, const frame::TensorFrame& frame);
    void run(const control::instance::Run& what);
    void take_snapshot(std::int64_t step);
    void end_work();
    Engine* engine();  ///< the engine; null until the segment is loaded
    void report_load();
    static Bytes resident_bytes();
    void open_figures();
    void show_figures();
    link::AgentLink::Events events();
    Result<control::RegisterInstance> open_data_port();

    // Called on the worker's thread.
    Result<void> load(const control::instance::Prepare& what);
    void open_outlet();
    Result<void> restore(segment::Executor& executor, const control::Restore& from, Snapshots::Tensors own);
    Result<void> begin_snapshots();

    link::EventLoop& loop_;
    link::Context& context_;
    ServerConfig config_;
    link::ZmqTransport transport_;
    std::unique_ptr<link::DataPort> port_;
    std::unique_ptr<control::InstanceLife> life_;
    link::AgentLink orchestrator_;
    std::string told_;  ///< the connection problem that was printed last
    int exit_status_ = 0;

    control::Deploy deploy_;
    std::uint64_t task_flow_ = 0;
    PeerTable peers_;
    std::shared_ptr<const task::CompiledPlan> plan_;
    std::unique_ptr<TensorOutlet> outlet_;  ///< outlet for tensors to send; used by the worker
    std::mutex engine_mutex_;               ///< guards engine_: the worker sets it, and the worker and the loop read it
    std::unique_ptr<Engine> engine_;
    PlanCache plans_;
    SegmentCache segments_;       ///< cache of loaded segments; used by the worker until a segment is loaded
    SegmentKey segment_key_;      ///< key of the loaded segment; used by the worker
    std::optional<Trace> trace_;  ///< trace of operations; used by the worker
    StateRecord record_;
    std::unique_ptr<StageSnapshots> snapshots_;  ///< snapshots of a training; made by the worker while it prepares
    InstanceMetrics metrics_;
    SpanWatch spans_;
    NextPlan next_plan_;
    JobThread worker_;
};

}  // namespace divisi::instance
