// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/engine/mailbox.h"

#include <thread>

#include "tests/support/test_program.h"

namespace mailbox_test {

using namespace divisi;
using namespace divisi::instance;

namespace {

class HandClock final : public Clock {
public:
    TimePoint now() const override { return TimePoint(Duration(7)); }
};

graph::HostTensor number(std::int64_t value) {
    return graph::HostTensor::of<std::int64_t>(graph::DType::int64, {1}, {value});
}
std::set<std::int32_t> unexpected() { qFatal("the mailbox waits although it has mail"); }

}  // namespace

class MailboxTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void mail_is_taken_in_order_of_arrival();
    void newest_demand_of_a_consumer_replaces_older_ones();
    void stop_and_hold_end_the_wait();
    void waiting_engine_reports_the_channel_ends_it_waits_for();
};

void MailboxTest::mail_is_taken_in_order_of_arrival() {
    const HandClock clock;
    Mailbox mailbox(clock);
    mailbox.deliver({1, 2, 3}, number(4));
    mailbox.freed({5, 6, 0});
    mailbox.declined({7, 8, 0});
    mailbox.put(Mailbox::Freed{{9, 1, 0}});
    auto mail = mailbox.take(true, unexpected);
    QCOMPARE(mail.size(), std::size_t{4});
    const auto& arrived = get<Mailbox::Arrived>(mail[0]);
    QVERIFY(arrived.key == (plan::TensorKey{1, 2, 3}));
    QCOMPARE(arrived.held.tensor.integer_at(0), 4);
    QVERIFY(arrived.held.arrived == clock.now());
    QCOMPARE(get<Mailbox::Freed>(mail[1]).key.channel, 5);
    QCOMPARE(get<Mailbox::Declined>(mail[2]).key.channel, 7);
    QCOMPARE(get<Mailbox::Freed>(mail[3]).key.channel, 9);
    QVERIFY(mailbox.take(false, unexpected).empty());
}

void MailboxTest::newest_demand_of_a_consumer_replaces_older_ones() {
    const HandClock clock;
    Mailbox mailbox(clock);
    mailbox.order({1, 1}, 0, {2, 0, {{1, 0}}});
    mailbox.order({2, 1}, 1, {1, 0, {{1, 1}}});
    mailbox.order({1, 1}, 0, {3, 0, {{2, 0}}});
    mailbox.order({1, 1}, 0, {1, 0, {{9, 0}}});
    const auto mail = mailbox.take(false, unexpected);
    QCOMPARE(mail.size(), std::size_t{2});
    QCOMPARE(get<Mailbox::Ordered>(mail[0]).demand.sequence, std::uint64_t{3});
    QCOMPARE(get<Mailbox::Ordered>(mail[1]).stage, 1);
}

void MailboxTest::stop_and_hold_end_the_wait() {
    const HandClock clock;
    Mailbox mailbox(clock);
    mailbox.hold(4);
    QCOMPARE(mailbox.held_after(), 4);
    QVERIFY(mailbox.take(true, unexpected).empty());
    QVERIFY(!mailbox.stopped());
    mailbox.stop();
    QVERIFY(mailbox.stopped() && mailbox.take(true, unexpected).empty());
}

void MailboxTest::waiting_engine_reports_the_channel_ends_it_waits_for() {
    const HandClock clock;
    Mailbox mailbox(clock);
    std::thread other;
    const auto mail = mailbox.take(true, [&] {
        // awaited() blocks until take() waits.
        other = std::thread([&] {
            const Mailbox::Awaited awaited = mailbox.awaited();
            mailbox.freed({static_cast<std::int32_t>(awaited.ends.size()), *awaited.ends.begin(), 0});
        });
        return std::set<std::int32_t>{3, 5};
    });
    other.join();
    QVERIFY(get<Mailbox::Freed>(mail.at(0)).key == (plan::TensorKey{2, 3, 0}));
    QVERIFY(mailbox.awaited().ends.empty());
}

DIVISI_TEST(MailboxTest)

}  // namespace mailbox_test

#include "mailbox_test.moc"
