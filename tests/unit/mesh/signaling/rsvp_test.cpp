// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/signaling/rsvp.h"

#include <algorithm>
#include <functional>
#include <random>

#include "backend/mesh/signaling/capture.h"
#include "tests/support/test_program.h"
#include "tests/unit/mesh/sample_messages.h"

namespace rsvp_test {

using namespace divisi;
using namespace divisi::mesh;

namespace {

std::span<const std::byte> view(const std::string& text) { return std::as_bytes(std::span(text)); }

std::string from_hex(const char* hex) { return QByteArray::fromHex(hex).toStdString(); }

/// Computes the RFC 1071 checksum in a different way from the code: the bytes as one number in base 256, modulo 65535.
std::uint16_t expected_checksum(const std::string& bytes) {
    std::uint32_t rest = 0;
    for (const char c : bytes) rest = (rest * 256 + static_cast<unsigned char>(c)) % 65'535;
    if (bytes.size() % 2 == 1) rest = rest * 256 % 65'535;
    return static_cast<std::uint16_t>(rest == 0 ? 65'535 : 65'535 - rest);
}

void set_be16(std::string& bytes, std::size_t at, std::size_t value) {
    bytes[at] = static_cast<char>(value >> 8);
    bytes[at + 1] = static_cast<char>(value & 0xff);
}

/// Corrects the checksum, so that the other fields are tested.
void sign(std::string& bytes) {
    set_be16(bytes, 2, 0);
    set_be16(bytes, 2, expected_checksum(bytes));
}

std::string object(int class_num, int c_type, const std::string& content) {
    std::string out(4, '\0');
    set_be16(out, 0, out.size() + content.size());
    out[2] = static_cast<char>(class_num);
    out[3] = static_cast<char>(c_type);
    return out + content;
}

/// Returns a complete message of these objects, with the right length and checksum.
std::string message(int type, const std::string& objects) {
    std::string out(8, '\0');
    out[0] = 0x10;
    out[1] = static_cast<char>(type);
    out[4] = 64;
    set_be16(out, 6, out.size() + objects.size());
    out += objects;
    sign(out);
    return out;
}

const std::string twenty(20, '\1');
const std::string session = object(1, 2, twenty), hop = object(3, 2, twenty), source = object(11, 2, twenty),
                  error_spec = object(6, 2, twenty), refresh = object(5, 1, "\1\1\1\1"),
                  megabyte_credit = object(240, 1, "\1\1\1\1"), credit = object(240, 2, twenty),
                  sids = object(241, 1, from_hex("0001 61 0001 62 0002 6363 0000"));
const std::string three = session + hop + source;

/// Adds a message that decode refuses: as unsupported if `well_formed`, else as corrupt.
void row(const char* name, const std::string& bytes, const char* what, int at, bool well_formed = false) {
    QTest::newRow(name) << QByteArray::fromStdString(bytes) << well_formed << QString(what) << at;
}

/// Returns a PathTear with one byte changed.
std::string changed(std::size_t at, int value) {
    std::string bytes = message(5, three);
    bytes[at] = static_cast<char>(value);
    sign(bytes);
    return bytes;
}

std::string cut(std::string bytes, std::size_t size) {
    bytes.resize(size);
    set_be16(bytes, 6, size);
    sign(bytes);
    return bytes;
}

void add_hostile_headers() {
    row("nothing", "", "truncated header", 0);
    row("half a header", message(5, three).substr(0, 7), "truncated header", 7);
    row("header alone", message(5, ""), "a PathTear without SESSION", 8);
    row("version 2", changed(0, 0x20), "RSVP version 2", 0);
    row("version 0", changed(0, 0), "RSVP version 0", 0);
    row("a type of RFC 2205 that is not used", changed(1, 2), "message type 2", 1, true);
    row("an unknown type", changed(1, 99), "message type 99", 1, true);
    row("header says less", changed(7, 76), "80 bytes, but its header says 76", 6);
    row("header says more", changed(7, 84), "80 bytes, but its header says 84", 6);
    row("bytes after the end", message(5, three) + std::string(4, '\0'), "84 bytes, but its header says 80", 6);
    std::string unsigned_message = message(5, three), wrong = unsigned_message;
    set_be16(unsigned_message, 2, 0);
    row("no checksum", unsigned_message, "no checksum", 2);
    wrong[3] = static_cast<char>(wrong[3] + 1);
    row("wrong checksum", wrong, "wrong checksum", 2);
}

void add_hostile_objects() {
    row("object of length 0", changed(9, 0), "an object of 0 bytes", 8);
    row("object of length 3", changed(9, 3), "an object of 3 bytes", 8);
    row("object of length 25", changed(9, 25), "an object of 25 bytes", 8);
    row("object beyond the end", changed(57, 28), "an object goes beyond the end of the message", 56);
    row("object far beyond the end", changed(56, 0xff), "an object goes beyond the end of the message", 56);
    row("object header cut off", cut(message(5, three + "abcd"), 82), "truncated object header", 80);
    row("above 2 KiB", message(5, three + object(192, 1, std::string(2048 - 80, 'x'))), "a message above 2 KiB", 2048);
    std::string empties;
    for (int i = 0; i < 30; ++i) empties += object(128, 1, "");
    row("33 objects", message(5, three + empties), "more than 32 objects", 80 + 29 * 4);
    row("short SESSION", message(5, object(1, 2, "abcd") + hop + source), "SESSION of 4 bytes", 8);
    row("long CREDIT", message(29, three + object(240, 1, "abcdefgh")), "CREDIT in megabytes of 8 bytes", 80);
    row("empty CREDIT", message(29, three + object(240, 2, "")), "CREDIT in bytes of 0 bytes", 80);
    row("IPv4 SESSION", message(5, object(1, 1, "12345678") + hop + source), "object class 1 of C-Type 1", 8, true);
    row("CREDIT of C-Type 3", message(29, three + object(240, 3, "abcd")), "object class 240 of C-Type 3", 80, true);
    row("SIDs of C-Type 2", message(28, three + object(241, 2, "")), "object class 241 of C-Type 2", 80, true);
    row("class 0bbbbbbb", message(5, three + object(2, 1, "")), "object class 2", 80, true);
    row("class 127", message(5, three + object(127, 1, "")), "object class 127", 80, true);
}

void add_hostile_sets() {
    row("two SESSIONs", message(5, three + session), "a second SESSION", 80);
    row("two equal credits", message(29, three + credit + credit), "a second CREDIT in bytes", 104);
    row("two SIDs", message(28, three + sids + sids), "a second FLOW_SIDS", 96);
    row("PATH without SESSION", message(28, hop + source + sids), "a credit-based PATH without SESSION", 72);
    row("PATH without hop", message(28, session + source + sids), "a credit-based PATH without RSVP_HOP", 72);
    row("PATH without sender", message(28, session + hop + sids), "a credit-based PATH without SENDER_TEMPLATE", 72);
    row("PATH without SIDs", message(28, three), "a credit-based PATH without FLOW_SIDS", 80);
    row("RESV without SESSION", message(29, hop + source + credit), "a credit-based RESV without SESSION", 80);
    row("RESV without hop", message(29, session + source + credit), "a credit-based RESV without RSVP_HOP", 80);
    row("RESV without sender", message(29, session + hop + credit), "a credit-based RESV without SENDER_TEMPLATE", 80);
    row("RESV without credit", message(29, three + refresh), "a credit-based RESV without CREDIT", 88);
    row("PathTear without hop", message(5, session + source), "a PathTear without RSVP_HOP", 56);
    row("PathTear without sender", message(5, session + hop), "a PathTear without SENDER_TEMPLATE", 56);
    row("PathErr without error", message(3, session + source), "a PathErr without ERROR_SPEC", 56);
    row("PathErr with hop", message(3, three + error_spec), "a PathErr with RSVP_HOP", 104);
    row("PATH with credit", message(28, three + sids + credit), "a credit-based PATH with CREDIT in bytes", 120);
    row("PathTear with refresh", message(5, three + refresh), "a PathTear with TIME_VALUES", 88);
}

void add_hostile_sids() {
    const auto path_of = [](const char* hex) { return message(28, three + object(241, 1, from_hex(hex))); };
    row("no SID", path_of(""), "no room for the length of a SID", 84);
    row("two SIDs only", path_of("0001 61 0003 616263"), "no room for the length of a SID", 92);
    row("half a length", path_of("0002 6161 0001 61 00"), "no room for the length of a SID", 91);
    row("SID beyond its object", path_of("0001 61 0001 62 0005 6363 0000"), "a SID is longer than its object", 90);
    row("SID of 64 KiB", path_of("ffff 6162"), "a SID is longer than its object", 84);
    row("one word of padding too many", path_of("0000 0000 0002 6161 00000000"), "more bytes than three SIDs have", 92);
    row("padding that is not zero", path_of("0000 0000 0000 0001"), "padding that is not zero", 90);
    row("Latin-1", path_of("0001 61 0003 62e963 0000 0000"), "a SID is not UTF-8", 90);
    row("a surrogate", path_of("0003 eda080 0001 61 0000 0000"), "a SID is not UTF-8", 86);
    row("a character across two SIDs", path_of("0001 c3 0001 a9 0000"), "a SID is not UTF-8", 86);
}

template <typename T>
T pick(std::mt19937_64& rng) {
    return static_cast<T>(rng());
}

Ipv6 random_address(std::mt19937_64& rng) {
    Ipv6 address;
    for (auto& byte : address.bytes) byte = pick<std::uint8_t>(rng);
    return address;
}

/// Returns a random valid message.
RsvpMessage random_message(std::mt19937_64& rng) {
    static const auto samples = sample::all();
    RsvpMessage m = samples[rng() % samples.size()].second;
    m.send_ttl = pick<std::uint8_t>(rng);
    m.session = {random_address(rng), pick<std::uint8_t>(rng), pick<std::uint8_t>(rng), pick<std::uint16_t>(rng)};
    m.sender = {random_address(rng), pick<std::uint16_t>(rng)};
    if (m.type != RsvpType::path_error) m.hop = {random_address(rng), pick<std::uint32_t>(rng)};
    if (m.refresh) m.refresh = std::chrono::milliseconds(pick<std::uint32_t>(rng));
    if (m.credit_megabytes) m.credit_megabytes = pick<std::uint32_t>(rng);
    if (m.credit) m.credit = Credit{pick<std::uint32_t>(rng), rng(), rng()};
    if (m.error) m.error = ErrorSpec{random_address(rng), pick<std::uint8_t>(rng), pick<std::uint8_t>(rng), 0xbeef};
    if (m.sids || rng() % 2 == 0)
        m.sids = FlowSids{std::string(rng() % 9, 't'), "gpt-\xc3\xa9/" + std::string(rng() % 5, 's'), ""};
    for (std::size_t i = 0, n = rng() % 4; i < n; ++i)
        m.passed_on.push_back({static_cast<std::uint8_t>(0xC0 + rng() % 48), pick<std::uint8_t>(rng),
                               std::string(rng() % 5 * 4, static_cast<char>(rng()))});
    return m;
}

}  // namespace

/// Tests messages of draft-hu-rtgwg-cbfc-rsvp-00 in the bytes of RFC 2205.
class RsvpTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void message_matches_the_rfc_byte_for_byte();
    void credit_and_sid_objects_have_the_decided_bytes();
    void messages_survive_encoding();
    void checksum_is_the_internet_checksum();
    void zero_checksum_is_sent_as_all_ones();
    void unknown_classes_are_handled_by_their_highest_bits();
    void objects_may_have_any_order();
    void largest_message_passes();
    void hostile_bytes_are_refused_data();
    void hostile_bytes_are_refused();
    void invalid_messages_are_not_sent_data();
    void invalid_messages_are_not_sent();
    void every_flipped_bit_and_truncation_is_detected();
    void mutations_with_a_right_checksum_do_no_harm();
    void megabytes_are_rounded_down();
    void capture_has_the_bytes_of_pcap_and_ipv6();
    void capture_stays_within_its_field_widths();
};

