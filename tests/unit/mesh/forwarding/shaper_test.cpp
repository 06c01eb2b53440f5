// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/shaper.h"

#include "tests/support/test_program.h"

namespace shaper_test {

using namespace divisi;
using namespace divisi::mesh;
using namespace std::chrono_literals;

namespace {

frame::Chunk chunk(std::uint64_t task, std::int64_t number, std::size_t bytes = 100'000) {
    frame::Chunk made;
    auto payload = std::make_shared<std::vector<std::byte>>(bytes);
    made.payload = *payload;
    made.owner = payload;
    made.header.key.task = task;
    made.header.key.step = number;
    return made;
}

struct Counted {
    std::map<std::uint64_t, std::uint64_t> bytes;  ///< by task
    std::map<std::uint64_t, std::vector<std::int64_t>> order;
};

/// Polls every 25 ms for this time, as a gateway does.
Counted run(Shaper& shaper, TimePoint& now, Duration time) {
    Counted counted;
    for (const TimePoint end = now + time; now < end; now += 25ms)
        for (const frame::Chunk& one : shaper.due(now)) {
            counted.bytes[one.header.key.task] += one.payload.size();
            counted.order[one.header.key.task].push_back(one.header.key.step);
        }
    return counted;
}

}  // namespace

/// Tests rate limits at the entry of a gateway, in simulated time.
class ShaperTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everything_is_sent_immediately_without_limits();
    void task_gets_its_rate_in_order();
    void rate_of_the_mic_is_shared_in_turns();
    void pause_accumulates_at_most_one_burst();
    void token_bucket_refills_at_its_rate_up_to_its_size();
    void rates_can_change_while_chunks_wait();
};

void ShaperTest::everything_is_sent_immediately_without_limits() {
    Shaper shaper({});
    QVERIFY(!shaper.limits());
    for (int i = 0; i < 100; ++i) shaper.take(chunk(1, i, 1 << 20));
    QCOMPARE(shaper.due(TimePoint(1s)).size(), std::size_t{100});
    QCOMPARE(shaper.delayed(), std::uint64_t{0});
}

void ShaperTest::task_gets_its_rate_in_order() {
    Shaper shaper({0, 10e6});
    TimePoint now{1s};
    for (int i = 0; i < 2'000; ++i) shaper.take(chunk(1, i));
    const Counted counted = run(shaper, now, 10s);
    // 10 s at 10 MB/s, and the burst of two chunks.
    QVERIFY2(counted.bytes.at(1) >= 100e6 && counted.bytes.at(1) <= 102.5e6,
             std::to_string(counted.bytes.at(1)).c_str());
    QVERIFY(std::ranges::is_sorted(counted.order.at(1)));
    QVERIFY(shaper.delayed() > 0);
}

void ShaperTest::rate_of_the_mic_is_shared_in_turns() {
    Shaper shaper({20e6, 15e6});
    TimePoint now{1s};
    for (int i = 0; i < 4'000; ++i) shaper.take(chunk(1, i));
    const Counted alone = run(shaper, now, 10s);
    QVERIFY(alone.bytes.at(1) >= 150e6 && alone.bytes.at(1) <= 152.5e6);  // the task's own limit
    for (int i = 0; i < 4'000; ++i) shaper.take(chunk(2, i));
    const Counted both = run(shaper, now, 10s);
    for (const std::uint64_t task : {1, 2})
        QVERIFY2(std::abs(static_cast<double>(both.bytes.at(task)) - 100e6) < 5e6,
                 std::to_string(both.bytes.at(task)).c_str());
}

void ShaperTest::pause_accumulates_at_most_one_burst() {
    Shaper shaper({0, 10e6});
    for (int i = 0; i < 100; ++i) shaper.take(chunk(1, i));
    QCOMPARE(shaper.due(TimePoint(1s)).size(), std::size_t{20});  // a burst of two chunks of the largest size
    (void)shaper.due(TimePoint(1s + 25ms));
    QCOMPARE(shaper.due(TimePoint(1000s)).size(), std::size_t{20});
}

void ShaperTest::token_bucket_refills_at_its_rate_up_to_its_size() {
    TokenBucket bucket(2, 4);
    for (int i = 0; i < 4; ++i) QVERIFY(bucket.take(TimePoint(1s)));
    QVERIFY(!bucket.take(TimePoint(1s)));
    QVERIFY(!bucket.take(TimePoint(1'499ms)));
    QVERIFY(bucket.take(TimePoint(1'500ms)));
    QVERIFY(!bucket.full(TimePoint(3s)));
    QVERIFY(bucket.full(TimePoint(3'500ms)));
    bucket.add(100);
    for (int i = 0; i < 4; ++i) QVERIFY(bucket.take(TimePoint(3'500ms)));
    QVERIFY(!bucket.take(TimePoint(3'500ms)));
    TokenBucket none;
    for (int i = 0; i < 1'000; ++i) QVERIFY(none.take(TimePoint(1s)));
}

void ShaperTest::rates_can_change_while_chunks_wait() {
    Shaper shaper({0, 10e6});
    TimePoint now{1s};
    for (int i = 0; i < 1'000; ++i) shaper.take(chunk(1, i));
    (void)run(shaper, now, 1s);
    shaper.set_rates({0, 20e6});
    const Counted faster = run(shaper, now, 1s);
    QVERIFY2(faster.bytes.at(1) >= 20e6 && faster.bytes.at(1) <= 22.5e6, std::to_string(faster.bytes.at(1)).c_str());
    for (int i = 0; i < 40; ++i) {  // setting the same rate again allows no new burst
        shaper.set_rates({0, 20e6});
        (void)shaper.due(now);
    }
    const Counted same = run(shaper, now, 1s);
    QVERIFY(same.bytes.at(1) <= 20.5e6);
    shaper.set_rates({});
    QVERIFY(!shaper.limits());
    const Counted all = run(shaper, now, 25ms);
    QCOMPARE(all.order.at(1).back(), std::int64_t{999});
    QVERIFY(std::ranges::is_sorted(all.order.at(1)));
}

DIVISI_TEST(ShaperTest)

}  // namespace shaper_test

#include "shaper_test.moc"
