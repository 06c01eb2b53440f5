// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "backend/base/one_of.h"
#include "backend/base/result.h"
#include "backend/control/protocol/message_fwd.h"
#include "backend/control/types/types.h"

namespace divisi::control::inline protocol {

// Answers to any request.

struct Refused {
    Error error;
    std::vector<Error> others = {};  ///< all errors except the first, if several fields of a request are invalid
};
/// Returns one error for display, which lists the other errors in its `next`.
Error combined(const Refused& refused);
struct Done {};

// All messages of the control plane, in one append-only list. A message's position in the list is its number on the
// wire. Headers by subject define most messages, for example node_messages.h; control/types and control/state define
// the others. The comment of a request names its answer. Every request may also be answered by Refused. Requests that
// the console sends with Client::ask() (app/client/client.h) have a nested type Answer.

using AnyMessage =
    OneOf<Refused, Done, Hello, Welcome, Subscribe, Snapshot, EventPush, LoadPush, SubmitTask, SubmitReply, UploadsDone,
          StopTask, QueryLog, LogPage, ChangeKey, Shutdown, RegisterNode, NodeReport, StartInstance, StopInstance,
          InstanceExited, RegisterInstance, Deploy, Peers, InstancePrepared, Begin, StepReport, EvalReport, LoadReport,
          InstanceFinished, InstanceFailed, Note, EndInstance, Heartbeat, FetchSkeleton, SkeletonData, Goodbye,
          AccessKeys, SegmentModel, ModelSegmented, MeasureLinks, ServeProbe, ProbeServed, RunProbe, ProbeEnded,
          EndProbe, ResumeInstance, MissedReports, FetchSnapshotPage, ReleaseTask, WhichBlobs, NeededBlobs,
          RegisterDevice, DeviceRegistered, MeshTable, DeviceReport, QueryMesh, MeshState, QuerySignals, Signals,
          RegisterService, RenewService, ServiceRegistered, WatchServices, ServiceChanges, FaultLink, KillRouter,
          HealFaults, DeviceFaults, KillDevice, Reserve, Reserved, CancelReservation, QueryNodes, NodesState,
          ProbeNeighbour, AdmissionPolicy, QueryRequests, Requests, DevicePolicy, PolicyAnswer, SetPolicies,
          RollBackPolicies, PolicyNumber, QueryPolicies, PoliciesState, AbnormalState, MeshChange, DescribeModule,
          Observe, Advise, Echo, ControlModule, QueryModules, ModulesState, ChangeModule, MicUnits, MicReport,
          QueryMics, MicsState, TryPolicies, PolicyTrial, ScaleData, BringBlob, BlobBrought, OpenBlobEnd, BlobEndOpened,
          JoinBlobEnds, FetchBlob, BlobFetched, CloseBlobEnd, InstanceActivated, TakeSnapshot, SnapshotTaken, DropBlobs,
          OrderCheckpoint, CheckpointOrdered, RetryException, DropException, Recut, RecutDone, DrainNode, DropVersion,
          BackUp, BackedUp, LogLines, QueryLines, LinesPage, KillInstance, KillNode, PauseInstance, FaultInstance,
          ListStores, StoreList, ReadStore, StorePage, AskRecutAdvice, RecutAdvised, WatchSpans, ReportSpans,
          SpanReport, SpanPush, KeepCheckpoint, VersionMade, HoldSteps, PreparePlan, PlanPrepared>;

/// A message of the control plane.
class Message : public AnyMessage {
public:
    using AnyMessage::AnyMessage;
};

/// Satisfied by messages with a nested type Answer, the type of their answer.
template <typename T>
concept Question = AlternativeOf<T, AnyMessage> && requires {
    typename T::Answer;
};

/// Returns the index in AnyMessage of the question's nested type Answer; empty if it has none.
std::optional<std::size_t> answer_index(const Message& question);
/// Returns the kind's name for logs and denials, for example "submit_task". The list in message.cpp is the only source
/// of these names.
const char* kind_name(const Message& message);
/// Returns the right that a sender needs to send the message to the orchestrator.
Right needed_right(const Message& message);

}  // namespace divisi::control::inline protocol