void RsvpTest::message_matches_the_rfc_byte_for_byte() {
    RsvpMessage m;
    m.type = RsvpType::path_tear;
    m.session = {device_address(RoutingId(2)), 6, 0, 5};
    m.hop = {device_address(RoutingId(3)), 1};
    m.sender = {device_address(RoutingId(1)), 5};
    // The 16-bit words without the checksum add up to 0x5ed2a:
    //   header  1005 + 4000 + 0050                                          = 05055
    //   prefix  fd00 + 6469 + 7669 = 1d7d2, in each of the three addresses  = 58776
    //   session 0018 + 0102 + 0002 + 0600 + 0005                            = 00721
    //   hop     0018 + 0302 + 0003 + 0000 + 0001                            = 0031e
    //   sender  0018 + 0b02 + 0001 + 0000 + 0005                            = 00b20
    // Adding the carry gives 0xed2a + 5 = 0xed2f, whose complement is 0x12d0.
    const std::string expected = from_hex(
        "10 05 12d0 40 00 0050"
        "0018 01 02  fd006469 76690000 00000000 00000002  06 00 0005"
        "0018 03 02  fd006469 76690000 00000000 00000003  00000001"
        "0018 0b 02  fd006469 76690000 00000000 00000001  0000 0005");
    QCOMPARE(QByteArray::fromStdString(encode(m).value()).toHex(), QByteArray::fromStdString(expected).toHex());
    QVERIFY(decode(view(expected)).value() == m);
}

