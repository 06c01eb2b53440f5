// SPDX-License-Identifier: Apache-2.0

#include "agents/module/compute_routing.h"
#include "agents/module/link_trend.h"
#include "agents/module/share_advice.h"
#include "tests/support/test_program.h"
#include "tests/unit/module/observed.h"

namespace modules_test {

using namespace divisi;
using namespace divisi::module;
using control::Advice;
using control::AdviceKind;

/// Tests windowed features, and the two modules that use them.
class ModulesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void windows_cover_paths_while_they_are_busy();
    void change_of_flows_restarts_the_windows();
    void excluded_task_is_in_no_window();
    void adjacency_is_a_symmetric_matrix();
    void shares_are_proportional_to_rates();
    void steady_link_gives_no_advice();
    void degrading_link_is_avoided_before_it_is_slow();
    void degrading_link_causes_a_checkpoint_order_if_enabled();
    void recovering_link_causes_no_checkpoint_order();
    void checkpoint_is_ordered_by_path_rate_not_by_share();
    void slow_but_idle_path_causes_no_advice();
    void recovered_link_is_no_longer_advised();
    void refused_advice_pauses_the_trend_module();
    void saturated_path_is_balanced_while_its_instances_wait();
    void busy_hop_behind_the_gateway_also_limits_a_path();
    void both_directions_are_balanced_at_once();
    void idle_return_direction_is_balanced_too_and_stays_so();
    void compute_bound_instances_keep_their_path();
    void useless_advice_is_not_repeated();
    void node_used_by_others_is_avoided_if_another_is_free();

private:
    static control::ObservedNode node(const char* name, const char* host, double load, double own) {
        control::ObservedNode node;
        node.node = NodeId(name);
        node.host = host;
        node.cores = 4;
        node.load = load;
        node.own = own;
        return node;
    }
};

void ModulesTest::windows_cover_paths_while_they_are_busy() {
    test::Mesh mesh;
    mesh.pass(20e6, 0.5);
    mesh.pass(20e6, 0.01);  // only a few chunks: too few to estimate a rate
    mesh.pass(10e6, 1);
    QCOMPARE(mesh.route().paths[0].rate.cleaned(), (std::vector<double>{20e6, 20e6, 10e6}));
    QCOMPARE(mesh.route().paths[0].busy.cleaned(), (std::vector<double>{0.5, 0.01, 1}));
    QVERIFY(mesh.route().paths[1].rate.empty());
}

void ModulesTest::change_of_flows_restarts_the_windows() {
    test::Mesh mesh;
    for (int i = 0; i < 5; ++i) mesh.pass(20e6, 0.5);
    mesh.task = TaskId("gpt-2");
    mesh.pass(3e6, 0.5);
    QCOMPARE(mesh.route().paths[0].rate.cleaned(), std::vector<double>{3e6});
}

void ModulesTest::excluded_task_is_in_no_window() {
    test::Mesh mesh;
    mesh.features.leave_out({TaskId("gpt-1")});
    mesh.pass(20e6, 0.5);
    QVERIFY(mesh.route().shared && mesh.route().flows.empty() && mesh.route().paths[0].rate.empty());
    // A flow of another task is advised separately.
    mesh.task = TaskId("gpt-2");
    mesh.add(mesh.first_way(), 0, 1e6, 0.5);
    mesh.features.take(mesh.message);
    const auto advice = advise_share(mesh.route(), {40, 1, 1000, "why"});
    QCOMPARE(advice.size(), std::size_t{1});
    QCOMPARE(advice[0].from, std::string("gpt-2/stage-0/0"));
}

void ModulesTest::adjacency_is_a_symmetric_matrix() {
    const Adjacency made = adjacency({{"mg-1", mesh::DeviceRole::gateway, MicId("m"), true, {"sr-1", "gone"}},
                                      {"sr-1", mesh::DeviceRole::router, {}, true, {}},
                                      {"mg-2", mesh::DeviceRole::gateway, MicId("n"), true, {"sr-1"}}});
    QCOMPARE(made.names, (std::vector<std::string>{"mg-1", "sr-1", "mg-2"}));
    const std::vector<std::vector<bool>> expected{{false, true, false}, {true, false, true}, {false, true, false}};
    QVERIFY(made.linked == expected);
}

void ModulesTest::shares_are_proportional_to_rates() {
    QCOMPARE(share_by_rates(20e6, 20e6), 50);
    QCOMPARE(share_by_rates(10e6, 30e6), 25);
    QCOMPARE(share_by_rates(0, 30e6), 10);  // some traffic stays on the path, so that the path is still measured
    QCOMPARE(share_by_rates(0, 0), 50);
}

