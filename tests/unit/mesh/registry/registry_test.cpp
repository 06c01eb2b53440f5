// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/registry/registry.h"

#include <cmath>

#include "backend/mesh/base/service_path.h"
#include "tests/support/test_program.h"
#include "tests/unit/mesh/registrations.h"

namespace registry_test {

using namespace divisi;
using namespace divisi::mesh;
using divisi::tests::epoch, divisi::tests::instance, divisi::tests::router, divisi::tests::start;
using std::chrono::milliseconds, std::chrono::seconds;

namespace {

/// A fixture with a registry and its peers.
struct Mesh {
    Registry registry{epoch};
    TimePoint now = start;

    void add(const Registration& said) {
        const auto added = registry.add(said, now);
        if (!added) qFatal("%s", added.error().message().c_str());
    }
    void add_replicas(int count, const std::string& unit = "gpt-1/stage-0") {
        for (int i = 0; i < count; ++i) add(instance(unit + "/" + std::to_string(i)));
    }
    void renew(const std::string& sid) {
        const auto renewed = registry.renew(Sid(sid), 1, epoch, now);
        if (!renewed) qFatal("%s", renewed.error().message().c_str());
    }
    /// Lets replicas from `first` to before `end` renew twice a second for `time`.
    void live(Duration time, int first, int end, const std::string& unit = "gpt-1/stage-0") {
        for (const TimePoint until = now + time; now < until;) {
            now += milliseconds(500);
            for (int i = first; i < end; ++i) renew(unit + "/" + std::to_string(i));
            registry.advance(now);
        }
    }
    std::vector<std::string> sids(const std::string& name) const {
        std::vector<std::string> found;
        for (const ServicePtr& service : registry.resolve(name).services) found.push_back(service->said.sid.value());
        return found;
    }
    std::size_t stale() const {
        std::size_t count = 0;
        for (const ServicePtr& service : registry.snapshot().services) count += service->stale;
        return count;
    }
};

std::vector<Change> changes_of(const WatchAnswer& answer) {
    const auto* changes = get_if<Changes>(&answer);
    return changes ? changes->changes : std::vector<Change>();
}

template <typename T>
ErrorCode code_of(const Result<T>& result) {
    return result ? static_cast<ErrorCode>(-1) : result.error().code;
}

using Names = std::vector<std::string>;

}  // namespace

class RegistryTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void lower_incarnation_is_refused_and_a_higher_one_replaces();
    void older_process_cannot_return_after_leaving();
    void wrong_registrations_are_refused_with_a_hint();
    void repeated_registration_changes_nothing();
    void only_the_registered_incarnation_renews_and_withdraws();
    void leases_lapse_without_renewals();
    void simultaneous_lapse_of_all_leases_removes_no_service();
    void gradual_lapse_of_all_leases_removes_no_service();
    void few_lapsed_leases_do_expire();
    void preservation_ends_when_renewals_return();
    void preservation_ends_after_its_longest_time();
    void watch_gets_every_change_in_order();
    void watcher_too_far_behind_gets_an_error();
    void watcher_of_another_epoch_gets_an_error();
    void name_prefixes_end_at_a_slash();
    void longest_prefix_answers_for_names_below();
    void healthy_services_come_first();
    void finished_task_is_removed();
    void table_is_bounded();
};

void RegistryTest::lower_incarnation_is_refused_and_a_higher_one_replaces() {
    Mesh m;
    m.add(instance("gpt-1/stage-0/0", 2));
    const auto refused = m.registry.add(instance("gpt-1/stage-0/0", 1), m.now);
    QCOMPARE(code_of(refused), ErrorCode::conflict);
    QVERIFY(refused.error().where.find("gpt-1/stage-0/0") != std::string::npos);
    QVERIFY(!refused.error().next.empty());
    QCOMPARE(m.registry.revision(), Revision{1});
    m.add(instance("gpt-1/stage-0/0", 3));
    QCOMPARE(m.registry.revision(), Revision{2});
    QCOMPARE(m.registry.table().services(), std::size_t{1});
    QCOMPARE(m.registry.table().find(Sid("gpt-1/stage-0/0"))->said.incarnation, Incarnation{3});
    Registration draining = instance("gpt-1/stage-0/0", 3);
    draining.health = Health::draining;
    m.add(draining);
    QCOMPARE(m.registry.table().find(Sid("gpt-1/stage-0/0"))->said.health, Health::draining);
}

