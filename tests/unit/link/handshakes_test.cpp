// SPDX-License-Identifier: Apache-2.0
#include "backend/link/handshakes.h"

#include "tests/support/test_program.h"

namespace handshakes_test {

using namespace divisi;
using namespace divisi::link;

/// Tests the reports about failed connections.
class HandshakesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void failed_handshakes_are_reported_once_with_their_number() {
        HandshakeCounter counter;
        HandshakeNews news;
        TimePoint now{std::chrono::seconds(100)};
        QVERIFY(news.since_last(counter, now).empty());
        counter.refuse("first key");
        counter.refuse("second key");
        counter.leave_unfinished();
        const auto lines = news.since_last(counter, now);
        QCOMPARE(lines.size(), std::size_t{2});
        const QString keys = QString::fromStdString(lines[0]), unfinished = QString::fromStdString(lines[1]);
        QVERIFY2(keys.startsWith("2 connections were refused") && keys.contains("first key, second key"),
                 qPrintable(keys));
        QVERIFY2(keys.contains("divisictl keys add"), qPrintable(keys));
        QVERIFY2(unfinished.startsWith("a connection was ended") && unfinished.contains("5 s"), qPrintable(unfinished));
        now += handshake_news_interval;
        QVERIFY(news.since_last(counter, now).empty());
        counter.leave_unfinished();
        QCOMPARE(news.since_last(counter, now).size(), std::size_t{1});
        QCOMPARE(counter.counted(), (FailedHandshakes{2, 2}));
    }
    void flood_gives_a_line_every_ten_seconds_that_names_every_sender() {
        HandshakeCounter counter;
        HandshakeNews news;
        TimePoint now{std::chrono::seconds(100)};
        std::vector<std::string> lines;
        for (int i = 0; i < 30; ++i, now += std::chrono::seconds(1)) {
            for (int times = 0; times < 100; ++times) counter.refuse("the flood's");
            if (i == 17) counter.refuse("alice's");
            for (std::string& line : news.since_last(counter, now)) lines.push_back(std::move(line));
        }
        QCOMPARE(lines.size(), std::size_t{3});
        QVERIFY(lines[1].starts_with("1000 connections") && lines[1].find("alice") == std::string::npos);
        QVERIFY(lines[2].starts_with("1001 connections") && lines[2].find("alice's, the flood's") != std::string::npos);
    }
    void invented_keys_use_no_memory_and_hide_no_later_sender() {
        HandshakeCounter counter;
        HandshakeNews news;
        TimePoint now{std::chrono::seconds(1)};
        for (int i = 0; i < 10'000; ++i) counter.refuse("made up " + std::to_string(i));
        QCOMPARE(counter.counted().refused_keys, std::uint64_t{10'000});
        auto lines = news.since_last(counter, now);
        QVERIFY(lines.size() == 1 && lines[0].find("and others") != std::string::npos && lines[0].size() < 400);
        counter.refuse("alice's");
        lines = news.since_last(counter, now += handshake_news_interval);
        QVERIFY(lines.size() == 1 && lines[0].find(": alice's (") != std::string::npos);
        for (int i = 0; i < 10'000; ++i) counter.refuse("made up " + std::to_string(i));
        QCOMPARE(counter.take_keys().size(), most_told_keys);
        QVERIFY(counter.take_keys().empty());
    }
};

DIVISI_TEST(HandshakesTest)

}  // namespace handshakes_test

#include "handshakes_test.moc"
