// SPDX-License-Identifier: Apache-2.0
#include "backend/control/protocol/task_events.h"

#include <algorithm>

#include "tests/support/test_program.h"

namespace task_events_test {

using namespace divisi;
using namespace divisi::control;

namespace {

const TaskId followed_task("t-1");

Event step(std::uint64_t sequence, std::int64_t number, Generation generation = 1) {
    StepRecord record;
    record.step = number;
    record.generation = generation;
    return {sequence, {}, StepDone{followed_task, record}};
}
Event other(std::uint64_t sequence) { return {sequence, {}, StepDone{TaskId("other-1"), {}}}; }

/// A log as the orchestrator stores it, read by pages.
struct KeptLog {
    std::vector<Event> events;

    LogPage page(const QueryLog& query) const {
        LogPage page;
        for (const Event& event : events) {
            if (event.sequence <= query.after || task_of(event.body).value() != query.task) continue;
            if (page.events.size() == query.limit) {
                page.more = true;
                break;
            }
            page.events.push_back(event);
        }
        return page;
    }
};

/// Answers requests until there are none, and returns the steps received.
std::vector<std::int64_t> drain(TaskEvents& followed, TaskEvents::Step done, const KeptLog& log) {
    std::vector<std::int64_t> steps;
    while (true) {
        for (const Event& event : done.events) steps.push_back(get<StepDone>(event.body).record.step);
        if (!done.request) return steps;
        done = followed.answered(log.page(*done.request));
    }
}

std::vector<std::int64_t> numbers(std::int64_t first, std::int64_t last) {
    std::vector<std::int64_t> all;
    for (; first <= last; ++first) all.push_back(first);
    return all;
}

}  // namespace

class TaskEventsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void missed_events_arrive_in_order_and_once();
    void pushes_wait_for_the_log();
    void too_many_pushes_are_read_from_the_log();
    void failed_request_is_repeated();
    void steps_missing_from_the_log_are_named();
    void new_generation_may_repeat_steps();
    void recovery_determines_the_next_step();
    void different_log_is_detected();
};

void TaskEventsTest::missed_events_arrive_in_order_and_once() {
    TaskEvents followed(followed_task, 10);
    KeptLog log;
    for (std::int64_t i = 1; i <= 8000; ++i) log.events.push_back(step(10 + static_cast<std::uint64_t>(i), i));
    std::vector<std::int64_t> all = drain(followed, followed.subscribed(2510), log);
    QCOMPARE(all.size(), std::size_t(8000));  // the pages reach the end of the log
    QVERIFY(followed.complete());
    QVERIFY(followed.pushed({step(2511, 2501), step(8010, 8000)}).events.empty());  // already known
    QCOMPARE(followed.pushed({step(8011, 8001)}).events.size(), std::size_t(1));
    QCOMPARE(all, numbers(1, 8000));
    QCOMPARE(followed.missing(), std::string());
}

void TaskEventsTest::pushes_wait_for_the_log() {
    TaskEvents followed(followed_task, 0);
    const KeptLog log{{step(1, 1), other(2), step(3, 2), step(4, 3)}};
    const auto begun = followed.subscribed(3);
    QCOMPARE(begun.request->after, std::uint64_t(0));
    QVERIFY(begun.request->oldest);
    QVERIFY(followed.pushed({step(4, 3), other(5), step(6, 4)}).events.empty());
    QCOMPARE(drain(followed, begun, log), numbers(1, 4));
    // Without an outage, no request is made.
    QCOMPARE(drain(followed, followed.pushed({other(7), step(8, 5)}), {}), numbers(5, 5));
    QVERIFY(!followed.subscribed(8).request);
}

void TaskEventsTest::too_many_pushes_are_read_from_the_log() {
    constexpr std::int64_t last = static_cast<std::int64_t>(TaskEvents::most_held) + 100;
    TaskEvents followed(followed_task, 0);
    KeptLog log{{step(1, 1)}};
    const auto begun = followed.subscribed(1);
    const LogPage early = log.page(*begun.request);
    for (std::int64_t i = 2; i <= last; ++i) {
        log.events.push_back(step(static_cast<std::uint64_t>(i), i));
        QVERIFY(followed.pushed({log.events.back()}).events.empty());
    }
    QCOMPARE(drain(followed, followed.answered(early), log), numbers(1, last));
    QVERIFY(followed.complete());
}

