// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "backend/embed/members.h"
#include "backend/process/lifeline.h"

using namespace divisi;
using namespace divisi::embed;

class MembersTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void deaths_soon_after_the_start_add_up();
    void a_goodbye_ends_a_cluster_and_a_signal_does_not();
};

void MembersTest::deaths_soon_after_the_start_add_up() {
    Deaths deaths;
    for (int i = 0; i < Deaths::most_quick; ++i) {
        deaths.count(std::chrono::milliseconds(10));
        QVERIFY(!deaths.hopeless());
    }
    deaths.count(std::chrono::milliseconds(10));
    QVERIFY(deaths.hopeless() && deaths.newly_hopeless());
    deaths.count(Deaths::quick - std::chrono::milliseconds(1));
    QVERIFY(deaths.hopeless() && !deaths.newly_hopeless());  // it was said
    deaths.count(Deaths::quick);
    QVERIFY(!deaths.hopeless());
}

void MembersTest::a_goodbye_ends_a_cluster_and_a_signal_does_not() {
    Member divisid, router;
    divisid.name = orchestrator;
    router.name = "sr-1";
    QVERIFY(told_to_end(divisid, {0, 0}));
    QVERIFY(!told_to_end(divisid, {2, 0}));
    QVERIFY(!told_to_end(divisid, {0, 9}));
    QVERIFY(told_to_end(router, {process::exit_dismissed, 0}));
    QVERIFY(!told_to_end(router, {0, 0}));  // ended by hand
    QVERIFY(!told_to_end(router, {0, 9}));
}

QTEST_APPLESS_MAIN(MembersTest)
#include "members_test.moc"
