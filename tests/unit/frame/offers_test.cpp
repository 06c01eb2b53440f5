// SPDX-License-Identifier: Apache-2.0
#include "backend/frame/offers.h"

#include "tests/support/test_program.h"
#include "tests/unit/frame/flow_network.h"

namespace offers_test {

using namespace divisi;
using namespace divisi::frame;
using std::chrono::milliseconds, std::chrono::seconds;

namespace {

constexpr std::uint64_t task = 42, a = 1, b = 2;

TensorKey key_of(std::int64_t step) { return {task, 1, FrameKind::activation, 5, step, 0}; }
ContentKey content(std::uint8_t number) { return {std::byte{number}}; }

TensorFrame tensor(std::int64_t step) {
    TensorFrame frame;
    frame.key = key_of(step);
    frame.tensor = graph::HostTensor::of(graph::DType::uint8, {3 * min_chunk_bytes},
                                         std::vector<std::uint8_t>(3 * min_chunk_bytes, std::uint8_t(step)));
    return frame;
}

/// Fixture: `a` sends to `b`; both are in generation 1 and connected. The test acts as the routers between them.
struct Pair : FlowNetwork {
    Pair() {
        start({a, 1});
        start({b, 1});
        step(a, flow::Enter{task, 1});
        step(b, flow::Enter{task, 1});
        reach(a, {b, 1});
        run_for(milliseconds(1));
        supply = [this](const FrameHeader& offer) {
            offers.push_back(offer);
            return taken;
        };
    }
    void offer(std::int64_t number) {
        step(a, flow::Offer{b, key_of(number), content(static_cast<std::uint8_t>(number))});
        run_for(milliseconds(1));
    }
    void say_supplied(std::int64_t number) {
        FrameHeader answer;
        answer.key = key_of(number);
        answer.key.kind = FrameKind::supplied;
        answer.source = {b, 1};
        answer.destination = {a, 1};
        inject(a, answer);
    }
    void bring(std::int64_t number, std::uint32_t chunks = 3) {
        TensorFrame frame = tensor(number);
        frame.source = {a, 1};
        frame.destination = {b, 1};
        for (std::uint32_t i = 0; i < chunks; ++i)
            inject(b, chunk_header(frame, i, min_chunk_bytes), chunk_payload(frame, i, min_chunk_bytes));
    }
    std::vector<TensorKey>& declined() { return seen(a).declined; }

    bool taken = true;  ///< whether a router accepts the offers
    std::vector<FrameHeader> offers;
};

}  // namespace

/// Tests tensors that are offered by the key of their content. Each tensor arrives once, either from a router or from
/// its producer.
class OffersTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void supplied_tensor_is_never_requested_from_the_producer();
    void absent_tensor_is_declined_at_once();
    void unanswered_offer_is_declined_and_new_offers_pause();
    void offer_whose_answer_is_lost_is_declined_after_a_query();
    void tensor_supplied_late_is_not_sent_again();
    void offer_waits_until_the_consumer_enters_the_generation();
    void answers_from_wrong_senders_are_ignored();
    void second_offer_of_the_same_tensor_is_refused();
};

void OffersTest::supplied_tensor_is_never_requested_from_the_producer() {
    Pair net;
    net.offer(1);
    QCOMPARE(net.offers.size(), 1U);
    QVERIFY(content_of(net.offers[0].routing) == content(1));
    QVERIFY(net.offers[0].about == FrameKind::activation && net.offers[0].payload_bytes == 0);
    net.say_supplied(1);
    net.bring(1);
    net.run_for(seconds(30));
    QCOMPARE(net.seen(b).arrived.size(), 1U);
    QVERIFY(net.declined().empty());
    QCOMPARE(net.flow(a).unacknowledged(), 0U);
    net.step(b, flow::Release{key_of(1)});
    net.run_for(milliseconds(1));
    QVERIFY(net.seen(a).released == std::vector{key_of(1)});
}

void OffersTest::absent_tensor_is_declined_at_once() {
    Pair net;
    net.taken = false;  // the offer reaches the consumer
    net.offer(1);
    QVERIFY(net.declined() == std::vector{key_of(1)});
    net.step(a, flow::Send{b, tensor(1)});
    net.run_for(milliseconds(1));
    QCOMPARE(net.seen(b).arrived.size(), 1U);
    QVERIFY(net.seen(a).refused.empty());
}

