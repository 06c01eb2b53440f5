// SPDX-License-Identifier: Apache-2.0
// Tests measured spans in encoded messages: they arrive unchanged and within their bounds.
#include <functional>

#include "backend/base/clock_offset.h"
#include "backend/control/protocol/instance_messages.h"
#include "backend/control/state/limits.h"
#include "backend/wire/message_codec.h"
#include "tests/support/test_program.h"
#include "tests/unit/wire/span_parts.h"

namespace spans_test {

using namespace divisi;
using namespace divisi::control;
using test::instance_spans;

namespace {

Result<Message> back(const Message& message) {
    DIVISI_ASSIGN(const std::string bytes, wire::encode(message));
    return wire::decode(wire::type_of(message), std::as_bytes(std::span(bytes)));
}

}  // namespace

class SpansTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void spans_arrive_unchanged();
    void fullest_report_fits_one_control_frame();
    void impossible_spans_are_refused();
};

void SpansTest::spans_arrive_unchanged() {
    QVERIFY(get<SpanReport>(*back(SpanReport{instance_spans()})).spans == instance_spans());
    const auto push = get<SpanPush>(*back(SpanPush{instance_spans(), "machine", Duration(-12), 3}));
    QVERIFY(push.spans == instance_spans());
    QCOMPARE(push.clock, std::string("machine"));
    QCOMPARE(push.offset, Duration(-12));
    QCOMPARE(push.replaced, std::uint64_t{3});
    QCOMPARE(get<ReportSpans>(*back(ReportSpans{TaskId("t"), 2, 16})).every, std::int64_t{16});
    RegisterInstance able;
    able.state = InstanceState::running;
    able.reports_spans = true;
    QVERIFY(get<RegisterInstance>(*back(able)).reports_spans);
}

/// The report has steps that take a month, stages with a thousand micro-batches, and the longest names.
void SpansTest::fullest_report_fits_one_control_frame() {
    SpanPush push{instance_spans(), std::string(longest_word, 'm'), ClockOffset::most, ~std::uint64_t{0}};
    push.spans.task = TaskId(std::string(longest_word, 't'));
    push.spans.instance = InstanceId(std::string(longest_word, 'i'));
    push.spans.length = longest_span;
    push.spans.spans.assign(most_reported_spans,
                            {1000, plan::OperationKind::evaluate, 100'000, -longest_span, longest_span});
    push.spans.left_out = ~std::uint32_t{0};
    const auto bytes = wire::encode(push);
    QVERIFY2(bytes.ok(), bytes.ok() ? "" : bytes.error().message().c_str());
    QVERIFY(get<SpanPush>(*back(push)).spans == push.spans);
    // Realistic values: a step of 100 ms.
    push.spans.spans.assign(most_reported_spans,
                            {3, plan::OperationKind::forward, 500, Duration(90'000'000), Duration(9'000'000)});
    QVERIFY(wire::encode(push)->size() < most_reported_spans * 16);
}

void SpansTest::impossible_spans_are_refused() {
    const auto refused = [](const std::function<void(InstanceSpans&)>& spoil) {
        SpanReport report{instance_spans()};
        spoil(report.spans);
        const auto message = back(report);
        return !message.ok() && message.error().code == ErrorCode::corrupt;
    };
    QVERIFY(!refused([](InstanceSpans&) {}));
    QVERIFY(refused([](InstanceSpans& s) { s.spans[0].length = Duration(-1); }));
    QVERIFY(refused([](InstanceSpans& s) { s.spans[0].begin = Duration::max(); }));
    QVERIFY(refused([](InstanceSpans& s) { s.length = Duration(-1); }));
    QVERIFY(refused([](InstanceSpans& s) { s.begin = TimePoint::max(); }));
    QVERIFY(refused([](InstanceSpans& s) { s.sent = TimePoint(Duration(-1)); }));
    QVERIFY(refused([](InstanceSpans& s) { s.spans[0].kind = static_cast<plan::OperationKind>(99); }));
    QVERIFY(refused([](InstanceSpans& s) { s.spans.resize(most_reported_spans + 1); }));
    const auto push = back(SpanPush{instance_spans(), "machine", Duration::max(), 0});
    QVERIFY(!push.ok());
}

DIVISI_TEST(SpansTest)

}  // namespace spans_test

#include "spans_test.moc"
