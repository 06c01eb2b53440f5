// SPDX-License-Identifier: Apache-2.0
#include "backend/control/network/services.h"

#include <algorithm>
#include <random>

#include "backend/control/agent/service_lease.h"
#include "backend/control/agent/service_watch.h"
#include "backend/control/state/incarnation.h"
#include "tests/support/test_program.h"
#include "tests/unit/control/fixture.h"

namespace services_test {

using namespace divisi;
using namespace divisi::control;
using namespace std::chrono_literals;

namespace {

/// A fixture with a context, the registry, and one client that watches it.
struct Srd : test::Fixture {
    Services services{context};
    ServiceWatch watch;
    PeerId client = connect(900);

    Srd() {
        context.follow([this](const Event& event) { services.follow(event); });
        NodeInfo info;
        info.id = NodeId("mic-1/a");
        info.mic = MicId("mic-1");
        info.devices = {{"cpu", "a processor", 4, 1 << 30, 5e9, 0}};
        context.append(NodeJoined{info});
        TaskSubmitted submitted;
        submitted.task = TaskId("gpt-1");
        context.append(submitted);
        context.append(PhaseChanged{TaskId("gpt-1"), TaskPhase::registration, ""});
    }
    static Sid sid(int stage) { return Sid("gpt-1/stage-" + std::to_string(stage) + "/0"); }
    void place(int stage, Incarnation incarnation = 1) {
        const InstanceId id = instance_of(sid(stage), incarnation);
        context.append(InstancePlaced{TaskId("gpt-1"), id, sid(stage), NodeId("mic-1/a"), stage, 1});
        context.append(InstanceJoined{id, "process", "ipc:///run/x ipc:///run/y", "key"});
    }
    static mesh::Registration said(int stage, mesh::Health health, Incarnation incarnation = 1) {
        mesh::Registration one;
        one.sid = sid(stage);
        one.prefix = "gpt-1/stage-" + std::to_string(stage);
        one.incarnation = incarnation;
        one.task = TaskId("gpt-1");
        one.generation = 1;
        one.health = health;
        return one;
    }
    /// Registers a stage over the connection of the same number.
    void add(int stage, mesh::Health health = mesh::Health::active, Incarnation incarnation = 1) {
        say(services, PeerId(static_cast<std::uint64_t>(stage)), RegisterService{said(stage, health, incarnation)});
    }
    /// Lets time pass while the registry runs. The stages in `renewing` renew their leases.
    void live(Duration time, const std::set<int>& renewing = {}) {
        for (const TimePoint end = now + time; now < end;) {
            pass(500ms);
            for (const int stage : renewing)
                say(services, PeerId(static_cast<std::uint64_t>(stage)),
                    RenewService{sid(stage), 1, services.registry().epoch()});
            services.check_deadlines();
            services.tell();
        }
    }
    /// Sends the client's question and returns the answer; none if there is none immediately.
    std::optional<std::vector<ServiceRow>> ask() {
        clear();
        say(services, client, watch.next());
        return heard();
    }
    std::optional<std::vector<ServiceRow>> heard() {
        services.tell();
        const auto answers = sent<ServiceChanges>();
        if (answers.empty()) return std::nullopt;
        return watch.take(answers.back().second, now);
    }
    /// Asks until there is no immediate answer.
    void catch_up() {
        while (ask()) {}
    }
};

std::vector<std::string> names(const mesh::RegistryTable& table) {
    std::vector<std::string> all;
    for (const Sid& sid : table.under("gpt-1")) all.push_back(sid.value());
    return all;
}

}  // namespace

/// Tests the orchestrator's registry as instances and clients see it.
class ServicesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void registry_fills_in_fields_that_instances_may_not_set();
    void watch_waits_and_receives_every_change();
    void watch_without_a_change_is_answered_in_time();
    void row_has_the_age_of_its_last_renewal();
    void lease_watch_is_notified_of_renewals();
    void snapshot_pages_tolerate_changes_in_between();
    void unrenewed_lease_expires();
    void ended_instance_leaves_at_once();
    void unplaced_instance_is_refused();
    void log_matches_the_registry();
    void restart_restores_the_registry();
    void lease_is_renewed_and_registered_again_if_lost();
    void lease_sends_every_change_once();
};

