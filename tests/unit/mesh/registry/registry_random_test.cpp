// SPDX-License-Identifier: Apache-2.0

#include <random>

#include "backend/mesh/registry/registry_cache.h"
#include "tests/support/test_program.h"
#include "tests/unit/mesh/registrations.h"
#include "tests/unit/mesh/registry_model.h"

namespace registry_random_test {

using namespace divisi;
using namespace divisi::mesh;
using divisi::tests::epoch, divisi::tests::instance, divisi::tests::RegistryModel, divisi::tests::router;
using std::chrono::milliseconds, std::chrono::seconds;

namespace {

constexpr int operations = 20'000;
const std::vector<std::string> units = {"a/stage-2", "a/stage-20", "a/stage-2/0", "a/eval", "ab/eval", "b/stage-2"};

template <typename T>
ErrorCode code_of(const Result<T>& result) {
    return result ? RegistryModel::fine : result.error().code;
}

RegistryModel::Row row_of(const Service& service) {
    return {service.said.sid.value(), service.said, {}, 0, service.stale};
}
RegistryModel::Row row_of(const DeviceRow& device) {
    return {device.said.name, {}, device.said, device.id.value(), device.stale};
}
RegistryModel::Row row_of(const Change& change) {
    return visit([](const auto& row) { return row_of(*row); }, change.row);
}

using Rows = std::vector<RegistryModel::Row>;

Rows rows_of(const Snapshot& snapshot) {
    Rows rows;
    for (const ServicePtr& service : snapshot.services) rows.push_back(row_of(*service));
    for (const DevicePtr& device : snapshot.devices) rows.push_back(row_of(*device));
    return rows;
}

bool equal(const Rows& one, const Rows& other) {
    return std::ranges::equal(one, other, [](const auto& a, const auto& b) { return a.same(b); });
}

/// Returns the table of a watcher after it has applied the changes.
Rows replayed(RegistryModel table, const Changes& changes) {
    for (const Change& change : changes.changes) {
        const RegistryModel::Row row = row_of(change);
        std::erase_if(table.rows, [&](const auto& other) {
            return other.name == row.name && other.service.has_value() == row.service.has_value();
        });
        if (!change.removed) table.rows.push_back(row);
    }
    return table.sorted();
}

/// Applies the same random operations to the registry and to its model.
class Pair {
public:
    explicit Pair(unsigned seed) : random_(seed) {}

    void operate() {
        // Normally every peer renews in time. During a simulated cut, the clock advances faster than most peers renew.
        if (below(400) == 0) cut_ = !cut_;
        now_ += milliseconds(below(cut_ ? 900 : 60));
        const std::size_t what = below(100);
        if (what < 55) renew();
        else if (what < 80) add();
        else if (what < 83) withdraw();
        else if (what == 83 && below(5) == 0) withdraw_task();
        else if (what > 83) advance();
    }
    bool same_table() const { return equal(rows_of(registry.snapshot()), model.sorted()); }
    bool same_answer() {
        const std::string name = below(3) == 0 ? sid() : below(2) ? units[below(units.size())] : below(2) ? "a" : "b/x";
        std::vector<std::string> sids;
        for (const ServicePtr& service : registry.resolve(name).services) sids.push_back(service->said.sid.value());
        return sids == model.resolve(name);
    }
    std::size_t below(std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_); }

    Registry registry{epoch};
    RegistryModel model;
    bool agreed = true;
    int preservations = 0, ended_by_time = 0, ended_by_renewals = 0;

private:
    std::string sid() { return units[below(units.size())] + "/" + std::to_string(below(3)); }
    std::string device() { return "router-" + std::to_string(below(6)); }
    Incarnation incarnation() {
        return 1 + static_cast<Incarnation>(now_.time_since_epoch() / seconds(300)) + below(2);
    }
    void agree(ErrorCode one, ErrorCode other) { agreed &= one == other; }
    /// Returns a row, usually that of a registered peer.
    RegistryModel::Row somebody() {
        if (model.rows.empty() || below(20) == 0) {
            RegistryModel::Row nobody;
            nobody.name = sid();
            nobody.service = instance(nobody.name, incarnation());
            return nobody;
        }
        return model.rows[below(model.rows.size())];
    }

