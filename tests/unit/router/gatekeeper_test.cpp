// SPDX-License-Identifier: Apache-2.0
#include "agents/router/gatekeeper.h"

#include "backend/mesh/admission/authorization.h"
#include "tests/support/test_program.h"

namespace gatekeeper_test {

using namespace divisi;
using namespace divisi::router;
using namespace std::chrono_literals;

class GatekeeperTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void unusable_policy_closes_the_gateway_data();
    void unusable_policy_closes_the_gateway();
};

void GatekeeperTest::unusable_policy_closes_the_gateway_data() {
    QTest::addColumn<int>("version");
    QTest::addColumn<int>("revoked");
    QTest::newRow("an older one") << 6 << 0;
    QTest::newRow("more revoked keys than there may be") << 8 << static_cast<int>(mesh::most_revoked_keys) + 1;
}

void GatekeeperTest::unusable_policy_closes_the_gateway() {
    QFETCH(int, version);
    QFETCH(int, revoked);
    Gatekeeper gatekeeper{mesh::AdmissionConfig()};
    TimePoint now{100s};
    QVERIFY(gatekeeper.take({7, {}, {}}, now).ok());
    QVERIFY(!gatekeeper.admission().closed(now));
    control::AdmissionPolicy unusable{static_cast<std::uint64_t>(version), {}, {}};
    for (int i = 0; i < revoked; ++i) unusable.revoked_keys.push_back("key " + std::to_string(i));
    QVERIFY(!gatekeeper.take(unusable, now).ok());
    QVERIFY(gatekeeper.admission().closed(now));
    gatekeeper.connected(now + 1s);  // does not renew the policy
    QVERIFY(gatekeeper.admission().closed(now + 1s));
    QVERIFY(gatekeeper.take({9, {}, {}}, now + 2s).ok());
    QVERIFY(!gatekeeper.admission().closed(now + 2s));
}

DIVISI_TEST(GatekeeperTest)

}  // namespace gatekeeper_test

#include "gatekeeper_test.moc"