void RegistryTest::older_process_cannot_return_after_leaving() {
    Mesh m;
    m.add(instance("gpt-1/stage-0/0", 2));
    QVERIFY(m.registry.withdraw(Sid("gpt-1/stage-0/0"), 2, m.now).ok());
    QCOMPARE(code_of(m.registry.add(instance("gpt-1/stage-0/0", 1), m.now)), ErrorCode::conflict);
    QVERIFY(m.registry.add(instance("gpt-1/stage-0/0", 2), m.now).ok());
    QVERIFY(m.registry.add(router("router-1", 2), m.now).ok());
    QCOMPARE(code_of(m.registry.add(router("router-1", 1), m.now)), ErrorCode::conflict);
    QVERIFY(m.registry.withdraw_device("router-1", 2, m.now).ok());
    QCOMPARE(code_of(m.registry.add(router("router-1", 1), m.now)), ErrorCode::conflict);
}

void RegistryTest::wrong_registrations_are_refused_with_a_hint() {
    Mesh m;
    const auto refuses = [&](auto said, auto change) {
        change(said);
        const auto added = m.registry.add(said, m.now);
        return !added && added.error().code == ErrorCode::invalid_input && !added.error().where.empty() &&
               !added.error().next.empty() && m.registry.revision() == 0;
    };
    const Registration good = instance("gpt-1/stage-0/0");
    QVERIFY(refuses(good, [](auto& said) { said.sid = Sid("gpt-1/stage-0"); }));
    QVERIFY(refuses(good, [](auto& said) { said.sid = Sid("gpt-1//stage-0/0"); }));
    QVERIFY(refuses(good, [](auto& said) { said.sid = Sid("gpt-1/stage-0/0/"); }));
    QVERIFY(refuses(good, [](auto& said) { said.sid = Sid("gpt-1/stage-0/\n"); }));
    QVERIFY(refuses(good, [](auto& said) { said.sid = Sid("gpt-1/stage-0/" + std::string(longest_name, 'x')); }));
    QVERIFY(refuses(good, [](auto& said) { said.prefix = "gpt-1/stage"; }));
    QVERIFY(refuses(good, [](auto& said) { said.prefix = ""; }));
    QVERIFY(refuses(good, [](auto& said) { said.task = TaskId("gpt-2"); }));
    QVERIFY(refuses(good, [](auto& said) { said.incarnation = 0; }));
    QVERIFY(refuses(good, [](auto& said) { said.health = static_cast<Health>(9); }));
    QVERIFY(refuses(good, [](auto& said) { said.capability.flops_per_s = -1; }));
    QVERIFY(refuses(good, [](auto& said) { said.capability.flops_per_s = std::nan(""); }));
    QVERIFY(refuses(good, [](auto& said) { said.input_schema = std::string(longest_schema + 1, 'x'); }));
    QVERIFY(refuses(good, [](auto& said) { said.address.endpoint = std::string(longest_name + 1, 'x'); }));
    const DeviceRegistration device = router("router-1");
    QVERIFY(refuses(device, [](auto& said) { said.name = ""; }));
    QVERIFY(refuses(device, [](auto& said) { said.role = static_cast<DeviceRole>(7); }));
    QVERIFY(refuses(device, [](auto& said) { said.links[0].neighbour = "a b"; }));
    QVERIFY(refuses(device, [](auto& said) { said.links.resize(most_device_links + 1); }));
    QVERIFY(refuses(device, [](auto& said) { said.addresses.resize(most_addresses + 1); }));
    QVERIFY(refuses(device, [](auto& said) { said.limits.mic_bytes_per_s = INFINITY; }));
    // A name of the greatest length is accepted.
    m.add(instance("gpt-1/stage-0/" + std::string(longest_name - 14, 'x')));
}

void RegistryTest::repeated_registration_changes_nothing() {
    Mesh m;
    m.add_replicas(1);
    m.now += seconds(9);
    m.add_replicas(1);
    QCOMPARE(m.registry.revision(), Revision{1});
    m.now += seconds(9);
    m.registry.advance(m.now);
    QCOMPARE(m.registry.table().services(), std::size_t{1});  // the row stays unchanged, but the lease is renewed
}

