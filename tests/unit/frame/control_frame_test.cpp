// SPDX-License-Identifier: Apache-2.0
#include "backend/frame/control_frame.h"

#include <random>

#include "tests/support/test_program.h"

namespace control_frame_test {

using namespace divisi;
using namespace divisi::frame;

namespace {

std::span<const std::byte> view(const std::string& text) { return std::as_bytes(std::span(text)); }
constexpr std::uint16_t heartbeat = 3, deploy = 4;
constexpr std::size_t longest_deploy = 32u << 20;

std::size_t limit_of(std::uint16_t type) {
    return type == deploy ? longest_deploy : type == heartbeat ? control_frame_limit : 0;
}

ControlHeader header(std::size_t size, std::size_t offset, std::uint64_t correlation = 7) {
    return {correlation, deploy, static_cast<std::uint32_t>(size), static_cast<std::uint32_t>(offset)};
}

}  // namespace

/// Tests control messages that are split into frames of at most 64 KiB and reassembled within each type's limit.
class ControlFrameTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void header_survives_encoding();
    void bad_headers_are_refused_before_anything_is_stored();
    void long_message_is_reassembled();
    void frames_out_of_order_are_refused_data();
    void frames_out_of_order_are_refused();
    void refused_message_leaves_room_for_the_next();
};

void ControlFrameTest::header_survives_encoding() {
    const ControlHeader sent{0x0102030405060708, deploy, 1u << 20, 65'536};
    const std::string bytes = encode_control_header(sent);
    QCOMPARE(bytes.size(), control_header_bytes);
    QVERIFY(decode_control_header(view(bytes)).value() == sent);
}

void ControlFrameTest::bad_headers_are_refused_before_anything_is_stored() {
    QCOMPARE(decode_control_header(view("short")).error().code, ErrorCode::corrupt);
    ControlAssembler assembler(limit_of);
    const std::string piece(100, 'x');
    QCOMPARE(assembler.add({0, 999, 100, 0}, view(piece)).error().code, ErrorCode::unsupported);
    const ControlHeader huge{0, heartbeat, control_frame_limit + 1, 0};
    QCOMPARE(assembler.add(huge, view(piece)).error().code, ErrorCode::exhausted);
    const ControlHeader skeleton{0, deploy, static_cast<std::uint32_t>(longest_deploy), 0};
    QVERIFY(assembler.add(skeleton, view(piece)).ok());
}

void ControlFrameTest::long_message_is_reassembled() {
    std::string whole(3 * control_frame_limit + 17, ' ');
    std::mt19937 random(1);
    for (char& c : whole) c = static_cast<char>(random());
    ControlAssembler assembler(limit_of);
    for (std::size_t at = 0; at < whole.size(); at += control_frame_limit) {
        const std::string piece = whole.substr(at, control_frame_limit);
        const auto result = assembler.add(header(whole.size(), at), view(piece));
        QVERIFY(result.ok());
        QCOMPARE(result->has_value(), at + piece.size() == whole.size());
        if (*result) QVERIFY(**result == whole);
    }
    QCOMPARE(assembler.held(), std::size_t(0));
    QVERIFY(assembler.add({1, heartbeat, 0, 0}, {}).value() == "");  // an empty message is complete immediately
}

void ControlFrameTest::frames_out_of_order_are_refused_data() {
    QTest::addColumn<quint64>("offset");
    QTest::addColumn<quint64>("correlation");
    QTest::addColumn<int>("bytes");
    QTest::newRow("the second is missing") << quint64(20) << quint64(7) << 10;
    QTest::newRow("the first again") << quint64(0) << quint64(7) << 10;
    QTest::newRow("of another message") << quint64(10) << quint64(8) << 10;
    QTest::newRow("beyond the end") << quint64(10) << quint64(7) << 91;
    QTest::newRow("nothing at all") << quint64(10) << quint64(7) << 0;
}

void ControlFrameTest::frames_out_of_order_are_refused() {
    QFETCH(quint64, offset);
    QFETCH(quint64, correlation);
    QFETCH(int, bytes);
    ControlAssembler assembler(limit_of);
    QVERIFY(!assembler.add(header(100, 0), view(std::string(10, 'a'))).value());
    const std::string piece(static_cast<std::size_t>(bytes), 'b');
    QCOMPARE(assembler.add(header(100, offset, correlation), view(piece)).error().code, ErrorCode::corrupt);
}

void ControlFrameTest::refused_message_leaves_room_for_the_next() {
    ControlAssembler assembler(limit_of);
    QVERIFY(!assembler.add(header(100, 0), view(std::string(60, 'a'))).value());
    QCOMPARE(assembler.held(), std::size_t(60));
    QVERIFY(!assembler.add(header(100, 0), view(std::string(60, 'a'))).ok());
    QCOMPARE(assembler.held(), std::size_t(0));
    QVERIFY(assembler.add(header(3, 0), view("abc")).value() == "abc");
}

DIVISI_TEST(ControlFrameTest)

}  // namespace control_frame_test

#include "control_frame_test.moc"