void ServicesTest::registry_fills_in_fields_that_instances_may_not_set() {
    Srd srd;
    srd.place(0);
    mesh::Registration lies = Srd::said(0, mesh::Health::active);
    lies.node = NodeId("elsewhere");
    lies.address.endpoint = "tcp://6.6.6.6:1";
    lies.capability.flops_per_s = 1e18;
    srd.clear();
    srd.say(srd.services, PeerId(0), RegisterService{lies});
    QCOMPARE(srd.sent<ServiceRegistered>().size(), std::size_t{1});
    const mesh::ServicePtr row = srd.services.registry().table().find(Srd::sid(0));
    QVERIFY(row != nullptr);
    QCOMPARE(row->said.node.value(), std::string("mic-1/a"));
    QCOMPARE(row->said.mic.value(), std::string("mic-1"));
    QCOMPARE(row->said.address.endpoint, std::string("ipc:///run/x ipc:///run/y"));
    QCOMPARE(row->said.capability.flops_per_s, 5e9);
    QCOMPARE(row->said.resource_type, std::string("cpu"));
}

void ServicesTest::watch_waits_and_receives_every_change() {
    Srd srd;
    for (const int stage : {0, 1, 2}) srd.place(stage);
    srd.add(0, mesh::Health::pending);
    srd.catch_up();
    QVERIFY(srd.watch.complete());
    QCOMPARE(names(srd.watch.services().table()), std::vector<std::string>{"gpt-1/stage-0/0"});
    srd.clear();  // the client's last question is waiting
    srd.add(1);
    srd.add(0, mesh::Health::active);
    const auto rows = srd.heard();
    QVERIFY(rows.has_value());
    QCOMPARE(rows->size(), std::size_t{2});
    QCOMPARE((*rows)[1].said.health, mesh::Health::active);
    srd.add(2);  // while no question is waiting
    srd.context.append(InstanceEnded{instance_of(Srd::sid(1), 1), ""});
    const auto missed = srd.ask();
    QVERIFY(missed.has_value());
    QCOMPARE(missed->size(), std::size_t{2});
    QVERIFY((*missed)[1].removed);
    QCOMPARE(names(srd.watch.services().table()), (std::vector<std::string>{"gpt-1/stage-0/0", "gpt-1/stage-2/0"}));
}

void ServicesTest::watch_without_a_change_is_answered_in_time() {
    Srd srd;
    srd.place(0);
    srd.add(0);
    srd.catch_up();
    QCOMPARE(srd.sent<ServiceChanges>().size(), std::size_t{0});
    srd.live(watch_patience - 1s, {0});
    QCOMPARE(srd.sent<ServiceChanges>().size(), std::size_t{0});
    QVERIFY(srd.services.next_deadline().has_value());
    srd.live(2s, {0});
    const auto answers = srd.sent<ServiceChanges>();
    QCOMPARE(answers.size(), std::size_t{1});
    QVERIFY(answers[0].second.rows.empty());
    QVERIFY(!answers[0].second.snapshot);
    // A second request on the same connection ends the first request, which is also answered.
    srd.catch_up();
    srd.clear();
    srd.say(srd.services, srd.client, srd.watch.next());
    QCOMPARE(srd.sent<ServiceChanges>().size(), std::size_t{1});
}

void ServicesTest::row_has_the_age_of_its_last_renewal() {
    Srd srd;
    for (const int stage : {0, 1}) {
        srd.place(stage);
        srd.add(stage);
    }
    srd.live(3s, {1});
    const auto rows = srd.ask();
    QVERIFY(rows && rows->size() == 2);
    QCOMPARE(rows->at(0).renewed_ms, std::int64_t{3000});
    QCOMPARE(rows->at(1).renewed_ms, std::int64_t{0});
}

void ServicesTest::lease_watch_is_notified_of_renewals() {
    Srd srd;
    for (const int stage : {0, 1}) srd.place(stage);
    for (const int stage : {0, 1}) srd.add(stage);
    srd.catch_up();
    WatchServices question = srd.watch.next();
    question.leases = true;
    srd.say(srd.services, srd.client, question);
    srd.clear();  // the previous watch was answered
    srd.live(lease_patience - 500ms, {0});
    QVERIFY(srd.sent<ServiceChanges>().empty());
    srd.live(500ms, {0});
    auto answers = srd.sent<ServiceChanges>();
    QCOMPARE(answers.size(), std::size_t{1});
    QVERIFY(answers[0].second.rows.empty());
    QVERIFY(answers[0].second.leases == (std::vector<LeaseAge>{{Srd::sid(0), 0}, {Srd::sid(1), 1000}}));
    // Ask for the following leases, as if there were many.
    srd.clear();
    question.leases_after = Srd::sid(0);
    srd.say(srd.services, srd.client, question);
    srd.live(lease_patience);
    answers = srd.sent<ServiceChanges>();
    QCOMPARE(answers.size(), std::size_t{1});
    QVERIFY(answers[0].second.leases == (std::vector<LeaseAge>{{Srd::sid(1), 2000}}));
}

