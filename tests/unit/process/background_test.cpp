// SPDX-License-Identifier: Apache-2.0
#include "backend/process/background.h"

#include <sys/resource.h>
#include <unistd.h>

#include <thread>

#include "tests/support/test_program.h"

namespace background_test {

using namespace divisi::process;

class BackgroundTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void only_the_calling_thread_gets_a_lower_priority();
};

void BackgroundTest::only_the_calling_thread_gets_a_lower_priority() {
    const auto niceness = [] { return ::getpriority(PRIO_PROCESS, static_cast<id_t>(::gettid())); };
    const int before = niceness();
    int inside = before;
    std::thread([&] {
        work_in_background();
        inside = niceness();
    }).join();
    QCOMPARE(inside, std::max(before, 10));
    QCOMPARE(niceness(), before);
}

DIVISI_TEST(BackgroundTest)

}  // namespace background_test

#include "background_test.moc"