void RegistryTest::only_the_registered_incarnation_renews_and_withdraws() {
    Mesh m;
    const Sid sid("gpt-1/stage-0/0");
    QCOMPARE(code_of(m.registry.renew(sid, 1, epoch, m.now)), ErrorCode::not_found);
    QCOMPARE(code_of(m.registry.withdraw(sid, 1, m.now)), ErrorCode::not_found);
    m.add(instance(sid.value(), 2));
    for (const Incarnation wrong : {1, 3}) {
        QCOMPARE(code_of(m.registry.renew(sid, wrong, epoch, m.now)), ErrorCode::conflict);
        QCOMPARE(code_of(m.registry.withdraw(sid, wrong, m.now)), ErrorCode::conflict);
    }
    const auto renewed = m.registry.renew(sid, 2, epoch, m.now + seconds(1));
    QVERIFY(renewed.ok());
    QCOMPARE(get<Renewed>(*renewed).until, m.now + seconds(1) + lease_length);
    QCOMPARE(m.registry.revision(), Revision{1});
    QVERIFY(m.registry.withdraw(sid, 2, m.now).ok());
    QCOMPARE(m.registry.revision(), Revision{2});
    QVERIFY(!m.registry.table().find(sid));
}

void RegistryTest::leases_lapse_without_renewals() {
    Mesh m;
    m.add_replicas(2);
    m.now += seconds(2);
    m.renew("gpt-1/stage-0/1");
    m.registry.advance(start + lease_length - milliseconds(1));
    QCOMPARE(m.registry.table().services(), std::size_t{2});
    m.registry.advance(start + lease_length);
    QCOMPARE(m.sids("gpt-1"), Names{"gpt-1/stage-0/1"});
    QCOMPARE(code_of(m.registry.renew(Sid("gpt-1/stage-0/0"), 1, epoch, m.now)), ErrorCode::not_found);
    m.registry.advance(start + seconds(2) + lease_length);
    QCOMPARE(m.registry.table().services(), std::size_t{0});
    QCOMPARE(m.registry.revision(), Revision{4});
}

void RegistryTest::simultaneous_lapse_of_all_leases_removes_no_service() {
    Mesh m;
    m.add_replicas(20);
    QVERIFY(m.registry.add(router("router-1"), m.now).ok());
    m.now += lease_length;
    m.registry.advance(m.now);
    QVERIFY(m.registry.preserving_since() == m.now);
    QCOMPARE(m.registry.table().services(), std::size_t{20});
    QCOMPARE(m.stale(), std::size_t{20});
    QVERIFY(m.registry.table().find_device("router-1")->stale);
    QCOMPARE(m.registry.resolve("gpt-1").takers().size(), std::size_t{20});
    const Revision before = m.registry.revision();
    m.registry.advance(m.now + seconds(1));
    QCOMPARE(m.registry.revision(), before);  // a row becomes stale only once
}

void RegistryTest::gradual_lapse_of_all_leases_removes_no_service() {
    Mesh m;
    for (int i = 0; i < 20; ++i, m.now += milliseconds(100)) m.add(instance("gpt-1/stage-0/" + std::to_string(i)));
    for (int i = 0; i < 200; ++i, m.now += milliseconds(100)) m.registry.advance(m.now);
    QCOMPARE(m.registry.table().services(), std::size_t{20});
}

void RegistryTest::few_lapsed_leases_do_expire() {
    Mesh two;
    two.add_replicas(2);
    two.registry.advance(two.now + lease_length);
    QCOMPARE(two.registry.table().services(), std::size_t{0});

    Mesh share;  // three of twenty are 15 %, the largest share that expires
    share.add_replicas(20);
    share.live(seconds(11), 3, 20);
    QCOMPARE(share.registry.table().services(), std::size_t{17});
    QVERIFY(!share.registry.preserving_since());
    share.live(seconds(9), 4, 20);  // leases that lapse within ten seconds count together
    share.live(seconds(11), 6, 20);
    QCOMPARE(share.registry.table().services(), std::size_t{14});

    Mesh more;
    more.add_replicas(20);
    more.live(seconds(11), 4, 20);
    QCOMPARE(more.registry.table().services(), std::size_t{20});
    QCOMPARE(more.stale(), std::size_t{4});
}

