// SPDX-License-Identifier: Apache-2.0

#include "backend/mesh/route/hops.h"
#include "tests/support/test_program.h"
#include "tests/unit/mesh/relay_network.h"

namespace relay_bad_signals_test {

using namespace divisi;
using namespace divisi::mesh;
using namespace std::chrono_literals;

namespace {

const std::string a = "task/stage-0/0", b = "task/stage-1/0";
constexpr std::uint64_t window = 8u << 20;

/// A fixture with the path 1 - 3 - 2 and an established flow.
struct Line : RelayNetwork {
    Line() {
        gateway(1, "mic-1");
        gateway(2, "mic-2");
        router(3);
        link(1, 3);
        link(3, 2);
        place(a, 1);
        place(b, 2);
        install();
        lose_signal = [this](RoutingId from, RoutingId to, const RsvpMessage& message) {
            if (from == RoutingId(3) && to == RoutingId(1) && message.type == RsvpType::credit_resv) last = message;
            return false;
        };
        send(a, b, 0, 4096);
        run_for(100ms);
    }
    RsvpMessage last;  ///< the last RESV from 3 to 1
};

void put_be16(std::string& bytes, std::size_t at, std::size_t value) {
    bytes[at] = static_cast<char>(value >> 8);
    bytes[at + 1] = static_cast<char>(value & 0xff);
}
/// Sets the correct length and checksum, so that the decoder checks the other fields.
std::string mended(std::string bytes) {
    put_be16(bytes, 6, bytes.size());
    put_be16(bytes, 2, 0);
    put_be16(bytes, 2, internet_checksum(std::as_bytes(std::span(bytes))));
    return bytes;
}

void put_window(RsvpMessage& message, std::uint64_t bytes) {
    message.passed_on.clear();
    set_window(message, bytes);
}

}  // namespace

struct Change : std::function<void(RsvpMessage&)> {
    using function::function;
};

}  // namespace relay_bad_signals_test

Q_DECLARE_METATYPE(relay_bad_signals_test::Change)

namespace relay_bad_signals_test {

/// Tests that each bad message of a neighbour is refused, counted and logged once. Nothing grows, and the flow
/// continues.
class RelayBadSignalsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void bad_bytes_are_counted_and_logged_data();
    void bad_bytes_are_counted_and_logged();
    void bad_credit_is_counted_and_logged_data();
    void bad_credit_is_counted_and_logged();
};

void RelayBadSignalsTest::bad_bytes_are_counted_and_logged_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("told");
    RsvpMessage path;
    path.type = RsvpType::credit_path;
    path.session = {device_address(RoutingId(2)), 6, 0, 9};
    path.sender = {device_address(RoutingId(1)), 9};
    path.hop = {device_address(RoutingId(1)), 7};
    path.sids = FlowSids{"task", "task/x/0", "task/y/0"};
    const std::string good = encode(path).value();
    const auto row = [](const char* name, const std::string& bytes, const char* told) {
        QTest::newRow(name) << QByteArray::fromStdString(bytes) << QString(told);
    };
    const auto changed = [&](std::size_t at, std::size_t value) {
        std::string bytes = good;
        put_be16(bytes, at, value);
        return bytes;
    };
    row("wrong checksum", changed(2, 1), "wrong checksum");
    row("length 0", changed(6, 0), "its header says 0");
    row("length 3", changed(6, 3), "its header says 3");
    row("length beyond the packet", changed(6, good.size() + 4), "its header says");
    row("nothing", "", "truncated header");
    row("truncated object", mended(good.substr(0, good.size() - 2)), "");
    row("object of length 0", mended(changed(8, 0)), "an object of 0 bytes");
    row("object of length 3", mended(changed(8, 3)), "an object of 3 bytes");
    row("object beyond the end", mended(changed(8, 0xfffc)), "an object goes beyond the end");
    row("unknown class 0bbbbbbb", mended(good + std::string("\0\4\2\1", 4)), "object class 2");
    row("above 2 KiB", mended(good + std::string("\x08\0\xc0\1", 4) + std::string(2044, 'x')), "above 2 KiB");
}

