// SPDX-License-Identifier: Apache-2.0
#include "backend/control/queue/reservations.h"

#include "tests/support/test_program.h"
#include "tests/unit/control/fixture.h"

namespace reservations_test {

using namespace divisi;
using namespace divisi::control;
using control::test::Fixture;
using std::chrono::hours, std::chrono::seconds;

namespace {

struct Desktop : Fixture {
    int begun = 0;
    Reservations reservations{context, [this] { ++begun; }};
    PeerId alice{1};

    Desktop() {
        connect(1);
        node(2, "m/a", "h", "ipc:///a");
        node(3, "m/b", "h", "ipc:///b");
        context.append(ClusterStarted{"lab", "1", {}, {{"b", "", {"m/b"}}}, {}});
        for (const char* name : {"m/a", "m/b"}) context.append(NodeJoined{context.state().nodes.at(NodeId(name)).info});
        clear();
    }
    /// Makes a reservation and returns why it is refused; empty if it is made.
    std::string reserve(const Reservation& wanted, std::int64_t length = 3600) {
        clear();
        say(reservations, alice, Reserve{wanted, length});
        return refusal();
    }
    Reservation of(std::vector<std::string> nodes, TimePoint from = {}) const {
        return {0, "", std::move(nodes), "alice", TaskId(), from};
    }
    std::size_t count() const { return context.state().reservations.size(); }
};

}  // namespace

/// Tests which reservations are accepted (reserving client, nodes, duration), and when a reservation ends.
class ReservationsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void reservation_is_made_begins_and_ends();
    void reservation_can_be_cancelled();
    void impossible_reservations_are_refused();
};

void ReservationsTest::reservation_is_made_begins_and_ends() {
    Desktop desktop;
    const TimePoint from = desktop.now + seconds(60);
    QCOMPARE(desktop.reserve(desktop.of({"m/a"}, from), 120), std::string());
    const auto made = desktop.sent<Reserved>();
    QCOMPARE(made.size(), std::size_t{1});
    const Reservation& kept = desktop.context.state().reservations.at(made[0].second.number);
    QCOMPARE(kept.number, desktop.context.state().sequence);
    QCOMPARE(kept.by, std::string("me"));  // the connection's name, not the one in the message
    QVERIFY(kept.from == from && kept.until == from + seconds(120));
    desktop.reservations.check_deadlines();
    QCOMPARE(desktop.begun, 0);
    QVERIFY(*desktop.reservations.next_deadline() == desktop.context.lived() + seconds(60));
    desktop.pass(seconds(60));
    desktop.reservations.check_deadlines();
    QCOMPARE(desktop.begun, 1);
    desktop.reservations.check_deadlines();
    QCOMPARE(desktop.begun, 1);
    QCOMPARE(desktop.count(), std::size_t{1});
    desktop.pass(seconds(120));
    desktop.reservations.check_deadlines();
    QCOMPARE(desktop.count(), std::size_t{0});
    QVERIFY(!desktop.reservations.next_deadline());
}

void ReservationsTest::reservation_can_be_cancelled() {
    Desktop desktop;
    QCOMPARE(desktop.reserve({0, "b", {}, "alice"}), std::string());
    const std::uint64_t number = desktop.sent<Reserved>().at(0).second.number;
    desktop.clear();
    desktop.say(desktop.reservations, desktop.alice, CancelReservation{number + 1});
    QCOMPARE(desktop.refusal(), std::string("there is no such reservation"));
    desktop.clear();
    desktop.say(desktop.reservations, desktop.alice, CancelReservation{number});
    QCOMPARE(desktop.sent<Done>().size(), std::size_t{1});
    QCOMPARE(desktop.count(), std::size_t{0});
    QCOMPARE(desktop.logged<ReservationEnded>().at(0).reason, std::string("cancelled by me"));
}

void ReservationsTest::impossible_reservations_are_refused() {
    Desktop desktop;
    QVERIFY(desktop.reserve(desktop.of({"m/a"}, desktop.now - seconds(1))).find("in the past") != std::string::npos);
    QVERIFY(desktop.reserve(desktop.of({"m/a"}, desktop.now + hours(24 * 400))).find("a year") != std::string::npos);
    for (const std::int64_t length : {std::int64_t{0}, std::int64_t{-5}, std::int64_t{1} << 62})
        QVERIFY(desktop.reserve(desktop.of({"m/a"}), length).find("reservation is zero") != std::string::npos);
    QCOMPARE(desktop.reserve(desktop.of({"m/c"})), std::string("no node of the cluster is called 'm/c'"));
    QCOMPARE(desktop.reserve({0, "c", {}, "alice"}), std::string("the cluster has no pool 'c'"));
    QCOMPARE(desktop.reserve({0, "b", {"m/a"}, "alice"}), std::string("the reservation covers no node of the cluster"));
    QCOMPARE(desktop.reserve(desktop.of({})), std::string("the reservation names no nodes"));
    QCOMPARE(desktop.reserve({0, "b", {}, ""}),
             std::string("the reservation must be for either a submitter or a task"));
    QCOMPARE(desktop.reserve({0, "b", {}, "alice", TaskId("t-1")}),
             std::string("the reservation must be for either a submitter or a task"));
    QCOMPARE(desktop.reserve({0, "b", {}, "", TaskId("t-1")}), std::string("no task 't-1' waits or runs"));
    QCOMPARE(desktop.reserve(desktop.of(std::vector<std::string>(300, "m/a"))),
             std::string("a name is too long, or too many nodes are named"));
    QCOMPARE(desktop.count(), std::size_t{0});
    // A node has one reservation at a time.
    const TimePoint from = desktop.now + seconds(100);
    QCOMPARE(desktop.reserve(desktop.of({"m/*"}, from), 100), std::string());
    const std::string number = std::to_string(desktop.context.state().sequence);
    QCOMPARE(desktop.reserve({0, "b", {}, "bob", TaskId(), from + seconds(99)}, 1),
             "m/b is already reserved by reservation " + number);
    QCOMPARE(desktop.reserve({0, "b", {}, "bob", TaskId(), from + seconds(100)}, 1), std::string());
    QCOMPARE(desktop.reserve({0, "b", {}, "bob", TaskId(), from - seconds(1)}, 1), std::string());
    QCOMPARE(desktop.count(), std::size_t{3});
}

DIVISI_TEST(ReservationsTest)

}  // namespace reservations_test

#include "reservations_test.moc"
