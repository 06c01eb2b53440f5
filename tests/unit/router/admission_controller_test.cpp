// SPDX-License-Identifier: Apache-2.0
#include "agents/router/admission_controller.h"
#include "backend/control/protocol/policy_messages.h"

#include "backend/mesh/admission/authorization.h"
#include "tests/support/test_program.h"

namespace admission_controller_test {

using namespace divisi;
using namespace divisi::router;
using namespace std::chrono_literals;

class AdmissionControllerTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void unusable_policy_closes_the_gateway_data();
    void unusable_policy_closes_the_gateway();
};

void AdmissionControllerTest::unusable_policy_closes_the_gateway_data() {
    QTest::addColumn<int>("version");
    QTest::addColumn<int>("revoked");
    QTest::newRow("an older one") << 6 << 0;
    QTest::newRow("more revoked keys than there may be") << 8 << static_cast<int>(mesh::most_revoked_keys) + 1;
}

void AdmissionControllerTest::unusable_policy_closes_the_gateway() {
    QFETCH(int, version);
    QFETCH(int, revoked);
    AdmissionController controller{mesh::AdmissionConfig()};
    TimePoint now{100s};
    QVERIFY(controller.take({7, {}, {}}, now).ok());
    QVERIFY(!controller.admission().closed(now));
    control::AdmissionPolicy unusable{static_cast<std::uint64_t>(version), {}, {}};
    for (int i = 0; i < revoked; ++i) unusable.revoked_keys.push_back("key " + std::to_string(i));
    QVERIFY(!controller.take(unusable, now).ok());
    QVERIFY(controller.admission().closed(now));
    controller.connected(now + 1s);  // does not renew the policy
    QVERIFY(controller.admission().closed(now + 1s));
    QVERIFY(controller.take({9, {}, {}}, now + 2s).ok());
    QVERIFY(!controller.admission().closed(now + 2s));
}

DIVISI_TEST(AdmissionControllerTest)

}  // namespace admission_controller_test

#include "admission_controller_test.moc"