void RelayBadSignalsTest::bad_bytes_are_counted_and_logged() {
    QFETCH(QByteArray, bytes);
    QFETCH(QString, told);
    Line net;
    constexpr int times = 100;
    for (int i = 0; i < times; ++i) net.inject(3, 1, bytes.toStdString());
    QCOMPARE(net.at(3).counters().refused_signals, std::uint64_t{times});
    QCOMPARE(net.refused.size(), std::size_t{times});
    const QString line = QString::fromStdString(net.refused.back().message());
    QVERIFY2(line.contains(told) && line.contains("mg-1"), qPrintable(line));
    QCOMPARE(net.at(3).flows().size(), std::size_t{1});
    net.send(a, b, 1, 4096);
    net.run_for(100ms);
    QCOMPARE(net.numbers(b).size(), std::size_t{2});
}

void RelayBadSignalsTest::bad_credit_is_counted_and_logged_data() {
    QTest::addColumn<Change>("change");
    QTest::addColumn<QString>("told");
    const auto row = [](const char* name, Change change, const char* told) {
        QTest::newRow(name) << std::move(change) << QString(told);
    };
    row(
        "credit 0",
        [](RsvpMessage& m) {
            m.credit->incarnation += 1;
            m.credit->allowed_bytes = 0;
            put_window(m, 0);
        },
        "a first credit of 0 bytes");
    row(
        "credit 0 of a reservation that stands",
        [](RsvpMessage& m) {
            m.credit->allowed_bytes = 0;
            put_window(m, 0);
        },
        "arrived after a later RESV");
    row(
        "credit that a later one has overtaken", [](RsvpMessage& m) { m.credit->allowed_bytes -= 1; },
        "arrived after a later RESV");
    row(
        "0 megabytes beside bytes", [](RsvpMessage& m) { m.credit_megabytes = 0; }, "do not match its window");
    row(
        "2^32-1 megabytes beside bytes", [](RsvpMessage& m) { m.credit_megabytes = 0xffffffffU; },
        "do not match its window");
    row(
        "2^32-1 megabytes alone",
        [](RsvpMessage& m) {
            m.credit.reset();
            m.credit_megabytes = 0xffffffffU;
        },
        "without cumulative credit");
    row(
        "2^32-1 bytes at once",
        [](RsvpMessage& m) {
            m.credit->incarnation += 1;
            m.credit->allowed_bytes = 0xffffffffU;
            put_window(m, 0xffffffffU);
        },
        "a window of 4294967295 bytes");
    row(
        "above any buffer",
        [](RsvpMessage& m) {
            m.credit->allowed_bytes = ~std::uint64_t{0};
            put_window(m, ~std::uint64_t{0});
        },
        "a window of");
    row(
        "for more than was sent", [](RsvpMessage& m) { m.credit->allowed_bytes += 1u << 30; }, "more bytes than");
    row(
        "unknown flow", [](RsvpMessage& m) { m.session.port = m.sender.port = 77; }, "unknown flow");
    row(
        "another flow's", [](RsvpMessage& m) { m.credit->flow += 1; }, "of another flow");
    row(
        "of a reservation that is over", [](RsvpMessage& m) { m.credit->incarnation -= 1; }, "expired reservation");
    row(
        "without a number", [](RsvpMessage& m) { m.credit->incarnation = 0; }, "");
}

void RelayBadSignalsTest::bad_credit_is_counted_and_logged() {
    QFETCH(Change, change);
    QFETCH(QString, told);
    Line net;
    QVERIFY(net.last.credit && net.last.credit->incarnation > 1);
    RsvpMessage resv = net.last;
    put_window(resv, window);
    change(resv);
    const std::uint64_t before = net.at(1).counters().refused_signals;
    net.inject(1, 3, encode(resv).value());
    QCOMPARE(net.at(1).counters().refused_signals, before + 1);
    QCOMPARE(net.refused.size(), std::size_t{1});
    const QString line = QString::fromStdString(net.refused.back().message());
    QVERIFY2(line.contains(told), qPrintable(line));
    net.run_for(1s);
    for (const Relay::FlowView& flow : net.at(1).flows()) QVERIFY(flow.credit <= window);
    for (int i = 1; i < 20; ++i) net.send(a, b, i, 1u << 20);
    net.run_for(2s);
    QCOMPARE(net.numbers(b).size(), std::size_t{20});
}

DIVISI_TEST(RelayBadSignalsTest)

}  // namespace relay_bad_signals_test

#include "relay_bad_signals_test.moc"
