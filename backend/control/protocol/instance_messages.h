// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "backend/base/ids.h"
#include "backend/base/result.h"
#include "backend/control/state/event.h"
#include "backend/control/types/checkpoint_types.h"
#include "backend/control/types/lease_types.h"
#include "backend/control/types/types.h"

namespace divisi::control::inline protocol {

// Messages of instances: deployment, training and reports.

/// Sent over every new connection. Answered by Deploy, or by ResumeInstance if the instance was registered before.
struct RegisterInstance {
    InstanceId instance;
    Sid sid;
    std::string data_endpoint;
    std::string data_key;
    std::string fingerprint;
    std::int64_t pid = 0;
    InstanceState state = InstanceState::starting;  ///< current state of the instance
    TaskId task = {};                               ///< task for which the instance was deployed; empty: none yet
    Generation generation = 0;                      ///< generation for which the instance was deployed
    std::int64_t step = 0;       ///< last step that the instance has reported, even if the report was lost
    std::int64_t kept_from = 0;  ///< first step whose report the instance still has and can send again; 0: none
    /// Whether the instance understands ReportSpans. Programs from before this message was introduced do not set it.
    bool reports_spans = false;
};
/// Sent to the instance: everything that it needs to compile the plan itself and to take part.
struct Deploy {
    TaskId task;
    Generation generation = 1;
    InstanceId instance;
    std::int32_t stage = 0;  ///< the stage, or data_stage or dealt_stage
    bool data = false;       ///< whether this instance loads and preprocesses the data
    std::string text;
    std::string folder;
    std::vector<std::string> cuts;
    std::string plan_hash;
    std::string skeleton;  ///< content of the model's skeleton
    std::vector<FileRef> files;
    std::uint64_t lease = 0;  ///< number of the instance's lease; 0: none
    std::uint32_t share = 0;  ///< share of that lease
    LeaseTerms terms = {};    ///< terms of that lease
    Restore restore = {};
};
/// Sent to the instance once all instances are registered: the endpoints of the other instances.
struct Peers {
    TaskId task;
    Generation generation = 1;
    std::vector<Peer> peers;
    /// gateway of the instance's MIC, which deals the data that the instance requests; empty: the MIC has no gateway
    std::string gateway, gateway_key;
};
/// Sent by the instance. On instances with data, `eval_microbatches` is the number of micro-batches of one evaluation,
/// and `samples` the number of samples in the data of a batch task. On other instances they are -1 and 0.
struct InstancePrepared {
    InstanceId instance;
    std::string plan_hash;
    std::int32_t eval_microbatches = -1;
    Generation generation = 1;
    std::int64_t samples = 0;
};
/// Sent to the instance when all instances are prepared: tells the instance to begin its work.
struct Begin {
    TaskId task;
    Generation generation = 1;
    std::int32_t eval_microbatches = 0;
    std::int64_t samples = 0;  ///< number of samples in the data of a batch task
};
/// Sent by the instance, not answered: its first data has arrived, which contains this lease, written by a gateway.
struct InstanceActivated {
    InstanceId instance;
    std::uint64_t lease = 0;
    std::uint32_t share = 0;
    std::uint32_t gateway = 0;  ///< the gateway's routing identifier
};
/// Sent by the instance, not answered.
struct StepReport {
    TaskId task;
    InstanceId instance;
    StepRecord record;
};
struct EvalReport {
    TaskId task;
    InstanceId instance;
    EvalRecord record;
};
struct LoadReport {
    InstanceLoad load;
};
struct InstanceFinished {
    WeightsStored weights;
};
struct InstanceFailed {
    InstanceId instance;
    Error error;
};
/// Sent to the instance: tells the instance to end now in an orderly way.
struct EndInstance {
    InstanceId instance;
    std::string reason;
};
/// Sent to an instance that reconnected: tells it to continue. The instance's reports after `step` and `evaluation` did
/// not arrive; the instance sends them again as MissedReports. The messages that the instance missed (Peers, Begin,
/// EndInstance) follow this message.
struct ResumeInstance {
    TaskId task;
    Generation generation = 1;
    std::int64_t step = 0;        ///< step of the last StepReport of this generation that arrived
    std::int64_t evaluation = 0;  ///< step of the last EvalReport of this generation that arrived
};
/// Maximum number of steps and evaluations in one MissedReports. A message that reaches the size of a page (page_fill)
/// is sent earlier.
inline constexpr std::size_t missed_reports_limit = 500;

/// Reports of steps and evaluations from the time without a connection, each in ascending order; at most
/// missed_reports_limit in total.
struct MissedReports {
    TaskId task;
    InstanceId instance;
    std::vector<StepRecord> steps;
    std::vector<EvalRecord> evaluations;
};

}  // namespace divisi::control::inline protocol
