// SPDX-License-Identifier: Apache-2.0
#include "agents/node/machine_meter.h"

#include <QFile>
#include <QTemporaryDir>

#include "agents/node/output_reader.h"
#include "tests/support/test_program.h"

namespace machine_meter_test {

using namespace divisi;
using namespace divisi::node;
using std::chrono::seconds;

/// Tests a node's figures of its machine, and its reading of the instances' output.
class MachineMeterTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void the_files_of_proc_are_read() {
        MachineTotals totals;
        read_cpu("cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 1 2 3 4 5 6 7 8\n", totals);
        QCOMPARE(totals.busy_ticks, std::uint64_t{150});
        QCOMPARE(totals.all_ticks, std::uint64_t{1000});
        read_network(
            "Inter-|   Receive                                                |  Transmit\n"
            " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets\n"
            "    lo: 999 1 0 0 0 0 0 0 999 1 0 0 0 0 0 0\n"
            "  eth0:1000 5 0 0 0 0 0 0 2000 6 0 0 0 0 0 0\n"
            " wlan0: 10 5 0 0 0 0 0 0 20 6 0 0 0 0 0 0\n",
            totals);
        QCOMPARE(totals.received_bytes, std::int64_t{1010});
        QCOMPARE(totals.sent_bytes, std::int64_t{2020});
        read_disks(
            "   8       0 sda 10 0 100 5 20 0 200 7 0 0 0\n   8       1 sda1 10 0 100 5 20 0 200 7 0 0 0\n"
            " 259       0 nvme0n1 1 0 8 1 1 0 16 1 0 0 0\n 259       1 nvme0n1p1 1 0 8 1 1 0 16 1 0 0 0\n"
            "   7       0 loop0 1 0 8 1 1 0 16 1 0 0 0\n 253       0 dm-0 1 0 8 1 1 0 16 1 0 0 0\n",
            totals);
        QCOMPARE(totals.read_bytes, std::int64_t{108 * 512});
        QCOMPARE(totals.written_bytes, std::int64_t{216 * 512});
    }

    void invalid_text_is_ignored() {
        MachineTotals totals;
        for (const char* text : {"", "cpu", "\n\n", "cpu x y z\n", "::::\n", "a b c d\n"}) {
            read_cpu(text, totals);
            read_network(text, totals);
            read_disks(text, totals);
        }
        QCOMPARE(totals.all_ticks, std::uint64_t{0});
        QCOMPARE(totals.read_bytes, std::int64_t{0});
    }

    void rates_cover_the_time_between_two_readings() {
        const MachineTotals before{100, 1000, 1000, 0, 0, 0}, now{200, 1400, 5000, 2000, 0, 4096};
        control::MachineFigures figures;
        MachineMeter::rate(before, now, seconds(2), figures);
        QCOMPARE(figures.cpu_share, 0.25);
        QCOMPARE(figures.received_bytes_per_s, 2000.0);
        QCOMPARE(figures.sent_bytes_per_s, 1000.0);
        QCOMPARE(figures.written_bytes_per_s, 2048.0);
        MachineMeter::rate(now, before, seconds(2), figures);  // the counter restarted
        QCOMPARE(figures.received_bytes_per_s, 0.0);
        // The kernel's idle time may decrease a little.
        MachineMeter::rate({100, 1000}, {203, 1100}, seconds(2), figures);
        QCOMPARE(figures.cpu_share, 1.0);
    }

    void free_disk_space_of_the_folder_is_measured() {
        QTemporaryDir folder;
        MachineMeter meter(folder.path().toStdString());
        const auto figures = meter.read(TimePoint(seconds(1)));
        QVERIFY(figures.disk > 0 && figures.disk_free >= 0 && figures.disk_free <= figures.disk);
        QVERIFY(figures.memory > 0 && figures.memory_free > 0);
    }

    void output_is_followed_line_by_line() {
        QTemporaryDir folder;
        const QString path = folder.filePath("log");
        OutputReader reader(path.toStdString());
        QVERIFY(reader.read().empty());  // the file does not exist yet
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("one\n\ntwo\nthr");
        file.flush();
        QVERIFY((reader.read() == std::vector<std::string>{"one", "two"}));
        QVERIFY(reader.read().empty());
        file.write("ee\nlast");
        file.flush();
        QVERIFY((reader.read() == std::vector<std::string>{"three"}));
        QVERIFY((reader.read_last() == std::vector<std::string>{"last"}));
        file.write(QByteArray(2 * OutputReader::most_read, 'x'));
        file.flush();
        QCOMPARE(reader.read().at(0).size(), OutputReader::most_read);  // an endless line is split
    }
};

DIVISI_TEST(MachineMeterTest)

}  // namespace machine_meter_test

#include "machine_meter_test.moc"
