// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/deficit_round_robin.h"

#include <algorithm>
#include <deque>
#include <map>
#include <random>

#include "tests/support/test_program.h"

namespace deficit_round_robin_test {

using namespace divisi;
using namespace divisi::mesh;

namespace {

constexpr std::uint64_t quantum = 1 << 20;

FlowKey tensor(std::uint64_t number) { return {1, number, 1}; }
FlowKey blob(std::uint64_t number) { return {2, number, 1, 0, FlowClass::blob}; }

/// A fixture of flows with frames, and the order in which the frames were sent.
struct Exit {
    struct Flow {
        std::deque<std::uint64_t> frames;
        bool waits = false;
        bool blocked = false;  ///< the flow has no credit
    };
    struct Sent {
        FlowKey flow;
        std::uint64_t bytes = 0;
        std::map<FlowKey, bool> could;  ///< flows that could have been sent instead of the chosen one
    };

    void put(const FlowKey& key, std::uint64_t bytes) {
        flows[key].frames.push_back(bytes);
        ready(key);
    }
    void ready(const FlowKey& key) {
        Flow& flow = flows[key];
        if (flow.waits || flow.blocked || flow.frames.empty()) return;
        flow.waits = true;
        round_robin.join(key);
    }
    bool send() {
        Sent now;
        for (const auto& [key, flow] : flows) now.could[key] = !flow.blocked && !flow.frames.empty();
        const auto next = round_robin.next([&](const FlowKey& key) -> std::optional<std::uint64_t> {
            Flow& flow = flows.at(key);
            if (!flow.blocked && !flow.frames.empty()) return flow.frames.front();
            flow.waits = false;
            return std::nullopt;
        });
        if (!next) return false;
        now.flow = *next;
        now.bytes = flows.at(*next).frames.front();
        flows.at(*next).frames.pop_front();
        log.push_back(std::move(now));
        return true;
    }
    std::uint64_t bytes_of(FlowClass flow_class) const {
        std::uint64_t sum = 0;
        for (const Sent& one : log) sum += one.flow.flow_class == flow_class ? one.bytes : 0;
        return sum;
    }

    DeficitRoundRobin round_robin{quantum};
    std::map<FlowKey, Flow> flows;
    std::vector<Sent> log;
};

bool class_could(const Exit::Sent& sent, FlowClass flow_class) {
    return std::ranges::any_of(sent.could,
                               [&](const auto& one) { return one.second && one.first.flow_class == flow_class; });
}

}  // namespace

/// Tests which flow sends next at an exit. The reference check examines every interval of the sent frames, without
/// knowing how they were chosen.
class DeficitRoundRobinTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void blobs_get_the_whole_exit_if_no_tensor_waits();
    void tensor_precedes_waiting_blobs();
    void blobs_get_a_sixteenth_of_a_busy_exit();
    void request_without_payload_is_sent_at_once();
    void every_interval_keeps_the_guarantees_data();
    void every_interval_keeps_the_guarantees();
};

