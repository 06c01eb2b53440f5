// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/route/mic_topology.h"

#include <map>
#include <set>

#include "tests/support/test_program.h"

namespace mic_topology_test {

using namespace divisi;
using namespace divisi::mesh;
using namespace std::chrono_literals;

namespace {

const TaskId task("t-1");
const MicId mic_1("mic-1"), mic_2("mic-2");
const InstanceId a("t-1/a#1"), b("t-1/b#1"), c("t-1/c#1");
const Sid fa("t-1/a/forward"), fb("t-1/b/forward"), fc("t-1/c/forward"), bb("t-1/b/backward"), ba("t-1/a/backward");

/// Returns a chain from a through b to c and back to a. a and b are in one MIC, c is in another.
mic::Part chain() {
    return {task,
            1,
            {{a, mic_1, true}, {b, mic_1, true}, {c, mic_2, true}},
            {{fa, "forward", a, {}},
             {fb, "forward", b, {fa}},
             {bb, "backward", b, {fb}},
             {ba, "backward", a, {bb}},
             {fc, "forward", c, {fb}}}};
}

/// A fixture with the gateway of a MIC, whose instances report twice a second.
struct Gateway {
    mic::Dependencies dependencies;
    TimePoint now{1000s};
    std::map<InstanceId, std::int64_t> steps;
    std::map<InstanceId, TimePoint> stopped;                ///< time at which a stalled instance stopped
    std::map<InstanceId, std::vector<InstanceId>> awaited;  ///< the instances that each waiting instance waits for
    std::map<InstanceId, std::string> busy;                 ///< the operation of each computing instance
    std::set<InstanceId> mute;
    int told = 0;

