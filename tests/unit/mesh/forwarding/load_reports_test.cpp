// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/load_reports.h"

#include "tests/support/test_program.h"
#include "tests/unit/mesh/relay_parts.h"

namespace load_reports_test {

using namespace divisi;
using namespace divisi::mesh;
using namespace std::chrono_literals;

namespace {

/// Router 3 between the gateways 1 and 2, with the sample flow.
struct Router {
    Router() {
        for (const std::uint16_t id : {1, 2}) (void)neighbours.connect(RoutingId(id), context.now);
        RelayFlow& flow = flows.add(sample_key(), sample_name, sample_sids);
        flow.named = true;
        flow.exit.device = RoutingId(2);
    }
    std::optional<relay::LoadTo> tell(Duration later = {}) {
        context.now += later;
        context.actions = {};
        reports.tell(context, neighbours, flows);
        return context.actions.load;
    }

    RelayContext context = context_of(3);
    NeighbourLinks neighbours;
    FlowTable flows;
    LoadReports reports;
};

}  // namespace

/// Tests when a router reports its load, and which figures it sends.
class LoadReportsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void report_names_links_and_prefixes();
    void report_follows_every_interval_or_a_change();
    void unusable_gateway_gets_no_report();
    void flow_without_a_place_has_no_prefix();
    void gateway_sends_no_load_reports();
    void restarted_router_numbers_its_adverts_higher();
};

void LoadReportsTest::report_names_links_and_prefixes() {
    Router at;
    RelayFlow& flow = *at.flows.find(sample_key());
    flow.queued = 5000;
    QVERIFY(flow.downstream[RoutingId(2)].allowance.grant(1, 700, 700));
    const auto load = at.tell();
    QVERIFY(load);
    QVERIFY(load->to == (std::vector{RoutingId(1), RoutingId(2)}));
    QCOMPARE(load->advert.sender, std::uint32_t{3});
    QVERIFY(load->advert.time == at.context.now);
    QCOMPARE(load->advert.links.size(), std::size_t{2});
    QCOMPARE(load->advert.links[0].queued, std::uint64_t{0});
    QCOMPARE(load->advert.links[1].queued, std::uint64_t{5000});
    QCOMPARE(load->advert.links[1].credit, std::uint64_t{700});
    QCOMPARE(load->advert.prefixes.size(), std::size_t{1});
    QCOMPARE(load->advert.prefixes[0].prefix, std::string("task/stage-1"));
    QCOMPARE(load->advert.prefixes[0].queued, std::uint64_t{5000});
}

void LoadReportsTest::report_follows_every_interval_or_a_change() {
    Router at;
    const auto first = at.tell();
    QVERIFY(first);
    QVERIFY(!at.tell(load_interval - 1ms));
    const auto second = at.tell(1ms);
    QVERIFY(second && second->advert.sequence == first->advert.sequence + 1);
    at.flows.find(sample_key())->queued = 64u << 20;
    QVERIFY(!at.tell(least_load_interval - 1ms));
    QVERIFY(at.tell(1ms));
}

void LoadReportsTest::unusable_gateway_gets_no_report() {
    Router at;
    QVERIFY(at.neighbours.try_fail(RoutingId(1)));
    const auto load = at.tell();
    QVERIFY(load && load->to == std::vector{RoutingId(2)});
    QVERIFY(!load->advert.links[0].usable);
    QVERIFY(at.neighbours.try_fail(RoutingId(2)));
    QVERIFY(!at.tell(load_interval));
}

void LoadReportsTest::flow_without_a_place_has_no_prefix() {
    Router at;
    at.flows.find(sample_key())->named = false;
    QVERIFY(at.tell()->advert.prefixes.empty());
}

void LoadReportsTest::gateway_sends_no_load_reports() {
    Router at;
    at.context.config.role = DeviceRole::gateway;
    QVERIFY(!at.tell());
}

void LoadReportsTest::restarted_router_numbers_its_adverts_higher() {
    Router at;
    const std::uint64_t before = at.tell()->advert.sequence;
    at.context.config.boot += 1;
    at.reports = {};
    QVERIFY(at.tell()->advert.sequence > before);
}

DIVISI_TEST(LoadReportsTest)

}  // namespace load_reports_test

#include "load_reports_test.moc"
