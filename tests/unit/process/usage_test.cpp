// SPDX-License-Identifier: Apache-2.0
#include "backend/process/child.h"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <vector>

#include "tests/support/test_program.h"

namespace usage_test {

using namespace divisi::process;

namespace {

constexpr std::size_t touched = 64u << 20;
constexpr std::int64_t worked_ms = 200;

/// Touches memory and computes, then reports on the pipe and waits to be killed.
[[noreturn]] void work(int say) {
    std::vector<char> memory(touched, 1);
    while (std::clock() * 1000 / CLOCKS_PER_SEC < worked_ms) memory[static_cast<std::size_t>(std::clock()) % touched]++;
    if (::write(say, memory.data(), 1) != 1) ::_exit(1);
    for (;;) ::pause();
}

}  // namespace

/// Tests the resource use of a process, while it runs and after its end.
class UsageTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void child_is_measured_while_running_and_after_its_end();
};

void UsageTest::child_is_measured_while_running_and_after_its_end() {
    int pipe_fds[2];
    QCOMPARE(::pipe(pipe_fds), 0);
    const pid_t child = ::fork();
    if (child == 0) work(pipe_fds[1]);
    char byte = 0;
    QCOMPARE(::read(pipe_fds[0], &byte, 1), ssize_t(1));
    const auto alive = usage_of(child);
    QVERIFY(alive.has_value());
    ::kill(child, SIGKILL);
    int status = 0;
    rusage used{};
    QCOMPARE(::wait4(child, &status, 0, &used), child);
    const ProcessUsage ended = usage_of(used);
    for (const ProcessUsage& one : {*alive, ended}) {
        QVERIFY2(one.cpu_ms >= worked_ms - 20 && one.cpu_ms < 10 * worked_ms, QByteArray::number(qint64(one.cpu_ms)));
        QVERIFY(one.peak_bytes >= std::int64_t(touched) && one.peak_bytes < 8 * std::int64_t(touched));
    }
    QVERIFY(!usage_of(child));  // no process has this id now
}

DIVISI_TEST(UsageTest)

}  // namespace usage_test

#include "usage_test.moc"
