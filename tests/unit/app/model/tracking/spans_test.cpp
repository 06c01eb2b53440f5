// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/tracking/spans.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "app/model/tracking/span_trace.h"
#include "backend/plan/schedule.h"
#include "tests/support/test_program.h"
#include "tests/unit/plan/simulator.h"

namespace spans_test {

using namespace divisi;
using namespace divisi::model;
using plan::OperationKind;

namespace {

/// Returns a plan of stages with 2 ms forward and 4 ms backward on separate hosts. A tensor takes `latency_s` to the
/// next stage.
price::SimulatedPlan plan_of(const char* schedule, std::int32_t stages, std::int32_t microbatches, double latency_s) {
    price::SimulatedPlan plan;
    plan.programs = std::make_shared<const plan::Programs>(plan::make_programs(
        plan::test::pipeline(stages, false), plan::make_pass_order(schedule, stages, microbatches).value(),
        {1, price::most_simulated_steps, microbatches, 0, 0}, false));
    for (std::int32_t s = 0; s < stages; ++s) {
        plan.seconds.push_back({2e-3, 4e-3, 0, 0, 1e-3});
        plan.places.push_back({s, 1});
        plan.hosts.push_back({"host " + std::to_string(s), 1});
    }
    plan.tensor_bytes.assign(plan.programs->channels.size(), 1000);
    plan.links.between_hosts.latency_s = latency_s;
    return plan;
}

Span operation(std::int32_t instance, OperationKind kind, std::int64_t begin, std::int64_t end) {
    return {instance, kind_of(kind), kind, 0, 1, begin, end};
}

/// Returns the time that all spans of a kind take within a range. Computes it from the span that owns each nanosecond.
std::int64_t by_hand(const Timeline& timeline, std::int32_t instance, SpanKind kind, std::int64_t from,
                     std::int64_t to) {
    std::int64_t sum = 0;
    for (std::int64_t at = from; at < to; ++at)
        sum += std::any_of(timeline.spans.begin(), timeline.spans.end(), [&](const Span& one) {
            return one.instance == instance && one.kind == kind && one.begin_ns <= at && at < one.end_ns;
        });
    return sum;
}

}  // namespace

class SpansTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void spans_of_a_stage_leave_no_gap_and_do_not_overlap() {
        for (const char* schedule : {"gpipe", "1f1b"}) {
            const auto plan = plan_of(schedule, 3, 4, 0.5e-3);
            const auto played = price::simulate(plan, {true});
            QVERIFY(played.ok());
            const Timeline timeline = predicted_timeline(*played, *plan.programs);
            for (const std::int32_t stage : {0, 1, 2}) {
                std::int64_t at = timeline.begin_ns;
                for (const Span& one : timeline.spans) {
                    if (one.instance != stage) continue;
                    QCOMPARE(one.begin_ns, at);
                    QVERIFY(one.end_ns >= one.begin_ns);  // a gradient that is not shared takes no time
                    QVERIFY(one.end_ns > one.begin_ns || computes(one.kind));
                    at = one.end_ns;
                }
                QCOMPARE(at, timeline.end_ns);
            }
        }
    }

    void bubble_equals_that_of_the_simulator() {
        const auto plan = plan_of("1f1b", 3, 4, 0.5e-3);
        const auto played = price::simulate(plan, {true});
        QVERIFY(played.ok() && played->steady);
        const Timeline timeline = predicted_timeline(*played, *plan.programs);
        const StepSpan* step = timeline.step(played->measured_step);
        QVERIFY(step);
        QVERIFY(std::abs(static_cast<double>(step->end_ns - step->begin_ns) - played->step_s * 1e9) < 2);
        const TimelineSums sums = sum_spans(timeline, step->begin_ns, step->end_ns);
        double mean = 0;
        for (std::size_t stage = 0; stage < 3; ++stage) {
            QVERIFY(std::abs(sums.bubble(sums.instances[stage]) - played->stages[stage].bubble) < 1e-3);
            mean += sums.bubble(sums.instances[stage]) / 3;
            QVERIFY(sums.instances[stage].of(SpanKind::wire) > 0);
            QVERIFY(sums.instances[stage].of(SpanKind::idle) > 0);
            QCOMPARE(sums.instances[stage].of(SpanKind::forward), 4 * 2000000);
            QCOMPARE(sums.instances[stage].of(SpanKind::optimizer), 1000000);
        }
        QVERIFY(std::abs(sums.bubble() - mean) < 1e-12);
    }

