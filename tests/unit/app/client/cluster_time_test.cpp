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
    void local_time_is_used_before_any_message_arrives() { QVERIFY(ClusterTime().of(TimePoint(7s)) == TimePoint(7s)); }

    void slightly_old_measurement_does_not_move_the_clock() {
        ClusterTime time;
        client::Mail mail;
        mail.nodes.push_back({NodeId("a"), {}});
        mail.nodes.back().machine.measured = TimePoint(1h - 2s);
        time.take(mail, TimePoint(1h));
        QVERIFY(time.of(TimePoint(1h)) == TimePoint(1h));
    }

    /// The cluster's clock is a minute ahead of the local clock.
    void offset_of_the_cluster_clock_is_followed() {
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

    void messages_without_a_time_are_ignored() {
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
