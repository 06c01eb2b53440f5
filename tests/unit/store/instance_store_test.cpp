// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QTest>
#include <fstream>

#include "backend/store/instance_store.h"

using namespace divisi;
using namespace divisi::store;

namespace {
TimePoint at(std::int64_t seconds) { return TimePoint(std::chrono::seconds(seconds)); }
}  // namespace

class InstanceStoreTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void the_six_roles_survive_a_restart();
    void recovery_finds_the_newest_committed_snapshot();
    void metrics_are_bounded();
    void readers_cannot_write();
    void a_broken_file_is_named();

private:
    std::unique_ptr<QTemporaryDir> directory_;
    std::filesystem::path file_;
};

void InstanceStoreTest::init() {
    directory_ = std::make_unique<QTemporaryDir>();
    file_ = directory_->path().toStdString() + "/instance.sqlite";
}

void InstanceStoreTest::the_six_roles_survive_a_restart() {
    const std::string binary("a\0b", 3);
    {
        auto store = InstanceStore::open(file_).value();
        QVERIFY(store->put_state("cursor", std::as_bytes(std::span(binary))).ok());
        QVERIFY(store->put_state("empty", {}).ok());
        QVERIFY(store->configure({{"lr", "0.1"}, {"old", "x"}}, {"t/a/0"}).ok());
        QVERIFY(store->configure({{"lr", "0.2"}}, {"t/b/0", "t/a/0"}).ok());
        QVERIFY(store->register_snapshot({"t", 1, 10, "/s", "h", 5, true}).ok());
        QVERIFY(store->add_metrics(std::vector<MetricRow>{{at(1), "loss", 2.5}, {at(2), "loss", 2.0}}).ok());
        QVERIFY(store->put_hardware({{"cpu", "Xeon"}}).ok());
        QVERIFY(store->add_version({"t", 10, "/v", "h", 7, at(3)}).ok());
        QVERIFY(store->audit({at(4), "orchestrator", "deploy", "generation 1"}).ok());
    }
    auto store = InstanceStore::open_to_read(file_).value();
    QVERIFY(store->state("cursor").value() == binary);
    QVERIFY(store->state("empty").value() == std::string());
    QVERIFY(!store->state("none").value().has_value());
    QCOMPARE(store->config()->at("lr"), std::string("0.2"));
    QCOMPARE(store->config()->size(), std::size_t{1});
    QCOMPARE(store->dependencies().value(), (std::vector<std::string>{"t/a/0", "t/b/0"}));
    QCOMPARE(store->snapshots()->at(0).size, 5);
    QCOMPARE(store->metrics("loss", at(2))->size(), std::size_t{1});
    QCOMPARE(store->metrics("loss", at(0))->at(0).value, 2.5);
    QCOMPARE(store->hardware()->at("cpu"), std::string("Xeon"));
    QCOMPARE(store->versions()->at(0).time, at(3));
    QCOMPARE(store->audit_trail(10)->at(0).detail, std::string("generation 1"));
}

void InstanceStoreTest::recovery_finds_the_newest_committed_snapshot() {
    auto store = InstanceStore::open(file_).value();
    for (const std::int64_t step : {10, 20, 30})
        QVERIFY(store->register_snapshot({"t", 1, step, "/s", "h", 5, false}).ok());
    QVERIFY(!store->committed_snapshot("t", 100)->has_value());
    QVERIFY(store->commit_snapshot("t", 10).ok());
    QVERIFY(store->commit_snapshot("t", 20).ok());
    QCOMPARE(store->committed_snapshot("t", 100).value()->step, 20);
    QCOMPARE(store->committed_snapshot("t", 19).value()->step, 10);
    QVERIFY(!store->committed_snapshot("u", 100)->has_value());
    QCOMPARE(store->forget_snapshots("t", 20)->size(), std::size_t{1});
    QCOMPARE(store->snapshots()->size(), std::size_t{2});
}

void InstanceStoreTest::metrics_are_bounded() {
    auto store = InstanceStore::open(file_).value();
    std::vector<MetricRow> rows;
    for (std::int64_t i = 0; i < metric_limit + 5000; ++i) rows.push_back({at(i), "x", double(i)});
    QVERIFY(store->add_metrics(rows).ok());
    const auto kept = store->metrics("x", at(0)).value();
    QCOMPARE(static_cast<std::int64_t>(kept.size()), metric_limit);
    QCOMPARE(kept.back().value, double(metric_limit + 4999));
}

void InstanceStoreTest::readers_cannot_write() {
    { QVERIFY(InstanceStore::open(file_).ok()); }
    auto reader = InstanceStore::open_to_read(file_).value();
    QVERIFY(!reader->put_state("x", {}).ok());
    QVERIFY(!InstanceStore::open_to_read(file_.string() + ".none").ok());
}

void InstanceStoreTest::a_broken_file_is_named() {
    std::ofstream(file_) << std::string(8192, 'x');
    const auto opened = InstanceStore::open(file_);
    QVERIFY(!opened.ok());
    QCOMPARE(opened.error().code, ErrorCode::corrupt);
    QVERIFY(opened.error().message().find(file_.string()) != std::string::npos);
}

QTEST_GUILESS_MAIN(InstanceStoreTest)
#include "instance_store_test.moc"
