// SPDX-License-Identifier: Apache-2.0
#include "backend/ctl/training/version_lines.h"

#include "tests/support/test_program.h"

namespace version_lines_test {

using namespace divisi;
using namespace divisi::control;
using namespace divisi::ctl;
using std::chrono::seconds;

namespace {

ModelVersion version(std::uint64_t number, std::uint64_t parent) {
    ModelVersion one;
    one.number = number;
    one.task = TaskId("gpt-" + std::to_string(number));
    one.hash = "0123456789abcdef";
    one.parent = parent;
    one.model = "zoo:gpt";
    one.data = "text corpus.txt";
    one.plan = "fedcba";
    one.stages = 3;
    one.step = 20;
    one.loss = 0.5f;
    one.time = TimePoint(seconds(1000));
    one.size = 2 << 20;
    return one;
}

/// Returns the lines of a text without their indentation.
QStringList lines(const std::string& text) {
    QStringList found;
    for (const QString& line : QString::fromStdString(text).split('\n', Qt::SkipEmptyParts))
        found.append(line.simplified());
    return found;
}

}  // namespace

/// Tests the terminal's lines about versions of models.
class VersionLinesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        qputenv("TZ", "UTC");
        ::tzset();
    }
    void version_is_shown_with_its_lineage();
    void version_is_shown_as_made_from_a_checkpoint();
    void lineage_may_begin_with_an_unknown_version();
    void row_shows_the_kept_facts();
    void version_is_printed_as_json();
};

void VersionLinesTest::version_is_shown_with_its_lineage() {
    ModelVersion root = version(1, 0);
    root.kept = false;
    const ModelVersion middle = version(2, 1), last = version(4, 2);
    const QStringList told = lines(version_text({&last, &middle, &root}));
    QCOMPARE(told.mid(0, 8),
             (QStringList{"version 4 of zoo:gpt", "hash 0123456789abcdef", "task gpt-4", "plan fedcba, 3 stages",
                          "data text corpus.txt", "made 1970-01-01 00:16:40", "step 20", "loss 0.5000"}));
    QVERIFY(told.at(8).startsWith("weights 2"));
    QCOMPARE(told.mid(9), (QStringList{"from version 2 1970-01-01 00:16:40 task gpt-2 after step 20, loss 0.5000, on "
                                       "text corpus.txt",
                                       "version 1 1970-01-01 00:16:40 task gpt-1 after step 20, loss 0.5000, on text "
                                       "corpus.txt; its weights were dropped",
                                       "the model's initial weights"}));
}

void VersionLinesTest::version_is_shown_as_made_from_a_checkpoint() {
    ModelVersion one = version(4, 0);
    one.checkpoint = true;
    one.name = "best";
    one.plan.clear();
    QCOMPARE(lines(version_text({&one})).mid(0, 5),
             (QStringList{"version 4 of zoo:gpt", "name best", "hash 0123456789abcdef", "task gpt-4, a checkpoint",
                          "plan unknown, because the task was re-cut later, 3 stages"}));
    QCOMPARE(version_row(one).back(), std::string("best"));
    QVERIFY(version_json(one).at("checkpoint").get<bool>());
    QCOMPARE(version_json(one).at("name").get<std::string>(), std::string("best"));
    QVERIFY(!version_json(version(4, 0)).at("checkpoint").get<bool>());
}

void VersionLinesTest::lineage_may_begin_with_an_unknown_version() {
    const ModelVersion one = version(9, 7);
    QVERIFY(lines(version_text({&one})).last().startsWith("from version 7, which is no longer known"));
    const ModelVersion first = version(1, 0);
    QCOMPARE(lines(version_text({&first})).last(), QString("from the model's initial weights"));
    QVERIFY(version_text({}).empty());
}

void VersionLinesTest::row_shows_the_kept_facts() {
    ModelVersion one = version(4, 2);
    QCOMPARE(version_row(one).size(), version_columns().size());
    QCOMPARE(version_row(one).at(5), std::string("2"));
    QVERIFY(version_row(one).at(7) != "dropped");
    one.kept = false;
    one.parent = 0;
    one.loss.reset();
    QCOMPARE(version_row(one).at(4), std::string("-"));
    QCOMPARE(version_row(one).at(5), std::string("-"));
    QCOMPARE(version_row(one).at(7), std::string("dropped"));
}

void VersionLinesTest::version_is_printed_as_json() {
    const auto line = version_json(version(4, 2));
    QCOMPARE(line.at("version").get<int>(), 4);
    QCOMPARE(line.at("from").get<int>(), 2);
    QCOMPARE(line.at("loss").get<double>(), 0.5);
    QVERIFY(line.at("kept").get<bool>());
    QVERIFY(version_json(version(1, 0)).at("from").is_null());
}

DIVISI_TEST(VersionLinesTest)

}  // namespace version_lines_test

#include "version_lines_test.moc"
