// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "backend/control/change/recuts.h"
#include "tests/support/task_file.h"
#include "tests/unit/control/runs_fixture.h"

namespace divisi::control::test {

inline testing::TaskFile two_stages() { return testing::TaskFile().drop_section("train").set("split.stages", 2); }
inline const std::string plain = two_stages().text();
inline const std::string of_first(64, '1'), of_second(64, '2');
inline const InstanceId third("t-1/stage-2/0#1");
inline const InstanceId waits("t-1/standby/0#1");  ///< a process started for the next plan
using Heirs = std::vector<std::vector<std::int32_t>>;
using Hashes = std::vector<std::string>;

/// Orders checkpoints that the tests commit.
struct Maker final : CheckpointMaker {
    std::int64_t next = 5;
    std::optional<Error> refusal;
    std::set<TaskId> held, standing;  ///< tasks whose commits are held; tasks with an ordered last step
    std::vector<TaskId> ordered;
    std::vector<SegmentSnapshot> durable;  ///< durable snapshots of the step at which the stages hold
    Result<std::int64_t> order_last(const TaskId& task) override {
        if (refusal) return *refusal;
        ordered.push_back(task);
        standing.insert(task);
        return next;
    }
    std::optional<std::int64_t> last_step(const TaskId& task) const override {
        return standing.contains(task) ? std::optional(next) : std::nullopt;
    }
    std::vector<SegmentSnapshot> taken(const TaskId& task) const override {
        return standing.contains(task) ? durable : std::vector<SegmentSnapshot>();
    }
    void hold(const TaskId& task) override { held.insert(task); }
    void let_go(const TaskId& task) override {
        held.erase(task);
        standing.erase(task);
    }
};

/// A fixture with a task of two stages that trains on a and b, a free node c, and an operator.
struct RecutFixture : RunsFixture {
    Deliveries deliveries{context};
    TaskQueue queue{context, deliveries, models, kept};
    BlobTransfers transfers{context, devices};
    Maker maker;
    Output gathered;
    Recuts recuts{context, models, queue, transfers, maker, runs.recovery(), runs.fitness()};
    PeerId client{};

    explicit RecutFixture(const std::string& text = plain) {
        train(0, task::FaultAnswer::recover, text);
        (void)join("c");
        for (const char* name : {"a", "b", "c"}) {
            NodeInfo info = context.state().nodes.at(NodeId(name)).info;
            info.blob_endpoint = std::string("ipc:///") + name;
            context.append(NodeJoined{info});
        }
        client = connect("client");
        context.sessions().at(client).role = Role::operate;
        (void)take();
    }
    void move_to_another_host(const std::string& node) {
        NodeInfo info = context.state().nodes.at(NodeId(node)).info;
        info.host = "another";
        context.append(NodeJoined{info});
        (void)take();
    }
    template <typename M>
    Output tell(PeerId peer, M message) {
        context.set_time(now += std::chrono::milliseconds(1));
        const Received received{peer, 7, message};
        if constexpr (requires { recuts.handle(received, message); }) recuts.handle(received, message);
        else transfers.handle(received, message);
        recuts.poll();
        return take();
    }
    Output ask(Recut message) { return tell(client, std::move(message)); }
    static Recut stages(std::int32_t number) { return {the_task, "", {}, number}; }

