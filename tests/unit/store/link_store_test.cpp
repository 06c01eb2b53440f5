// SPDX-License-Identifier: Apache-2.0
#include "backend/store/link_store.h"

#include <QTemporaryDir>
#include <fstream>

#include "backend/store/profile_store.h"
#include "tests/support/test_program.h"

namespace link_store_test {

using namespace divisi;

/// Tests that the last measurement is available while no cluster runs.
class LinkStoreTest : public QObject {
    Q_OBJECT

    static control::LinkView link(double bytes_per_s, control::LinkTransport transport = control::LinkTransport::ipc) {
        return {{NodeId("m/a"), NodeId("m/b"), "here", "here", transport, {1e-4, 1e-5, 2e-5, bytes_per_s, 1e7}},
                TimePoint(Duration(1'700'000'000'123'456'789))};
    }
    std::filesystem::path file(const char* name) const { return folder_.filePath(name).toStdString(); }
    QTemporaryDir folder_;

private Q_SLOTS:
    void last_measurement_of_each_link_is_kept() {
        const auto path = file("keep");
        QVERIFY(store::ProfileStore::open(path).ok());  // prices are in the same file
        for (const double rate : {1e9, 3e9}) QVERIFY((*store::LinkStore::open(path))->save(link(rate)).ok());
        QVERIFY((*store::LinkStore::open(path))->save(link(5e8, control::LinkTransport::tcp)).ok());
        const auto kept = store::kept_links(path);
        QCOMPARE(kept.size(), std::size_t{2});
        const control::LinkView& ipc = kept.at({"here", "here", control::LinkTransport::ipc});
        QCOMPARE(ipc.link.figures.bytes_per_s, 3e9);
        QCOMPARE(ipc.link.figures.latency_spread_s, 1e-5);
        QCOMPARE(ipc.link.figures.message_s, 2e-5);
        QCOMPARE(ipc.link.to, NodeId("m/b"));
        QCOMPARE(ipc.measured, link(0).measured);
    }

    void impossible_values_are_reported_as_corrupt() {
        const auto path = file("corrupt");
        QVERIFY((*store::LinkStore::open(path))->save(link(0)).ok());
        QCOMPARE((*store::LinkStore::open(path))->load().error().code, ErrorCode::corrupt);
        QVERIFY(store::kept_links(path).empty());
    }

    void nothing_is_loaded_without_a_file() {
        QVERIFY(store::kept_links(file("none")).empty());
        QVERIFY(!std::filesystem::exists(file("none")));
        std::ofstream(file("text")) << "no database";
        QVERIFY(store::kept_links(file("text")).empty());
    }
};

DIVISI_TEST(LinkStoreTest)

}  // namespace link_store_test

#include "link_store_test.moc"
