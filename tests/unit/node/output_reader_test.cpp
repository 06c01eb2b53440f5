// SPDX-License-Identifier: Apache-2.0
#include "agents/node/output_reader.h"

#include <QTemporaryDir>

#include <fstream>

#include "tests/support/test_program.h"

namespace output_reader_test {

using divisi::node::OutputReader;

using Lines = std::vector<std::string>;

class OutputReaderTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void lines_are_returned_once_they_are_complete() {
        OutputReader reader(file());
        QVERIFY(reader.read().empty());  // the file does not exist yet
        write("one\n\ntw");
        QCOMPARE(reader.read(), Lines{"one"});
        write("o\nthr");
        QCOMPARE(reader.read(), Lines{"two"});
        QVERIFY(reader.read().empty());
        QCOMPARE(reader.read_last(), Lines{"thr"});
        QVERIFY(reader.read_last().empty());
    }

    /// The process wrote faster than the reader read. Its last line says why it ended.
    void all_output_of_an_ended_process_is_read() {
        OutputReader reader(file());
        const std::string noise(1'023, 'x');
        for (int i = 0; i < 200; ++i) write(noise + "\n");
        write("error: why");
        QCOMPARE(reader.read().size(), OutputReader::most_read / 1'024);
        const Lines rest = reader.read_last();
        QCOMPARE(rest.size(), 200 - OutputReader::most_read / 1'024 + 1);
        QCOMPARE(rest.back(), std::string("error: why"));
        QCOMPARE(rest.front(), noise);
    }

    void only_the_newest_part_of_a_long_output_is_read() {
        OutputReader reader(file());
        const std::string line = std::string(1'023, 'x') + "\n";
        for (std::size_t i = 0; i < OutputReader::most_last / line.size() + 100; ++i) write(line);
        const Lines lines = reader.read_last();
        QVERIFY(lines.front().starts_with("(" + std::to_string(100 * line.size()) + " bytes of its output"));
        QCOMPARE(lines.size(), OutputReader::most_last / line.size() + 1);
    }

    void cleanup() { std::filesystem::remove(file()); }

private:
    std::filesystem::path file() const { return dir_.filePath("log").toStdString(); }
    void write(const std::string& text) const { std::ofstream(file(), std::ios::app | std::ios::binary) << text; }
    QTemporaryDir dir_;
};

DIVISI_TEST(OutputReaderTest)

}  // namespace output_reader_test

#include "output_reader_test.moc"
