// SPDX-License-Identifier: Apache-2.0
#include "backend/store/profile_store.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <QTemporaryDir>
#include <limits>

#include "tests/support/test_program.h"

namespace profile_store_test {

using namespace divisi;

class ProfileStoreTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::filesystem::path file(const char* name) const { return (folder_.path().toStdString() + "/") + name; }

    static price::DeviceProfile profile(double forward) {
        price::DeviceProfile made;
        made.device_type = "a processor";
        made.operators["MatMul(a)"] = {{forward, 0.1, 1.5}, {2, 0.2, 2.5}, {3, 0.3, 3.5}};
        return made;
    }

private Q_SLOTS:
    void keeps_stored_profiles();
    void each_device_and_thread_count_has_its_own_profile();
    void later_measurement_replaces_the_earlier();
    void default_rates_complete_a_stored_profile();
    void files_of_version_1_are_read();
    void files_of_a_later_version_are_refused();
    void refuses_invalid_times();
};

void ProfileStoreTest::keeps_stored_profiles() {
    {
        auto store = store::ProfileStore::open(file("keep"));
        QVERIFY(store.ok());
        price::DeviceProfile given = profile(1);
        given.rates = {1e9, 2e9, 3e9, 4e-6, 5e-6, 6e-6};
        given.crowded_cores = 4;
        QVERIFY((*store)->save(given, 2).ok());
    }
    auto store = store::ProfileStore::open(file("keep"));
    const auto found = (*store)->load("a processor", 2);
    QVERIFY(found.ok());
    QCOMPARE(found->device_type, std::string("a processor"));
    QCOMPARE(found->rates.bytes_per_s, 3e9);
    QCOMPARE(found->operators.size(), std::size_t{1});
    const price::OperatorProfile& times = found->operators.at("MatMul(a)");
    QCOMPARE(times.forward.seconds, 1.0);
    QCOMPARE(times.input_gradient.spread, 0.2);
    QCOMPARE(times.weight_gradient.seconds, 3.0);
    QCOMPARE(times.forward.crowded, 1.5);
    QCOMPARE(times.input_gradient.crowded, 2.5);
    QCOMPARE(times.weight_gradient.crowded, 3.5);
    QCOMPARE(found->crowded_cores, 4.0);
    QCOMPARE(found->rates.pass_s, 5e-6);
    QCOMPARE(found->rates.call_s, 6e-6);
}

void ProfileStoreTest::each_device_and_thread_count_has_its_own_profile() {
    auto store = store::ProfileStore::open(file("threads"));
    QVERIFY((*store)->save(profile(1), 1).ok());
    QVERIFY((*store)->load("a processor", 2)->operators.empty());
    QVERIFY((*store)->load("another", 1)->operators.empty());
}

void ProfileStoreTest::later_measurement_replaces_the_earlier() {
    auto store = store::ProfileStore::open(file("replace"));
    price::DeviceProfile first = profile(1);
    first.rates = {1e9, 2e9, 3e9, 4e-6};
    first.operators["Add(b)"] = {};
    QVERIFY((*store)->save(first, 1).ok());
    QVERIFY((*store)->save(profile(7), 1).ok());
    const auto found = (*store)->load("a processor", 1);
    QCOMPARE(found->operators.at("MatMul(a)").forward.seconds, 7.0);
    QCOMPARE(found->operators.size(), std::size_t{2});
    QCOMPARE(found->rates.dispatch_s, 4e-6);
}

void ProfileStoreTest::default_rates_complete_a_stored_profile() {
    auto store = store::ProfileStore::open(file("complete"));
    QVERIFY((*store)->save(profile(1), 1).ok());
    const auto complete = (*store)->complete("cpu", "a processor", 1);
    QVERIFY(complete.ok() && price::check_profile(*complete).ok());
    QCOMPARE(complete->operators.size(), std::size_t{1});
    QCOMPARE(complete->rates.bytes_per_s, price::default_profile("cpu", 1).rates.bytes_per_s);
}

void ProfileStoreTest::files_of_version_1_are_read() {
    {
        SQLite::Database old(file("old").string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        old.exec(
            "CREATE TABLE device (type TEXT NOT NULL, threads INTEGER NOT NULL, product_flops_per_s REAL NOT NULL,"
            " other_flops_per_s REAL NOT NULL, bytes_per_s REAL NOT NULL, dispatch_s REAL NOT NULL,"
            " PRIMARY KEY (type, threads)) STRICT;"
            "CREATE TABLE operator (type TEXT NOT NULL, threads INTEGER NOT NULL, key TEXT NOT NULL,"
            " forward_s REAL NOT NULL, forward_spread_s REAL NOT NULL, input_gradient_s REAL NOT NULL,"
            " input_gradient_spread_s REAL NOT NULL, weight_gradient_s REAL NOT NULL,"
            " weight_gradient_spread_s REAL NOT NULL, PRIMARY KEY (type, threads, key)) STRICT;"
            "INSERT INTO device VALUES ('a processor', 1, 1e9, 2e9, 3e9, 4e-6);"
            "INSERT INTO operator VALUES ('a processor', 1, 'Add(b)', 1, 0.1, 2, 0.2, 3, 0.3);");
    }
    for (int opened = 0; opened < 2; ++opened) {
        auto store = store::ProfileStore::open(file("old"));
        QVERIFY2(store.ok(), store.ok() ? "" : store.error().message().c_str());
        const auto found = (*store)->load("a processor", 1);
        QVERIFY(found.ok());
        QCOMPARE(found->rates.bytes_per_s, 3e9);
        QCOMPARE(found->operators.at("Add(b)").weight_gradient.spread, 0.3);
        QCOMPARE(found->operators.at("Add(b)").forward.crowded, 0.0);
        QVERIFY((*store)->save(profile(1), 1).ok());
    }
}

void ProfileStoreTest::files_of_a_later_version_are_refused() {
    SQLite::Database later(file("later").string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    later.exec("PRAGMA user_version = 99");
    const auto store = store::ProfileStore::open(file("later"));
    QVERIFY(!store.ok());
    QCOMPARE(store.error().code, ErrorCode::unsupported);
    QVERIFY(store.error().what.find("99") != std::string::npos);
}

void ProfileStoreTest::refuses_invalid_times() {
    auto store = store::ProfileStore::open(file("refuse"));
    for (const double bad : {-1.0, std::numeric_limits<double>::infinity()}) {
        const auto saved = (*store)->save(profile(bad), 1);
        QVERIFY(!saved.ok());
        QCOMPARE(saved.error().code, ErrorCode::invalid_input);
    }
    QVERIFY((*store)->load("a processor", 1)->operators.empty());
}

DIVISI_TEST(ProfileStoreTest)

}  // namespace profile_store_test

#include "profile_store_test.moc"