    void waiting_counts_as_idle_until_the_tensor_is_made_then_as_wire() {
        const auto plan = plan_of("gpipe", 2, 1, 0);
        const std::vector<Span> ran{
            operation(0, OperationKind::forward, 0, 20), operation(1, OperationKind::forward, 30, 50),
            operation(1, OperationKind::backward, 50, 90), operation(0, OperationKind::backward, 97, 130)};
        const Timeline timeline = make_timeline(ran, plan.programs.get());
        QCOMPARE(by_hand(timeline, 1, SpanKind::idle, 0, 30), 20);
        QCOMPARE(by_hand(timeline, 1, SpanKind::wire, 0, 30), 10);
        QCOMPARE(by_hand(timeline, 0, SpanKind::idle, 20, 97), 70);
        QCOMPARE(by_hand(timeline, 0, SpanKind::wire, 20, 97), 7);
        QCOMPARE(by_hand(timeline, 1, SpanKind::idle, 90, 130), 40);  // until the end of the step
        // Without the programs, the producer of an awaited tensor is unknown.
        QCOMPARE(by_hand(make_timeline(ran, nullptr), 1, SpanKind::idle, 0, 30), 30);
        QVERIFY(timeline.waits_split && !make_timeline(ran, nullptr).waits_split);
        QVERIFY(sum_spans(timeline, 0, 130).waits_split);
        QVERIFY(make_timeline({}, nullptr).empty());
    }

    void range_sums_equal_sums_of_all_its_parts() {
        const auto plan = plan_of("gpipe", 2, 1, 0);
        const Timeline timeline = make_timeline(
            {operation(0, OperationKind::forward, 0, 20), operation(1, OperationKind::forward, 30, 50),
             operation(1, OperationKind::backward, 50, 90), operation(0, OperationKind::backward, 97, 130),
             operation(plan::data_unit, OperationKind::load, 0, 3)},
            plan.programs.get());
        QCOMPARE(timeline.instances, (std::vector<std::int32_t>{0, 1, plan::data_unit}));
        for (const auto& [from, to] : {std::pair<std::int64_t, std::int64_t>{0, 130}, {10, 40}, {25, 26}, {99, 99}}) {
            const TimelineSums sums = sum_spans(timeline, from, to);
            for (const SpanSums& one : sums.instances)
                for (std::size_t kind = 0; kind < span_kinds; ++kind)
                    QCOMPARE(one.ns[kind], by_hand(timeline, one.instance, static_cast<SpanKind>(kind), from, to));
        }
        QCOMPARE(sum_spans(timeline, 99, 99).bubble(), 0.0);
        QCOMPARE(sum_spans(timeline, 20, 30).bubble(), 1.0);  // the data unit is not counted
    }

