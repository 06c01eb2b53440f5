// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <random>

#include "tests/support/test_program.h"

#include "tests/unit/mesh/relay_network.h"

namespace relay_random_test {

using namespace divisi;
using namespace divisi::mesh;
using namespace std::chrono_literals;

namespace {

constexpr std::uint16_t routers = 5;
const std::string a = "task/stage-0/0", b = "task/stage-1/0";

/// A mesh of two gateways and five routers with random links. Links become silent, break and heal, and the policy
/// changes the shares of paths.
class RandomMesh {
public:
    explicit RandomMesh(std::uint64_t seed, bool measured) : rng_(seed) {
        net_.config.window = (1 + pick(4)) << 20;
        net_.config.buffer = (8 + pick(24)) << 20;
        net_.gateway(1, "mic-1");
        net_.gateway(2, "mic-2");
        for (std::uint16_t id = 3; id < 3 + routers; ++id) net_.router(id);
        for (std::uint16_t id = 3; id < 3 + routers; ++id) {
            if (id == 3 || pick(2) == 0) link(1, id);
            if (id == 4 || pick(2) == 0) link(2, id);
            for (std::uint16_t other = 3; other < id; ++other)
                if ((other == 3 && id == 4) || pick(3) > 0) link(other, id);
        }
        net_.place(a, 1);
        net_.place(b, 2);
        net_.after_step = [this](RoutingId id) { check(id); };
        if (pick(2) == 0) {
            const std::uint64_t share = 5 + pick(20);
            net_.lose_signal = [this, share](RoutingId, RoutingId, const RsvpMessage&) { return pick(share) == 0; };
        }
        net_.install();
        if (measured) net_.measure_all();
    }

    void run() {
        for (int turn = 0; turn < 60; ++turn) {
            for (std::uint64_t i = pick(8); i > 0; --i) {
                const std::size_t bytes = pick(4) == 0 ? 1 + pick(9000) : frame::max_chunk_bytes;
                net_.send(a, b, sent_++, bytes);
            }
            if (turn < 45) disturb();
            net_.run_for(std::chrono::milliseconds(1 + pick(400)));
        }
        for (const auto& [x, y] : silent_) net_.silence(x, y, false);
        for (const auto& [x, y] : broken_) net_.connect(RoutingId(x), RoutingId(y));
        net_.run_for(120s);
    }
    std::int64_t sent() const { return sent_; }
    std::set<std::int64_t> arrived() {
        const std::vector<std::int64_t> all = net_.numbers(b);
        return {all.begin(), all.end()};
    }
    RelayNetwork& net() { return net_; }
    const std::string& broken_rule() const { return broken_rule_; }

private:
    std::uint64_t pick(std::uint64_t below) { return rng_() % below; }
    void link(std::uint16_t x, std::uint16_t y) {
        net_.link(x, y, std::chrono::microseconds(50 + pick(3000)));
        links_.emplace_back(x, y);
    }
    void disturb() {
        const auto& [x, y] = links_[pick(links_.size())];
        switch (pick(6)) {
            case 0:
                if (!broken_.contains({x, y}) && silent_.insert({x, y}).second) net_.silence(x, y);
                break;
            case 1:
                if (broken_.insert({x, y}).second) {
                    silent_.erase({x, y});
                    net_.disconnect(x, y);
                }
                break;
            case 2:
                if (broken_.erase({x, y}) > 0) net_.connect(RoutingId(x), RoutingId(y));
                break;
            case 3:
                if (silent_.erase({x, y}) > 0) net_.silence(x, y, false);
                break;
            case 4: set_share(static_cast<std::uint8_t>(pick(101))); break;
            default: break;
        }
    }
    void set_share(std::uint8_t share) {
        FlowPolicy policy;
        policy.all.first_share = share;
        for (std::uint16_t id = 1; id < 3 + routers; ++id) net_.step(RoutingId(id), relay::Policy{policy});
    }
    /// Checks the buffers of routers. Gateways are excluded, since the tensor slots of instances limit their buffers.
    void check(RoutingId id) {
        if (id.value() < 3) return;
        const Relay& relay = net_.at(id.value());
        if (relay.promised() > net_.config.buffer) broken_rule_ = "more is promised than there is buffer";
        if (relay.held() > net_.config.buffer) broken_rule_ = "more is held than there is buffer";
    }

    std::mt19937_64 rng_;
    RelayNetwork net_;
    std::vector<std::pair<std::uint16_t, std::uint16_t>> links_;
    std::set<std::pair<std::uint16_t, std::uint16_t>> silent_, broken_;
    std::int64_t sent_ = 0;
    std::string broken_rule_;
};

void hold(std::uint64_t seed, bool measured) {
    RandomMesh mesh(seed, measured);
    mesh.run();
    QVERIFY2(mesh.broken_rule().empty(),
             qPrintable(QString("seed %1: %2").arg(seed).arg(QString::fromStdString(mesh.broken_rule()))));
    const std::set<std::int64_t> arrived = mesh.arrived();
    QVERIFY2(arrived.size() == static_cast<std::size_t>(mesh.sent()),
             qPrintable(QString("seed %1: %2 of %3 chunks arrived").arg(seed).arg(arrived.size()).arg(mesh.sent())));
    for (std::uint16_t id = 1; id < 3 + routers; ++id)
        QVERIFY2(
            mesh.net().at(id).held() == 0,
            qPrintable(
                QString("seed %1: device %2 still holds %3 bytes").arg(seed).arg(id).arg(mesh.net().at(id).held())));
}

}  // namespace

/// Tests random faults of links: as long as the devices live, no chunk is lost and no buffer overflows.
class RelayRandomTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void broken_and_healed_links_lose_nothing();
    void windows_of_measured_links_lose_nothing();
};

void RelayRandomTest::broken_and_healed_links_lose_nothing() {
    const std::uint64_t seeds = qEnvironmentVariableIntValue("DIVISI_SIM_SEEDS") > 0
                                    ? static_cast<std::uint64_t>(qEnvironmentVariableIntValue("DIVISI_SIM_SEEDS"))
                                    : 60;
    const std::uint64_t first = static_cast<std::uint64_t>(qEnvironmentVariableIntValue("DIVISI_SIM_FIRST"));
    for (std::uint64_t seed = first; seed < first + seeds && !QTest::currentTestFailed(); ++seed) hold(seed, false);
}

/// Windows grow while flows carry data, within buffers of 8 to 31 MiB.
void RelayRandomTest::windows_of_measured_links_lose_nothing() {
    for (std::uint64_t seed = 0; seed < 20 && !QTest::currentTestFailed(); ++seed) hold(seed, true);
}

DIVISI_TEST(RelayRandomTest)

}  // namespace relay_random_test

#include "relay_random_test.moc"
