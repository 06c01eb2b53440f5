// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/quality_reports.h"

#include "tests/support/test_program.h"
#include "tests/unit/mesh/relay_parts.h"

namespace quality_reports_test {

using namespace divisi;
using namespace divisi::mesh;
using namespace std::chrono_literals;

namespace {

const RoutingId upstream(1), next(2);
constexpr std::uint64_t window = 2 * frame::max_chunk_bytes;

/// Router 3 with a flow from gateway 1 to gateway 2.
struct Router {
    Router() { add(sample_key()); }
    RelayFlow& add(const FlowKey& key) {
        RelayFlow& flow = flows.add(key, flows.unused_name(upstream, next), sample_sids);
        flow.path = {RoutingId(3), next};
        flow.exit.device = next;
        flow.upstream.emplace(upstream, RelayFlow::Upstream{Promise(1, window)});
        return flow;
    }
    RelayFlow& flow() { return *flows.find(sample_key()); }
    /// Fills the promise of a flow.
    static void fill(RelayFlow& flow) { QVERIFY(flow.upstream.at(upstream).promise.take(window)); }
    /// Checks for full buffers, and returns the reports.
    std::vector<relay::Abnormal> reported(Duration later = {}) {
        context.now += later;
        context.actions = {};
        reports.report_full_buffers();
        return context.actions.abnormal;
    }

    RelayContext context = context_of(3);
    FlowTable flows;
    QualityReports reports{context, flows};
};

}  // namespace

/// Tests the periods of measurement and the reports about abnormal states.
class QualityReportsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void measurement_period_lasts_a_second();
    void flows_over_a_neighbour_include_those_with_unfreed_chunks();
    void report_names_the_flows_and_their_paths();
    void full_buffer_is_reported_after_a_while_and_when_it_is_free();
    void two_paths_of_a_flow_are_one_report();
    void full_buffer_of_a_blob_flow_is_not_reported();
    void longer_limit_does_not_end_a_reported_state();
};

void QualityReportsTest::measurement_period_lasts_a_second() {
    Router at;
    QVERIFY(at.reports.try_begin_period());
    QCOMPARE(at.reports.period(), std::uint64_t{1});
    at.context.now += quality_period - 1ms;
    QVERIFY(!at.reports.try_begin_period());
    at.context.now += 1ms;
    QVERIFY(at.reports.try_begin_period());
    QCOMPARE(at.reports.period(), std::uint64_t{2});
}

void QualityReportsTest::flows_over_a_neighbour_include_those_with_unfreed_chunks() {
    Router at;
    QVERIFY(at.reports.flows_by(next) == std::vector{sample_key()});
    QVERIFY(at.reports.flows_by(RoutingId(4)).empty());
    at.flow().downstream[RoutingId(4)].out.push_back({sample_chunk(1), upstream});
    QVERIFY(at.reports.flows_by(RoutingId(4)) == std::vector{sample_key()});
    at.flow().exit = {};
    QVERIFY(at.reports.flows_by(next).empty());
}

void QualityReportsTest::report_names_the_flows_and_their_paths() {
    Router at;
    at.reports.report(AbnormalKind::neighbour_silent, next, at.context.now, {sample_key(), FlowKey{1, 2, 3}});
    QCOMPARE(at.context.actions.abnormal.size(), std::size_t{1});
    const relay::Abnormal& said = at.context.actions.abnormal[0];
    QVERIFY(said.kind == AbnormalKind::neighbour_silent && said.neighbour == next);
    QCOMPARE(said.flows.size(), std::size_t{1});  // the other flow has ended
    QVERIFY(said.flows[0].sids == sample_sids && said.flows[0].way == at.flow().path);
}

void QualityReportsTest::full_buffer_is_reported_after_a_while_and_when_it_is_free() {
    Router at;
    at.fill(at.flow());
    const TimePoint since = at.context.now;
    QVERIFY(at.reported().empty());
    QVERIFY(at.reported(999ms).empty());
    const auto full = at.reported(1ms);
    QCOMPARE(full.size(), std::size_t{1});
    QVERIFY(full[0].kind == AbnormalKind::buffer_full && full[0].neighbour == upstream && full[0].since == since);
    QVERIFY(at.reported(1s).empty());  // the full buffer was reported once
    at.flow().upstream.at(upstream).promise.give_back(frame::max_chunk_bytes);
    const auto free = at.reported(1s);
    QCOMPARE(free.size(), std::size_t{1});
    QVERIFY(free[0].kind == AbnormalKind::buffer_free && free[0].since == at.context.now);
}

void QualityReportsTest::two_paths_of_a_flow_are_one_report() {
    Router at;
    at.fill(at.flow());
    at.fill(at.add(with_other_path(sample_key())));
    QVERIFY(at.reported().empty());
    QCOMPARE(at.reported(1s).size(), std::size_t{1});
}

void QualityReportsTest::full_buffer_of_a_blob_flow_is_not_reported() {
    Router at;
    FlowKey blob = sample_key();
    blob.flow_class = FlowClass::blob;
    at.fill(at.add(blob));
    QVERIFY(at.reported().empty());
    QVERIFY(at.reported(10s).empty());
}

void QualityReportsTest::longer_limit_does_not_end_a_reported_state() {
    Router at;
    at.reports.set_full_for(100ms);
    at.fill(at.flow());
    QVERIFY(at.reported().empty());
    QCOMPARE(at.reported(100ms).size(), std::size_t{1});
    at.reports.set_full_for(10s);
    QVERIFY(at.reported(1s).empty());
}

DIVISI_TEST(QualityReportsTest)

}  // namespace quality_reports_test

#include "quality_reports_test.moc"