void ModulesTest::steady_link_gives_no_advice() {
    test::Mesh mesh;
    LinkTrend trend({});
    for (int i = 0; i < 60; ++i) {
        mesh.pass(i % 2 ? 20e6 : 21e6, 0.9);  // the normal variation of a link's rate
        QVERIFY(trend.advise(mesh.features).empty());
    }
}

void ModulesTest::degrading_link_is_avoided_before_it_is_slow() {
    test::Mesh mesh;
    LinkTrend trend({});
    for (int i = 0; i < 10; ++i) mesh.pass(20e6, 0.9);
    QVERIFY(trend.advise(mesh.features).empty());
    std::vector<Advice> advice;
    double rate = 20e6;
    while (advice.empty() && rate > 10e6) {
        mesh.pass(rate -= 0.7e6, 0.9);
        advice = trend.advise(mesh.features);
    }
    QCOMPARE(advice.size(), std::size_t{1});
    // advice must come before the rate falls by more than a quarter
    QVERIFY2(rate > 15e6, qPrintable(QString::number(rate)));
    QCOMPARE(advice[0].kind, AdviceKind::path_priority);
    QCOMPARE(advice[0].from + advice[0].to, std::string("mg-1mg-2"));
    QVERIFY(advice[0].value >= 30 && advice[0].value <= 50);
    QVERIFY(advice[0].confidence >= 0.5 && advice[0].valid_ms > 0);
    QVERIFY(QString::fromStdString(advice[0].reason).contains("will carry"));
}

void ModulesTest::degrading_link_causes_a_checkpoint_order_if_enabled() {
    for (const bool wanted : {false, true}) {
        test::Mesh mesh;
        LinkTrendOptions options;
        options.checkpoint = wanted;
        LinkTrend trend(options);
        for (int i = 0; i < 10; ++i) mesh.pass(20e6, 0.9), (void)trend.advise(mesh.features);
        QVERIFY(trend.ask(mesh.features).empty());
        bool advised = false;
        for (int i = 0; i < 10 && !advised; ++i)
            mesh.pass(20e6 - i * 1e6, 0.9), advised = !trend.advise(mesh.features).empty();
        QVERIFY(advised);
        const std::vector<Question> asked = trend.ask(mesh.features);
        QCOMPARE(asked.size(), std::size_t(wanted ? 1 : 0));
        if (wanted) QCOMPARE(get<control::OrderCheckpoint>(asked[0]).task, TaskId("gpt-1"));
        QVERIFY(trend.ask(mesh.features).empty());  // the checkpoint is ordered only once
    }
}

/// The path's share falls while the link gets worse, and grows while the link recovers. For a long time the share
/// stays below its old value.
void ModulesTest::recovering_link_causes_no_checkpoint_order() {
    test::Mesh mesh;
    LinkTrendOptions options;
    options.checkpoint = true;
    LinkTrend trend(options);
    std::int64_t share = mesh.share;
    std::size_t worse = 0, better = 0;
    const auto pass = [&](double rate) {
        mesh.pass(rate, 0.9, 20e6, 0.5);
        const std::vector<Advice> advice = trend.advise(mesh.features);
        const std::int64_t next = advice.empty() ? share : advice[0].value;
        worse += next < share ? 1 : 0;
        better += next > share ? 1 : 0;
        QCOMPARE(trend.ask(mesh.features).size(), std::size_t(next < share ? 1 : 0));
        share = next;
    };
    for (int i = 0; i < 10; ++i) pass(20e6);
    for (int i = 0; i < 10; ++i) pass(20e6 - i * 1e6);
    QVERIFY(worse > 1 && better == 0);
    for (int i = 0; i < 8; ++i) pass(11e6);
    worse = 0;
    for (int i = 0; i < 20; ++i) pass(11e6 + i * 0.6e6);
    QVERIFY(worse == 0 && better > 0);
}