void ServicesTest::snapshot_pages_tolerate_changes_in_between() {
    Srd srd;
    constexpr int count = 2 * static_cast<int>(most_service_rows) + 10;
    for (int stage = 0; stage < count; ++stage) {
        srd.place(stage);
        srd.add(stage);
    }
    srd.clear();
    srd.say(srd.services, srd.client, srd.watch.next());
    QVERIFY(srd.watch.take(srd.sent<ServiceChanges>().back().second, srd.now).empty());
    QVERIFY(!srd.watch.complete());
    // Between two pages, remove a row of the first page, and change one row and remove another of a later page.
    const std::vector<Sid> order = srd.services.registry().table().under("gpt-1");
    const auto end = [&](const Sid& sid) { srd.context.append(InstanceEnded{instance_of(sid, 1), ""}); };
    end(order.front());
    end(order.back());
    srd.catch_up();
    QVERIFY(srd.watch.complete());
    QCOMPARE(names(srd.watch.services().table()), names(srd.services.registry().table()));
    QCOMPARE(names(srd.watch.services().table()).size(), static_cast<std::size_t>(count - 2));
}

void ServicesTest::unrenewed_lease_expires() {
    Srd srd;
    for (const int stage : {0, 1}) srd.place(stage);
    srd.add(0);
    srd.add(1);
    srd.live(mesh::lease_length + 2s, {0});
    QCOMPARE(names(srd.services.registry().table()), std::vector<std::string>{"gpt-1/stage-0/0"});
    srd.clear();
    srd.say(srd.services, PeerId(1), RenewService{Srd::sid(1), 1, srd.services.registry().epoch()});
    QVERIFY(!srd.refusal().empty());
    srd.clear();
    srd.say(srd.services, PeerId(1), RenewService{Srd::sid(1), 1, 77});  // an epoch of another registry
    QCOMPARE(srd.sent<ServiceRegistered>().at(0).second.epoch, srd.services.registry().epoch());
}

void ServicesTest::ended_instance_leaves_at_once() {
    Srd srd;
    for (const int stage : {0, 1}) srd.place(stage);
    srd.add(0);
    srd.add(1);
    srd.context.append(InstanceEnded{instance_of(Srd::sid(0), 1), "killed"});
    QCOMPARE(names(srd.services.registry().table()), std::vector<std::string>{"gpt-1/stage-1/0"});
    srd.clear();
    srd.add(0);  // its process still runs and does not know that its instance has ended
    QVERIFY(srd.refusal().find("no running task") != std::string::npos);
    srd.place(0, 2);
    srd.add(0, mesh::Health::active, 2);
    srd.clear();
    srd.add(0, mesh::Health::active, 1);  // the previous incarnation, which was only disconnected
    QVERIFY(!srd.refusal().empty());
    srd.context.append(TaskEnded{TaskId("gpt-1"), Outcome::stopped, {}});
    QVERIFY(names(srd.services.registry().table()).empty());
}

void ServicesTest::unplaced_instance_is_refused() {
    Srd srd;
    srd.add(0);
    QVERIFY(srd.refusal().find("no running task") != std::string::npos);
    srd.place(0);
    mesh::Registration foreign = Srd::said(0, mesh::Health::active);
    foreign.prefix = "gpt-2/stage-0";
    srd.clear();
    srd.say(srd.services, PeerId(0), RegisterService{foreign});
    QVERIFY(srd.refusal().find("prefix") != std::string::npos);
    QVERIFY(names(srd.services.registry().table()).empty());
}

void ServicesTest::log_matches_the_registry() {
    Srd srd;
    std::mt19937 random(3);
    std::set<int> renewing;
    std::map<int, Incarnation> newest;
    for (int i = 0; i < 400; ++i) {
        const int stage = static_cast<int>(random() % 9);
        switch (random() % 4) {
            case 0: srd.place(stage, ++newest[stage]); break;
            case 1: srd.add(stage, random() % 2 ? mesh::Health::active : mesh::Health::draining, newest[stage]); break;
            case 2:
                if (newest[stage] > 0)
                    srd.context.append(InstanceEnded{instance_of(Srd::sid(stage), newest[stage]), ""});
                break;
            default: srd.live(2s, {});  // leases lapse
        }
        srd.services.tell();
        const mesh::Registry& registry = srd.services.registry();
        std::map<Sid, mesh::Service> rows;
        for (const mesh::ServicePtr& row : registry.snapshot().services) rows.emplace(row->said.sid, *row);
        QVERIFY(srd.context.state().services == rows);
        if (registry.revision() > 0)
            QCOMPARE(srd.context.state().registry, (RegistryMark{registry.epoch(), registry.revision()}));
    }
    QVERIFY(srd.services.registry().revision() > 50);
}