void RegistryTest::preservation_ends_when_renewals_return() {
    Mesh m;
    m.add_replicas(20);
    m.now += lease_length;
    m.registry.advance(m.now);
    const TimePoint since = m.now;
    m.live(seconds(5), 0, 16);
    QVERIFY(m.registry.preserving_since() == since);  // four of twenty are still missing
    QCOMPARE(m.stale(), std::size_t{4});
    QCOMPARE(m.sids("gpt-1").back(), std::string("gpt-1/stage-0/19"));  // stale rows come last
    QCOMPARE(m.registry.resolve("gpt-1").takers().size(), std::size_t{16});
    m.live(seconds(1), 0, 17);
    QVERIFY(!m.registry.preserving_since());
    QCOMPARE(m.registry.table().services(), std::size_t{17});
    QCOMPARE(m.stale(), std::size_t{0});
    m.live(seconds(11), 1, 17);  // leases that lapsed under the previous self-preservation do not trigger another one
    QCOMPARE(m.registry.table().services(), std::size_t{16});
}

void RegistryTest::preservation_ends_after_its_longest_time() {
    Mesh m;
    m.add_replicas(20);
    m.now += lease_length;
    m.registry.advance(m.now);
    m.live(longest_preservation - seconds(1), 0, 10);
    QCOMPARE(m.registry.table().services(), std::size_t{20});
    m.live(seconds(1), 0, 10);
    QCOMPARE(m.registry.table().services(), std::size_t{10});
    QVERIFY(!m.registry.preserving_since());
    m.live(seconds(11), 1, 10);
    QCOMPARE(m.registry.table().services(), std::size_t{9});
}

void RegistryTest::watch_gets_every_change_in_order() {
    Mesh m;
    m.add_replicas(2);
    QVERIFY(m.registry.add(router("router-1"), m.now).ok());
    QVERIFY(m.registry.withdraw(Sid("gpt-1/stage-0/0"), 1, m.now).ok());
    const std::vector<Change> changes = changes_of(m.registry.changes_since(epoch, 1));
    QCOMPARE(changes.size(), std::size_t{3});
    QCOMPARE(changes[0].revision, Revision{2});
    QCOMPARE(get<ServicePtr>(changes[0].row)->said.sid.value(), std::string("gpt-1/stage-0/1"));
    QCOMPARE(get<ServicePtr>(changes[0].row)->revision, Revision{2});
    QCOMPARE(get<DevicePtr>(changes[1].row)->said.name, std::string("router-1"));
    QVERIFY(changes[2].removed);
    QCOMPARE(get<ServicePtr>(changes[2].row)->said.sid.value(), std::string("gpt-1/stage-0/0"));
    QVERIFY(holds_alternative<Changes>(m.registry.changes_since(epoch, 4)));
    QVERIFY(changes_of(m.registry.changes_since(epoch, 4)).empty());
}

void RegistryTest::watcher_too_far_behind_gets_an_error() {
    Mesh m;
    Registration said = instance("gpt-1/stage-0/0");
    for (std::size_t i = 0; i < most_changes + 10; ++i, ++said.generation) m.add(said);
    QCOMPARE(changes_of(m.registry.changes_since(epoch, 10)).size(), most_changes);
    QCOMPARE(changes_of(m.registry.changes_since(epoch, 10)).front().revision, Revision{11});
    const WatchAnswer behind = m.registry.changes_since(epoch, 9);
    QVERIFY(holds_alternative<Compacted>(behind));
    QCOMPARE(get<Compacted>(behind).oldest, Revision{10});
    QVERIFY(holds_alternative<Compacted>(m.registry.changes_since(epoch, m.registry.revision() + 1)));
}

void RegistryTest::watcher_of_another_epoch_gets_an_error() {
    Mesh m;
    m.add_replicas(1);
    const auto renewed = m.registry.renew(Sid("gpt-1/stage-0/0"), 1, epoch - 1, m.now);
    QVERIFY(renewed.ok());
    QCOMPARE(get<EpochChanged>(*renewed).now, epoch);
    const WatchAnswer watched = m.registry.changes_since(epoch - 1, 0);
    QVERIFY(holds_alternative<EpochChanged>(watched));
    QCOMPARE(m.registry.add(instance("gpt-1/stage-0/1"), m.now)->epoch, epoch);
    m.registry.advance(m.now + lease_length);  // a renewal in another epoch extends no lease
    QCOMPARE(m.registry.table().services(), std::size_t{0});
}