void RsvpTest::credit_and_sid_objects_have_the_decided_bytes() {
    RsvpMessage m = sample::bare(RsvpType::credit_resv);
    m.credit_megabytes = 0x01020304;
    m.credit = Credit{0x0a0b0c0d, 0x1112131415161718, 0x2122232425262728};
    m.sids = FlowSids{"t", "ab", "\xc3\xa9"};
    m.refresh = std::chrono::milliseconds(0x7530);
    const QByteArray bytes = QByteArray::fromStdString(encode(m).value());
    QVERIFY(bytes.contains(QByteArray::fromHex("0008 05 01 00007530")));
    QVERIFY(bytes.contains(QByteArray::fromHex("0008 f0 01 01020304")));
    QVERIFY(bytes.contains(QByteArray::fromHex("0018 f0 02 0a0b0c0d 1112131415161718 2122232425262728")));
    QVERIFY(bytes.contains(QByteArray::fromHex("0010 f1 01 0001 74 0002 6162 0002 c3a9 00")));

    RsvpMessage refusal = sample::bare(RsvpType::path_error);
    refusal.error = ErrorSpec{device_address(RoutingId(0x0102)), 1, 2, 0x0304};
    QVERIFY(QByteArray::fromStdString(encode(refusal).value())
                .contains(QByteArray::fromHex("0018 06 02 fd006469 76690000 00000000 00000102 01 02 0304")));
}

