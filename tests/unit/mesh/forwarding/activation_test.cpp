// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/activation.h"

#include "backend/mesh/route/hops.h"
#include "tests/support/test_program.h"

namespace activation_test {

using namespace divisi;
using namespace divisi::mesh;

namespace {

const Activation granted{7, 2, 4, "cuda:1", RoutingId(3)};

frame::FrameHeader header(std::uint64_t destination = 20, std::int64_t step = 1, std::uint32_t chunk = 0) {
    frame::FrameHeader header;
    header.key.task = 1;
    header.key.step = step;
    header.source.sid = 10;
    header.destination.sid = destination;
    header.chunk_index = chunk;
    return header;
}

}  // namespace

/// Tests the lease that a gateway writes into the first data for an instance.
class ActivationTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void bytes_match_the_specification();
    void activation_shares_the_header_with_a_route();
    void only_the_first_tensor_of_a_flow_is_marked();
    void flow_is_marked_again_after_a_new_lease();
    void activation_written_by_an_instance_is_removed();
    void receiver_accepts_its_own_lease_once_and_no_other();
    void malformed_activation_is_refused_data();
    void malformed_activation_is_refused();
};

/// Compares with bytes assembled by hand.
void ActivationTest::bytes_match_the_specification() {
    frame::FrameHeader one = header();
    set_activation(one, granted);
    QCOMPARE(one.routing.size(), std::size_t(1));
    QCOMPARE(one.routing[0].type, std::uint16_t(2));
    const QByteArray wanted = QByteArray::fromHex(
        "0700000000000000"
        "02000000"
        "04000000"
        "0300"
        "0600"
        "637564613a31"
        "0000");
    QCOMPARE(QByteArray::fromStdString(one.routing[0].value), wanted);
}

void ActivationTest::activation_shares_the_header_with_a_route() {
    frame::FrameHeader one = header();
    Path path;
    for (std::uint16_t i = 1; i <= most_hops; ++i) path.push_back(RoutingId(i));
    set_route(one, {5, path});
    set_reservation(one, 9);
    set_path_index(one, 1);
    Activation longest = granted;
    longest.device = std::string(longest_device_name + 10, 'd');
    set_activation(one, longest);
    const auto bytes = frame::encode_header(one);
    QVERIFY(bytes.ok());
    const auto back = frame::decode_header(std::as_bytes(std::span(*bytes)));
    QVERIFY(back.ok());
    QCOMPARE(route_of(*back).path.size(), most_hops);
    QCOMPARE(activation_of(*back)->device, std::string(longest_device_name, 'd'));
    QCOMPARE(activation_of(*back)->lease, granted.lease);
}

void ActivationTest::only_the_first_tensor_of_a_flow_is_marked() {
    Activator activator;
    activator.set_leases({{20, granted}});
    frame::FrameHeader ask = header();
    ask.key.kind = frame::FrameKind::ask;
    activator.mark(ask);
    QVERIFY(!has_activation(ask));
    for (const std::uint32_t chunk : {0U, 1U, 1U}) {  // chunk 1 is sent twice
        frame::FrameHeader one = header(20, 1, chunk);
        activator.mark(one);
        QVERIFY(activation_of(one) && activation_of(one)->agrees_with(granted));
        QCOMPARE(activation_of(one)->by, RoutingId(3));
    }
    frame::FrameHeader second = header(20, 2), stranger = header(21);
    activator.mark(second);
    activator.mark(stranger);
    QVERIFY(!has_activation(second) && !has_activation(stranger));
    QCOMPARE(activator.marked(), std::uint64_t(1));
}

void ActivationTest::flow_is_marked_again_after_a_new_lease() {
    Activator activator;
    activator.set_leases({{20, granted}});
    frame::FrameHeader first = header();
    activator.mark(first);
    activator.set_leases({{20, granted}, {21, granted}});  // the same lease in a newer table
    frame::FrameHeader next = header(20, 2);
    activator.mark(next);
    QVERIFY(!has_activation(next));
    Activation other = granted;
    other.share = 3;
    activator.set_leases({{20, other}});
    next = header(20, 3);
    activator.mark(next);
    QCOMPARE(activation_of(next)->share, std::uint32_t(3));
}

void ActivationTest::activation_written_by_an_instance_is_removed() {
    Activator activator;
    frame::FrameHeader one = header();
    set_activation(one, granted);
    activator.mark(one);
    QVERIFY(!has_activation(one));
}

void ActivationTest::receiver_accepts_its_own_lease_once_and_no_other() {
    ActivationCheck check;
    frame::FrameHeader one = header();
    QVERIFY(check.take(one).ok() && !*check.take(one));  // no lease is required between instances of one MIC
    set_activation(one, granted);
    QCOMPARE(int(check.take(one).error().code), int(ErrorCode::denied));  // the receiver holds no lease
    check.expect(granted);
    QCOMPARE((*check.take(one))->by, RoutingId(3));
    QVERIFY(check.take(one).ok() && !*check.take(one));  // each activation is reported once
    for (const auto& change : {+[](Activation& a) { ++a.lease; }, +[](Activation& a) { --a.share; },
                               +[](Activation& a) { ++a.threads; }, +[](Activation& a) { a.device = "cpu"; }}) {
        Activation other = granted;
        change(other);
        set_activation(one, other);
        QCOMPARE(int(check.take(one).error().code), int(ErrorCode::denied));
    }
}

void ActivationTest::malformed_activation_is_refused_data() {
    QTest::addColumn<QByteArray>("value");
    const QByteArray right = QByteArray::fromHex(
        "0700000000000000"
        "02000000"
        "04000000"
        "0300"
        "0600"
        "637564613a31"
        "0000");
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("cut off") << right.left(19);
    QTest::newRow("without the name") << right.left(20);
    QTest::newRow("too long") << right + QByteArray(4, '\0');
    QByteArray longer = right;
    longer[18] = char(65);  // a name of 65 bytes
    QTest::newRow("a name beyond its end") << longer;
    QByteArray longest = right;
    longest[19] = char(0xff);
    QTest::newRow("a name of 64 KiB") << longest;
}

void ActivationTest::malformed_activation_is_refused() {
    QFETCH(const QByteArray, value);
    ActivationCheck check;
    check.expect(granted);
    frame::FrameHeader one = header();
    one.routing.push_back({2, value.toStdString()});
    QVERIFY(!activation_of(one));
    QCOMPARE(int(check.take(one).error().code), int(ErrorCode::corrupt));
}

DIVISI_TEST(ActivationTest)

}  // namespace activation_test

#include "activation_test.moc"