void DeficitRoundRobinTest::blobs_get_the_whole_exit_if_no_tensor_waits() {
    Exit exit;
    for (int i = 0; i < 8; ++i) exit.put(blob(i % 2), 100'000);
    while (exit.send()) {}
    QCOMPARE(exit.log.size(), std::size_t{8});
}

void DeficitRoundRobinTest::tensor_precedes_waiting_blobs() {
    Exit exit;
    for (int i = 0; i < 8; ++i) exit.put(blob(1), quantum);
    QVERIFY(exit.send());
    exit.put(tensor(1), quantum);
    QVERIFY(exit.send());
    QCOMPARE(exit.log.back().flow, tensor(1));
    QVERIFY(exit.send());
    QCOMPARE(exit.log.back().flow, blob(1));
}

void DeficitRoundRobinTest::blobs_get_a_sixteenth_of_a_busy_exit() {
    Exit exit;
    for (int i = 0; i < 1600; ++i) exit.put(tensor(i % 3), quantum);
    for (int i = 0; i < 800; ++i) exit.put(blob(i % 2), quantum / 4);
    for (int i = 0; i < 1600; ++i) QVERIFY(exit.send());
    const auto tensors = static_cast<double>(exit.bytes_of(FlowClass::tensor));
    const auto blobs = static_cast<double>(exit.bytes_of(FlowClass::blob));
    QVERIFY2(blobs / tensors > 1 / 15.5 && blobs / tensors <= 1 / 15.0, qPrintable(QString::number(tensors / blobs)));
}

/// A request for lost chunks has no payload, so it uses no share of the exit and is sent at once. Otherwise its flow
/// would wait a second for the answer.
void DeficitRoundRobinTest::request_without_payload_is_sent_at_once() {
    Exit exit;
    for (int i = 0; i < 4; ++i) exit.put(tensor(1), quantum);
    exit.put(blob(1), 0);
    QVERIFY(exit.send());
    QCOMPARE(exit.log.back().flow, blob(1));
}

void DeficitRoundRobinTest::every_interval_keeps_the_guarantees_data() {
    QTest::addColumn<int>("seed");
    for (int seed = 1; seed <= 20; ++seed) QTest::addRow("%d", seed) << seed;
}

void DeficitRoundRobinTest::every_interval_keeps_the_guarantees() {
    QFETCH(int, seed);
    std::mt19937 random(static_cast<unsigned>(seed));
    const auto draw = [&](std::uint64_t from, std::uint64_t to) {
        return std::uniform_int_distribution<std::uint64_t>(from, to)(random);
    };
    constexpr std::uint64_t largest_tensor = quantum, largest_blob = quantum / 4;
    const std::vector<FlowKey> flows{tensor(1), tensor(2), tensor(3), blob(1), blob(2)};
    Exit exit;
    for (int i = 0; i < 600; ++i) {
        for (const FlowKey& flow : flows) {
            const bool is_blob = flow.flow_class == FlowClass::blob;
            if (draw(0, 9) < 3) exit.put(flow, draw(1, is_blob ? largest_blob : largest_tensor));
            if (draw(0, 19) == 0) exit.flows[flow].blocked = !exit.flows[flow].blocked;
            exit.ready(flow);
        }
        const bool any = std::ranges::any_of(
            exit.flows, [](const auto& one) { return !one.second.blocked && !one.second.frames.empty(); });
        QCOMPARE(exit.send(), any);  // the exit is never idle while a flow may send
    }
    const auto& log = exit.log;
    std::uint64_t contended = 0;
    for (std::size_t from = 0; from < log.size(); ++from) {
        std::uint64_t tensors = 0, blobs = 0;
        for (std::size_t to = from; to < log.size(); ++to) {
            if (!class_could(log[to], FlowClass::tensor) || !class_could(log[to], FlowClass::blob)) break;
            (log[to].flow.flow_class == FlowClass::blob ? blobs : tensors) += log[to].bytes;
            ++contended;
            // At the start of an interval, the debt is at most one chunk of a blob plus one chunk of a tensor.
            QVERIFY(15 * blobs <= tensors + 15 * largest_blob + largest_tensor);
            QVERIFY(tensors <= 15 * (blobs + largest_blob) + largest_tensor);
        }
    }
    QVERIFY(contended > 100);
    for (const auto& [one, other] : {std::pair(tensor(1), tensor(2)), std::pair(blob(1), blob(2))})
        for (std::size_t from = 0; from < log.size(); ++from) {
            std::uint64_t ones = 0, others = 0;
            for (std::size_t to = from; to < log.size() && log[to].could.at(one) && log[to].could.at(other); ++to) {
                (log[to].flow == one ? ones : log[to].flow == other ? others : contended) += log[to].bytes;
                // A flow may have a part of its last quantum left in addition to its current quantum. A new flow gets
                // only one quantum in its first turn.
                QVERIFY(std::max(ones, others) - std::min(ones, others) <= 4 * quantum);
            }
        }
}

DIVISI_TEST(DeficitRoundRobinTest)

}  // namespace deficit_round_robin_test

#include "deficit_round_robin_test.moc"
