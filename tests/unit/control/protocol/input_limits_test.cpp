// SPDX-License-Identifier: Apache-2.0
#include "backend/control/protocol/input_limits.h"
#include "backend/control/protocol/access_messages.h"
#include "backend/control/protocol/connection_messages.h"
#include "backend/control/protocol/node_messages.h"
#include "backend/control/protocol/state_messages.h"

#include <cstdlib>
#include <functional>
#include <set>

#include "backend/control/dispatch/orchestrator.h"
#include "backend/control/state/encoded_size.h"
#include "tests/support/test_program.h"
#include "tests/unit/control/plan_at_once.h"

namespace input_limits_test {

using namespace divisi;
using namespace divisi::control;
using std::chrono::milliseconds, std::chrono::seconds;

namespace {

/// Returns a plan with the number of units that the text gives.
Result<PlanSummary> plan_of(const SubmitTask& submission) {
    PlanSummary plan;
    plan.name = "t";
    plan.plan_hash = "h";
    for (int i = 0; i < std::atoi(submission.text.c_str()); ++i)
        plan.units.push_back({{Sid("task/u" + std::to_string(i)), "forward", {}, {}, UnitState::waiting}, 0});
    return plan;
}

struct Cluster {
    Orchestrator core;
    TimePoint now{seconds(1000)};
    PeerId client{1};

    Cluster() {
        (void)core.start("test", "1", now);
        const PeerId node(2);
        for (const auto& [peer, role] : {std::pair(client, Role::admin), std::pair(node, Role::agent)}) {
            (void)core.step(PeerConnected{peer, {true, {}, "someone", ""}}, now);
            (void)say(peer, Hello{"test", "1", role});
        }
        (void)say(node, RegisterNode{{NodeId("m/n"), MicId("m"), "h", "f", {}, "", "", 1}});
    }
    Output say(PeerId peer, Message message) {
        now += milliseconds(1);
        return test::plan_at_once(core, core.step(Received{peer, 1, std::move(message)}, now), now, plan_of);
    }
    /// Returns the refusal of a message; none if the message is accepted.
    std::optional<Error> refused(Message message) {
        const Output output = say(client, std::move(message));
        for (const Send& sent : output.sends)
            if (const auto* refusal = get_if<Refused>(&sent.message)) {
                if (!output.events.empty()) qFatal("a refused message left events in the log");
                return refusal->error;
            }
        return std::nullopt;
    }
};

SubmitTask submission(std::string text = "3") { return {std::move(text), "/home", "", {}, "me"}; }

}  // namespace

class InputLimitsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void ordinary_task_is_accepted();
    void oversized_field_is_refused_by_name();
    void plan_beyond_the_limit_is_refused();
    void queue_is_bounded_in_bytes();
    void long_reason_is_truncated_with_a_notice();
    void pushes_and_policies_are_sent_in_pages();
    void snapshot_that_is_not_fetched_is_discarded();
};

void InputLimitsTest::ordinary_task_is_accepted() {
    Cluster cluster;
    SubmitTask message = submission();
    message.files = {{"data", "/data/text", "", 5, false}, {"weights", "", std::string(64, 'a'), 5, false}};
    message.files[1].path = "/w";
    QVERIFY(!cluster.refused(message));
    QCOMPARE(cluster.core.state().tasks.size(), std::size_t(1));
}

