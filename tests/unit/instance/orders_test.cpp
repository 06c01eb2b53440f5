// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/engine/orders.h"

#include "tests/support/test_program.h"

namespace orders_test {

using namespace divisi;
using namespace divisi::instance;
using Item = Orders::Item;

class OrdersTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void each_item_is_sent_once_despite_repeated_orders();
    void items_are_sent_in_order_of_step_and_microbatch();
    void withdrawn_item_is_skipped();
    void outdated_order_is_ignored();
    void next_process_of_a_consumer_gets_everything_again();
};

void OrdersTest::each_item_is_sent_once_despite_repeated_orders() {
    Orders orders;
    orders.take({1, 1}, {1, 0, {{1, 0}, {1, 1}}});
    QVERIFY(*orders.next() == (Item{1, {1, 0}}));
    orders.take({1, 1}, {2, 0, {{1, 0}, {1, 1}}});
    QVERIFY(*orders.next() == (Item{1, {1, 1}}));
    orders.take({1, 1}, {3, 0, {{1, 0}, {1, 1}}});
    QVERIFY(!orders.next() && orders.empty());
}

void OrdersTest::items_are_sent_in_order_of_step_and_microbatch() {
    Orders orders;
    orders.take({1, 1}, {1, 0, {{2, 0}, {3, 0}}});
    orders.take({2, 1}, {1, 0, {{1, 3}, {2, 1}}});
    QVERIFY(*orders.next() == (Item{2, {1, 3}}));
    QVERIFY(*orders.next() == (Item{1, {2, 0}}));
    QVERIFY(*orders.next() == (Item{2, {2, 1}}));
    QVERIFY(*orders.next() == (Item{1, {3, 0}}));
    QVERIFY(!orders.next());
}

void OrdersTest::withdrawn_item_is_skipped() {
    Orders orders;
    orders.take({1, 1}, {1, 0, {{1, 0}, {1, 1}}});
    orders.take({1, 1}, {2, 0, {{1, 1}}});
    QVERIFY(*orders.next() == (Item{1, {1, 1}}));
    QVERIFY(!orders.next());
}

void OrdersTest::outdated_order_is_ignored() {
    Orders orders;
    orders.take({1, 1}, {2, 0, {{1, 1}}});
    orders.take({1, 1}, {1, 0, {{1, 0}}});
    QVERIFY(*orders.next() == (Item{1, {1, 1}}));
    QVERIFY(!orders.next());
}

void OrdersTest::next_process_of_a_consumer_gets_everything_again() {
    Orders orders;
    orders.take({1, 1}, {9, 0, {{1, 0}}});
    QVERIFY(orders.next().has_value());
    orders.take({1, 2}, {1, 0, {{1, 0}}});
    QVERIFY(*orders.next() == (Item{1, {1, 0}}));
    orders.take({1, 1}, {10, 0, {{1, 1}}});
    QVERIFY(!orders.next());
}

DIVISI_TEST(OrdersTest)

}  // namespace orders_test

#include "orders_test.moc"
