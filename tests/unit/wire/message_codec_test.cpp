// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <limits>
#include <random>

#include "backend/control/state/encoded_size.h"
#include "backend/wire/message_codec.h"
#include "tests/support/test_program.h"
#include "tests/unit/wire/exception_parts.h"
#include "tests/unit/wire/log_parts.h"
#include "tests/unit/wire/span_parts.h"

namespace message_codec_test {
using namespace divisi;
using namespace divisi::control;
using namespace divisi::control::test;

namespace {
std::span<const std::byte> view(const std::string& text) { return std::as_bytes(std::span(text)); }

NodeInfo node_info() {
    return {NodeId("mic-1/node-2"),
            MicId("mic-1"),
            "host",
            "cpu;libs",
            {{"cpu", "Xeon", 2, 1LL << 40}},
            "ipc:///tmp/x",
            "key",
            4711,
            1 << 30,
            true,
            "boot"};
}
FileRef file() { return {"data", "/data/t\xe4xt", "abcd", 99, true}; }
UnitView unit() { return {Sid("t/forward-0/0"), "forward", instance, {Sid("t/load/0")}, UnitState::running}; }
WeightsStored weights() { return {task_id, instance, 100, "hash", "/w", 1 << 20, 4}; }

Usage usage() { return {1, 2, 3, 4, 5, 6}; }
Lease lease() { return {7, task_id, instance, NodeId("mic-1/node-2"), "me", {LeaseCategory::gpu, "cuda:1", 4}, 3}; }
Receipt receipt() {
    const auto at = [](std::int64_t time) { return TimePoint(Duration(time)); };
    return {3, "lab", lease(), at(1), at(2), at(3), at(4), true, "why", usage(), at(5), "before", "signature", 7};
}

PolicyVersion policy() {
    return {3, TimePoint(Duration(5)), "alice", "share=40", "why", {{PolicyKey::window, "mg-1", "mg-2", 1 << 20}}};
}
Reservation reservation() {
    return {9,
            "h200",
            {"mic-1/*"},
            "alice",
            TaskId(),
            TimePoint(Duration(1800000000000000000)),
            TimePoint(Duration(1800000060000000000)),
            "uid:1000"};
}

MeshMember mesh_member() { return {7, "mg-1", mesh::DeviceRole::gateway, MicId("m"), "h", {"sr-1", "sr-2"}}; }

mesh::Registration registration();

std::vector<Event> numbered(const std::vector<Event::Body>& bodies) {
    std::vector<Event> all;
    for (const auto& body : bodies) all.push_back({all.size() + 1, TimePoint(Duration(1700000000123456789)), body});
    return all;
}

std::vector<Event> events() {
    const std::vector<Event::Body> bodies{
        ClusterStarted{"lab",
                       "0.1",
                       {{"m/a", "m/*", 2e-4, {}}, {"*", "*", {}, 1e9}},
                       {{"h200", "NVIDIA H200", {"mic-1/*", "m/b"}, true, 4}},
                       {Discipline::share, {{"alice", 2}, {"uid:1000", 0.5}}}},
        NodeJoined{node_info(), "key"},
        NodeEnded{NodeId("n"), NodeState::lost, "silent"},
        TaskSubmitted{task_id, "gpt", "[task]", "/home", "h", {file()}, "me", -3, {NodeId("n")}, "p", "uid:1000", 3},
        TaskPlanned{task_id,
                    2,
                    {"/layers/3/add"},
                    100,
                    16,
                    "zoo:gpt",
                    "ph",
                    {unit(), unit()},
                    4,
                    1 << 30,
                    true,
                    3600,
                    "group",
                    {task::CheckpointRule::Every::seconds, 30, 3},
                    task::FaultAnswer::wait},
        InstancePlaced{task_id, instance, Sid("t/s/0"), NodeId("n"), -1, 4},
        InstanceChanged{instance, InstanceState::standby, "boom"},
        PhaseChanged{task_id, TaskPhase::policy, "d"},
        StepDone{task_id, {12, 2.25f, 10.5, 1234.5, 3}},
        Evaluated{task_id, {12, 2.5f, 0.0, {}, 4}},
        weights(),
        TaskEnded{task_id, Outcome::failed, error},
        KeyChanged{"k", "n", Role::admin, true},
        Noted{Severity::warning, "node n", "t", "text"},
        LinkMeasured{NodeId("m/a"), NodeId("m/b"), "a", "b", LinkTransport::tcp, {1e-4, 2e-5, 3e-6, 1e9, 2e8}},
        TaskHeld{task_id, true},
        InstanceJoined{instance, "process", "tcp://d", "key"},
        InstanceLoaded{instance, 7},
        InstanceEnded{instance, "killed"},
        TaskQueued{task_id, QueueState::files},
        TaskEnding{task_id, Outcome::failed, error, "another instance failed"},
        LeaseGranted{lease()},
        LeaseActivated{7, instance, "mg-1"},
        LeaseFinished{7, instance, "all steps done"},
        LeaseMeasured{7, instance, usage(), TimePoint(Duration(5))},
        LeaseReclaimed{receipt(), "hash"},
        ReceiptKeyChanged{"key"},
        ReservationMade{reservation()},
        ReservationEnded{9, "cancelled"},
        DeviceJoined{mesh_member()},
        DeviceLeft{"mg-1"},
        PolicyChanged{policy()},
        ServiceJoined{5, {registration(), 7, true}},
        ServiceLeft{5, 8, Sid("t/stage-1/0")},
        LeaseTakenOver{lease(), InstanceId("t/s/0#1")},
        CheckpointCommitted{task_id, checkpoint()},
        TaskRecovers{task_id, 3, 40, instance, "killed by signal 9"},
        ExceptionRaised{exception()},
        ExceptionClosed{50, task_id, "alice", "dropped"},
        recut(),
        DrainChanged{NodeId("mic-1/node-2"), true, "alice"},
        VersionMade{version()},
        VersionDropped{5, task_id, "alice", "dropped"},
        AlertRaised{alert()},
        AlertCleared{61, task_id, "some was freed"},
        advised(),
        DeviceLease{5, 9, "mg-1", mesh::LeaseStanding::lapsed}};
    return numbered(bodies);
}

ClusterState state() {
    ClusterState s;
    s.name = "lab";
    s.version = "0.1";
    for (const Event& event : events()) apply(s, event);
    s.nodes[node_info().id].faults = {1.25, TimePoint(Duration(7)), 1, 2};
    s.reservations[9] = reservation();
    s.devices["mg-1"] = mesh_member();
    s.policies[3] = policy();
    s.exceptions[50] = exception();
    s.versions[4] = version();
    s.instances.at(instance).retired = true;
    s.tasks[task_id].id = task_id;
    s.tasks[task_id].history.clear();  // all steps of a task have the same heads
    for (int i = 0; i < 3; ++i)
        s.tasks[task_id].history.push_back({i, 1.5f, 2, 3, 1, {{"ads", 0.5f + float(i), {}}, {"visits", 2.5f, {}}}});
    return s;
}

SegmentModel segment_model() {
    SegmentModel message;
    task::SplitSection& split = message.split;
    split.strategy = "business";
    split.method = "tabu";
    split.stages = 3;
    split.cuts = {"4", "/a/b"};
    split.least_stages = 2;
    split.most_stages = 5;
    split.least_layers = 6;
    split.most_layers = 60;
    split.tabu_tenure = 8;
    split.tabu_iterations = 9;
    split.tabu_neighbourhood = 10;
    split.tabu_aspiration = "none";
    split.tabu_seed = -11;
    split.shared_layers = 12;
    split.sensitive = {"/x/*"};
    split.together = {"/y/*", "z"};
    split.segments = {{{"/a", "/b"}, "mic-1/node-1"}, {{"*"}, ""}};
    split.schedule = "gpipe";
    split.dp = 2;
    split.tp = 3;
    split.slots = 4;
    message.text = "[train]\nbatch = 4\n";
    message.skeleton = "bytes\xff";
    return message;
}

task::PricedPlan priced_plan() {
    task::PricedPlan plan;
    plan.model = "gpt";
    plan.cuts = {"/a"};
    plan.stages = {{{"/a", "/b"}, "/b", {"mic-1/node-1 cpu", 1e9, 0.5, 3, 0.75, 1.5, 0.25, 1, 2, 3, 4, 1LL << 40}},
                   {{"/c"}, "(end)", {"mic-1/node-2 cpu", 1e9, 0.5, 4, 0, 2.5, 0.125, 4, 5, 6, 7, {}}}};
    plan.parts = {{"head a", 1e6, 0.25, {0, 3}, {"v"}}};
    plan.stage_counts = {{1, 20.5, 0}, {2, 10.25, 0.5}};
    plan.hash = "0123456789abcdef";
    plan.objective_ms = 10.25;
    plan.lower_bound_ms = 10;
    plan.predicted_step_ms = 40;
    plan.profiled_share = 0.875;
    plan.warnings = {"w"};
    plan.links = "measured";
    plan.paths = {{0, 1, {"mg-1", "sr-1", "mg-2"}, "sr-1, mg-2", 0.25, 1e9, 1.5, "default"}};
    plan.data = {{"mic-1/node-3 cpu", "mic-1/node-4 cpu"}, 0.5, 2, 0.75, 5, 6};
    return plan;
}

DeviceInfo device_info() {
    return {
        "mg-1", mesh::DeviceRole::gateway, MicId("m"), "ipc://x ipc://y", "key", {"sr-1", "sr-2"}, 5, 6, "h", "v", 2e8,
        1e8};
}
mesh::Quality quality() { return {1e6, 0.5, 0.25, 1e-3, 2e-3, 7, 8}; }
FlowReport flow_report() {
    return {task_id, Sid("t/stage-0/0"), Sid("t/stage-1/0"), {7, 8, 9}, 1, 2, 3, 4, 1, quality()};
}
GuardReport guard_report() { return {4, {1, 2, 3, 4, 5, 6, 7, 8, 9}, {{8, true}}}; }
RequestRecord request_record() {
    RequestRecord record{9, TimePoint(Duration(5)), "mg-1", "node-1", task_id, "t/stage-0/0", "#00", 3};
    record.outcome = mesh::Outcome::unserved;
    record.reason = "nobody";
    record.policy = 4;
    record.took_s = 2.5;
    record.path = {1, 2};
    return record;
}
DealtReport dealt_report() { return {Sid("t/data/0"), 10, 11, 12}; }
CacheReport cache_report() { return {1, 2, 3, 4, 5, 6, 7, 8}; }
DeviceView device_view() {
    return {7,
            device_info(),
            true,
            "why",
            TimePoint(Duration(5)),
            3,
            {1, 2, 3, 4, 5, 6, 7},
            8,
            9,
            {{8, true, 10, 11, 12, quality(), {true, 0.5, 13, 14, {9}}}},
            {flow_report()},
            guard_report(),
            6,
            {dealt_report()},
            {{{7, 8, 9}}},
            cache_report(),
            mesh::LeaseStanding::stale,
            1300};
}

/// Returns one message of every kind, with no field at its default.
std::vector<Message> older_messages() {
    const InstanceLoad load{instance, 5, 0.5, 0.25, 1, 2, 3, 4, 5, 6, 7, "forward", 8, {instance}, 9, 2, 11, 12, 13};
    return {Refused{error, {error, error}},
            Done{},
            Hello{"divisictl", "0.1", Role::operate, "k", "process", 7},
            Welcome{"lab", "0.1", Role::agent, 7, 8},
            Subscribe{},
            Snapshot{state(), {load}, 1, true, {{NodeId("n"), machine()}}},
            EventPush{events()},
            LoadPush{{load}, {{NodeId("n"), machine()}}},
            SubmitTask{"text", "/f", std::string(200'000, '\0'), {file()}, "me"},
            SubmitReply{task_id, {{NodeId("n"), "ipc://x", "k", {"h1", "h2"}}}},
            UploadsDone{task_id, error},
            StopTask{task_id, "why"},
            log_query(),
            LogPage{events(), true},
            ChangeKey{{"k", "n", Role::viewer, true}},
            Shutdown{"r"},
            RegisterNode{node_info(), {instance}},
            NodeReport{NodeId("n"), 0.5, 1 << 30, {instance}, {{instance, usage()}}, machine()},
            StartInstance{task_id, instance, Sid("s"), 2, 4, InstanceId("t/s/0#1")},
            StopInstance{instance, true},
            InstanceExited{instance, 1, 9, "out\xff", usage()},
            RegisterInstance{instance, Sid("s"), "ipc://d", "k", "f", 42, InstanceState::running, task_id, 4, 12, 3},
            Deploy{task_id,
                   2,
                   instance,
                   -1,
                   true,
                   "text",
                   "/f",
                   {"a", "b"},
                   "ph",
                   "skeleton",
                   {file()},
                   8,
                   9,
                   {LeaseCategory::gpu, "cuda:1", 4},
                   {40, {"h1", "h2"}}},
            Peers{task_id, 2, {{instance, Sid("s"), 3, "ipc://p", "k"}}, "ipc://g", "k"},
            InstancePrepared{instance, "ph", 2, 4},
            Begin{task_id, 2},
            StepReport{task_id, instance, {12, 2.25f, 10.5, 1234.5, 3}},
            EvalReport{task_id, instance, {12, 2.5f, 0.75}},
            LoadReport{load},
            InstanceFinished{weights()},
            InstanceFailed{instance, error},
            Note{{Severity::error, "c", "t", "x"}},
            EndInstance{instance, "bye"},
            Heartbeat{},
            FetchSkeleton{task_id},
            SkeletonData{"bytes"},
            Goodbye{"bye"},
            AccessKeys{{{"k", "n", Role::operate, false}}, 2, true},
            segment_model(),
            ModelSegmented{1, "lab", 12.5, priced_plan()},
            MeasureLinks{},
            ServeProbe{7, NodeId("m/a"), "key"},
            ProbeServed{7, "ipc://x ipc://y", error},
            RunProbe{7, "ipc://x ipc://y", "key"},
            ProbeEnded{7, {1e-4, 2e-5, 3e-6, 1e9, 2e8}, error},
            EndProbe{7},
            ResumeInstance{task_id, 2, 5, 4},
            MissedReports{task_id, instance, {{12, 2.25f, 10.5, 1234.5, 3}}, {{12, 2.5f, 0.75}}},
            FetchSnapshotPage{3},
            ReleaseTask{task_id},
            WhichBlobs{{"h1", "h2"}},
            NeededBlobs{{"h2"}}};
}

/// Returns a message of each kind about gateways and routers, with no default field. Their numbers are the highest.
std::vector<Message> mesh_messages() {
    return {RegisterDevice{device_info(), 7},
            DeviceRegistered{7},
            MeshTable{3,
                      {{7, "mg-1", mesh::DeviceRole::gateway, MicId("m"), "ipc://x ipc://y", "key"}},
                      {{7, 8, 1e-4, 1e9}},
                      {{task_id,
                        Sid("t/stage-0/0"),
                        7,
                        "ipc://z",
                        "key",
                        true,
                        1e9,
                        8,
                        9,
                        {LeaseCategory::gpu, "cuda:1", 4},
                        mesh::Health::draining}}},
            DeviceReport{3,
                         {1, 2, 3, 4, 5, 6, 7},
                         8,
                         9,
                         {{8, true, 10, 11, 12, quality(), {true, 0.5, 13, 14, {9}}}},
                         {flow_report()},
                         {{TimePoint(Duration(5)), 7, 8, "said", 9, SignalKind::load}},
                         guard_report(),
                         {request_record()},
                         6,
                         {dealt_report()},
                         {{{7, 8, 9}}},
                         cache_report()},
            QueryMesh{},
            MeshState{3,
                      {device_view()},
                      {{7, 8, 1e-4, 1e9}},
                      {{task_id,
                        Sid("t/stage-0/0"),
                        7,
                        "ipc://z",
                        "key",
                        true,
                        1e9,
                        8,
                        9,
                        {LeaseCategory::gpu, "cuda:1", 4},
                        mesh::Health::faulted}},
                      {{"mg-1", "sr-1", true, 2e7, 0.01}},
                      true},
            QuerySignals{4},
            Signals{{{TimePoint(Duration(5)), 7, 8, "said", 9, SignalKind::load}}, true}};
}

mesh::Registration registration() {
    return {"t/stage-0",
            Sid("t/stage-0/0"),
            3,
            "gpu",
            {5e9, 1 << 30, "cuda:0"},
            {"ipc://x ipc://y", "key"},
            MicId("m"),
            NodeId("m/n"),
            "a:float32[2]",
            "b:float32[3]",
            mesh::Health::draining,
            task_id,
            4};
}

std::vector<Message> service_messages() {
    return {RegisterService{registration()}, RenewService{Sid("t/stage-0/0"), 3, 5}, ServiceRegistered{5, 6},
            WatchServices{5, 6, Sid("t/stage-0/0"), true, Sid("t/stage-1/0")},
            ServiceChanges{5,
                           6,
                           true,
                           {{registration(), 4, true, true, 1200}},
                           true,
                           {{Sid("t/stage-1/0"), 900}},
                           {{"mg-1", mesh::DeviceRole::gateway, 7, 3, true, true, 1100}}}};
}

std::vector<Message> fault_messages() {
    return {FaultLink{{"mg-1", "sr-1", true, 2e7, 0.01}}, KillRouter{"sr-1"}, HealFaults{"mg-1", "sr-1"},
            DeviceFaults{{{8, true, 2e7, 0.01}}}, KillDevice{}};
}

std::vector<Message> process_fault_messages() {
    return {KillInstance{Sid("t/stage-0/0")}, KillNode{NodeId("m/a")}, PauseInstance{Sid("t/stage-0/0"), 2.5},
            FaultInstance{instance, 2.5}};
}

std::vector<Message> queue_messages() {
    return {Reserve{reservation(), 60}, Reserved{9}, CancelReservation{9}, QueryNodes{},
            NodesState{{{NodeId("m/a"), 2, 3, 1.5, 1 << 30, true, true, 0.25, machine()}},
                       {{"alice", 2, 10.5, 5.25}},
                       {{task_id, "m/a has a task"}}}};
}

std::vector<Message> admission_messages() {
    return {AdmissionPolicy{4, {{"key", Sid("t/stage-0/0"), 3, "t"}}, {"revoked"}},
            QueryRequests{5, "mg-1", task_id, true}, Requests{{request_record()}, true}};
}

std::vector<Message> policy_messages() {
    return {DevicePolicy{3, policy().entries},
            PolicyAnswer{3, error},
            SetPolicies{{"share=40"}},
            RollBackPolicies{2},
            PolicyNumber{3},
            QueryPolicies{},
            PoliciesState{3, {policy()}, {{"sr-1", true, 2, 3, "why"}}, {{"mg-1", "mg-2", 40, 1e6, 2e6, "settled"}}},
            AbnormalState{mesh::AbnormalKind::buffer_full,
                          8,
                          TimePoint(Duration(5)),
                          {{task_id, Sid("t/stage-0/0"), Sid("t/stage-1/0"), {7, 8}}}}};
}

std::vector<Message> change_messages() {
    return {MeshChange{3,
                       4,
                       {{7, "mg-1", mesh::DeviceRole::gateway, MicId("m"), "ipc://x ipc://y", "key"}},
                       {{7, 8, 1e-4, 1e9}},
                       {{task_id, Sid("t/stage-0/0"), 7, "ipc://z", "key"}},
                       {Sid("t/stage-1/0")}}};
}

Observation observation() {
    const mesh::Quality quality{1e6, 0.5, 0.25, 0.001, 0.002, 3, 4};
    const std::vector<std::string> first{"mg-1", "sr-1", "mg-2"}, second{"mg-1", "sr-2", "mg-2"};
    ObservedTask task{task_id, TaskPhase::exchange, 12, 100, 40.5, {}};
    task.units.push_back({Sid("t/stage-0/0"), "forward", NodeId("mic-1/a"), {Sid("t/load/0")}});
    return {{{Sid("t/stage-0/0"), 3, NodeId("mic-1/a"), MicId("mic-1"), mesh::Health::draining}},
            {{"mg-1", "mg-2", 40, first, second}},
            {{NodeId("mic-1/a"), MicId("mic-1"), "host", 4, 2.5, 1.5, 1 << 30, 2}},
            {{instance, NodeId("mic-1/a"), 0.5, 0.25}},
            {{"mg-1", "sr-1", true, 5, 6, quality}},
            {{task_id, Sid("t/stage-0/0"), Sid("t/stage-1/0"), 1, first, quality}},
            {{"mg-1", mesh::DeviceRole::gateway, MicId("mic-1"), true, {"sr-1"}}},
            {std::move(task)}};
}

std::vector<Message> module_messages() {
    const ModuleInfo info{
        "link-trend", "1-holt", {ModuleInput::routes, ModuleInput::tasks}, {AdviceKind::traffic}, true, 1000, 4711};
    const Advice advice{AdviceKind::drain, "mic-1/a", "b", -7, 0.75, 5000, "why"};
    const AdviceEcho echo{8, advice, AdviceOutcome::held, "why", "policy 4", {{task_id, 100.5, 80.25}}};
    ModuleView view{info, ModuleState::cut_off, "it floods", TimePoint(Duration(5)), {"t"}, 1, 2, 3, 4};
    view.expired = 5;
    view.answer_ms = 0.75;
    view.newest = {{echo, TimePoint(Duration(6)), TimePoint(Duration(7)), 8}};
    view.refusals = {{"the confidence of the advice is too low", 9}};
    return {DescribeModule{info},
            Observe{3, TimePoint(Duration(5)), true, observation()},
            Advise{3, {advice}},
            Echo{{echo}},
            ControlModule{true, {task_id}, true, "why"},
            QueryModules{},
            ModulesState{{view}, TimePoint(Duration(9))},
            ChangeModule{"link-trend", true, "2"}};
}

std::vector<Message> mic_messages() {
    const Sid a("t/a/forward"), b("t/b/forward");
    const mesh::mic::Topology topology{task_id, 2, {a}, {{a, b, MicId("mic-1"), MicId("mic-2")}}};
    const MicReport report{topology, {{topology.edges[0], mesh::mic::Cause::silent, TimePoint(Duration(7))}}};
    return {
        MicUnits{
            {task_id, 2, {{InstanceId("t/a#1"), MicId("mic-1"), true}}, {{b, "forward", InstanceId("t/b#1"), {a}}}}},
        report,
        QueryMics{},
        MicsState{{{MicId("mic-1"), "mg-1", true, {report}}}},
        TryPolicies{{"share=40"}},
        PolicyTrial{"share=40 (was 100)", {{task_id, 9, 10, 11, "sr-1", "sr-2", error}}, {"note"}}};
}

std::vector<Message> messages() {
    std::vector<Message> all = older_messages();
    const std::vector<Message> probe = {ProbeNeighbour{7, 8}};
    const std::vector<Message> data = {ScaleData{task_id, 3}};
    const std::string hash(64, 'a');
    const std::vector<Message> blobs = {BringBlob{hash, NodeId("mic-1/a"), NodeId("mic-2/b")},
                                        BlobBrought{64 << 20, 1.5, true},
                                        OpenBlobEnd{7, hash, Sid("blobs/7/sink"), Sid("blobs/7/source"), true, {"w"}},
                                        BlobEndOpened{7, "ipc://x ipc://y", error},
                                        JoinBlobEnds{7, "ipc://x ipc://y", "key"},
                                        FetchBlob{7, hash, "tcp://10.0.0.1:7", "key", {"w", "b"}},
                                        BlobFetched{7, 64 << 20, error},
                                        CloseBlobEnd{7},
                                        InstanceActivated{instance, 7, 2, 5}};
    for (auto part : {mesh_messages(),
                      service_messages(),
                      fault_messages(),
                      queue_messages(),
                      probe,
                      admission_messages(),
                      policy_messages(),
                      change_messages(),
                      module_messages(),
                      mic_messages(),
                      data,
                      blobs,
                      checkpoint_messages(),
                      exception_messages(),
                      recut_messages(),
                      drain_messages(),
                      version_messages(),
                      backup_messages(),
                      log_messages(),
                      process_fault_messages(),
                      store_messages(),
                      advice_messages(),
                      span_messages()})
        for (Message& message : part) all.push_back(std::move(message));
    // The parts are grouped by topic; sorting restores the order of kinds.
    std::ranges::stable_sort(all, {}, [](const Message& message) { return message.index(); });
    return all;
}

}  // namespace

class MessageCodecTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void every_message_survives_encoding();
    void values_arrive_unchanged();
    void every_event_survives_the_log();
    void unknown_values_are_refused_with_their_field();
    void damaged_bytes_never_crash();
    void element_bombs_are_refused_before_parsing();
    void size_bounds_are_at_least_the_encoded_size();
    void segmentation_request_arrives_complete();
    void omitted_fields_of_a_request_have_defaults();
    void priced_plan_has_no_negative_or_nonfinite_values();
    void load_advert_of_a_router_arrives_unchanged();
};

void MessageCodecTest::load_advert_of_a_router_arrives_unchanged() {
    mesh::LoadAdvert said;
    said.sender = 7;
    said.sequence = 8;
    said.time = TimePoint(Duration(9));
    said.links = {{1, true, 2, 3, 4.5, 0.25, 0.5}};
    said.prefixes = {{"t/stage-0", 0.125, 0.75, 5, "cuda:1", 6e9}};
    const std::string bytes = wire::encode_load(said).value();
    const mesh::LoadAdvert back = wire::decode_load(view(bytes)).value();
    QCOMPARE(back.version, std::uint32_t{1});
    QCOMPARE(back.sender, said.sender);
    QCOMPARE(back.sequence, said.sequence);
    QCOMPARE(back.time, said.time);
    QVERIFY(back.links == said.links);
    QVERIFY(back.prefixes == said.prefixes);
    QCOMPARE(wire::decode_load(view("\x2a\xff")).error().code, ErrorCode::corrupt);
    QCOMPARE(wire::decode_load(view(std::string(mesh::max_load_bytes + 1, '\0'))).error().code, ErrorCode::corrupt);
    // At its bounds, the advert still fits.
    said.links.assign(mesh::most_load_links, {65'535, true, ~0ULL, ~0ULL, 1e300, 1e300, 1});
    said.prefixes.assign(mesh::most_load_prefixes, {std::string(256, 'p'), 1, 1, ~0ULL, std::string(64, 'd'), 1e300});
    QCOMPARE(wire::encode_load(said).error().code, ErrorCode::exhausted);
    mesh::keep_within_bounds(said);
    QVERIFY(said.prefixes.size() > 8);
    QVERIFY(wire::encode_load(said).ok());
}

void MessageCodecTest::every_message_survives_encoding() {
    const auto all = messages();
    QCOMPARE(all.size(), AnyMessage::size);
    for (std::size_t i = 0; i < all.size(); ++i) {
        QCOMPARE(all[i].index(), i);
        const auto bytes = wire::encode(all[i]);
        QVERIFY2(bytes.ok(), kind_name(all[i]));
        const auto back = wire::decode(wire::type_of(all[i]), view(*bytes));
        QVERIFY2(back.ok(), back.ok() ? "" : back.error().message().c_str());
        QCOMPARE(back->index(), i);
        QVERIFY2(wire::encode(*back).value() == *bytes, kind_name(all[i]));
    }
}

void MessageCodecTest::values_arrive_unchanged() {
    const auto back = [](const Message& m) {
        return wire::decode(wire::type_of(m), view(wire::encode(m).value())).value();
    };
    const auto failed = get<InstanceFailed>(back(InstanceFailed{instance, error}));
    QCOMPARE(failed.error.message(), error.message());
    QCOMPARE(failed.error.code, ErrorCode::exhausted);
    const auto deploy = get<Deploy>(back(messages()[22]));
    QCOMPARE(deploy.stage, -1);
    QVERIFY(deploy.data);
    QCOMPARE(deploy.cuts, (std::vector<std::string>{"a", "b"}));
    QCOMPARE(deploy.files.at(0).path, file().path);
    QVERIFY(deploy.restore == (Restore{40, {"h1", "h2"}}));
    const auto snapshot = get<Snapshot>(back(Snapshot{state()}));
    QCOMPARE(snapshot.state.sequence, state().sequence);
    QCOMPARE(snapshot.state.time, state().time);
    QCOMPARE(snapshot.state.nodes.at(NodeId("mic-1/node-2")).info.devices.at(0).memory, 1LL << 40);
    QVERIFY(snapshot.state.nodes.at(NodeId("mic-1/node-2")).draining);
    QCOMPARE(snapshot.state.nodes.at(NodeId("mic-1/node-2")).drained_by, std::string("alice"));
    QCOMPARE(snapshot.state.tasks.at(task_id).history.size(), state().tasks.at(task_id).history.size());
    QCOMPARE(snapshot.state.tasks.at(task_id).history.back().loss, 1.5f);
    QCOMPARE(snapshot.state.tasks.at(task_id).history.back().heads.size(), std::size_t{2});
    QCOMPARE(snapshot.state.tasks.at(task_id).history.back().heads[0].name, std::string("ads"));
    QCOMPARE(snapshot.state.tasks.at(task_id).history.back().heads[0].loss, 2.5f);
    const TaskView& task = snapshot.state.tasks.at(task_id);
    QVERIFY(task.checkpoint == (task::CheckpointRule{task::CheckpointRule::Every::seconds, 30, 3}));
    QCOMPARE(task.answer, task::FaultAnswer::wait);
    QCOMPARE(task.from_step, std::int64_t{40});
    QCOMPARE(task.checkpoints.size(), std::size_t{1});
    QVERIFY(task.checkpoints[0] == checkpoint());
    QVERIFY(task.origins == recut().origins);
    QVERIFY(task.advice == advised().advice);
    QCOMPARE(task.text, recut().text);
    QCOMPARE(task.text_before, std::string("[task]"));
    QCOMPARE(task.plan_since, Generation(2));
    QVERIFY(snapshot.state.instances.at(instance).retired);
    QCOMPARE(snapshot.state.recent.size(), state().recent.size());
    const ExceptionEntry failed_task = snapshot.state.exceptions.at(50);
    QCOMPARE(where_text(failed_task), where_text(exception()));
    QCOMPARE(failed_task.error.message(), error.message());
    QCOMPARE(failed_task.recovered, 3U);
    QVERIFY(failed_task.tried == exception().tried);
    QVERIFY(snapshot.state.versions.at(4) == version());
    QCOMPARE(snapshot.state.last_version, std::uint64_t{4});
    QCOMPARE(task.parent, std::uint64_t{3});
    QVERIFY(snapshot.state.alerts.at(60) == alert());
    QVERIFY(snapshot.state.tasks.at(task_id).recoveries == state().tasks.at(task_id).recoveries);
    QCOMPARE(snapshot.state.tasks.at(task_id).recovered, 1U);
    SnapshotTaken durable{task_id, instance, 2, 40, "h1", 1 << 20, 0.5, 12.5};
    QVERIFY(!get<SnapshotTaken>(back(durable)).error);
    durable.error = error;
    const auto taken = get<SnapshotTaken>(back(durable));
    QCOMPARE(taken.hash, durable.hash);
    QCOMPARE(taken.size, durable.size);
    QCOMPARE(taken.copy_ms, durable.copy_ms);
    QCOMPARE(taken.write_ms, durable.write_ms);
    QCOMPARE(taken.error->message(), error.message());
    QVERIFY(!get<EvalReport>(back(EvalReport{task_id, instance, {1, 2.0f, {}}})).record.accuracy.has_value());
    QCOMPARE(get<EvalReport>(back(EvalReport{task_id, instance, {1, 2.0f, 0.0}})).record.accuracy.value(), 0.0);
}

void MessageCodecTest::every_event_survives_the_log() {
    QCOMPARE(events().size(), AnyEvent::size);
    for (const Event& event : events()) {
        const auto bytes = wire::encode_event(event).value();
        const auto back = wire::decode_event(view(bytes)).value();
        QCOMPARE(back.sequence, event.sequence);
        QCOMPARE(back.time, event.time);
        QCOMPARE(back.body.index(), event.body.index());
        QCOMPARE(describe(back.body), describe(event.body));
        QCOMPARE(wire::encode_event(back).value(), bytes);
    }
    QVERIFY(!wire::decode_event(view("\x08\x01")).ok());
}

void MessageCodecTest::unknown_values_are_refused_with_their_field() {
    const std::string bytes = "\x18\x09";  // Hello.role = 9
    const auto result = wire::decode(2, view(bytes));
    QVERIFY(!result.ok());
    QVERIFY(result.error().message().find("Hello.role") != std::string::npos);
    QCOMPARE(wire::decode(999, {}).error().code, ErrorCode::unsupported);
    QVERIFY(!wire::decode(2, {}).ok());  // a missing role is refused, too

    // An event of a later version: sequence = 1, and a field 2000 that this version does not know.
    const auto later = wire::decode_event(view("\x08\x01\x80\x7d\x01"));
    QVERIFY(!later.ok());
    QVERIFY(later.error().message().find("of a kind this version does not know") != std::string::npos);
}

void MessageCodecTest::damaged_bytes_never_crash() {
    std::mt19937_64 rng(1);
    int accepted = 0, refused = 0;
    for (const Message& message : messages()) {
        auto bytes = wire::encode(message).value();
        if (bytes.size() > 10'000) continue;
        for (int i = 0; i < 200; ++i) {
            std::string damaged = bytes.substr(0, rng() % (bytes.size() + 1));
            for (std::size_t n = rng() % 4; n > 0 && !damaged.empty(); --n)
                damaged[rng() % damaged.size()] = static_cast<char>(rng());
            (wire::decode(wire::type_of(message), view(damaged)).ok() ? accepted : refused)++;
        }
    }
    QVERIFY(accepted > 0);
    QVERIFY(refused > 0);
}

void MessageCodecTest::element_bombs_are_refused_before_parsing() {
    std::string bomb;  // two million empty events
    for (int i = 0; i < 2'000'000; ++i) bomb += std::string("\x0a\x00", 2);
    QCOMPARE(wire::decode(6, view(bomb)).error().code, ErrorCode::corrupt);
    std::string nested = "\x0a";  // a length beyond the end
    nested += "\xff\xff\xff\xff\x0f";
    QCOMPARE(wire::decode(6, view(nested)).error().code, ErrorCode::corrupt);
}

void MessageCodecTest::size_bounds_are_at_least_the_encoded_size() {
    for (const Event& event : events()) {
        const EncodedSize encoded = encoded_size(event);
        QVERIFY2(encoded.bytes >= wire::encode_event(event)->size(), kind_name(event.body));
        // Sixteen is the number of strings and sub-messages in the largest event, counted by hand.
        if (holds_alternative<TaskPlanned>(event.body)) QVERIFY(encoded.elements >= 16);
    }
    const ClusterState whole = state();
    std::size_t bytes = 200;  // fields of the page itself
    for (const auto& [id, node] : whole.nodes) bytes += encoded_size(node).bytes;
    for (const auto& [id, one] : whole.instances) bytes += encoded_size(one).bytes;
    for (const auto& [id, task] : whole.tasks) bytes += encoded_size(task).bytes;
    for (const auto& [id, key] : whole.keys) bytes += encoded_size(key).bytes;
    for (const auto& [id, link] : whole.links) bytes += encoded_size(link).bytes;
    for (const auto& [id, number] : whole.numbers) bytes += encoded_size(number).bytes;
    for (const auto& [number, lease] : whole.leases) bytes += encoded_size(lease).bytes;
    for (const StatedLink& link : whole.stated_links) bytes += encoded_size(link).bytes;
    for (const Pool& pool : whole.pools) bytes += encoded_size(pool).bytes;
    for (const auto& [name, submitter] : whole.submitters) bytes += encoded_size(submitter).bytes;
    for (const auto& [number, one] : whole.reservations) bytes += encoded_size(one).bytes;
    for (const auto& [name, device] : whole.devices) bytes += encoded_size(device).bytes;
    for (const auto& [number, entry] : whole.exceptions) bytes += encoded_size(entry).bytes;
    for (const auto& [number, one] : whole.versions) bytes += encoded_size(one).bytes;
    for (const auto& [number, one] : whole.alerts) bytes += encoded_size(one).bytes;
    bytes += encoded_size(whole.queue).bytes;
    for (const Event& event : whole.recent) bytes += encoded_size(event).bytes;
    QVERIFY(bytes >= wire::encode(Snapshot{whole})->size());
}

void MessageCodecTest::segmentation_request_arrives_complete() {
    const auto bytes = wire::encode(segment_model()).value();
    const auto back = get<SegmentModel>(wire::decode(38, view(bytes)).value());
    QVERIFY(back.split == segment_model().split);
    QCOMPARE(back.text, segment_model().text);
    QCOMPARE(back.skeleton, segment_model().skeleton);
    const auto answer = wire::encode(ModelSegmented{1, "lab", 12.5, priced_plan()}).value();
    const task::PricedPlan plan = get<ModelSegmented>(wire::decode(39, view(answer)).value()).plan;
    QCOMPARE(plan.stages[0].operators, priced_plan().stages[0].operators);
    QCOMPARE(plan.stages[0].end, std::string("/b"));
    const price::PredictedStage& first = plan.stages[0].prediction;
    const price::PredictedStage& second = plan.stages[1].prediction;
    QCOMPARE(first.device, std::string("mic-1/node-1 cpu"));
    QCOMPARE(first.capacity.value(), Bytes{1} << 40);
    QCOMPARE(first.memory, Bytes{4});
    QCOMPARE(first.sent(), Bytes{1 + 2 + 3});
    QVERIFY(!second.capacity);
    QCOMPARE(second.busy_ms, 2.5);
    QCOMPARE(second.work_ms, 4.0);
    QCOMPARE(plan.parts[0].stages, (std::vector<std::int32_t>{0, 3}));
    QCOMPARE(plan.stage_counts[1].buys, 0.5);
    QCOMPARE(plan.gap(), priced_plan().gap());
}

/// Bytes as written by a client that only knows the .proto file: SegmentModel.split.version = 1 and nothing else.
void MessageCodecTest::omitted_fields_of_a_request_have_defaults() {
    const auto back = get<SegmentModel>(wire::decode(38, view("\x0a\x02\x08\x01")).value());
    QVERIFY(back.split == task::SplitSection{});
    // A version that was not given is 0, and zeros that were given stay zeros.
    QCOMPARE(get<SegmentModel>(wire::decode(38, {}).value()).split.version, std::int64_t{0});
    const std::string zero("\x0a\x04\x08\x01\x58\x00", 6);  // tabu_iterations = 0
    QCOMPARE(get<SegmentModel>(wire::decode(38, view(zero)).value()).split.tabu_iterations, std::int64_t{0});
}

void MessageCodecTest::priced_plan_has_no_negative_or_nonfinite_values() {
    const auto refused = [](const std::function<void(ModelSegmented&)>& spoil) {
        ModelSegmented answer{1, "lab", 12.5, priced_plan()};
        spoil(answer);
        const auto back = wire::decode(39, view(wire::encode(answer).value()));
        return !back.ok() && back.error().code == ErrorCode::corrupt;
    };
    QVERIFY(!refused([](ModelSegmented&) {}));
    const double nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
    QVERIFY(refused([&](ModelSegmented& a) { a.time_ms = nan; }));
    QVERIFY(refused([&](ModelSegmented& a) { a.plan.objective_ms = infinite; }));
    QVERIFY(refused([&](ModelSegmented& a) { a.plan.predicted_step_ms = -1; }));
    QVERIFY(refused([&](ModelSegmented& a) { a.plan.stages[1].prediction.busy_ms = nan; }));
    QVERIFY(refused([&](ModelSegmented& a) { a.plan.stages[1].prediction.work_ms = -1; }));
    QVERIFY(refused([&](ModelSegmented& a) { a.plan.stages[0].prediction.memory = -1; }));
    QVERIFY(refused([&](ModelSegmented& a) { a.plan.stages[0].prediction.sent_shared = Bytes{1} << 61; }));
    QVERIFY(refused([&](ModelSegmented& a) { a.plan.stage_counts[0].slowest = infinite; }));
    QVERIFY(refused([&](ModelSegmented& a) { a.plan.parts[0].flops = nan; }));
    QVERIFY(refused([&](ModelSegmented& a) { a.plan.data.busy_ms = nan; }));
    QVERIFY(refused([&](ModelSegmented& a) { a.plan.data.memory = -1; }));
}

DIVISI_TEST(MessageCodecTest)

}  // namespace message_codec_test

#include "message_codec_test.moc"
