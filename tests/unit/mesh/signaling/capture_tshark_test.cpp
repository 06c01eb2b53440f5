// SPDX-License-Identifier: Apache-2.0
#include <QFile>
#include <QProcess>
#include <QProcessEnvironment>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>

#include "backend/mesh/signaling/capture.h"
#include "tests/support/test_program.h"
#include "tests/unit/mesh/sample_messages.h"

namespace capture_tshark_test {

using namespace divisi;
using namespace divisi::mesh;

/// Tests how tshark reads a capture. Its dissectors are independent implementations of the RFCs.
class CaptureTsharkTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void every_packet_is_rsvp_from_device_to_device();
    void types_and_addresses_are_read_as_sent();
    void checksums_are_correct_and_nothing_is_malformed();
    void unknown_objects_are_shown_by_number();
    void wrong_checksum_is_detected();
    void adverts_are_captured_as_plain_data_and_well_formed();

private:
    /// Returns the text of each packet in a capture of these messages.
    QStringList dissect(const std::vector<std::string>& messages, decltype(&capture_record) record = &capture_record);

    QString tshark_;
    QTemporaryDir folder_;
    std::vector<std::pair<const char*, RsvpMessage>> sent_;
    QStringList packets_;
};

QStringList CaptureTsharkTest::dissect(const std::vector<std::string>& messages, decltype(&capture_record) record) {
    QFile file(folder_.filePath("rsvp.pcap"));
    if (!file.open(QIODevice::WriteOnly)) return {};
    file.write(QByteArray::fromStdString(capture_header()));
    TimePoint at(std::chrono::seconds(1'700'000'000));
    for (const std::string& message : messages) {
        at += std::chrono::microseconds(1500);
        file.write(
            QByteArray::fromStdString(record(at, RoutingId(3), RoutingId(4), std::as_bytes(std::span(message)))));
    }
    file.close();

    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("HOME", folder_.path());  // ignores the user's preferences
    environment.insert("XDG_CONFIG_HOME", folder_.path());
    environment.insert("LC_ALL", "C.UTF-8");
    environment.insert("TZ", "UTC");
    process.setProcessEnvironment(environment);
    process.start(tshark_, {"-n", "-V", "-r", file.fileName()});
    if (!process.waitForFinished(60'000) || process.exitCode() != 0) {
        qWarning("tshark: %s", process.readAllStandardError().constData());
        return {};
    }
    static const QRegularExpression packet("^(?=Frame \\d+:)", QRegularExpression::MultilineOption);
    return QString::fromUtf8(process.readAllStandardOutput()).split(packet, Qt::SkipEmptyParts);
}

void CaptureTsharkTest::initTestCase() {
    tshark_ = QStandardPaths::findExecutable("tshark");
    if (tshark_.isEmpty()) QSKIP("tshark is not installed; nothing outside this code has read the captures");
    sent_ = sample::all();
    std::vector<std::string> messages;
    for (const auto& [name, message] : sent_) messages.push_back(encode(message).value());
    packets_ = dissect(messages);
    QCOMPARE(packets_.size(), static_cast<qsizetype>(sent_.size()));
}

void CaptureTsharkTest::every_packet_is_rsvp_from_device_to_device() {
    for (const QString& packet : packets_) {
        QVERIFY2(packet.contains("\nResource ReserVation Protocol (RSVP): "), qPrintable(packet));
        QVERIFY2(packet.contains("Src: fd00:6469:7669::3, Dst: fd00:6469:7669::4\n"), qPrintable(packet));
        QVERIFY2(packet.contains("Hop Limit: 64\n"), qPrintable(packet));
        QVERIFY2(packet.contains("Sending TTL: 64\n"), qPrintable(packet));
    }
    QVERIFY(packets_[0].contains("Arrival Time: Nov 14, 2023 22:13:20.001500000 UTC\n"));
}

void CaptureTsharkTest::types_and_addresses_are_read_as_sent() {
    for (std::size_t i = 0; i < sent_.size(); ++i) {
        const QString packet = packets_[static_cast<qsizetype>(i)];
        const RsvpMessage& m = sent_[i].second;
        const QRegularExpression type(QString(R"(Message Type: .*\(%1\)\n)").arg(static_cast<int>(m.type)));
        QVERIFY2(packet.contains(type), qPrintable(packet));
        QVERIFY2(packet.contains("Destination address: fd00:6469:7669::2\n"), qPrintable(packet));
        QVERIFY2(packet.contains("Destination port: 7\n"), qPrintable(packet));
        QVERIFY2(packet.contains("    Protocol: 6\n"), qPrintable(packet));
        QVERIFY2(packet.contains("Source address: fd00:6469:7669::1\n"), qPrintable(packet));
        QVERIFY2(packet.contains(QString("Source port: %1\n").arg(m.sender.port)), qPrintable(packet));
        QCOMPARE(packet.contains("Neighbor address: fd00:6469:7669::3\n        Logical interface: 11\n"),
                 m.type != RsvpType::path_error);
        QCOMPARE(packet.contains("Refresh interval: "), m.refresh.has_value());
        QCOMPARE(packet.contains("Error node: fd00:6469:7669::9\n"), m.error.has_value());
    }
    QVERIFY(packets_[0].contains("Refresh interval: 30000 ms"));
    QVERIFY(
        packets_.join("").contains("Error code: Admission Control Failure  (1)\n"
                                   "        Error value: Requested bandwidth unavailable (2)\n"));
}

void CaptureTsharkTest::checksums_are_correct_and_nothing_is_malformed() {
    for (const QString& packet : packets_) {
        QVERIFY2(packet.contains(QRegularExpression("Message Checksum: 0x[0-9a-f]{4} \\[correct\\]\n")),
                 qPrintable(packet));
        QVERIFY2(!packet.contains("Malformed"), qPrintable(packet));
        QVERIFY2(!packet.contains("Expert Info"), qPrintable(packet));
    }
}

void CaptureTsharkTest::unknown_objects_are_shown_by_number() {
    const QString resv = packets_[1];
    QVERIFY(resv.contains("Object class: Unknown (240)\n        C-type: 1\n        Data: 00000010\n"));
    QVERIFY(
        resv.contains("Object class: Unknown (240)\n        C-type: 2\n"
                      "        Data: 0000000700000000000000020000000001000000\n"));
    QVERIFY(packets_[0].contains("Length: 48\n        Object class: Unknown (241)\n        C-type: 1\n"));
    QCOMPARE(packets_.last().count("Object class: Unknown (200)\n"), 2);
    QCOMPARE(packets_.last().count("Object class: Unknown (201)\n"), 1);
}

/// Makes sure that tshark does not accept every checksum.
void CaptureTsharkTest::wrong_checksum_is_detected() {
    std::string bytes = encode(sample::tear()).value();
    bytes[3] = static_cast<char>(bytes[3] ^ 1);
    const QStringList packets = dissect({bytes});
    QCOMPARE(packets.size(), qsizetype{1});
    QVERIFY2(packets[0].contains("[incorrect, should be 0x12c2]"), qPrintable(packets[0]));
}

/// Tests signaling types 2 and 4.
void CaptureTsharkTest::adverts_are_captured_as_plain_data_and_well_formed() {
    const QStringList packets =
        dissect({"revision 3, whole table", std::string(max_advert_bytes + 9, 'x'), ""}, &capture_advert);
    QCOMPARE(packets.size(), qsizetype{3});
    for (const QString& packet : packets) {
        QVERIFY2(packet.contains("Src: fd00:6469:7669::3, Dst: fd00:6469:7669::4\n"), qPrintable(packet));
        QVERIFY2(packet.contains("(253)\n"), qPrintable(packet));
        QVERIFY2(!packet.contains("Malformed") && !packet.contains("RSVP"), qPrintable(packet));
    }
    QVERIFY2(packets[1].contains("Payload Length: 8192\n"), qPrintable(packets[1].left(2000)));
}

DIVISI_TEST(CaptureTsharkTest)

}  // namespace capture_tshark_test

#include "capture_tshark_test.moc"
