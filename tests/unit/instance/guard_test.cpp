// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/keeping/guard.h"

#include <stdexcept>

#include "tests/support/test_program.h"

namespace guard_test {

using namespace divisi;
using instance::guard;

/// Tests that any exception of a worker becomes an error with a message, instead of ending the process.
class GuardTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void results_pass_unchanged();
    void exceptions_become_errors_without_their_backtrace();
    void out_of_memory_error_names_a_remedy();
    void other_exceptions_are_caught_too();
};

void GuardTest::results_pass_unchanged() {
    QCOMPARE(guard("running", [] { return Result<int>(7); }).value(), 7);
    const auto refused = guard("running", [] { return Result<int>(Error{ErrorCode::conflict, "w", "x", "y"}); });
    QCOMPARE(refused.error().message(), (Error{ErrorCode::conflict, "w", "x", "y"}.message()));
}

void GuardTest::exceptions_become_errors_without_their_backtrace() {
    const auto failed = guard("gpt-1/stage-0/0: running", []() -> Result<void> {
        throw std::runtime_error("sizes 3 and 4 do not match\nException raised from infer_size at x.cpp:35\nframe #0");
    });
    QCOMPARE(failed.error().code, ErrorCode::failed);
    QCOMPARE(failed.error().what, std::string("sizes 3 and 4 do not match"));
    QCOMPARE(failed.error().where, std::string("gpt-1/stage-0/0: running"));
    QVERIFY(!failed.error().next.empty());
}

void GuardTest::out_of_memory_error_names_a_remedy() {
    const auto failed = guard("loading", []() -> Result<int> { throw std::bad_alloc(); });
    QCOMPARE(failed.error().code, ErrorCode::exhausted);
    QVERIFY(failed.error().next.find("micro-batches") != std::string::npos);
}

void GuardTest::other_exceptions_are_caught_too() {
    const auto failed = guard("loading", []() -> Result<int> { throw 42; });
    QCOMPARE(failed.error().code, ErrorCode::failed);
}

DIVISI_TEST(GuardTest)

}  // namespace guard_test

#include "guard_test.moc"
