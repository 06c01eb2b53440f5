// SPDX-License-Identifier: Apache-2.0
#include "backend/control/policy/path_balance.h"

#include <algorithm>
#include <random>

#include "tests/support/test_program.h"

namespace path_balance_test {

using namespace divisi;
using namespace divisi::control;
using namespace std::chrono_literals;

namespace {

/// A model of two paths with a rate each, and of flows that would send `demand` bytes a second. Times are simulated
/// seconds.
struct Model {
    std::array<double, 2> rates{40e6, 40e6};
    double demand = 35e6;
    double noise = 0;  ///< largest relative error of a measured figure
    std::set<std::string> flows{"a>b"};
    int share = 100;
    PathBalance balance;
    TimePoint now{std::chrono::hours(1)};
    std::vector<ShareMove> moves;
    std::mt19937_64 rng{1};

    double carried(std::size_t path) const {
        const double part = (path == 0 ? share : 100 - share) / 100.0;
        return std::min(part * demand, rates[path]);
    }
    double rate() const { return carried(0) + carried(1); }
    void run(Duration time) {
        for (const TimePoint end = now + time; now < end; now += 1s) {
            std::array<PathFigure, 2> figures;
            for (const std::size_t path : {0, 1}) {
                const double part = (path == 0 ? share : 100 - share) / 100.0;
                const double error = 1 + noise * std::uniform_real_distribution<>(-1, 1)(rng);
                figures[path] = {path == 0 ? "sr-1" : "sr-2", carried(path) * error,
                                 std::min(1.0, part * demand / rates[path])};
            }
            if (const auto move = balance.report(figures, flows, share, now)) {
                share = move->to;
                moves.push_back(*move);
            }
        }
    }
};

}  // namespace

/// Tests the closed loop that balances two paths, in simulated time.
class PathBalanceTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void slow_path_is_left_and_the_rate_restored();
    void recovered_path_gets_its_share_back();
    void slow_path_is_retried_at_growing_intervals();
    void path_that_meets_the_demand_is_kept();
    void two_slow_paths_cause_no_oscillation();
    void worse_second_path_is_left_again();
    void new_flows_with_lower_rates_move_no_traffic();
    void balancing_restarts_from_the_share_set_by_the_operator();
    void noisy_measurements_move_no_traffic();
    void random_rates_cause_no_flapping();
};

void PathBalanceTest::slow_path_is_left_and_the_rate_restored() {
    Model model;
    model.run(20s);
    const double before = model.rate();
    model.rates[0] /= 5;
    QVERIFY(model.rate() < 0.3 * before);
    const TimePoint slowed = model.now;
    model.run(20s);
    QCOMPARE(model.moves.size(), std::size_t{1});
    QCOMPARE(model.moves[0].from, 100);
    QCOMPARE(model.moves[0].to, 0);
    QVERIFY(model.moves[0].reason.find("first path (sr-1) carries") != std::string::npos);
    QVERIFY(model.rate() >= 0.7 * before);
    QVERIFY(model.now - slowed <= 20s);
}

void PathBalanceTest::recovered_path_gets_its_share_back() {
    Model model;
    model.run(20s);
    model.rates[0] /= 5;
    model.run(20s);
    model.rates[0] *= 5;
    model.run(60s);
    QCOMPARE(model.share, 100);
    QCOMPARE(model.moves.size(), std::size_t{3});  // away, a trial, and back
    QCOMPARE(model.moves[1].to, trial_percent);
    QCOMPARE(model.balance.state(), std::string("settled"));
}

void PathBalanceTest::slow_path_is_retried_at_growing_intervals() {
    Model model;
    model.run(20s);
    model.rates[0] /= 5;
    model.run(1h);
    const auto trials =
        std::ranges::count_if(model.moves, [](const ShareMove& move) { return move.to == trial_percent; });
    // Trials follow after 30 s, then after 1, 2, 4 and 8 minutes, and then every 8 minutes.
    QVERIFY2(trials >= 8 && trials <= 11, qPrintable(QString::number(trials)));
    QCOMPARE(model.share, 0);
}

void PathBalanceTest::path_that_meets_the_demand_is_kept() {
    Model model;
    model.demand = 1.5e6;
    model.run(20s);
    model.rates[0] /= 5;  // still above the demand
    model.run(60s);
    QVERIFY(model.moves.empty());
}

void PathBalanceTest::two_slow_paths_cause_no_oscillation() {
    Model model;
    model.run(20s);
    model.rates = {8e6, 8e6};  // for example, a slow receiver
    model.run(10min);
    // The balance learns that the other path is no better, and stays. Later trials find both paths equal and settle.
    QVERIFY2(model.moves.size() <= 4, qPrintable(QString::number(model.moves.size())));
}

void PathBalanceTest::worse_second_path_is_left_again() {
    Model model;
    model.rates[1] = 2e6;
    model.run(20s);
    model.rates[0] /= 5;
    model.run(60s);
    QCOMPARE(model.share, 100);
    QCOMPARE(model.moves.size(), std::size_t{2});
    QVERIFY(model.moves[1].reason.find("less than") != std::string::npos);
    const std::size_t before = model.moves.size();
    model.run(10min);
    QVERIFY2(model.moves.size() <= before + 8, qPrintable(QString::number(model.moves.size())));
}

void PathBalanceTest::new_flows_with_lower_rates_move_no_traffic() {
    Model model;
    model.run(20s);
    model.flows = {"c>d"};  // small chunks: the flow has a tenth of the rate, but keeps the path as busy
    model.rates = {4e6, 4e6};
    model.run(60s);
    QVERIFY(model.moves.empty());
}

void PathBalanceTest::balancing_restarts_from_the_share_set_by_the_operator() {
    Model model;
    model.run(20s);
    model.rates[0] /= 5;
    model.run(20s);
    QCOMPARE(model.share, 0);
    model.share = 100;  // set by the operator
    model.run(20s);
    QCOMPARE(model.share, 100);  // these flows have never had a higher rate on the other path
    QCOMPARE(model.moves.size(), std::size_t{1});
}

void PathBalanceTest::noisy_measurements_move_no_traffic() {
    Model model;
    model.noise = 0.4;
    model.demand = 60e6;
    model.run(2h);
    QVERIFY2(model.moves.empty(), qPrintable(QString::number(model.moves.size())));
}

void PathBalanceTest::random_rates_cause_no_flapping() {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Model model;
        model.rng.seed(seed);
        model.noise = 0.2;
        std::mt19937_64 rates(seed * 7919);
        for (int turn = 0; turn < 120; ++turn) {
            const std::size_t path = rates() % 2;
            model.rates[path] = rates() % 2 == 0 ? 40e6 : 4e6 + 1e6 * static_cast<double>(rates() % 40);
            model.run(30s);
        }
        // Simulates one hour. Each degradation causes a move. Until the pause between trials has reached its maximum,
        // each degradation also causes a trial and a return.
        QVERIFY2(model.moves.size() <= 60, qPrintable(QString("seed %1: %2 moves").arg(seed).arg(model.moves.size())));
        for (const ShareMove& move : model.moves) QVERIFY(move.from != move.to && move.to >= 0 && move.to <= 100);
    }
}

DIVISI_TEST(PathBalanceTest)

}  // namespace path_balance_test

#include "path_balance_test.moc"
