// SPDX-License-Identifier: GPL-3.0-or-later
// Tests measured spans in the console: which step is shown, which ones are evicted, and what a recording keeps.
#include "app/client/span_book.h"

#include <map>

#include "app/client/record_codec.h"
#include "tests/support/test_program.h"

namespace span_book_test {

using namespace divisi;
using namespace std::chrono_literals;
using client::SpanBook;

namespace {

const TaskId the_task("gpt-1");
constexpr TimePoint start{std::chrono::hours(1)};

control::SpanPush push(std::int64_t step, int stage, Generation generation = 1, std::size_t spans = 3,
                       const TaskId& task = the_task) {
    control::SpanPush push;
    push.spans.task = task;
    push.spans.instance = InstanceId(task.value() + "/stage-" + std::to_string(stage) + "/0");
    push.spans.generation = generation;
    push.spans.step = step;
    push.spans.begin = start + std::chrono::seconds(step) - 5s;  // the clock of the instance is 5 s behind
    push.spans.spans.resize(spans);
    push.offset = 5s;
    return push;
}

std::int64_t shown(const SpanBook& book, TimePoint moment = TimePoint::max()) {
    const client::MeasuredStep* step = book.at(the_task, moment);
    return step ? step->step : -1;
}

}  // namespace

class SpanBookTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void newest_step_reported_by_all_instances_is_shown() {
        SpanBook book;
        QCOMPARE(shown(book), -1);
        book.take(push(16, 0));
        QCOMPARE(shown(book), 16);
        book.take(push(16, 1));
        book.take(push(32, 0));
        QCOMPARE(shown(book), 16);
        book.take(push(32, 1));
        QCOMPARE(shown(book), 32);
        QVERIFY(!book.at(TaskId("other"), TimePoint::max()));
        // An instance that becomes silent delays the others only briefly.
        for (int step = 48; step <= 48 + 3 * 16; step += 16) book.take(push(step, 0));
        QCOMPARE(shown(book), 96);
    }

    void displayed_time_shows_the_step_that_had_begun() {
        SpanBook book;
        for (int step = 10; step <= 30; step += 10)
            for (const int stage : {0, 1}) book.take(push(step, stage));
        QCOMPARE(shown(book, start + 9s), -1);
        QCOMPARE(shown(book, start + 10s), 10);
        QCOMPARE(shown(book, start + 29s), 20);
        QCOMPARE(shown(book, start + 1h), 30);
        // If a new generation repeats a step, the new result replaces the old one.
        book.take(push(20, 0, 2));
        QCOMPARE(shown(book), 20);
        QCOMPARE(book.at(the_task, TimePoint::max())->generation, Generation(2));
    }

    void a_step_is_found_by_its_number() {
        SpanBook book;
        QVERIFY(!book.step(the_task, 16));
        for (const int step : {16, 32}) book.take(push(step, 0));
        book.take(push(16, 0, 2));  // repeated after a recovery
        const client::MeasuredStep* step = book.step(the_task, 16);
        QVERIFY(step);
        QCOMPARE(step->generation, Generation(2));
        QCOMPARE(book.step(the_task, 32)->generation, Generation(1));
        QVERIFY(!book.step(the_task, 17));
        QCOMPARE(book.steps(the_task), (std::vector<std::int64_t>{16, 32}));
        QVERIFY(book.steps(TaskId("other")).empty());
    }

    void oldest_operations_are_dropped_first() {
        SpanBook book;
        const std::size_t each = control::most_reported_spans;
        const auto most = static_cast<std::int64_t>(client::most_kept_spans / each);
        book.take(push(0, 0, 1, each, TaskId("older")));
        for (std::int64_t step = 1; step <= most; ++step) book.take(push(step, 0, 1, each));
        QVERIFY(book.spans() <= client::most_kept_spans);
        QVERIFY(!book.at(TaskId("older"), TimePoint::max()));
        QCOMPARE(shown(book, start + 1s), 1);
        book.take(push(most + 1, 0, 1, each));
        QCOMPARE(shown(book, start + 1s), -1);
        QCOMPARE(shown(book), most + 1);
        book.take(push(most + 1, 0, 1, each));  // the same report again
        QVERIFY(book.spans() <= client::most_kept_spans);
        book.keep_only(std::map<TaskId, int>{});
        QCOMPARE(book.spans(), std::size_t{0});
        QCOMPARE(shown(book), -1);
    }

    void dropped_spans_are_counted() {
        SpanBook book;
        auto one = push(16, 0);
        one.spans.dropped = 2;
        one.replaced = 3;
        book.take(one);
        book.lose(4);
        QCOMPARE(book.lost(), std::uint64_t{9});
        // While the window takes no reports, a limited number waits. A new one replaces its instance's oldest one.
        std::vector<control::SpanPush> waiting;
        std::uint64_t lost = 0;
        for (int i = 0; i < 10'000; ++i) client::add_spans(waiting, lost, push(i, i % 4));
        QCOMPARE(waiting.size(), client::most_waiting_spans);
        QCOMPARE(lost, 10'000 - client::most_waiting_spans);
        QCOMPARE(waiting.back().spans.step, std::int64_t{9999});
        client::add_spans(waiting, lost, push(1, 77));
        QCOMPARE(waiting.size(), client::most_waiting_spans);
    }

    void recording_contains_the_spans() {
        client::Mail mail;
        mail.spans = {push(16, 0), push(16, 1)};
        mail.spans_lost = 3;  // the losses are still counted
        const auto records = client::records_of(mail, 3s);
        QVERIFY(records.ok());
        QCOMPARE(records->size(), std::size_t{2});
        client::RecordDecoder decoder;
        client::Mail back;
        for (const store::Record& one : *records)
            QVERIFY(decoder.add(static_cast<client::RecordKind>(one.kind), one.type, one.bytes, back).ok());
        QCOMPARE(back.spans.size(), std::size_t{2});
        QVERIFY(back.spans[1].spans == mail.spans[1].spans);
        QCOMPARE(back.spans[1].offset, Duration(5s));
        client::ClusterData data;
        data.state.tasks[the_task].id = the_task;
        client::take(data, back, {});
        QCOMPARE(data.spans.at(the_task, TimePoint::max())->instances.size(), std::size_t{2});
        QCOMPARE(data.spans.lost(), std::uint64_t{3});
        data.state.tasks.clear();
        client::Mail nothing;
        client::take(data, nothing, {});
        QVERIFY(!data.spans.at(the_task, TimePoint::max()));
    }
};

DIVISI_TEST(SpanBookTest)

}  // namespace span_book_test

#include "span_book_test.moc"
