// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/cluster_time.h"

#include "tests/support/test_program.h"

namespace cluster_time_test {

using namespace divisi;
using namespace std::chrono_literals;
using client::ClusterTime;

class ClusterTimeTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void before_anything_came_it_is_the_time_of_this_machine() {
        QVERIFY(ClusterTime().of(TimePoint(7s)) == TimePoint(7s));
    }

    void a_measurement_that_is_a_little_old_moves_no_clock() {
        ClusterTime time;
        client::Mail mail;
        mail.nodes.push_back({NodeId("a"), {}});
        mail.nodes.back().machine.measured = TimePoint(1h - 2s);
        time.take(mail, TimePoint(1h));
        QVERIFY(time.of(TimePoint(1h)) == TimePoint(1h));
    }

    /// The cluster's clock is a minute ahead of the local clock.
    void another_clock_is_followed() {
        ClusterTime time;
        client::Mail mail;
        mail.events.push_back({1, TimePoint(1h + 50s), control::Noted{Severity::info, "test", "", "old news"}});
        time.take(mail, TimePoint(1h));
        client::Mail next;
        next.loads.resize(1);
        next.loads[0].measured = TimePoint(1h + 61s - 20ms);
        time.take(next, TimePoint(1h + 1s));
        QVERIFY(time.of(TimePoint(1h + 2s)) == TimePoint(1h + 62s - 20ms));
    }

    void what_says_no_time_is_not_asked() {
        ClusterTime time;
        client::Mail mail;
        mail.loads.resize(1);
        mail.events.push_back({1, {}, control::Noted{Severity::info, "test", "", "news"}});
        time.take(mail, TimePoint(1h));
        QVERIFY(time.of(TimePoint(1h)) == TimePoint(1h));
    }
};

DIVISI_TEST(ClusterTimeTest)

}  // namespace cluster_time_test

#include "cluster_time_test.moc"
