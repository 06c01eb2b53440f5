// SPDX-License-Identifier: Apache-2.0

#include "backend/ctl/terminal/commands.h"

#include "tests/support/test_program.h"

namespace recut_command_test {

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

DIVISI_TEST(RecutCommandTest)

}  // namespace recut_command_test

#include "recut_command_test.moc"