    void add() {
        if (below(4) == 0) {
            DeviceRegistration said = router(device(), incarnation());
            said.buffer += static_cast<Bytes>(below(2));
            agree(code_of(registry.add(said, now_)), model.add(said.name, said, now_));
            return;
        }
        Registration said = instance(sid(), incarnation());
        if (below(3) == 0) said.prefix = below(2) ? said.sid.value() : said.task.value();
        said.health = static_cast<Health>(1 + below(4));
        agree(code_of(registry.add(said, now_)), model.add(said.sid.value(), said, now_));
    }
    void renew() {
        const RegistryModel::Row row = somebody();
        const Incarnation said = row.incarnation() + (below(50) == 0);
        const auto renewed = row.service ? registry.renew(Sid(row.name), said, epoch, now_)
                                         : registry.renew_device(row.name, said, epoch, now_);
        agree(code_of(renewed), model.renew(row.name, row.service.has_value(), said, now_));
    }
    void withdraw() {
        const RegistryModel::Row row = somebody();
        const Incarnation said = row.incarnation() + (below(10) == 0);
        const auto left =
            row.service ? registry.withdraw(Sid(row.name), said, now_) : registry.withdraw_device(row.name, said, now_);
        agree(code_of(left), model.withdraw(row.name, row.service.has_value(), said, now_));
    }
    void withdraw_task() {
        const std::string task = below(2) ? "a" : "b";
        registry.withdraw_task(TaskId(task), now_);
        model.withdraw_task(task, now_);
    }
    void advance() {
        const auto before = model.preserving;
        registry.advance(now_);
        model.advance(now_);
        agreed &= registry.preserving_since() == model.preserving;
        preservations += !before && model.preserving;
        if (before && !model.preserving) ++(now_ - *before >= longest_preservation ? ended_by_time : ended_by_renewals);
    }

    std::mt19937 random_;
    TimePoint now_ = tests::start;
    bool cut_ = false;
};

}  // namespace

class RegistryRandomTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void random_operations_agree_with_the_model_data();
    void random_operations_agree_with_the_model();
};

void RegistryRandomTest::random_operations_agree_with_the_model_data() {
    QTest::addColumn<unsigned>("seed");
    for (unsigned seed = 1; seed <= 2; ++seed) QTest::addRow("seed %u", seed) << seed;
}

void RegistryRandomTest::random_operations_agree_with_the_model() {
    QFETCH(unsigned, seed);
    Pair p(seed);
    struct Watcher {
        Revision revision;
        RegistryModel table;
    };
    std::vector<Watcher> watchers = {{0, {}}};
    RegistryCache cache;
    std::size_t told = 0;  // number of the model's events that were already watched
    for (int i = 0; i < operations; ++i) {
        p.operate();
        QVERIFY2(p.agreed, qPrintable(QString("operation %1").arg(i)));
        QCOMPARE(p.registry.revision(), Revision{p.model.events.size()});
        const auto news = get<Changes>(p.registry.changes_since(epoch, told));
        for (const Change& change : news.changes) {
            const RegistryModel::Event& event = p.model.events[told];
            QCOMPARE(change.revision, Revision{++told});
            QCOMPARE(change.removed, event.removed);
            QVERIFY(row_of(change).same(event.row));
        }
        QVERIFY(p.same_answer());
        if (i % 10 == 0) QVERIFY(p.same_table());
        if (p.below(20) == 0) {
            if (cache.needs_snapshot()) cache.apply(p.registry.snapshot(), {});
            QVERIFY(cache.apply(p.registry.changes_since(epoch, cache.revision()), {}));
            QVERIFY(equal(rows_of(cache.table().snapshot(epoch, cache.revision())), p.model.sorted()));
        }
        if (p.below(100) == 0) {
            Watcher watcher{p.registry.revision(), {}};
            watcher.table.rows = p.model.rows;
            watchers.push_back(std::move(watcher));
        }
        if (p.below(150) == 0) {
            const Watcher& watcher = watchers[p.below(watchers.size())];
            const auto missed = get<Changes>(p.registry.changes_since(epoch, watcher.revision));
            QVERIFY(equal(replayed(watcher.table, missed), rows_of(p.registry.snapshot())));
        }
    }
    QVERIFY(p.same_table());
    qInfo("%zu changes, %d preservations, %d ended by time, %d by renewals", told, p.preservations, p.ended_by_time,
          p.ended_by_renewals);
    QVERIFY(p.ended_by_time > 0 && p.ended_by_renewals > 0);
}

DIVISI_TEST(RegistryRandomTest)

}  // namespace registry_random_test

#include "registry_random_test.moc"
