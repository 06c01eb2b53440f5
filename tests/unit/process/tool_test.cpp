// SPDX-License-Identifier: Apache-2.0
#include "backend/process/tool.h"

#include "tests/support/test_program.h"

namespace tool_test {

using namespace divisi;
using namespace divisi::process;

/// Tests system tools that run without a shell.
class ToolTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void output_is_returned();
    void arguments_are_passed_literally();
    void failure_contains_the_tools_message();
    void missing_tool_is_named();
    void hanging_tool_is_ended();
};

void ToolTest::output_is_returned() {
    const auto numbers = run_tool("seq", {"100000"});
    QVERIFY(numbers);
    QCOMPARE(QString::fromStdString(*numbers).count('\n'), 100'000);
}

void ToolTest::arguments_are_passed_literally() {
    const auto words = run_tool("printf", {"%s|", "a b", "$(id)", "; true", "*"});
    QVERIFY(words);
    QCOMPARE(QString::fromStdString(*words), "a b|$(id)|; true|*|");
}

void ToolTest::failure_contains_the_tools_message() {
    const auto failed = run_tool("ls", {"/no/such/folder"});
    QVERIFY(!failed);
    QCOMPARE(failed.error().code, ErrorCode::failed);
    QVERIFY(failed.error().message().find("No such file") != std::string::npos);
    QVERIFY(failed.error().where == "ls /no/such/folder");
    const auto silent = run_tool("false", {});
    QVERIFY(!silent);
    QCOMPARE(QString::fromStdString(silent.error().what), "it ended with status 1");
}

void ToolTest::missing_tool_is_named() {
    const auto missing = run_tool("divisi-no-such-tool", {});
    QVERIFY(!missing);
    QCOMPARE(missing.error().code, ErrorCode::not_found);
}

void ToolTest::hanging_tool_is_ended() {
    const auto hanging = run_tool("sleep", {"60"}, std::chrono::milliseconds(100));
    QVERIFY(!hanging);
    QCOMPARE(hanging.error().code, ErrorCode::deadline);
}

DIVISI_TEST(ToolTest)

}  // namespace tool_test

#include "tool_test.moc"
