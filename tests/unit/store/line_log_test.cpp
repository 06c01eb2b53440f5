// SPDX-License-Identifier: Apache-2.0
#include "backend/store/line_log.h"

#include <QFile>
#include <QTemporaryDir>

#include "tests/support/test_program.h"

namespace line_log_test {

using namespace divisi;
using namespace divisi::control;
using std::chrono::seconds;

namespace {

LogLine line(int second, Severity severity, const std::string& text, const std::string& sid = "t-1/stage-0/0",
             const std::string& node = "m/a") {
    LogLine one;
    one.time = TimePoint(seconds(second));
    one.severity = severity;
    one.component = "instance " + sid + "#1";
    one.task = TaskId("t-1");
    one.sid = Sid(sid);
    one.node = NodeId(node);
    one.text = text;
    return one;
}

}  // namespace

class LineLogTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void lines_are_found_by_each_filter() {
        const auto log = *store::LineLog::open(file());
        QVERIFY(log->append(std::vector{line(1, Severity::info, "starts"), line(2, Severity::warning, "100 % full"),
                                        line(3, Severity::error, "dies", "t-1/stage-1/0", "m/b")}));
        const auto reader = *store::LineLog::open_to_read(file());
        const auto texts = [&](QueryLines query) {
            QStringList found;
            const auto page = reader->query(query);  // a temporary would be destroyed before its lines are read
            for (const LogLine& one : page->lines) found << QString::fromStdString(one.text);
            return found;
        };
        QCOMPARE(texts({}), (QStringList{"starts", "100 % full", "dies"}));
        QueryLines query;
        query.level = Severity::warning;
        QCOMPARE(texts(query), (QStringList{"100 % full", "dies"}));
        query = {};
        query.sid = "t-1/stage-1";
        QCOMPARE(texts(query), QStringList{"dies"});
        query.sid = "t-1/stage-1/0#1";
        QCOMPARE(texts(query), QStringList{"dies"});
        query.sid = "t-1/stage";  // only a part of a name
        QCOMPARE(texts(query), QStringList{});
        query = {};
        query.node = "m/b";
        QCOMPARE(texts(query), QStringList{"dies"});
        query = {};
        query.since = TimePoint(seconds(2));
        query.until = TimePoint(seconds(3));
        QCOMPARE(texts(query), QStringList{"100 % full"});
        query = {};
        query.contains = "0 % f";
        QCOMPARE(texts(query), QStringList{"100 % full"});
        query.contains = "0_%";
        QCOMPARE(texts(query), QStringList{});
        query = {};
        query.task = "other-1";
        QCOMPARE(texts(query), QStringList{});
    }

    void log_is_read_page_by_page_backwards() {
        const auto log = *store::LineLog::open(file());
        std::vector<LogLine> lines;
        for (int i = 0; i < 25; ++i) lines.push_back(line(i, Severity::info, std::to_string(i)));
        QVERIFY(log->append(lines));
        QueryLines query;
        query.limit = 10;
        auto page = *log->query(query);
        QCOMPARE(page.lines.size(), std::size_t{10});
        QCOMPARE(page.lines.front().text, std::string("15"));
        QVERIFY(page.more);
        query.before = page.lines.front().number;
        query.limit = 20;
        page = *log->query(query);
        QCOMPARE(page.lines.size(), std::size_t{15});
        QVERIFY(!page.more);
        QVERIFY((page.lines.front() == [&] {
            LogLine first = lines[0];
            first.number = page.lines.front().number;
            return first;
        }()));
    }

    void oldest_lines_are_removed() {
        const auto log = *store::LineLog::open(file(), {50, 64u << 20});
        for (int i = 0; i < 200; ++i) QVERIFY(log->append(std::vector{line(i, Severity::info, std::to_string(i))}));
        QueryLines query;
        query.limit = 1000;
        const auto page = *log->query(query);
        QCOMPARE(page.lines.size(), std::size_t{50});
        QCOMPARE(page.lines.back().text, std::string("199"));
    }

    void size_of_the_file_is_bounded_too() {
        const auto log = *store::LineLog::open(file(), {1'000'000, 256u << 10});
        const std::vector<LogLine> batch(16, line(1, Severity::info, std::string(longest_line, 'x')));
        for (int i = 0; i < 100; ++i) QVERIFY(log->append(batch));
        QVERIFY(QFileInfo(QString::fromStdString(file().string())).size() < 1 << 20);
        QVERIFY(!log->query({})->lines.empty());
    }

    void damaged_file_is_set_aside() {
        QFile damaged(QString::fromStdString(file().string()));
        QVERIFY(damaged.open(QIODevice::WriteOnly));
        damaged.write(QByteArray(100'000, 'x'));
        damaged.close();
        const auto log = store::LineLog::open(file());
        QVERIFY2(log.ok(), log.ok() ? "" : log.error().message().c_str());
        QVERIFY((*log)->append(std::vector{line(1, Severity::info, "new")}));
        QVERIFY(QFile::exists(QString::fromStdString(file().string() + ".damaged")));
    }

    /// The header and the first pages are intact.
    void damaged_page_is_noticed_at_the_start() {
        {
            const auto log = *store::LineLog::open(file());
            for (int i = 0; i < 50; ++i)
                QVERIFY(log->append(std::vector(20, line(i, Severity::info, std::string(400, 'x')))));
        }
        QFile damaged(QString::fromStdString(file().string()));
        QVERIFY(damaged.open(QIODevice::ReadWrite));
        const qint64 page = 4096;
        QVERIFY(damaged.size() > 40 * page);
        QVERIFY(damaged.seek(20 * page));
        damaged.write(QByteArray(static_cast<int>(page), '\x5a'));
        damaged.close();
        const auto log = store::LineLog::open(file());
        QVERIFY2(log.ok(), log.ok() ? "" : log.error().message().c_str());
        QVERIFY(QFile::exists(QString::fromStdString(file().string() + ".damaged")));
        QVERIFY((*log)->query({})->lines.empty());
        QVERIFY((*log)->append(std::vector{line(1, Severity::info, "new")}));
        QCOMPARE((*log)->query({})->lines.size(), std::size_t{1});
    }

    void cleanup() { QVERIFY(QDir(folder_.path()).removeRecursively() && QDir().mkpath(folder_.path())); }

private:
    std::filesystem::path file() const { return folder_.filePath("lines.sqlite").toStdString(); }
    QTemporaryDir folder_;
};

DIVISI_TEST(LineLogTest)

}  // namespace line_log_test

#include "line_log_test.moc"
