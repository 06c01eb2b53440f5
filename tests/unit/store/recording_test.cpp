// SPDX-License-Identifier: Apache-2.0
// Tests the file of a recording. Records read back as written, up to the first damage in the file.
#include "backend/store/recording.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <QTemporaryDir>
#include <csignal>
#include <fstream>

#include "backend/file/atomic_file.h"
#include "tests/support/test_program.h"

namespace recording_test {

using namespace divisi;
using store::Record;
using store::RecordingEnd;
using store::RecordingReader;
using store::RecordingWriter;

namespace {

const store::RecordingHeader header{"0.1.0", 7, TimePoint(std::chrono::seconds(1'700'000'000))};

Record record(int ms, std::uint16_t kind, std::string bytes) {
    return {std::chrono::milliseconds(ms), kind, static_cast<std::uint16_t>(kind + 100), std::move(bytes)};
}

/// Returns an empty record, a short one, one with all byte values, and two with the same time.
std::vector<Record> sample() {
    std::string all;
    for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
    return {record(0, 1, "hello"), record(80, 2, ""), record(80, 3, all), record(160, 4, "the last")};
}

/// Returns the sizes of the file after the header and after each record.
std::vector<std::size_t> ends_of(const std::vector<Record>& records, std::size_t whole) {
    std::vector<std::size_t> ends;
    std::size_t at = whole - 20;  // the closing record
    for (auto one = records.rbegin(); one != records.rend(); ++one) {
        ends.insert(ends.begin(), at);
        at -= 20 + one->bytes.size();
    }
    ends.insert(ends.begin(), at);
    return ends;
}

std::vector<Record> read_all(const RecordingReader& reader) {
    std::vector<Record> records;
    for (const RecordingReader::Entry& entry : reader.entries())
        records.push_back({entry.at, entry.kind, entry.type, reader.read(entry).value()});
    return records;
}

bool is_begin_of(const std::vector<Record>& some, const std::vector<Record>& all) {
    return some.size() <= all.size() && std::equal(some.begin(), some.end(), all.begin());
}

}  // namespace

class RecordingTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::filesystem::path file_ = folder_.filePath(QStringLiteral("lab.divisirec")).toStdString();

    void put(const std::string& bytes) const {
        std::ofstream stream(file_, std::ios::binary | std::ios::trunc);
        stream << bytes;
    }
    /// Writes the sample and returns the bytes of the file.
    std::string written() const {
        auto writer = RecordingWriter::create(file_, header).value();
        for (const Record& one : sample())
            if (!writer.write(std::span(&one, 1)).ok()) qFatal("cannot write");
        if (!writer.finish().ok()) qFatal("cannot finish");
        std::string bytes = file::read_file(file_).value();
        if (static_cast<Bytes>(bytes.size()) != writer.size()) qFatal("wrong size");
        return bytes;
    }

private Q_SLOTS:
    void written_records_are_read_back() {
        written();
        const auto reader = RecordingReader::open(file_);
        QVERIFY2(reader.ok(), reader.ok() ? "" : reader.error().message().c_str());
        QCOMPARE(reader->header().program, header.program);
        QCOMPARE(reader->header().protocol, header.protocol);
        QVERIFY(reader->header().begun == header.begun);
        QVERIFY(reader->end() == RecordingEnd::whole);
        QCOMPARE(reader->lost(), Bytes{0});
        QVERIFY(read_all(*reader) == sample());
    }

    void only_the_owner_may_read_a_recording() {
        written();
        struct stat status {};
        QCOMPARE(::stat(file_.c_str(), &status), 0);
        QCOMPARE(status.st_mode & 0777U, 0600U);
    }

    void truncated_file_is_read_up_to_its_last_complete_record() {
        const std::string bytes = written();
        const std::vector<std::size_t> ends = ends_of(sample(), bytes.size());
        for (std::size_t size = 0; size < bytes.size(); ++size) {
            put(bytes.substr(0, size));
            const auto reader = RecordingReader::open(file_);
            if (size < ends[0]) {
                QVERIFY2(!reader.ok(), qPrintable(QString::number(size)));
                QVERIFY(reader.error().code == ErrorCode::corrupt);
                continue;
            }
            QVERIFY2(reader.ok(), qPrintable(QString::number(size)));
            std::size_t whole = 0;
            while (whole + 1 < ends.size() && ends[whole + 1] <= size) ++whole;
            QVERIFY(reader->end() == RecordingEnd::cut_off);
            QCOMPARE(reader->entries().size(), whole);
            QCOMPARE(reader->lost(), static_cast<Bytes>(size - ends[whole]));
            QVERIFY(is_begin_of(read_all(*reader), sample()));
        }
    }

    void every_flipped_bit_is_detected() {
        const std::string bytes = written();
        const std::vector<std::size_t> ends = ends_of(sample(), bytes.size());
        for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
            std::string flipped = bytes;
            flipped[bit / 8] = static_cast<char>(static_cast<unsigned char>(flipped[bit / 8]) ^ (1U << (bit % 8)));
            put(flipped);
            const auto reader = RecordingReader::open(file_);
            if (bit / 8 < ends[0]) {
                QVERIFY2(!reader.ok(), qPrintable(QString::number(bit)));
                continue;
            }
            QVERIFY(reader.ok());
            QVERIFY2(reader->end() != RecordingEnd::whole, qPrintable(QString::number(bit)));
            std::size_t before = 0;
            while (before + 1 < ends.size() && ends[before + 1] <= bit / 8) ++before;
            QCOMPARE(reader->entries().size(), before);
            QVERIFY(is_begin_of(read_all(*reader), sample()));
        }
    }

    void newer_format_is_refused_with_advice() {
        std::string bytes = written();
        bytes[8] = static_cast<char>(store::recording_format + 1);
        put(bytes);
        const auto reader = RecordingReader::open(file_);
        QVERIFY(!reader.ok());
        QVERIFY(reader.error().code == ErrorCode::unsupported);
        QVERIFY(reader.error().next.find("version of Divisi that wrote it") != std::string::npos);
    }

    void other_files_are_refused_with_advice_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<int>("code");
        QTest::newRow("empty") << QByteArray() << static_cast<int>(ErrorCode::corrupt);
        QTest::newRow("a task file") << QByteArray("[task]\nname = \"mine\"\n")
                                     << static_cast<int>(ErrorCode::invalid_input);
        QTest::newRow("a short text") << QByteArray("[t]") << static_cast<int>(ErrorCode::invalid_input);
        QTest::newRow("zeros") << QByteArray(4096, '\0') << static_cast<int>(ErrorCode::invalid_input);
    }
    void other_files_are_refused_with_advice() {
        QFETCH(QByteArray, bytes);
        QFETCH(int, code);
        put(bytes.toStdString());
        const auto reader = RecordingReader::open(file_);
        QVERIFY(!reader.ok());
        QCOMPARE(static_cast<int>(reader.error().code), code);
        QVERIFY(!reader.error().next.empty());
        QCOMPARE(reader.error().where, file_.string());
    }

