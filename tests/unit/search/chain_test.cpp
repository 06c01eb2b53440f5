// SPDX-License-Identifier: Apache-2.0
#include <QElapsedTimer>

#include <algorithm>
#include <cmath>
#include <random>

#include "backend/base/units.h"
#include "backend/search/chain.h"
#include "tests/support/test_program.h"

namespace chain_test {

using namespace divisi;
using namespace divisi::search;

class ChainTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void optimum_equals_brute_force();
    void best_order_equals_brute_force();
    void slightly_slower_cut_with_fewer_bytes_is_chosen_within_slack();
    void insufficient_memory_names_the_required_amount();
    void too_many_stages_are_refused();
    void ten_thousand_operators_are_cut_quickly();
};

namespace {

std::vector<double> sums(std::mt19937& random, std::size_t positions, double most) {
    std::vector<double> result{0};
    for (std::size_t i = 1; i < positions; ++i)
        result.push_back(result.back() + (random() % 5 ? std::uniform_real_distribution<double>(0, most)(random) : 0));
    return result;
}

Chain random_chain(std::mt19937& random, std::size_t positions, std::size_t kinds, std::size_t stages) {
    Chain chain;
    for (std::size_t kind = 0; kind < kinds; ++kind) {
        chain.devices.push_back({sums(random, positions, 1 + static_cast<double>(random() % 4)), 0});
        chain.devices.back().memory_bytes = static_cast<double>(20 + random() % 60);
    }
    for (std::size_t link = 0; link < kinds * kinds; ++link) {
        chain.crossing_ms.emplace_back();
        for (std::size_t i = 0; i < positions; ++i)
            chain.crossing_ms.back().push_back(random() % 6 ? static_cast<double>(random() % 8)
                                                            : std::numeric_limits<double>::infinity());
    }
    chain.crossing_bytes.assign(positions, 0);
    if (random() % 2) {
        chain.held_bytes = sums(random, positions, 10);
        chain.flight_bytes = sums(random, positions, 5);
        for (std::size_t stage = 0; stage < stages; ++stage) chain.in_flight.push_back(1 + random() % 3);
    }
    chain.least_layers = 1 + random() % 2;
    chain.most_layers = 2 + random() % 6;
    return chain;
}

/// Returns the time of the slowest stage or link; infinite if the cuts are not allowed.
double price(const Chain& chain, const std::vector<std::int32_t>& order, const std::vector<std::size_t>& cuts) {
    constexpr double refused = std::numeric_limits<double>::infinity();
    double slowest = 0;
    for (std::size_t stage = 0; stage < order.size(); ++stage) {
        const std::size_t begin = stage == 0 ? 0 : cuts[stage - 1];
        const std::size_t end = stage == cuts.size() ? chain.positions() - 1 : cuts[stage];
        const ChainDevice& device = chain.devices[order[stage]];
        if (end < begin + chain.least_layers || end > begin + chain.most_layers) return refused;
        slowest = std::max(slowest, device.before_ms[end] - device.before_ms[begin]);
        if (!chain.held_bytes.empty() &&
            chain.held_bytes[end] - chain.held_bytes[begin] +
                    chain.in_flight[stage] * (chain.flight_bytes[end] - chain.flight_bytes[begin]) >
                device.memory_bytes)
            return refused;
        if (stage == cuts.size()) continue;
        slowest = std::max(slowest, chain.crossing_ms[order[stage] * chain.devices.size() + order[stage + 1]][end]);
    }
    return slowest;
}

/// Returns the optimum by exhaustive search.
double brute_force(const Chain& chain, const std::vector<std::int32_t>& order, std::vector<std::size_t>& cuts) {
    if (cuts.size() + 1 == order.size()) return price(chain, order, cuts);
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t at = cuts.empty() ? 1 : cuts.back() + 1; at + 1 < chain.positions(); ++at) {
        cuts.push_back(at);
        best = std::min(best, brute_force(chain, order, cuts));
        cuts.pop_back();
    }
    return best;
}

/// Returns a chain for one kind of device with free links.
Chain plain(const std::vector<double>& work) {
    Chain chain;
    chain.devices.push_back({{0}, std::numeric_limits<double>::infinity()});
    for (const double ms : work) chain.devices[0].before_ms.push_back(chain.devices[0].before_ms.back() + ms);
    chain.crossing_ms.assign(1, std::vector<double>(work.size() + 1, 0));
    chain.crossing_bytes = chain.crossing_ms[0];
    return chain;
}

}  // namespace

void ChainTest::optimum_equals_brute_force() {
    std::mt19937 random(1);
    int solved = 0;
    for (int round = 0; round < 500; ++round) {
        const std::size_t stages = 1 + random() % 4, kinds = 1 + random() % 3;
        const Chain chain = random_chain(random, 3 + random() % 8, kinds, stages);
        std::vector<std::int32_t> order;
        for (std::size_t i = 0; i < stages; ++i) order.push_back(static_cast<std::int32_t>(random() % kinds));
        const auto found = cut_chain(chain, order);
        std::vector<std::size_t> cuts;
        const double least = brute_force(chain, order, cuts);
        QCOMPARE(found.ok(), std::isfinite(least));
        if (!found.ok()) continue;
        ++solved;
        QCOMPARE(found->slowest_ms, least);
        QCOMPARE(price(chain, order, found->cuts), least);
        QCOMPARE(found->devices, order);
    }
    QVERIFY(solved > 100 && solved < 500);
}