void InputLimitsTest::oversized_field_is_refused_by_name() {
    const std::vector<std::pair<std::string, std::function<void(SubmitTask&)>>> cases{
        {"submit_task.text", [](SubmitTask& t) { t.text.resize(longest_task_text + 1, ' '); }},
        {"submit_task.folder", [](SubmitTask& t) { t.folder.resize(5 << 20, 'x'); }},
        {"submit_task.submitted_by", [](SubmitTask& t) { t.submitted_by.resize(longest_word + 1, 'x'); }},
        {"submit_task.skeleton", [](SubmitTask& t) { t.skeleton.resize(skeleton_limit + 1); }},
        {"submit_task.files", [](SubmitTask& t) { t.files.resize(199'999); }},
        {"submit_task.files[0]", [](SubmitTask& t) { t.files.resize(1); }},
        {"submit_task.files[0].path",
         [](SubmitTask& t) {
             t.files = {{"data", std::string(5000, 'x'), "", 0, false}};
         }},
        {"submit_task.files[0].purpose",
         [](SubmitTask& t) {
             t.files = {{std::string(300, 'x'), "/p", "", 0, false}};
         }},
        {"submit_task.files[0].hash", [](SubmitTask& t) {
             t.files = {{"data", "/p", std::string(300, 'x'), 0, false}};
         }}};
    for (const auto& [where, spoil] : cases) {
        Cluster cluster;
        SubmitTask message = submission();
        spoil(message);
        const auto error = cluster.refused(message);
        QVERIFY2(error, where.c_str());
        QCOMPARE(error->where, where);
        QVERIFY(!error->what.empty() && !error->next.empty());
        QVERIFY(cluster.core.state().tasks.empty());
    }
    Cluster cluster;
    QCOMPARE(cluster.refused(ChangeKey{{"k", std::string(1000, 'n'), Role::viewer, false}})->where,
             std::string("change_key.name"));
}

void InputLimitsTest::plan_beyond_the_limit_is_refused() {
    Cluster cluster;
    const auto error = cluster.refused(submission("60000"));
    QVERIFY(error && error->code == ErrorCode::exhausted);
    QVERIFY(!cluster.refused(submission("5000")));
}

void InputLimitsTest::queue_is_bounded_in_bytes() {
    Cluster cluster;
    std::size_t taken = 0;
    std::string text = "1 ";
    text.resize(longest_task_text, ' ');
    std::optional<Error> error;
    while (!(error = cluster.refused(submission(text)))) QVERIFY(++taken < 1000);
    QVERIFY(taken * longest_task_text >= queue_bytes - 2 * longest_task_text);
    QVERIFY2(error->where.find("MiB") != std::string::npos, error->where.c_str());
    QVERIFY(!cluster.refused(submission("1")) || error->what == "the queue is full");
}

void InputLimitsTest::long_reason_is_truncated_with_a_notice() {
    Cluster cluster;
    (void)cluster.refused(submission());
    (void)cluster.say(PeerId(2), InstanceExited{InstanceId("t-1/stage-0/0#1"), 1, 0, std::string(60'000, 'x')});
    const std::string& detail = cluster.core.state().instances.at(InstanceId("t-1/stage-0/0#1")).detail;
    QVERIFY(detail.size() < longest_detail + 50);
    QVERIFY(detail.ends_with("more bytes)"));
    QVERIFY(!cluster.refused(StopTask{TaskId("t-1"), ""}) || true);
    const auto error = cluster.refused(StopTask{TaskId(std::string(60'000, 'x')), ""});
    QVERIFY(error->where.size() < longest_detail + 50);
}

void InputLimitsTest::pushes_and_policies_are_sent_in_pages() {
    Cluster cluster;
    (void)cluster.say(cluster.client, Subscribe{});
    // Put everything into one output: a thousand keys, then the registration of a node, which gets all keys.
    for (int i = 0; i < 1000; ++i)
        (void)cluster.say(cluster.client,
                          ChangeKey{{"key" + std::to_string(i), std::string(200, 'n'), Role::viewer, false}});
    const Output output = cluster.say(PeerId(2), RegisterNode{{NodeId("m/n"), MicId("m"), "h", "f", {}, "", "", 1}});
    std::set<std::string> keys;
    std::uint32_t pages = 0;
    bool more = true;
    for (const Send& sent : output.sends)
        if (const auto* list = get_if<AccessKeys>(&sent.message)) {
            QVERIFY(more);
            QCOMPARE(list->page, pages++);
            QVERIFY(list->keys.size() <= access_page_keys);
            for (const KeyChanged& key : list->keys) keys.insert(key.public_key);
            more = list->more;
        }
    QVERIFY(!more);
    QCOMPARE(keys.size(), std::size_t(1000));
    // Start a task whose text is nearly 1 MiB: its submission and its plan do not fit into one push.
    std::string text = "9000 ";
    text.resize(longest_task_text, ' ');
    const Output started = cluster.say(cluster.client, submission(text));
    std::size_t pushes = 0, events = 0;
    for (const Send& sent : started.sends)
        if (const auto* push = get_if<EventPush>(&sent.message)) {
            ++pushes;
            events += push->events.size();
        }
    QVERIFY(pushes > 1);
    QCOMPARE(events, started.events.size());
}

void InputLimitsTest::snapshot_that_is_not_fetched_is_discarded() {
    Cluster cluster;
    std::string text = "1 ";
    text.resize(longest_task_text, ' ');
    for (int i = 0; i < 3; ++i) QVERIFY(!cluster.refused(submission(text)));
    const auto peer = [&](std::uint64_t number) {
        (void)cluster.core.step(PeerConnected{PeerId(number), {true, {}, "viewer", ""}}, cluster.now);
        (void)cluster.say(PeerId(number), Hello{"test", "1", Role::viewer});
        const Output output = cluster.say(PeerId(number), Subscribe{});
        QVERIFY(get<Snapshot>(output.sends.at(0).message).more);
    };
    for (std::uint64_t i = 0; i <= most_open_snapshots; ++i) {
        peer(10 + i);
        (void)cluster.refused(submission("1"));  // advances the time
    }
    const auto answer = [&](std::uint64_t number) {
        return cluster.say(PeerId(number), FetchSnapshotPage{1}).sends.at(0).message;
    };
    QVERIFY(holds_alternative<Refused>(answer(10)));
    QVERIFY(holds_alternative<Snapshot>(answer(10 + most_open_snapshots)));
}

DIVISI_TEST(InputLimitsTest)

}  // namespace input_limits_test

#include "input_limits_test.moc"