/// The share says nothing about a path if the other path changes too.
void ModulesTest::checkpoint_is_ordered_by_path_rate_not_by_share() {
    for (const bool gets_worse : {true, false}) {
        test::Mesh mesh;
        LinkTrendOptions options;
        options.checkpoint = true;
        LinkTrend trend(options);
        std::size_t orders = 0, advices = 0;
        const auto pass = [&](double rate, double other) {
            mesh.pass(rate, 0.9, other, 0.5);
            advices += trend.advise(mesh.features).size();
            orders += trend.ask(mesh.features).size();
        };
        for (int i = 0; i < 10; ++i) pass(20e6, 20e6);
        for (int i = 0; i < 10; ++i) pass(20e6 - i * 1e6, 20e6);
        for (int i = 0; i < 8; ++i) pass(11e6, 20e6);
        orders = advices = 0;
        for (int i = 0; i < 20; ++i)
            gets_worse ? pass(11e6 - i * 0.1e6, 20e6 - i * 0.6e6) : pass(11e6 + i * 0.05e6, 20e6 + i * 1.25e6);
        QVERIFY(advices > 0);
        QCOMPARE(orders > 0, gets_worse);
    }
}

void ModulesTest::slow_but_idle_path_causes_no_advice() {
    test::Mesh mesh;
    LinkTrend trend({});
    for (int i = 0; i < 20; ++i) {
        mesh.pass(20e6 - i * 0.7e6, 0.1);
        QVERIFY(trend.advise(mesh.features).empty());
    }
}

void ModulesTest::recovered_link_is_no_longer_advised() {
    test::Mesh mesh;
    LinkTrend trend({});
    for (int i = 0; i < 10; ++i) mesh.pass(20e6, 0.9), (void)trend.advise(mesh.features);
    bool advised = false;
    for (int i = 0; i < 10; ++i) {
        mesh.pass(20e6 - i * 1e6, 0.9, 20e6, 0.5);
        advised = !trend.advise(mesh.features).empty() || advised;
    }
    QVERIFY(advised);
    std::size_t late = 0;
    for (int i = 0; i < 30; ++i) {
        mesh.pass(20.5e6, 0.5, 20e6, 0.5);
        late = trend.advise(mesh.features).empty() ? 0 : late + 1;
    }
    QCOMPARE(late, std::size_t{0});
}

void ModulesTest::refused_advice_pauses_the_trend_module() {
    test::Mesh mesh;
    LinkTrend trend({});
    for (int i = 0; i < 10; ++i) mesh.pass(20e6, 0.9), (void)trend.advise(mesh.features);
    std::vector<Advice> advice;
    for (int i = 0; i < 10 && advice.empty(); ++i) mesh.pass(20e6 - i * 1e6, 0.9), advice = trend.advise(mesh.features);
    QVERIFY(!advice.empty());
    trend.hear({1, advice[0], control::AdviceOutcome::refused, "no", "", {}});
    for (int i = 0; i < 9; ++i) {
        mesh.pass(8e6, 0.9);
        QVERIFY(trend.advise(mesh.features).empty());
    }
}

void ModulesTest::saturated_path_is_balanced_while_its_instances_wait() {
    test::Mesh mesh;
    ComputeRouting routing;
    mesh.message.seen.nodes = {node("m/a", "h", 3.9, 1)};  // the load by other programs does not matter
    mesh.compute(0.3);
    std::vector<Advice> advice;
    for (int i = 0; i < 6 && advice.empty(); ++i) mesh.pass(20e6, 0.9), advice = routing.advise(mesh.features);
    QCOMPARE(advice.size(), std::size_t{1});
    QCOMPARE(advice[0].value, std::int64_t{50});
    // How much the second path can carry is known only after it has carried traffic.
    mesh.share = 50;
    routing.hear({1, advice[0], control::AdviceOutcome::held, "", "", {{TaskId("gpt-1"), 100, 60}}});
    std::int64_t last = 50;
    for (int i = 0; i < 8; ++i) {
        mesh.pass(20e6, 0.4, 60e6, 0.3);
        for (const Advice& one : routing.advise(mesh.features)) last = one.value;
    }
    QCOMPARE(last, std::int64_t{25});
}

void ModulesTest::busy_hop_behind_the_gateway_also_limits_a_path() {
    test::Mesh mesh;
    ComputeRouting routing;
    control::ObservedLink hop;
    hop.from = "sr-1";
    hop.to = "mg-2";
    hop.usable = true;
    hop.quality.busy = 0.9;
    hop.quality.bytes_per_s = 18e6;
    mesh.message.seen.links = {hop};
    std::vector<Advice> advice;
    // The gateway sends its chunks without delay; they wait at the router.
    for (int i = 0; i < 6 && advice.empty(); ++i) mesh.pass(400e6, 0.1), advice = routing.advise(mesh.features);
    QCOMPARE(advice.size(), std::size_t{1});
    QCOMPARE(load_of(mesh.route().paths[0], mesh.features).busy, 0.9);
    QCOMPARE(load_of(mesh.route().paths[0], mesh.features).rates.back(), 20e6);
}