    /// Completes the job that was started last; its result is `summary`.
    Output plan(const Output& asked, const Result<PlanSummary>& summary) {
        if (asked.jobs.empty()) qFatal("no planning job was started");
        const auto whose = context.jobs().close(asked.jobs.back().id);
        if (!whose || whose->recut != the_task) qFatal("the planning job is for another task");
        recuts.planned(*whose, summary);
        recuts.poll();
        return take();
    }
    static PlanSummary summary(const std::string& hash, const Heirs& inherits) {
        PlanSummary plan;
        plan.name = "t";
        plan.answer = task::FaultAnswer::recover;
        plan.steps = 10;
        plan.threads = 3;
        plan.plan_hash = hash;
        plan.stages = static_cast<std::int32_t>(inherits.size());
        plan.inherits = inherits;
        for (std::int32_t stage = 0; stage < plan.stages; ++stage) {
            if (stage > 0) plan.cuts.push_back("/cut-" + std::to_string(stage));
            plan.units.push_back({{Sid("task/stage-" + std::to_string(stage) + "/forward"), "forward", {}, {}}, stage});
        }
        return plan;
    }
    /// Lets all processes of the next plan get ready. New processes become ready as standbys, and all processes that
    /// are told to prepare the plan prepare it.
    Output get_ready(const Output& accepted, const std::string& hash = "next") {
        prepare(accepted, hash);
        for (const Send& one : accepted.sends) {
            const auto* begins = get_if<StartInstance>(&one.message);
            if (!begins) continue;
            add(serve(begins->instance));
            add(say(begins->instance, InstancePrepared{begins->instance, hash, -1, task().generation}));
            const Output told = poll();
            add(told);
            prepare(told, hash);
        }
        add(poll());
        return std::exchange(gathered, {});
    }
    /// Makes every instance that is told to prepare the plan report that it has prepared the plan.
    void prepare(const Output& told, const std::string& hash = "next") {
        for (const Send& one : told.sends)
            if (const auto* order = get_if<PreparePlan>(&one.message))
                add(tell(one.peer, PlanPrepared{the_task, order->instance, hash, {}, order->order}));
    }
    /// Returns the order to prepare a plan that `output` sends to this instance.
    PreparePlan order(const Output& output, const InstanceId& id) {
        const auto orders = sent<PreparePlan>(output, instances[id]);
        if (orders.size() != 1) qFatal("%zu orders", orders.size());
        return orders[0];
    }
    void add(const Output& more) {
        gathered.events.insert(gathered.events.end(), more.events.begin(), more.events.end());
        gathered.sends.insert(gathered.sends.end(), more.sends.begin(), more.sends.end());
    }
    /// Requests, plans, accepts and prepares a re-cut, by default to three stages.
    void begin(const Heirs& inherits = {{0}, {0, 1}, {1}}) {
        const Output planned = plan(ask(stages(static_cast<std::int32_t>(inherits.size()))), summary("next", inherits));
        if (!sent<Refused>(planned, client).empty()) qFatal("the new plan is not accepted");
        (void)get_ready(planned);
        if (maker.ordered.empty()) qFatal("the stages were not told to hold");
    }
    Output commit(std::int64_t step = 5) {
        context.set_time(now += std::chrono::milliseconds(1));
        context.append(CheckpointCommitted{
            the_task,
            {task().generation,
             step,
             now,
             {{sid_of(first), 0, of_first, 10, {NodeId("a")}}, {sid_of(second), 1, of_second, 10, {NodeId("b")}}}}});
        recuts.poll();
        return take();
    }
    /// Ends all transfers, successfully or with `error`.
    Output arrive(const Output& ordered, std::optional<Error> error = {}) {
        Output all;
        for (const Send& one : ordered.sends) {
            const auto* fetch = get_if<FetchBlob>(&one.message);
            if (!fetch) continue;
            Output next = tell(one.peer, BlobFetched{fetch->transfer, 10, error});
            all.events.insert(all.events.end(), next.events.begin(), next.events.end());
            all.sends.insert(all.sends.end(), next.sends.begin(), next.sends.end());
        }
        return all;
    }
    /// Runs a whole re-cut, from the request until it comes into force after step 5.
    Output recut(const Heirs& inherits = {{0}, {0, 1}, {1}}) {
        begin(inherits);
        Output committed = commit();
        if (!logged<TaskRecut>(committed).empty()) return committed;
        return arrive(committed);
    }
    /// Lets these instances register, load and train.
    void go_on(const std::vector<InstanceId>& all) {
        for (const InstanceId& id : all) (void)serve(id);
        for (const InstanceId& id : all) (void)say(id, InstancePrepared{id, task().plan_hash, 5, task().generation});
        if (task().phase != TaskPhase::exchange) qFatal("the new plan does not start");
    }
    Output train_step(const InstanceId& id, std::int64_t number) {
        StepRecord record;
        record.step = number;
        record.generation = task().generation;
        Output output = say(id, StepReport{the_task, id, record});
        recuts.poll();
        Output more = take();
        output.sends.insert(output.sends.end(), more.sends.begin(), more.sends.end());
        return output;
    }
    Output poll() {
        recuts.poll();
        return take();
    }
    std::vector<StartInstance> starts(const Output& output, const std::string& node) {
        return sent<StartInstance>(output, nodes[node]);
    }
    std::vector<StopInstance> stops(const Output& output, const std::string& node) {
        return sent<StopInstance>(output, nodes[node]);
    }
    Error refusal(const Output& output) {
        const auto refused = sent<Refused>(output, client);
        if (refused.size() != 1) qFatal("%zu refusals", refused.size());
        return refused[0].error;
    }
    bool trains_by_the_old_plan() const {
        return task().generation == 1 && task().plan_hash == "hash" && task().phase == TaskPhase::exchange &&
               maker.held.empty() && maker.standing.empty();
    }
};

}  // namespace divisi::control::test
