// SPDX-License-Identifier: Apache-2.0
#include "backend/store/tensor_file.h"

#include <set>

#include "tests/support/test_program.h"

namespace state_name_test {

using namespace divisi::store;

/// Tests the names of tensors in a snapshot.
class StateNameTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void name_reads_back();
    void different_names_have_different_texts();
};

void StateNameTest::name_reads_back() {
    QCOMPARE(to_text({"w", ""}), std::string("w"));
    QCOMPARE(to_text({"w", "momentum"}), std::string("w#momentum"));
    QCOMPARE(to_text({"a#b", "m"}), std::string("a##b#m"));
    for (const StateName& name : {StateName{"w", ""}, StateName{"w", "m"}, StateName{"a#b", ""}, StateName{"#", "m"},
                                  StateName{"a##", ""}, StateName{"", ""}})
        QVERIFY(state_name(to_text(name)) == name);
}

void StateNameTest::different_names_have_different_texts() {
    const std::set<std::string> texts{to_text({"w", "m"}), to_text({"w#m", ""}), to_text({"w#", "m"})};
    QCOMPARE(texts.size(), std::size_t{3});
}

DIVISI_TEST(StateNameTest)

}  // namespace state_name_test

#include "state_name_test.moc"