void ModulesTest::both_directions_are_balanced_at_once() {
    test::Mesh mesh;
    mesh.there_and_back = true;
    ComputeRouting routing;
    std::vector<Advice> advice;
    for (int i = 0; i < 6 && advice.empty(); ++i) mesh.pass(20e6, 0.9), advice = routing.advise(mesh.features);
    QCOMPARE(advice.size(), std::size_t{2});
    QVERIFY(advice[0].from == advice[1].to && advice[0].to == advice[1].from);
    // Advice that gained nothing in one direction blocks both directions.
    routing.hear({1, advice[0], control::AdviceOutcome::held, "", "", {{TaskId("gpt-1"), 100, 100}}});
    for (int i = 0; i < 20; ++i) {
        mesh.pass(20e6, 0.9);
        QVERIFY(routing.advise(mesh.features).empty());
    }
}

/// If only one direction were balanced, the other direction would become the bottleneck of the step.
void ModulesTest::idle_return_direction_is_balanced_too_and_stays_so() {
    test::Mesh mesh;
    mesh.there_and_back = true;
    mesh.back_busy = 0.05;
    ComputeRouting routing;
    std::vector<Advice> advice;
    for (int i = 0; i < 6 && advice.empty(); ++i) mesh.pass(20e6, 0.9), advice = routing.advise(mesh.features);
    QCOMPARE(advice.size(), std::size_t{2});
    QCOMPARE(advice[0].value, 50);
    QCOMPARE(advice[1].value, 50);
    QVERIFY(advice[0].from == advice[1].to && advice[0].to == advice[1].from);
    mesh.share = 50;
    std::map<std::string, int> renewed;
    for (int i = 0; i < 9; ++i) {
        mesh.pass(20e6, 0.5, 20e6, 0.5);
        for (const Advice& one : routing.advise(mesh.features)) ++renewed[one.from];
    }
    QVERIFY(renewed["mg-1"] >= 2 && renewed["mg-2"] >= 2);  // advice is renewed before it expires, after 8 s
}

void ModulesTest::compute_bound_instances_keep_their_path() {
    test::Mesh mesh;
    ComputeRouting routing;
    mesh.compute(0.9);
    for (int i = 0; i < 10; ++i) {
        mesh.pass(20e6, 0.9);
        QVERIFY(routing.advise(mesh.features).empty());
    }
    mesh.compute(0.1);
    std::vector<Advice> advice;
    for (int i = 0; i < 10 && advice.empty(); ++i) mesh.pass(20e6, 0.9), advice = routing.advise(mesh.features);
    QVERIFY(!advice.empty());
}

void ModulesTest::useless_advice_is_not_repeated() {
    test::Mesh mesh;
    ComputeRouting routing;
    std::vector<Advice> advice;
    for (int i = 0; i < 6 && advice.empty(); ++i) mesh.pass(20e6, 0.9), advice = routing.advise(mesh.features);
    QVERIFY(!advice.empty());
    routing.hear({1, advice[0], control::AdviceOutcome::held, "", "", {{TaskId("gpt-1"), 100, 101}}});
    for (int i = 0; i < 110; ++i) {
        mesh.pass(20e6, 0.9);
        QVERIFY(routing.advise(mesh.features).empty());
    }
    advice.clear();
    for (int i = 0; i < 20 && advice.empty(); ++i) mesh.pass(20e6, 0.9), advice = routing.advise(mesh.features);
    QVERIFY(!advice.empty());  // worth another attempt two minutes later
}

void ModulesTest::node_used_by_others_is_avoided_if_another_is_free() {
    control::Observe placing;
    placing.placing = true;
    placing.seen.nodes = {node("m/a", "busy", 3.5, 1), node("m/b", "free", 1, 1), node("m/c", "own", 4, 4)};
    Features features;
    features.take(placing);
    ComputeRouting routing;
    const auto advice = routing.advise(features);
    QCOMPARE(advice.size(), std::size_t{1});
    QCOMPARE(advice[0].kind, AdviceKind::node_avoidance);
    QCOMPARE(advice[0].from, std::string("m/a"));
    placing.seen.nodes = {node("m/a", "busy", 3.5, 1), node("m/b", "busy", 3.5, 1)};  // no node is free
    features.take(placing);
    QVERIFY(routing.advise(features).empty());
}

DIVISI_TEST(ModulesTest)

}  // namespace modules_test

#include "modules_test.moc"
