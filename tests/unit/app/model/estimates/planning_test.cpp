// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/estimates/planning.h"

#include <QSemaphore>
#include <QThread>
#include <thread>

#include "tests/support/test_program.h"

namespace planning_test {

using namespace divisi::model;

namespace {

/// A job that blocks until the test releases it.
struct Gate {
    QSemaphore begun, open;
    int pass(int answer) {
        begun.release();
        open.acquire();
        return answer;
    }
};

bool until(const std::function<bool()>& done) { return QTest::qWaitFor(done, 10'000); }

}  // namespace

class PlanningTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void answer_arrives_in_the_asking_thread_as_a_value() {
        PlanningService service;
        PlanningLine line(service);
        std::thread::id worked, answered;
        std::unique_ptr<int> answer;  // a move-only type
        line.ask(
            [&](const JobContext&) {
                worked = std::this_thread::get_id();
                return std::make_unique<int>(7);
            },
            [&](std::unique_ptr<int> given) {
                answered = std::this_thread::get_id();
                answer = std::move(given);
            });
        QVERIFY(line.busy());
        QVERIFY(until([&] { return answer != nullptr; }));
        QCOMPARE(*answer, 7);
        QVERIFY(worked != answered);
        QCOMPARE(answered, std::this_thread::get_id());
        QVERIFY(!line.busy());
    }

    void only_the_newest_question_is_answered() {
        PlanningService service;
        PlanningLine line(service);
        Gate gate;
        std::vector<int> answers;
        std::atomic<int> works = 0;
        const auto ask = [&](int number) {
            line.ask(
                [&gate, &works, number](const JobContext&) {
                    ++works;
                    return gate.pass(number);
                },
                [&](int answer) { answers.push_back(answer); });
        };
        ask(1);
        gate.begun.acquire();
        ask(2);
        ask(3);
        gate.open.release(3);
        QVERIFY(until([&] { return !line.busy(); }));
        QCOMPARE(answers, std::vector<int>{3});
        QCOMPARE(works.load(), 2);  // job 2 was replaced before it started
    }

    void older_answer_is_shown_until_the_newest_arrives() {
        PlanningService service;
        PlanningLine line(service, PlanningLine::Older::show);
        Gate gate;
        std::vector<int> answers;
        for (int number = 1; number <= 3; ++number) {
            line.ask([&gate, number](const JobContext&) { return gate.pass(number); },
                     [&](int answer) { answers.push_back(answer); });
            if (number == 1) gate.begun.acquire();
        }
        gate.open.release(3);
        QVERIFY(until([&] { return !line.busy(); }));
        QCOMPARE(answers, (std::vector<int>{1, 3}));
    }

    void a_cancelled_question_ends_and_gives_no_answer() {
        PlanningService service;
        PlanningLine line(service);
        QSemaphore begun, ended;
        bool answered = false, told = false;
        line.ask(
            [&](const JobContext& context) {
                begun.release();
                while (!context.cancelled()) QThread::yieldCurrentThread();
                context.tell([&] { told = true; });
                ended.release();
                return 1;
            },
            [&](int) { answered = true; });
        begun.acquire();
        line.cancel();
        QVERIFY(!line.busy());
        ended.acquire();
        // After cancel(), the next request is still answered.
        int next = 0;
        line.ask([](const JobContext&) { return 2; }, [&](int answer) { next = answer; });
        QVERIFY(until([&] { return next == 2; }));
        QVERIFY(!answered && !told);
    }

    void callback_is_not_called_after_the_end_of_its_object() {
        PlanningService service;
        Gate gate;
        bool answered = false, told = false;
        {
            PlanningLine line(service);
            line.ask(
                [&](const JobContext& context) {
                    context.tell([&] { told = true; });
                    return gate.pass(1);
                },
                [&](int) { answered = true; });
            gate.begun.acquire();
        }
        gate.open.release();
        PlanningLine other(service);
        bool end = false;
        other.ask([](const JobContext&) { return 0; }, [&](int) { end = true; });
        QVERIFY(until([&] { return end; }));
        QVERIFY(!answered && !told);
    }

    void destroyed_service_ends_its_running_jobs() {
        QSemaphore begun;
        auto service = std::make_unique<PlanningService>();
        PlanningLine line(*service);
        line.ask(
            [&](const JobContext& context) {
                begun.release();
                while (!context.cancelled()) QThread::yieldCurrentThread();
                return 1;
            },
            [](int) {});
        begun.acquire();
        service.reset();  // would hang here if the job did not stop
    }

    void slow_planning_line_does_not_delay_another() {
        PlanningService service;
        PlanningLine slow(service), quick(service);
        Gate gate;
        bool answered = false;
        slow.ask([&](const JobContext&) { return gate.pass(1); }, [](int) {});
        gate.begun.acquire();
        quick.ask([](const JobContext&) { return 2; }, [&](int) { answered = true; });
        QVERIFY(until([&] { return answered; }));
        gate.open.release();
    }
};

DIVISI_TEST(PlanningTest)

}  // namespace planning_test

#include "planning_test.moc"
