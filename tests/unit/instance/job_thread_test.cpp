// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/serving/job_thread.h"

#include <future>
#include <string>

#include "tests/support/test_program.h"

namespace job_thread_test {

using divisi::instance::JobThread;

/// Tests the order of an instance's jobs, such as the loading of a segment while the warm-up of its standby still runs.
class JobThreadTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void second_job_waits_for_the_first();
    void join_waits_for_all_jobs();
    void join_without_a_job_returns_at_once();
};

void JobThreadTest::second_job_waits_for_the_first() {
    std::string order;  // the jobs never run at the same time
    std::promise<void> release;
    JobThread thread;
    thread.start([&order, held = release.get_future().share()] {
        held.wait();
        order += "a";
    });
    thread.start([&order] { order += "b"; });  // returns although the first job is still held
    thread.start([&order] { order += "c"; });
    release.set_value();
    thread.join();
    QCOMPARE(order, std::string("abc"));
}

void JobThreadTest::join_waits_for_all_jobs() {
    std::string order;
    JobThread thread;
    thread.start([&order] { order += "a"; });
    thread.join();
    QCOMPARE(order, std::string("a"));
    thread.start([&order] { order += "b"; });
    thread.join();
    QCOMPARE(order, std::string("ab"));
}

void JobThreadTest::join_without_a_job_returns_at_once() {
    JobThread thread;
    thread.join();
    thread.join();
}

DIVISI_TEST(JobThreadTest)

}  // namespace job_thread_test

#include "job_thread_test.moc"
