// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/registry/registry_cache.h"

#include "tests/support/test_program.h"
#include "tests/unit/mesh/registrations.h"

namespace registry_cache_test {

using namespace divisi;
using namespace divisi::mesh;
using divisi::tests::epoch, divisi::tests::instance, divisi::tests::router, divisi::tests::start;
using std::chrono::seconds;

namespace {

bool same(const RegistryCache& cache, const Registry& registry) {
    const Snapshot copy = cache.table().snapshot(cache.epoch(), cache.revision()), original = registry.snapshot();
    const auto equal = [](const auto& one, const auto& other) { return *one == *other; };
    return copy.epoch == original.epoch && copy.revision == original.revision &&
           std::ranges::equal(copy.services, original.services, equal) &&
           std::ranges::equal(copy.devices, original.devices, equal);
}

/// A fixture with a registry of two instances and a router, and a cache that has the registry's snapshot.
struct Pair {
    Pair() {
        add("gpt-1/stage-0/0");
        add("gpt-1/stage-1/0");
        if (!registry.add(router("router-1"), start)) qFatal("refused");
        cache.apply(registry.snapshot(), start);
    }
    void add(const std::string& sid, Incarnation incarnation = 1) {
        if (!registry.add(instance(sid, incarnation), start)) qFatal("refused");
    }
    WatchAnswer watch() const { return registry.changes_since(cache.epoch(), cache.revision()); }

    Registry registry{epoch};
    RegistryCache cache;
};

}  // namespace

class RegistryCacheTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void empty_cache_requests_a_snapshot();
    void changes_follow_the_registry();
    void known_changes_are_skipped();
    void gap_requests_a_snapshot_and_the_old_table_answers();
    void gap_within_an_answer_is_detected();
    void another_epoch_requests_a_snapshot();
    void overtaken_snapshot_is_dropped();
    void answers_have_an_age();
};

void RegistryCacheTest::empty_cache_requests_a_snapshot() {
    Pair p;
    RegistryCache cache;
    QVERIFY(cache.needs_snapshot());
    QVERIFY(!cache.age(start));
    QVERIFY(cache.resolve("gpt-1").services.empty());
    QVERIFY(!cache.apply(p.registry.changes_since(epoch, 0), start));
    cache.apply(p.registry.snapshot(), start);
    QVERIFY(!cache.needs_snapshot());
    QVERIFY(same(cache, p.registry));
}

void RegistryCacheTest::changes_follow_the_registry() {
    Pair p;
    QVERIFY(p.cache.apply(p.watch(), start));  // nothing has changed
    p.add("gpt-1/stage-0/0", 2);
    p.add("gpt-1/stage-2/0");
    QVERIFY(p.registry.withdraw(Sid("gpt-1/stage-1/0"), 1, start).ok());
    QVERIFY(p.registry.withdraw_device("router-1", 1, start).ok());
    QVERIFY(p.registry.add(router("router-2"), start).ok());
    QVERIFY(!same(p.cache, p.registry));
    QVERIFY(p.cache.apply(p.watch(), start));
    QVERIFY(same(p.cache, p.registry));
    QVERIFY(!p.cache.table().find_device(RoutingId(1)));
    QCOMPARE(p.cache.table().find_device(RoutingId(2))->said.name, std::string("router-2"));
}

void RegistryCacheTest::known_changes_are_skipped() {
    Pair p;
    p.add("gpt-1/stage-2/0");
    const WatchAnswer first = p.watch();
    QVERIFY(p.registry.withdraw(Sid("gpt-1/stage-2/0"), 1, start).ok());
    const WatchAnswer both = p.watch();
    QVERIFY(p.cache.apply(both, start));
    QVERIFY(p.cache.apply(first, start));  // these changes are out of date
    QVERIFY(p.cache.apply(both, start));   // a duplicate
    QVERIFY(same(p.cache, p.registry));
}

void RegistryCacheTest::gap_requests_a_snapshot_and_the_old_table_answers() {
    Pair p;
    p.add("gpt-1/stage-2/0");
    const Revision lost = p.registry.revision();
    p.add("gpt-1/stage-3/0");
    QVERIFY(!p.cache.apply(p.registry.changes_since(epoch, lost), start));
    QVERIFY(p.cache.needs_snapshot());
    QCOMPARE(p.cache.resolve("gpt-1").services.size(), std::size_t{2});
    QVERIFY(!p.cache.apply(p.watch(), start));  // only a snapshot closes the gap
    QCOMPARE(p.cache.resolve("gpt-1").services.size(), std::size_t{2});
    p.cache.apply(p.registry.snapshot(), start);
    QVERIFY(same(p.cache, p.registry));
    QVERIFY(p.cache.apply(p.watch(), start));
    QVERIFY(!p.cache.apply(Compacted{1}, start));
    QVERIFY(p.cache.needs_snapshot());
    QCOMPARE(p.cache.resolve("gpt-1").services.size(), std::size_t{4});
}

void RegistryCacheTest::gap_within_an_answer_is_detected() {
    Pair p;
    for (int i = 2; i < 5; ++i) p.add("gpt-1/stage-" + std::to_string(i) + "/0");
    Changes changes = get<Changes>(p.watch());
    changes.changes.erase(changes.changes.begin() + 1);
    QVERIFY(!p.cache.apply(changes, start));
    QVERIFY(p.cache.needs_snapshot());
    QVERIFY(!p.cache.table().find(Sid("gpt-1/stage-4/0")));
}

void RegistryCacheTest::another_epoch_requests_a_snapshot() {
    Pair p;
    Registry next(epoch + 1);
    for (int i = 0; i < 9; ++i) QVERIFY(next.add(instance("gpt-2/stage-0/" + std::to_string(i)), start).ok());
    QVERIFY(!p.cache.apply(next.changes_since(p.cache.epoch(), p.cache.revision()), start));
    QVERIFY(p.cache.needs_snapshot());
    QCOMPARE(p.cache.resolve("gpt-1").services.size(), std::size_t{2});
    p.cache.apply(p.registry.snapshot(), start);
    // changes of another epoch never apply
    QVERIFY(!p.cache.apply(next.changes_since(epoch + 1, p.cache.revision()), start));
    p.cache.apply(next.snapshot(), start);
    QVERIFY(same(p.cache, next));

    Registry young(epoch + 2);  // its revisions are lower
    p.cache.apply(young.snapshot(), start);
    QVERIFY(same(p.cache, young));
}

void RegistryCacheTest::overtaken_snapshot_is_dropped() {
    Pair p;
    const Snapshot old = p.registry.snapshot();
    p.add("gpt-1/stage-2/0");
    QVERIFY(p.cache.apply(p.watch(), start));
    p.cache.apply(old, start);
    QVERIFY(same(p.cache, p.registry));
}

void RegistryCacheTest::answers_have_an_age() {
    Pair p;
    QVERIFY(p.cache.age(start + seconds(7)) == seconds(7));
    QCOMPARE(p.cache.resolve("gpt-1").services.size(), std::size_t{2});
    QVERIFY(p.cache.apply(p.watch(), start + seconds(5)));  // an empty answer still confirms that the table is current
    QVERIFY(p.cache.age(start + seconds(7)) == seconds(2));
    QVERIFY(!p.cache.apply(EpochChanged{epoch + 1}, start + seconds(6)));
    QVERIFY(p.cache.age(start + seconds(7)) == seconds(2));
}

DIVISI_TEST(RegistryCacheTest)

}  // namespace registry_cache_test

#include "registry_cache_test.moc"