    void error_names_a_folder_or_a_missing_file() {
        const std::filesystem::path folder = folder_.path().toStdString();
        QVERIFY(!RecordingReader::open(folder).ok());
        QVERIFY(RecordingWriter::create(folder, header).error().code == ErrorCode::invalid_input);
        QVERIFY(RecordingReader::open(folder / "none").error().code == ErrorCode::not_found);
        QVERIFY(RecordingWriter::create(folder / "none" / "x", header).error().code == ErrorCode::not_found);
    }

    void recording_on_a_full_disk_ends_complete() {
        rlimit old{};
        ::getrlimit(RLIMIT_FSIZE, &old);
        std::signal(SIGXFSZ, SIG_IGN);
        auto writer = RecordingWriter::create(file_, header).value();
        const rlimit small{10'000, old.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &small);
        std::vector<Record> fit;
        Result<void> done;
        for (int i = 0; i < 100 && done.ok(); ++i) {
            const Record one = record(i, 1, std::string(999, static_cast<char>('a' + i % 26)));
            done = writer.write(std::span(&one, 1));
            if (done.ok()) fit.push_back(one);
        }
        const Record late = record(1000, 1, "late");
        const auto after = writer.write(std::span(&late, 1));
        ::setrlimit(RLIMIT_FSIZE, &old);
        QVERIFY(!done.ok() && done.error().code == ErrorCode::exhausted);
        QVERIFY(!after.ok());
        QCOMPARE(fit.size(), std::size_t{9});
        const auto reader = RecordingReader::open(file_);
        QVERIFY(reader.ok());
        QVERIFY(reader->end() == RecordingEnd::whole);
        QVERIFY(read_all(*reader) == fit);
    }

    void times_never_decrease() {
        auto writer = RecordingWriter::create(file_, header).value();
        const std::vector<Record> records{record(100, 1, "a"), record(50, 1, "b")};
        QVERIFY(writer.write(records).ok());
        QVERIFY(writer.finish().ok());
        const auto reader = RecordingReader::open(file_);
        QVERIFY(reader.ok());
        QCOMPARE(reader->entries().size(), std::size_t{2});
        QVERIFY(reader->entries()[1].at == std::chrono::milliseconds(100));
    }

    void too_large_record_is_not_written() {
        auto writer = RecordingWriter::create(file_, header).value();
        const Record large = record(0, 1, std::string(store::most_record_bytes + 1, 'x'));
        QVERIFY(writer.write(std::span(&large, 1)).error().code == ErrorCode::invalid_input);
        const Record small = record(0, 1, "small");
        QVERIFY(writer.write(std::span(&small, 1)).ok());
        QVERIFY(writer.finish().ok());
        QCOMPARE(RecordingReader::open(file_)->entries().size(), std::size_t{1});
    }
};

DIVISI_TEST(RecordingTest)

}  // namespace recording_test

#include "recording_test.moc"