void ServicesTest::restart_restores_the_registry() {
    Srd srd;
    for (const int stage : {0, 1, 2}) {
        srd.place(stage);
        srd.add(stage);
    }
    srd.catch_up();
    srd.context.append(InstanceEnded{instance_of(Srd::sid(1), 1), ""});
    srd.services.tell();
    const mesh::Registry& before = srd.services.registry();

    Srd next;
    next.context.restore(srd.context.state());
    next.services.adopt();
    const mesh::Registry& after = next.services.registry();
    QCOMPARE(after.epoch(), before.epoch());
    QCOMPARE(after.revision(), before.revision());
    QCOMPARE(names(after.table()), names(before.table()));
    // An instance that renews stays registered. The other instance's lease expires only after a whole lease length.
    next.live(mesh::lease_length - 1s, {0});
    QCOMPARE(names(after.table()).size(), std::size_t{2});
    next.live(3s, {0});
    QCOMPARE(names(after.table()), std::vector<std::string>{"gpt-1/stage-0/0"});
    // A client that has fallen behind gets every change.
    next.clear();
    next.say(next.services, next.client, srd.watch.next());
    QVERIFY(next.sent<ServiceChanges>().at(0).second.snapshot);
    QVERIFY(srd.watch.take(next.sent<ServiceChanges>()[0].second, next.now).size() > 0);
    QCOMPARE(names(srd.watch.services().table()), names(after.table()));
}

void ServicesTest::lease_is_renewed_and_registered_again_if_lost() {
    ServiceLease lease;
    TimePoint now{1000s};
    QVERIFY(!lease.due(now));
    lease.say(Srd::said(0, mesh::Health::active));
    auto question = lease.due(now);
    QVERIFY(question && holds_alternative<RegisterService>(question->message));
    QVERIFY(!lease.due(now));  // one question at a time
    lease.answered(question->number, ServiceRegistered{5, 1}, now);
    QVERIFY(!lease.due(now + mesh::renew_interval - 1ms));
    question = lease.due(now += mesh::renew_interval);
    QVERIFY(question && holds_alternative<RenewService>(question->message));
    QCOMPARE(get<RenewService>(question->message).epoch, mesh::Epoch{5});
    lease.answered(question->number, ServiceRegistered{6, 1}, now);  // the registry was restarted
    question = lease.due(now);
    QVERIFY(question && holds_alternative<RegisterService>(question->message));
    lease.answered(question->number, ServiceRegistered{6, 2}, now);
    question = lease.due(now += mesh::renew_interval);
    lease.answered(question->number, Refused{{ErrorCode::not_found, "not registered", "", ""}}, now);
    question = lease.due(now);
    QVERIFY(question && holds_alternative<RegisterService>(question->message));
    // An instance whose registration was refused tries again, but only after a pause.
    lease.answered(question->number, Refused{{ErrorCode::exhausted, "full", "", ""}}, now);
    QVERIFY(!lease.due(now + mesh::renew_interval - 1ms));
    QVERIFY(lease.due(now + mesh::renew_interval));
    lease.disconnected();
    QVERIFY(lease.due(now + mesh::renew_interval));
}

void ServicesTest::lease_sends_every_change_once() {
    ServiceLease lease;
    const TimePoint now{1000s};
    lease.say(Srd::said(0, mesh::Health::pending));
    const auto first = lease.due(now);
    lease.say(Srd::said(0, mesh::Health::active));
    const auto second = lease.due(now);  // sent immediately, since the first answer does not cover the change
    QVERIFY(second && holds_alternative<RegisterService>(second->message));
    lease.answered(first->number, ServiceRegistered{5, 1}, now);
    QVERIFY(!lease.due(now + mesh::renew_interval));
    lease.answered(second->number, ServiceRegistered{5, 2}, now);
    lease.say(Srd::said(0, mesh::Health::active));
    QVERIFY(!lease.due(now));
    QVERIFY(holds_alternative<RenewService>(lease.due(now + mesh::renew_interval)->message));
}

DIVISI_TEST(ServicesTest)

}  // namespace services_test

#include "services_test.moc"