void RsvpTest::messages_survive_encoding() {
    std::mt19937_64 rng(1);
    for (int i = 0; i < 2000; ++i) {
        const RsvpMessage sent = random_message(rng);
        const auto bytes = encode(sent);
        QVERIFY2(bytes.ok(), bytes.ok() ? "" : bytes.error().message().c_str());
        const auto back = decode(view(*bytes));
        QVERIFY2(back.ok(), back.ok() ? "" : back.error().message().c_str());
        QVERIFY(*back == sent);
    }
}

void RsvpTest::checksum_is_the_internet_checksum() {
    QCOMPARE(internet_checksum(view(from_hex("0001 f203 f4f5 f6f7"))), std::uint16_t(0x220d));  // RFC 1071, section 3
    // An IPv4 header that many textbooks use as an example.
    QCOMPARE(internet_checksum(view(from_hex("45000073 00004000 40110000 c0a80001 c0a800c7"))), std::uint16_t(0xb861));
    std::mt19937_64 rng(2);
    for (std::size_t size = 1; size < 200; ++size) {
        std::string bytes(size, '\0');
        for (char& c : bytes) c = static_cast<char>(rng());
        QCOMPARE(internet_checksum(view(bytes)), static_cast<std::uint16_t>(expected_checksum(bytes) % 65'535));
    }
}

void RsvpTest::zero_checksum_is_sent_as_all_ones() {
    const RsvpMessage m = sample::tear_without_remainder();
    std::string bytes = encode(m).value();
    QCOMPARE(bytes.substr(2, 2), std::string("\xff\xff"));
    QVERIFY(decode(view(bytes)).value() == m);
    set_be16(bytes, 2, 0);
    QCOMPARE(decode(view(bytes)).error().what, std::string("no checksum"));
}

void RsvpTest::unknown_classes_are_handled_by_their_highest_bits() {
    const auto tear_with = [](int class_num) {
        return decode(view(message(5, session + object(class_num, 3, "abcd") + hop + source)));
    };
    for (int class_num = 0; class_num < 256; ++class_num) {
        if (class_num == 1 || class_num == 3 || class_num == 5 || class_num == 6 || class_num == 11) continue;
        if (class_num == 240 || class_num == 241) continue;
        const auto m = tear_with(class_num);
        if (class_num == 0) {
            QVERIFY(m.ok() && m->passed_on.empty());  // the NULL object
        } else if (class_num < 128) {
            QVERIFY(!m.ok() && m.error().code == ErrorCode::unsupported);
            QCOMPARE(m.error().where, std::string("RSVP message, byte 32"));
        } else if (class_num < 192) {
            QVERIFY(m.ok() && m->passed_on.empty());
            QVERIFY(*m == *decode(view(message(5, three))));
        } else {
            QVERIFY(m.ok() && m->passed_on.size() == 1);
            QVERIFY(m->passed_on[0] == (RawObject{static_cast<std::uint8_t>(class_num), 3, "abcd"}));
            QVERIFY(encode(*m).value().ends_with(object(class_num, 3, "abcd")));
        }
    }
    const std::string kept = object(250, 1, "1234") + object(192, 7, "") + object(250, 1, "5678");
    const auto many = decode(view(message(5, object(250, 1, "1234") + session + object(192, 7, "") +
                                                 object(130, 1, "") + hop + source + object(250, 1, "5678"))));
    QVERIFY(encode(many.value()).value().ends_with(kept));
}

void RsvpTest::objects_may_have_any_order() {
    std::vector<std::string> objects{session, hop, source, refresh, megabyte_credit, credit, sids};
    std::string in_order;
    for (const std::string& one : objects) in_order += one;
    const auto expected = decode(view(message(29, in_order)));
    QVERIFY2(expected.ok(), expected.ok() ? "" : expected.error().message().c_str());
    std::mt19937_64 rng(3);
    for (int i = 0; i < 50; ++i) {
        std::shuffle(objects.begin(), objects.end(), rng);
        std::string shuffled;
        for (const std::string& one : objects) shuffled += one;
        QVERIFY(decode(view(message(29, shuffled))).value() == *expected);
    }
}

void RsvpTest::largest_message_passes() {
    RsvpMessage m = sample::tear();
    m.passed_on.assign(max_rsvp_objects - 3, {192, 1, ""});
    m.passed_on[0].content.assign(max_rsvp_bytes - encode(m).value().size(), 'x');
    const std::string bytes = encode(m).value();
    QCOMPARE(bytes.size(), max_rsvp_bytes);
    QVERIFY(decode(view(bytes)).value() == m);
}

void RsvpTest::hostile_bytes_are_refused_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<bool>("well_formed");
    QTest::addColumn<QString>("what");
    QTest::addColumn<int>("at");
    add_hostile_headers();
    add_hostile_objects();
    add_hostile_sets();
    add_hostile_sids();
}

void RsvpTest::hostile_bytes_are_refused() {
    QFETCH(QByteArray, bytes);
    QFETCH(bool, well_formed);
    QFETCH(QString, what);
    QFETCH(int, at);
    const auto m = decode(view(bytes.toStdString()));
    QVERIFY(!m.ok());
    QCOMPARE(QString::fromStdString(m.error().what), what);
    QCOMPARE(m.error().where, "RSVP message, byte " + std::to_string(at));
    QCOMPARE(m.error().code, well_formed ? ErrorCode::unsupported : ErrorCode::corrupt);
    QVERIFY(!m.error().next.empty());
}

struct Change : std::function<void(RsvpMessage&)> {
    using function::function;
};

}  // namespace rsvp_test