void ChainTest::best_order_equals_brute_force() {
    std::mt19937 random(2);
    int solved = 0;
    for (int round = 0; round < 300; ++round) {
        const std::size_t stages = 1 + random() % 4, kinds = 1 + random() % 3;
        const Chain chain = random_chain(random, 3 + random() % 7, kinds, stages);
        std::vector<std::int32_t> order;
        for (std::size_t i = 0; i < stages; ++i) order.push_back(static_cast<std::int32_t>(random() % kinds));
        std::sort(order.begin(), order.end());
        const auto found = order_and_cut_chain(chain, order, stages);
        double least = std::numeric_limits<double>::infinity();
        std::vector<std::int32_t> any = order;
        do {
            std::vector<std::size_t> cuts;
            least = std::min(least, brute_force(chain, any, cuts));
        } while (std::next_permutation(any.begin(), any.end()));
        QCOMPARE(found.ok(), std::isfinite(least));
        if (!found.ok()) continue;
        ++solved;
        QVERIFY(found->all_orders);
        QCOMPARE(found->slowest_ms, least);
        QCOMPARE(price(chain, found->devices, found->cuts), least);
        std::vector<std::int32_t> used = found->devices;
        std::sort(used.begin(), used.end());
        QCOMPARE(used, order);
    }
    QVERIFY(solved > 100);
}

void ChainTest::slightly_slower_cut_with_fewer_bytes_is_chosen_within_slack() {
    Chain chain = plain({10, 1, 10});
    chain.crossing_bytes = {0, 5, 1, 0};
    const auto exact = cut_chain(chain, {0, 0});
    QVERIFY(exact.ok());
    // The cuts 11 | 10 and 10 | 11 are equally slow, but 1 byte crosses the first cut, and 5 bytes cross the second.
    QCOMPARE(exact->cuts, (std::vector<std::size_t>{2}));
    chain.devices[0].before_ms = {0, 10, 11, 20.9};
    QCOMPARE(cut_chain(chain, {0, 0})->cuts, (std::vector<std::size_t>{1}));
    QCOMPARE(cut_chain(chain, {0, 0}, 0.02)->cuts, (std::vector<std::size_t>{2}));
}

void ChainTest::insufficient_memory_names_the_required_amount() {
    Chain chain = plain({1, 1, 1, 1});
    chain.held_bytes = {0, 1e9, 4e9, 5e9, 6e9};
    chain.flight_bytes.assign(5, 0);
    chain.in_flight = {2, 1};
    chain.devices[0].memory_bytes = 3e9;
    const auto refused = cut_chain(chain, {0, 0});
    QVERIFY(!refused.ok());
    QVERIFY2(refused.error().next.find(format_bytes(Bytes{4'000'000'000})) != std::string::npos,
             refused.error().message().c_str());
    chain.devices[0].memory_bytes = 4e9;
    QVERIFY(cut_chain(chain, {0, 0}).ok());
}

void ChainTest::too_many_stages_are_refused() {
    Chain chain = plain({1, 1, 1});
    QVERIFY(cut_chain(chain, {0, 0, 0}).ok());
    QVERIFY(!cut_chain(chain, {0, 0, 0, 0}).ok());
    QVERIFY(!cut_chain(chain, {}).ok());
    chain.most_layers = 1;
    QVERIFY(!cut_chain(chain, {0, 0}).ok());
    chain.most_layers = 3;
    chain.crossing_ms[0].assign(4, std::numeric_limits<double>::infinity());
    const auto refused = cut_chain(chain, {0, 0});
    QVERIFY(!refused.ok());
    QVERIFY(!refused.error().next.empty());
}

void ChainTest::ten_thousand_operators_are_cut_quickly() {
    std::mt19937 random(3);
    std::vector<double> work;
    for (int i = 0; i < 10'000; ++i) work.push_back(std::uniform_real_distribution<double>(0, 1)(random));
    Chain chain = plain(work);
    for (double& ms : chain.crossing_ms[0]) ms = std::uniform_real_distribution<double>(0, 700)(random);
    QElapsedTimer timer;
    timer.start();
    const auto found = cut_chain(chain, std::vector<std::int32_t>(16, 0));
    const qint64 ms = timer.elapsed();
    QVERIFY(found.ok());
    QCOMPARE(found->cuts.size(), std::size_t{15});
    QVERIFY(found->slowest_ms < 5000.0 / 16 * 1.05);
    qInfo("10,000 operators, 16 stages: %lld ms", static_cast<long long>(ms));
    QVERIFY(ms < 1000);  // should take 100 ms; a busy machine may need more
}

DIVISI_TEST(ChainTest)

}  // namespace chain_test

#include "chain_test.moc"
