// SPDX-License-Identifier: Apache-2.0

#include "backend/control/protocol/message.h"
#include "backend/control/protocol/mesh_messages.h"
#include "backend/control/protocol/policy_messages.h"
#include "backend/control/protocol/task_messages.h"
#include "backend/control/types/store_types.h"
#include "tests/support/test_program.h"

namespace message_test {

using namespace divisi;
using namespace divisi::control;

class MessageTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void question_has_the_type_of_its_answer() {
        QVERIFY(answer_index(QueryMesh{}) == Message(MeshState{}).index());
        QVERIFY(answer_index(ListStores{}) == Message(StoreList{}).index());
        QVERIFY(answer_index(RollBackPolicies{}) == Message(PolicyNumber{}).index());
    }
    void messages_without_an_answer_type_have_no_index() {
        QVERIFY(!answer_index(StopTask{}));
        QVERIFY(!answer_index(MeshState{}));
    }
};

DIVISI_TEST(MessageTest)

}  // namespace message_test

#include "message_test.moc"
