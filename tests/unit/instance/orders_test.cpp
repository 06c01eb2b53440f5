// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/orders.h"

#include "tests/support/test_program.h"

namespace orders_test {

using namespace divisi;
using namespace divisi::instance;
using Item = Orders::Item;

class OrdersTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void each_is_sent_once_however_often_it_is_said();
    void the_earliest_of_all_consumers_goes_first();
    void what_is_named_no_longer_is_left_out();
    void what_was_overtaken_is_dropped();
    void a_later_process_of_the_consumer_gets_all_again();
};

void OrdersTest::each_is_sent_once_however_often_it_is_said() {
    Orders orders;
    orders.take({1, 1}, {1, 0, {{1, 0}, {1, 1}}});
    QVERIFY(*orders.next() == (Item{1, {1, 0}}));
    orders.take({1, 1}, {2, 0, {{1, 0}, {1, 1}}});
    QVERIFY(*orders.next() == (Item{1, {1, 1}}));
    orders.take({1, 1}, {3, 0, {{1, 0}, {1, 1}}});
    QVERIFY(!orders.next() && orders.empty());
}

void OrdersTest::the_earliest_of_all_consumers_goes_first() {
    Orders orders;
    orders.take({1, 1}, {1, 0, {{2, 0}, {3, 0}}});
    orders.take({2, 1}, {1, 0, {{1, 3}, {2, 1}}});
    QVERIFY(*orders.next() == (Item{2, {1, 3}}));
    QVERIFY(*orders.next() == (Item{1, {2, 0}}));
    QVERIFY(*orders.next() == (Item{2, {2, 1}}));
    QVERIFY(*orders.next() == (Item{1, {3, 0}}));
    QVERIFY(!orders.next());
}

void OrdersTest::what_is_named_no_longer_is_left_out() {
    Orders orders;
    orders.take({1, 1}, {1, 0, {{1, 0}, {1, 1}}});
    orders.take({1, 1}, {2, 0, {{1, 1}}});
    QVERIFY(*orders.next() == (Item{1, {1, 1}}));
    QVERIFY(!orders.next());
}

void OrdersTest::what_was_overtaken_is_dropped() {
    Orders orders;
    orders.take({1, 1}, {2, 0, {{1, 1}}});
    orders.take({1, 1}, {1, 0, {{1, 0}}});
    QVERIFY(*orders.next() == (Item{1, {1, 1}}));
    QVERIFY(!orders.next());
}

void OrdersTest::a_later_process_of_the_consumer_gets_all_again() {
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