Q_DECLARE_METATYPE(rsvp_test::Change)

namespace rsvp_test {

void RsvpTest::invalid_messages_are_not_sent_data() {
    QTest::addColumn<Change>("change");
    const auto row = [](const char* name, Change change) { QTest::newRow(name) << change; };
    row("no type", [](RsvpMessage& m) { m.type = static_cast<RsvpType>(1); });
    row("PATH without SIDs", [](RsvpMessage& m) { m.sids.reset(); });
    row("PATH with credit", [](RsvpMessage& m) { m.credit = Credit{}; });
    row("RESV without credit", [](RsvpMessage& m) { m.type = RsvpType::credit_resv; });
    row("PathTear with refresh", [](RsvpMessage& m) { m.type = RsvpType::path_tear; });
    row("PathErr with hop", [](RsvpMessage& m) {
        m = sample::error();
        m.hop.interface_handle = 1;
    });
    row("half a millisecond", [](RsvpMessage& m) { m.refresh = std::chrono::microseconds(500); });
    row("a negative period", [](RsvpMessage& m) { m.refresh = std::chrono::milliseconds(-1); });
    row("50 days and more", [](RsvpMessage& m) { m.refresh = std::chrono::milliseconds(1LL << 32); });
    row("the longest period", [](RsvpMessage& m) { m.refresh = Duration::max(); });
    row("Latin-1", [](RsvpMessage& m) { m.sids->task = "\xe9"; });
    row("a SID of 64 KiB", [](RsvpMessage& m) { m.sids->source.assign(65'536, 'a'); });
    row("SIDs above 2 KiB together", [](RsvpMessage& m) {
        m.sids->source.assign(1000, 'a');
        m.sids->destination.assign(1000, 'a');
    });
    row("a class that decode drops", [](RsvpMessage& m) { m.passed_on = {{191, 1, ""}}; });
    row("a class that decode refuses", [](RsvpMessage& m) { m.passed_on = {{2, 1, ""}}; });
    row("a known class as unknown", [](RsvpMessage& m) { m.passed_on = {{240, 3, ""}}; });
    row("5 bytes", [](RsvpMessage& m) { m.passed_on = {{192, 1, "abcde"}}; });
    row("64 KiB", [](RsvpMessage& m) { m.passed_on = {{192, 1, std::string(65'536, 'a')}}; });
    row("33 objects", [](RsvpMessage& m) { m.passed_on.assign(28, {192, 1, ""}); });
}

void RsvpTest::invalid_messages_are_not_sent() {
    QFETCH(Change, change);
    RsvpMessage m = sample::path();
    QVERIFY(encode(m).ok());
    change(m);
    const auto bytes = encode(m);
    QVERIFY(!bytes.ok());
    QCOMPARE(bytes.error().code, ErrorCode::invalid_input);
    QVERIFY(!bytes.error().what.empty());
}

void RsvpTest::every_flipped_bit_and_truncation_is_detected() {
    for (const auto& [name, m] : sample::all()) {
        const std::string bytes = encode(m).value();
        for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
            std::string damaged = bytes;
            damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
            QVERIFY2(!decode(view(damaged)).ok(), (std::string(name) + ", bit " + std::to_string(bit)).c_str());
        }
        for (std::size_t size = 0; size < bytes.size(); ++size) QVERIFY(!decode(view(bytes).first(size)).ok());
    }
}

void RsvpTest::mutations_with_a_right_checksum_do_no_harm() {
    std::mt19937_64 rng(4);
    int accepted = 0;
    for (int i = 0; i < 50'000; ++i) {
        std::string bytes = encode(random_message(rng)).value();
        for (std::size_t n = 1 + rng() % 3; n > 0; --n) bytes[rng() % bytes.size()] = static_cast<char>(rng());
        if (rng() % 4 == 0) bytes.resize(8 + rng() % (bytes.size() - 7));
        if (rng() % 8 != 0) set_be16(bytes, 6, bytes.size());
        sign(bytes);
        const auto m = decode(view(bytes));
        if (!m.ok()) {
            QVERIFY(m.error().code == ErrorCode::corrupt || m.error().code == ErrorCode::unsupported);
            continue;
        }
        ++accepted;
        const auto again = encode(*m);
        QVERIFY2(again.ok(), again.ok() ? "" : again.error().message().c_str());
        QVERIFY(decode(view(*again)).value() == *m);
    }
    QVERIFY(accepted > 1000 && accepted < 49'000);  // both branches were taken
}

void RsvpTest::megabytes_are_rounded_down() {
    QCOMPARE(megabytes(0), 0u);
    QCOMPARE(megabytes(999'999), 0u);
    QCOMPARE(megabytes(1'000'000), 1u);
    QCOMPARE(megabytes(16'777'216), 16u);
    QCOMPARE(megabytes(4'294'967'295'999'999), 4'294'967'295u);
    QCOMPARE(megabytes(~0ULL), 4'294'967'295u);
}

void RsvpTest::capture_has_the_bytes_of_pcap_and_ipv6() {
    QCOMPARE(QByteArray::fromStdString(capture_header()).toHex(),
             QByteArray("a1b23c4d0002000400000000000000000000ffff000000e5"));
    const std::string rsvp = from_hex("1005 12d0 3f00 0008");  // a TTL of 63
    const std::string record = capture_record(TimePoint(std::chrono::nanoseconds(1'700'000'000'000'000'005)),
                                              RoutingId(0x0102), RoutingId(3), view(rsvp));
    // 1,700,000,000 s = 0x6553f100; 40 + 8 bytes = 0x30.
    QCOMPARE(QByteArray::fromStdString(record).toHex(' '), QByteArray::fromHex("6553f100 00000005 00000030 00000030"
                                                                               "60000000 0008 2e 3f"
                                                                               "fd006469 76690000 00000000 00000102"
                                                                               "fd006469 76690000 00000000 00000003"
                                                                               "100512d0 3f000008")
                                                               .toHex(' '));
}

void RsvpTest::capture_stays_within_its_field_widths() {
    const auto record = [](Duration at, const std::string& rsvp) {
        return capture_record(TimePoint(at), RoutingId(1), RoutingId(2), view(rsvp));
    };
    QCOMPARE(record(Duration(-1), "").substr(0, 8), std::string(8, '\0'));
    QCOMPARE(record(Duration::max(), "").substr(0, 8), from_hex("ffffffff 3b9ac9ff"));
    QCOMPARE(record(Duration(0), "1234").substr(8, 16), from_hex("0000002c 0000002c 60000000 0004 2e 00"));
    QCOMPARE(record(Duration(0), std::string(70'000, 'x')).size(), 16 + 40 + max_rsvp_bytes);
}

DIVISI_TEST(RsvpTest)

}  // namespace rsvp_test

#include "rsvp_test.moc"
