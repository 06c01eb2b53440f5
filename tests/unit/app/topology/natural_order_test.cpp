// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/topology/natural_order.h"

#include <array>

#include "tests/support/test_program.h"

namespace natural_order_test {

using divisi::topology::NaturalLess;

class NaturalOrderTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void numbers_are_compared_by_value() {
        const std::array names{"", "7", "10", "mic-1", "mic-1/node-2", "mic-1/node-10", "mic-2", "mic-10", "mic-a"};
        const NaturalLess less;
        for (std::size_t i = 0; i < names.size(); ++i)
            for (std::size_t j = 0; j < names.size(); ++j) QCOMPARE(less(names[i], names[j]), i < j);
    }

    void similar_names_stay_distinct() {
        const NaturalLess less;
        QVERIFY(less("sr-01", "sr-1") != less("sr-1", "sr-01"));
    }
};

DIVISI_TEST(NaturalOrderTest)

}  // namespace natural_order_test

#include "natural_order_test.moc"