void RegistryTest::name_prefixes_end_at_a_slash() {
    QVERIFY(is_under("a/b", "a") && is_under("a", "a") && !is_under("ab", "a") && !is_under("a", "a/b"));
    Mesh m;
    for (const char* sid : {"gpt-1/stage-2/0", "gpt-1/stage-20/0", "gpt-1/stage-2-b/0", "gpt-10/stage-2/0"})
        m.add(instance(sid));
    QCOMPARE(m.sids("gpt-1/stage-2"), Names{"gpt-1/stage-2/0"});
    QCOMPARE(m.sids("gpt-1"), (Names{"gpt-1/stage-2-b/0", "gpt-1/stage-2/0", "gpt-1/stage-20/0"}));
    QCOMPARE(m.sids("gpt-1/stage"), Names{});
    QCOMPARE(m.registry.resolve("gpt-1/stage").matched, std::string());
    QCOMPARE(m.sids(""), Names{});
}

void RegistryTest::longest_prefix_answers_for_names_below() {
    Mesh m;
    Registration own = instance("gpt-1/stage-0/0");
    own.prefix = own.sid.value();  // the device answers only for itself
    m.add(own);
    m.add(instance("gpt-1/eval/0"));
    m.add(instance("gpt-1/eval/1"));
    QCOMPARE(m.sids("gpt-1/stage-0/0/forward"), Names{"gpt-1/stage-0/0"});
    QCOMPARE(m.sids("gpt-1/stage-0/1"), Names{});
    QCOMPARE(m.sids("gpt-1/eval/7"), (Names{"gpt-1/eval/0", "gpt-1/eval/1"}));
    QCOMPARE(m.registry.resolve("gpt-1/eval/7").matched, std::string("gpt-1/eval"));
    QCOMPARE(m.sids("gpt-1/eval/1/forward"), Names{"gpt-1/eval/1"});
    Registration wider = instance("gpt-1/eval/1");
    wider.prefix = "gpt-1";
    m.add(wider);  // the new prefix replaces the old one
    QCOMPARE(m.sids("gpt-1/eval/7"), Names{"gpt-1/eval/0"});
    QCOMPARE(m.sids("gpt-1/other/0"), Names{"gpt-1/eval/1"});
}

void RegistryTest::healthy_services_come_first() {
    Mesh m;
    const Health states[] = {Health::faulted, Health::pending, Health::draining, Health::active};
    for (int i = 0; i < 4; ++i) {
        Registration said = instance("gpt-1/eval/" + std::to_string(i));
        said.health = states[i];
        m.add(said);
    }
    QCOMPARE(m.sids("gpt-1"), (Names{"gpt-1/eval/3", "gpt-1/eval/1", "gpt-1/eval/2", "gpt-1/eval/0"}));
    QCOMPARE(m.registry.resolve("gpt-1").takers().size(), std::size_t{1});
    QVERIFY(m.registry.withdraw(Sid("gpt-1/eval/3"), 1, m.now).ok());
    QVERIFY(m.registry.resolve("gpt-1").takers().empty());
}

void RegistryTest::finished_task_is_removed() {
    Mesh m;
    m.add_replicas(3);
    m.add_replicas(2, "gpt-10/stage-0");
    QCOMPARE(m.registry.withdraw_task(TaskId("gpt-1"), m.now), std::size_t{3});
    QCOMPARE(m.registry.table().services(), std::size_t{2});
    QCOMPARE(m.registry.revision(), Revision{8});
    QCOMPARE(m.registry.withdraw_task(TaskId("gpt-1"), m.now), std::size_t{0});
}

void RegistryTest::table_is_bounded() {
    Mesh m;
    m.add_replicas(static_cast<int>(most_services));
    const auto refused = m.registry.add(instance("gpt-1/stage-1/0"), m.now);
    QCOMPARE(code_of(refused), ErrorCode::exhausted);
    QVERIFY(!refused.error().next.empty());
    m.add(instance("gpt-1/stage-0/0", 2));  // a registered service may still change
    QVERIFY(m.registry.withdraw(Sid("gpt-1/stage-0/0"), 2, m.now).ok());
    m.add(instance("gpt-1/stage-1/0"));
}

DIVISI_TEST(RegistryTest)

}  // namespace registry_test

#include "registry_test.moc"