void TaskEventsTest::failed_request_is_repeated() {
    const Error late{ErrorCode::deadline, "no answer to query_log", "here", "see whether it runs"};
    const Error lost{ErrorCode::unavailable, "the connection was lost", "here", "try again"};
    const KeptLog log{{step(1, 1), step(2, 2)}};
    TaskEvents followed(followed_task, 0);
    QVERIFY(followed.subscribed(2).request);
    QVERIFY(followed.answered(late).request);
    for (int i = 0; i <= TaskEvents::attempts; ++i) {
        QVERIFY(!followed.answered(lost).request);  // no request while disconnected
        QVERIFY(!followed.complete() && !followed.failure());
        QVERIFY(followed.subscribed(2).request);
    }
    QCOMPARE(drain(followed, followed.answered(late), log), numbers(1, 2));
    TaskEvents hopeless(followed_task, 0);
    (void)hopeless.subscribed(2);
    for (int i = 1; i < TaskEvents::attempts; ++i) QVERIFY(hopeless.answered(late).request);
    QVERIFY(!hopeless.answered(late).request);
    QCOMPARE(hopeless.failure()->what, late.what);
}

void TaskEventsTest::steps_missing_from_the_log_are_named() {
    TaskEvents followed(followed_task, 0);
    const KeptLog trimmed{{step(5, 5), step(6, 6), step(8, 8)}};
    QCOMPARE(drain(followed, followed.subscribed(8), trimmed), (std::vector<std::int64_t>{5, 6, 8}));
    QCOMPARE(followed.missing(), std::string("1 to 4, 7"));
    QCOMPARE(followed.missing_count(), std::int64_t(5));
    for (std::int64_t i = 10; i <= 40; i += 2) (void)followed.pushed({step(static_cast<std::uint64_t>(i), i)});
    QVERIFY2(followed.missing().ends_with(" and 10 more"), followed.missing().c_str());
}

void TaskEventsTest::new_generation_may_repeat_steps() {
    TaskEvents followed(followed_task, 0);
    const KeptLog log{{step(1, 1), step(2, 2), step(3, 3), step(4, 2, 2), step(5, 3, 2), step(6, 4, 2)}};
    QCOMPARE(drain(followed, followed.subscribed(6), log), (std::vector<std::int64_t>{1, 2, 3, 2, 3, 4}));
    QCOMPARE(followed.missing(), std::string());
}

/// A missing step of the new generation is reported, even if an earlier generation did the same step.
void TaskEventsTest::recovery_determines_the_next_step() {
    const auto recovers = [](std::uint64_t sequence, std::int64_t after) {
        return Event{sequence, {}, TaskRecovers{followed_task, 2, after}};
    };
    TaskEvents followed(followed_task, 0);
    (void)followed.pushed({step(1, 1), step(2, 2), step(3, 3), step(4, 4), recovers(5, 1)});
    QCOMPARE(followed.pushed({step(6, 2, 2), step(7, 3, 2)}).events.size(), std::size_t(2));
    QCOMPARE(followed.missing(), std::string());
    (void)followed.pushed({recovers(8, 1), step(9, 3, 3)});
    QCOMPARE(followed.missing(), std::string("2"));
    // If a generation begins after steps that were never received, those steps are still reported as missing.
    (void)followed.pushed({recovers(10, 5), step(11, 6, 4)});
    QCOMPARE(followed.missing(), std::string("2, 4 to 5"));
}

void TaskEventsTest::different_log_is_detected() {
    TaskEvents followed(followed_task, 0);
    (void)drain(followed, followed.subscribed(2), {{step(1, 1), step(2, 2)}});
    (void)followed.subscribed(1);
    QVERIFY(followed.failure()->message().find("ends before the last received event") != std::string::npos);
}

DIVISI_TEST(TaskEventsTest)

}  // namespace task_events_test

#include "task_events_test.moc"