    explicit Gateway(const MicId& own, const mic::Part& part = chain()) : dependencies(own) {
        dependencies.set(part, now);
    }
    void wait(const InstanceId& who, const std::vector<InstanceId>& whom) {
        awaited[who] = whom;
        stopped.try_emplace(who, now);
    }
    void compute(const InstanceId& who, const std::string& what) {
        busy[who] = what;
        stopped.try_emplace(who, now);
    }
    void go_on(const InstanceId& who) {
        awaited.erase(who);
        busy.erase(who);
        stopped.erase(who);
        mute.erase(who);
    }
    void account() {
        for (const InstanceId& who : {a, b, c}) {
            if (mute.contains(who)) continue;
            const auto since = stopped.find(who);
            const Duration stood = since == stopped.end() ? Duration{} : now - since->second;
            if (since == stopped.end()) steps[who] += 2;
            mic::Progress progress{task, 1, who, steps[who], "", {}, {}, {}};
            if (const auto what = busy.find(who); what != busy.end()) {
                progress.operation = what->second;
                progress.computes = stood;
            } else if (const auto whom = awaited.find(who); whom != awaited.end()) {
                progress.waits_for = whom->second;
                progress.waits = stood;
            } else {
                progress.operation = "forward 0 of step " + std::to_string(steps[who]);
            }
            dependencies.take(progress, now);
        }
    }
    void pass(Duration time) {
        for (const TimePoint end = now + time; now < end;) {
            now += 500ms;
            account();
            told += static_cast<int>(dependencies.poll(now).size());
        }
    }
    std::vector<mic::Broken> broken() const { return dependencies.broken(task); }
};

}  // namespace

/// Tests what the MIC derives from its units' dependencies, and how it finds stalled chains.
class MicTopologyTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void topology_has_the_units_of_its_mic_and_all_edges_to_others() {
        Gateway here(mic_1), there(mic_2);
        QCOMPARE(here.dependencies.topology(task)->units.size(), 4U);
        QCOMPARE(here.dependencies.topology(task)->edges.size(), 4U);
        QCOMPARE(there.dependencies.topology(task)->units, std::vector{fc});
        QCOMPARE(there.dependencies.topology(task)->edges, (std::vector<mic::Edge>{{fb, fc, mic_1, mic_2}}));
    }
    void topology_is_sent_once_and_after_each_change() {
        Gateway gateway(mic_1);
        gateway.pass(5s);
        QCOMPARE(gateway.told, 1);
        gateway.dependencies.set(chain(), gateway.now);
        gateway.pass(1s);
        QCOMPARE(gateway.told, 1);
        mic::Part less = chain();
        less.units.pop_back();
        gateway.dependencies.set(less, gateway.now);
        gateway.pass(1s);
        QCOMPARE(gateway.told, 2);
    }
    void chain_that_makes_progress_is_not_reported_as_broken() {
        Gateway gateway(mic_1);
        gateway.pass(120s);
        QVERIFY(gateway.broken().empty());
    }
    void waiting_for_a_silent_unit_breaks_the_dependency() {
        Gateway gateway(mic_1);
        gateway.pass(10s);
        gateway.mute.insert(a);
        gateway.wait(b, {a});
        gateway.pass(4s);
        QVERIFY(gateway.broken().empty());
        gateway.pass(4s);
        QCOMPARE(gateway.broken().size(), 1U);
        QCOMPARE(gateway.broken()[0].edge, (mic::Edge{fa, fb, mic_1, mic_1}));
        QCOMPARE(gateway.broken()[0].cause, mic::Cause::silent);
        QCOMPARE(gateway.broken()[0].since, gateway.stopped.at(b));
        gateway.go_on(a);
        gateway.go_on(b);
        gateway.pass(1s);
        QVERIFY(gateway.broken().empty());
    }
    void end_of_a_chain_of_waits_is_blamed_and_not_its_middle() {
        mic::Part all_here = chain();
        for (mic::Instance& one : all_here.instances) one.mic = mic_1;
        Gateway gateway(mic_1, all_here);
        gateway.pass(10s);
        gateway.mute.insert(a);
        gateway.wait(b, {a});
        gateway.wait(c, {b});
        gateway.pass(20s);
        QCOMPARE(gateway.broken().size(), 1U);
        QCOMPARE(gateway.broken()[0].edge.from, fa);
    }
    void units_that_wait_for_each_other_receive_nothing() {
        Gateway gateway(mic_2);
        gateway.pass(10s);
        gateway.wait(b, {c});
        gateway.wait(c, {b});
        gateway.pass(10s);
        QCOMPARE(gateway.broken().size(), 1U);
        QCOMPARE(gateway.broken()[0].edge, (mic::Edge{fb, fc, mic_1, mic_2}));
        QCOMPARE(gateway.broken()[0].cause, mic::Cause::nothing_arrives);
    }
    void long_computation_breaks_its_dependency_only_after_ten_steps() {
        Gateway gateway(mic_1);
        gateway.pass(10s);
        gateway.compute(a, "forward 3 of step 12");
        gateway.wait(b, {a});
        gateway.pass(4s);
        QVERIFY(gateway.broken().empty());
        gateway.pass(4s);
        QCOMPARE(gateway.broken().size(), 2U);
        QCOMPARE(gateway.broken()[0].edge.from, fa);  // a has stalled, no matter which unit waits for it
        QVERIFY(gateway.broken()[0].edge.to.value().empty());
        QCOMPARE(gateway.broken()[1].edge.to, fb);
        QCOMPARE(gateway.broken()[1].cause, mic::Cause::stands);
    }
    void ten_long_steps_are_waited_for() {
        Gateway gateway(mic_1);
        for (int i = 0; i < 20; ++i) {  // each step takes two seconds
            gateway.steps[a] -= i % 4 == 0 ? 1 : 2;
            gateway.steps[b] -= i % 4 == 0 ? 1 : 2;
            gateway.pass(500ms);
        }
        gateway.mute.insert(a);
        gateway.wait(b, {a});
        gateway.pass(15s);
        QVERIFY(gateway.broken().empty());
        gateway.pass(10s);
        QCOMPARE(gateway.broken().size(), 1U);
    }
    void silence_before_the_first_step_is_tolerated_for_longer() {
        Gateway gateway(mic_1);
        gateway.mute.insert(a);
        gateway.wait(b, {a});
        gateway.pass(55s);
        QVERIFY(gateway.broken().empty());
        gateway.pass(10s);
        QCOMPARE(gateway.broken().size(), 1U);
    }
    void silence_of_all_processes_counts_as_a_pause_of_the_task() {
        Gateway gateway(mic_1);
        gateway.pass(10s);
        gateway.mute = {a, b, c};
        gateway.pass(60s);
        gateway.mute.clear();
        gateway.pass(5s);
        QVERIFY(gateway.broken().empty());
    }
    void pause_of_the_gateway_does_not_count_as_silence() {
        Gateway gateway(mic_1);
        gateway.pass(10s);
        gateway.wait(b, {a});
        gateway.now += 30s;
        gateway.dependencies.poll(gateway.now);
        gateway.go_on(b);
        gateway.pass(5s);
        QVERIFY(gateway.broken().empty());
    }
    void dependency_stays_broken_if_its_reporter_becomes_silent() {
        Gateway gateway(mic_1);
        gateway.pass(10s);
        gateway.mute.insert(a);
        gateway.wait(b, {a});
        gateway.pass(10s);
        gateway.mute.insert(b);
        gateway.pass(10s);
        QCOMPARE(gateway.broken().size(), 1U);
    }
    void topology_ends_together_with_the_task() {
        Gateway gateway(mic_1);
        gateway.pass(1s);
        gateway.dependencies.set({task, 1, {}, {}}, gateway.now);
        QCOMPARE(gateway.dependencies.poll(gateway.now), std::vector{task});
        QVERIFY(!gateway.dependencies.topology(task));
        QVERIFY(gateway.dependencies.poll(gateway.now).empty());
    }
    void finished_instance_blames_no_unit() {
        Gateway gateway(mic_1);
        gateway.pass(10s);
        mic::Part done = chain();
        for (mic::Instance& one : done.instances) one.runs = false;
        gateway.dependencies.set(done, gateway.now);
        gateway.wait(b, {a});
        gateway.mute.insert(a);
        gateway.pass(60s);
        QVERIFY(gateway.broken().empty());
    }
    void progress_of_another_generation_is_ignored() {
        Gateway gateway(mic_1);
        gateway.pass(10s);
        gateway.dependencies.take({task, 2, b, 99, "", {}, {a}, 100s}, gateway.now);
        gateway.mute = {a, b, c};
        gateway.now += 400ms;
        gateway.dependencies.poll(gateway.now);
        gateway.now += 1900ms;
        gateway.dependencies.poll(gateway.now);
        QVERIFY(gateway.broken().empty());
    }
};

DIVISI_TEST(MicTopologyTest)

}  // namespace mic_topology_test

#include "mic_topology_test.moc"