    void the_export_is_in_chromes_trace_format() {
        const auto plan = plan_of("1f1b", 2, 2, 1e-3);
        const auto played = price::simulate(plan, {true});
        QVERIFY(played.ok());
        const Timeline timeline = predicted_timeline(*played, *plan.programs);
        QJsonParseError error;
        const QJsonDocument document = QJsonDocument::fromJson(
            chrome_trace({{QStringLiteral("Predicted"), timeline}, {QStringLiteral("Measured"), timeline}}), &error);
        QVERIFY2(error.error == QJsonParseError::NoError, qPrintable(error.errorString()));
        const QJsonArray events = document.object()[QStringLiteral("traceEvents")].toArray();
        std::set<std::pair<int, int>> named, used;
        QStringList processes;
        std::map<std::pair<int, int>, double> end;
        int complete = 0;
        for (const QJsonValue& value : events) {
            const QJsonObject event = value.toObject();
            const std::pair place(event[QStringLiteral("pid")].toInt(-1), event[QStringLiteral("tid")].toInt(-1));
            QVERIFY(place.first > 0 && place.second >= 0);
            const QString phase = event[QStringLiteral("ph")].toString(),
                          name = event[QStringLiteral("name")].toString();
            if (phase == QStringLiteral("M")) {
                const QJsonObject args = event[QStringLiteral("args")].toObject();
                if (name == QStringLiteral("process_name")) processes << args[QStringLiteral("name")].toString();
                if (name == QStringLiteral("thread_name")) named.insert(place);
                continue;
            }
            QCOMPARE(phase, QStringLiteral("X"));
            ++complete;
            used.insert(place);
            const double begin = event[QStringLiteral("ts")].toDouble(-1);
            QVERIFY(begin >= end[place] - 1e-6);  // operations on one thread do not overlap
            QVERIFY(event[QStringLiteral("dur")].toDouble(-1) >= 0);
            end[place] = begin + event[QStringLiteral("dur")].toDouble();
            if (name == QStringLiteral("backward 1") && place == std::pair(1, 0))
                QCOMPARE(event[QStringLiteral("dur")].toDouble(), 4000.0);  // in microseconds
        }
        QCOMPARE(processes, (QStringList{QStringLiteral("Predicted"), QStringLiteral("Measured")}));
        QVERIFY(std::includes(named.begin(), named.end(), used.begin(), used.end()));
        QCOMPARE(complete, 2 * static_cast<int>(std::count_if(timeline.spans.begin(), timeline.spans.end(),
                                                              [](const Span& s) { return s.kind != SpanKind::idle; })));
    }

    void traces_of_instances_are_read() {
        const QByteArray head =
            "unit,operation,step,microbatch,ready,arrived,begin,end,worked,thread_cpu,process_cpu\n";
        const auto spans =
            read_trace(head + "1,backward,7,3,10,11,12,20,8,1,1\n-1,load,7,0,0,0,1,2,1,1,1\n1,forw", "one.csv");
        QVERIFY(spans.ok());
        QCOMPARE(spans->size(), 2u);  // the last line is incomplete
        QCOMPARE((*spans)[0], (Span{1, SpanKind::backward, OperationKind::backward, 3, 7, 12, 20}));
        QCOMPARE((*spans)[1].instance, plan::data_unit);
        for (const char* bad : {"1,dances,7,3,10,11,12,20,8,1,1\n", "1,backward,7,3,10,11,20,12,8,1,1\n",
                                "1,backward,x,3,10,11,12,20,8,1,1\n", "1,backward\n"}) {
            const auto refused = read_trace(head + bad, "one.csv");
            QVERIFY(!refused.ok());
            QVERIFY2(refused.error().message().find("one.csv:2") != std::string::npos,
                     refused.error().message().c_str());
        }
        QVERIFY(!read_trace("a,b\n", "one.csv").ok());
    }

    void newest_steps_of_a_long_trace_are_kept() {
        QTemporaryDir folder;
        QVERIFY(!read_trace_folder(folder.path()).ok());
        for (const int stage : {0, 1}) {
            QFile file(folder.filePath(QStringLiteral("stage-%1.csv").arg(stage)));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write("unit,operation,step,microbatch,ready,arrived,begin,end,worked,thread_cpu,process_cpu\n");
            for (int step = 1; step <= 200; ++step)
                file.write(QByteArray::number(stage) + ",forward," + QByteArray::number(step) + ",0,0,0," +
                           QByteArray::number(10 * step) + ',' + QByteArray::number(10 * step + 5) + ",5,1,1\n");
        }
        const auto spans = read_trace_folder(folder.path());
        QVERIFY(spans.ok());
        QCOMPARE(static_cast<std::int64_t>(spans->size()), 2 * most_traced_steps);
        QCOMPARE(std::ranges::min(*spans, {}, &Span::step).step, 200 - most_traced_steps + 1);
    }
};

DIVISI_WINDOW_TEST(SpansTest)

}  // namespace spans_test

#include "spans_test.moc"
