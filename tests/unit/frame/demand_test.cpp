// SPDX-License-Identifier: Apache-2.0
#include "backend/frame/demand.h"

#include "tests/support/test_program.h"

namespace demand_test {

using namespace divisi;
using namespace divisi::frame;

class DemandTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void demand_survives_encoding();
    void malformed_demand_is_refused();
};

void DemandTest::demand_survives_encoding() {
    for (const Demand& demand : {Demand{}, Demand{7, 4096, {{1, 0}, {1, 1}, {1LL << 40, 1 << 20}}}}) {
        const std::string bytes = encode_demand(demand);
        const auto read = decode_demand(std::as_bytes(std::span(bytes)));
        QVERIFY(read.ok());
        QVERIFY(*read == demand);
    }
}

void DemandTest::malformed_demand_is_refused() {
    const std::string good = encode_demand({1, 0, {{1, 0}}});
    for (std::size_t length = 0; length < good.size(); ++length)
        QCOMPARE(decode_demand(std::as_bytes(std::span(good)).first(length)).ok(), length == 16);
    for (const DataPlace& place : {DataPlace{0, 0}, DataPlace{-1, 0}, DataPlace{1, -1}}) {
        const std::string bytes = encode_demand({1, 0, {place}});
        QVERIFY(!decode_demand(std::as_bytes(std::span(bytes))).ok());
    }
    const std::string most = encode_demand({1, 0, std::vector<DataPlace>(most_demanded, {1, 0})});
    QVERIFY(decode_demand(std::as_bytes(std::span(most))).ok());
    const std::string more = encode_demand({1, 0, std::vector<DataPlace>(most_demanded + 1, {1, 0})});
    QVERIFY(!decode_demand(std::as_bytes(std::span(more))).ok());
}

DIVISI_TEST(DemandTest)

}  // namespace demand_test

#include "demand_test.moc"
