// SPDX-License-Identifier: Apache-2.0
#pragma once

// Declares all messages, for headers that mention them only by reference, by pointer, or in the declaration of a
// function.

namespace divisi::control::inline types {

struct Advise;
struct AskRecutAdvice;
struct BackUp;
struct BackedUp;
struct BlobBrought;
struct BlobEndOpened;
struct BlobFetched;
struct BringBlob;
struct CancelReservation;
struct ChangeModule;
struct CheckpointOrdered;
struct CloseBlobEnd;
struct ControlModule;
struct DescribeModule;
struct DrainNode;
struct DropBlobs;
struct DropException;
struct DropVersion;
struct Echo;
struct FaultInstance;
struct FetchBlob;
struct HoldSteps;
struct JoinBlobEnds;
struct KeepCheckpoint;
struct KillInstance;
struct KillNode;
struct LinesPage;
struct ListStores;
struct LogLines;
struct MicReport;
struct MicUnits;
struct MicsState;
struct ModulesState;
struct NodesState;
struct Observe;
struct OpenBlobEnd;
struct OrderCheckpoint;
struct PauseInstance;
struct PlanPrepared;
struct PreparePlan;
struct ProbeNeighbour;
struct QueryLines;
struct QueryMics;
struct QueryModules;
struct QueryNodes;
struct ReadStore;
struct Recut;
struct RecutAdvised;
struct RecutDone;
struct RegisterService;
struct RenewService;
struct ReportSpans;
struct Reserve;
struct Reserved;
struct RetryException;
struct ServiceChanges;
struct ServiceRegistered;
struct SnapshotTaken;
struct SpanPush;
struct SpanReport;
struct StoreList;
struct StorePage;
struct TakeSnapshot;
struct VersionMade;
struct WatchServices;
struct WatchSpans;

}  // namespace divisi::control::inline types

namespace divisi::control::inline state {

struct PolicyTrial;
struct TryPolicies;

}  // namespace divisi::control::inline state

namespace divisi::control::inline protocol {

struct AbnormalState;
struct AccessKeys;
struct AdmissionPolicy;
struct Begin;
struct ChangeKey;
struct Deploy;
struct DeviceFaults;
struct DevicePolicy;
struct DeviceRegistered;
struct DeviceReport;
struct Done;
struct EndInstance;
struct EndProbe;
struct EvalReport;
struct EventPush;
struct FaultLink;
struct FetchSkeleton;
struct FetchSnapshotPage;
struct Goodbye;
struct HealFaults;
struct Heartbeat;
struct Hello;
struct InstanceActivated;
struct InstanceExited;
struct InstanceFailed;
struct InstanceFinished;
struct InstancePrepared;
struct KillDevice;
struct KillRouter;
struct LoadPush;
struct LoadReport;
struct LogPage;
struct MeasureLinks;
struct MeshChange;
struct MeshState;
struct MeshTable;
struct MissedReports;
struct ModelSegmented;
struct NeededBlobs;
struct NodeReport;
struct Note;
struct Peers;
struct PoliciesState;
struct PolicyAnswer;
struct PolicyNumber;
struct ProbeEnded;
struct ProbeServed;
struct QueryLog;
struct QueryMesh;
struct QueryPolicies;
struct QueryRequests;
struct QuerySignals;
struct Refused;
struct RegisterDevice;
struct RegisterInstance;
struct RegisterNode;
struct ReleaseTask;
struct Requests;
struct ResumeInstance;
struct RollBackPolicies;
struct RunProbe;
struct ScaleData;
struct SegmentModel;
struct ServeProbe;
struct SetPolicies;
struct Shutdown;
struct Signals;
struct SkeletonData;
struct Snapshot;
struct StartInstance;
struct StepReport;
struct StopInstance;
struct StopTask;
struct SubmitReply;
struct SubmitTask;
struct Subscribe;
struct UploadsDone;
struct Welcome;
struct WhichBlobs;

class Message;

}  // namespace divisi::control::inline protocol