void OffersTest::unanswered_offer_is_declined_and_new_offers_pause() {
    Pair net;
    net.offer(1);
    net.run_for(offer_patience / 2);
    QVERIFY(net.declined().empty());
    net.run_for(offer_patience + tick_interval);
    QVERIFY(net.declined() == std::vector{key_of(1)});
    net.offer(2);
    QCOMPARE(net.offers.size(), 1U);
    QCOMPARE(net.declined().size(), 2U);
    net.run_for(offer_pause);
    net.offer(3);
    QCOMPARE(net.offers.size(), 2U);
    QCOMPARE(net.declined().size(), 2U);
}

void OffersTest::offer_whose_answer_is_lost_is_declined_after_a_query() {
    for (const std::uint32_t chunks : {0U, 2U}) {
        Pair net;
        net.offer(1);
        net.say_supplied(1);
        net.bring(1, chunks);
        net.run_for(milliseconds(100));
        QVERIFY(net.declined().empty());
        net.run_for(first_patience + 2 * tick_interval);
        QVERIFY(net.declined() == std::vector{key_of(1)});
        net.step(a, flow::Send{b, tensor(1)});
        net.run_for(milliseconds(1));
        QCOMPARE(net.seen(b).arrived.size(), 1U);
        QVERIFY(std::ranges::equal(net.seen(b).arrived[0].tensor.bytes(), tensor(1).tensor.bytes()));
    }
}

void OffersTest::tensor_supplied_late_is_not_sent_again() {
    Pair net;
    net.offer(1);
    net.run_for(offer_patience + tick_interval);
    QCOMPARE(net.declined().size(), 1U);
    net.bring(1);  // a router supplies the tensor while the producer computes it
    net.run_for(milliseconds(1));
    net.step(b, flow::Release{key_of(1)});
    net.run_for(milliseconds(1));
    QCOMPARE(net.seen(a).released.size(), 1U);
    const auto sent = net.flow(a).counters().bytes_sent;
    net.step(a, flow::Send{b, tensor(1)});
    net.run_for(seconds(30));
    QCOMPARE(net.flow(a).counters().bytes_sent, sent);
    QVERIFY(net.seen(a).refused.empty());
    QCOMPARE(net.seen(b).arrived.size(), 1U);
    QCOMPARE(net.seen(a).released.size(), 1U);
}

void OffersTest::offer_waits_until_the_consumer_enters_the_generation() {
    Pair net;
    net.step(a, flow::Enter{task, 2});
    TensorKey key = key_of(1);
    key.generation = 2;
    net.step(a, flow::Offer{b, key, content(1)});
    net.run_for(seconds(20));  // longer than any timeout, which only starts when the offer is sent
    QVERIFY(net.offers.empty() && net.declined().empty());
    net.step(b, flow::Enter{task, 2});
    net.run_for(milliseconds(1));
    QCOMPARE(net.offers.size(), 1U);
}

void OffersTest::answers_from_wrong_senders_are_ignored() {
    Pair net;
    net.offer(1);
    FrameHeader answer;
    answer.key = key_of(1);
    answer.key.kind = FrameKind::absent;
    answer.destination = {a, 1};
    answer.source = {77, 1};  // the answer comes from an unknown peer
    net.inject(a, answer);
    answer.source = {b, 9};  // the answer comes from another incarnation than the one asked
    net.inject(a, answer);
    answer.source = {b, 1};
    answer.key.step = 2;  // this tensor was never offered
    net.inject(a, answer);
    QVERIFY(net.declined().empty());
}

void OffersTest::second_offer_of_the_same_tensor_is_refused() {
    Pair net;
    net.offer(1);
    net.offer(1);
    QCOMPARE(net.seen(a).refused.size(), 1U);
    QVERIFY(net.seen(a).refused[0].code == ErrorCode::conflict);
    net.step(a, flow::Send{b, tensor(1)});  // refused: the offer has not been declined
    QCOMPARE(net.seen(a).refused.size(), 2U);
}

DIVISI_TEST(OffersTest)

}  // namespace offers_test

#include "offers_test.moc"
