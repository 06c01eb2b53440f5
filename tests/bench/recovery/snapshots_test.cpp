// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/recovery/snapshots.h"

#include <QJsonDocument>

#include "tests/support/test_program.h"

namespace divisi::bench::snapshots_test {

class SnapshotsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void parses_a_snapshot_line();
    void parses_sizes_in_their_units();
    void other_lines_give_no_snapshot();
    void snapshots_are_filtered_from_other_events();
};

void SnapshotsTest::parses_a_snapshot_line() {
    const auto one = parse_snapshot("step 5, 16.5 MiB, copied in 2.415 ms, written in 1.2e+04 ms, da62b5");
    QVERIFY(one);
    QCOMPARE(one->bytes, 16.5 * 1024 * 1024);
    QCOMPARE(one->copy_ms, 2.415);
    QCOMPARE(one->write_ms, 12'000.0);
}

void SnapshotsTest::parses_sizes_in_their_units() {
    const auto bytes = [](const char* size) {
        return parse_snapshot(QString("step 1, %1, copied in 1 ms, written in 1 ms, da").arg(size))->bytes;
    };
    QCOMPARE(bytes("900 B"), 900.0);
    QCOMPARE(bytes("1.5 KiB"), 1536.0);
    QCOMPARE(bytes("2.0 GiB"), 2147483648.0);
}

void SnapshotsTest::other_lines_give_no_snapshot() {
    QVERIFY(!parse_snapshot("step 5, none: the disk does not follow"));
    QVERIFY(!parse_snapshot("step 5, 3.0 apples, copied in 1 ms, written in 1 ms, da"));
    QVERIFY(!parse_snapshot(""));
}

void SnapshotsTest::snapshots_are_filtered_from_other_events() {
    const char* state = R"({"events":[{"what":"connected","detail":""},
        {"what":"snapshot","detail":"step 1, 2.0 KiB, copied in 1 ms, written in 9 ms, da"},
        {"what":"snapshot","detail":"step 2, none: the disk does not follow"},
        {"what":"snapshot","detail":"step 3, 2.0 KiB, copied in 3 ms, written in 7 ms, db"}]})";
    const StageSnapshots found = stage_snapshots(QJsonDocument::fromJson(state).object());
    QCOMPARE(found.written.size(), std::size_t{2});
    QCOMPARE(found.written[1].write_ms, 7.0);
    QCOMPARE(found.given_up, 1);
}

DIVISI_TEST(SnapshotsTest)

}  // namespace divisi::bench::snapshots_test

#include "snapshots_test.moc"
