// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "backend/ctl/commands.h"

using namespace divisi::ctl;
using Names = std::vector<std::string>;

class RecutCommandTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void cuts_may_have_spaces_between_them() {
        QCOMPARE(trimmed({"/a", " /b", "\t/c d "}), (Names{"/a", "/b", "/c d"}));
        QCOMPARE(trimmed({"", "  "}), (Names{"", ""}));
        QVERIFY(trimmed({}).empty());
    }
};

QTEST_GUILESS_MAIN(RecutCommandTest)
#include "recut_command_test.moc"
