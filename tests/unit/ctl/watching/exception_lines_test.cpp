// SPDX-License-Identifier: Apache-2.0
#include "backend/ctl/watching/exception_lines.h"

#include "tests/support/test_program.h"

namespace exception_lines_test {

using namespace divisi;
using namespace divisi::control;
using namespace divisi::ctl;
using std::chrono::seconds;

namespace {

ExceptionEntry entry() {
    ExceptionEntry one;
    one.number = 512;
    one.task = TaskId("gpt-1");
    one.time = TimePoint(seconds(1000));
    one.error = {ErrorCode::failed, "killed by signal 9", "gpt-1/stage-1/0#3", "submit the task again"};
    one.instance = InstanceId("gpt-1/stage-1/0#3");
    one.node = NodeId("mic-2/node-1");
    one.operation = "forward 3 of step 12";
    one.step = 11;
    one.generation = 3;
    one.recovered = 2;
    one.tried = {{2, 0, TimePoint(seconds(800)), {}, "nodes were away"},
                 {3, 10, TimePoint(seconds(900)), InstanceId("gpt-1/stage-1/0#2"), "killed by signal 9"}};
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

/// Tests the terminal's lines about the exception queue.
class ExceptionLinesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        qputenv("TZ", "UTC");
        ::tzset();
    }
    void exception_is_shown_with_all_known_facts();
    void unknown_facts_are_left_out();
    void exception_is_printed_as_json();
};

void ExceptionLinesTest::exception_is_shown_with_all_known_facts() {
    const Event around{511, TimePoint(seconds(999)),
                       Noted{Severity::error, "node mic-2/node-1", "gpt-1", "little memory"}};
    QCOMPARE(lines(exception_text(entry(), {around})),
             (QStringList{"exception 512: task gpt-1 failed at 1970-01-01 00:16:40", "what killed by signal 9",
                          "where gpt-1/stage-1/0#3",
                          "node mic-2/node-1, instance gpt-1/stage-1/0#3, in forward 3 of step 12, after step 11",
                          "next submit the task again", "tried recovered 2 times",
                          "1970-01-01 00:13:20 generation 2, from the beginning: nodes were away",
                          "1970-01-01 00:15:00 generation 3, from step 10, gpt-1/stage-1/0#2: killed by signal 9",
                          "log 1970-01-01 00:16:39 node mic-2/node-1: little memory",
                          "then divisictl exceptions retry 512, or drop 512, or show 512 --text > task.toml, edit it, "
                          "and resubmit 512 task.toml"}));
}

void ExceptionLinesTest::unknown_facts_are_left_out() {
    ExceptionEntry bare;
    bare.number = 3;
    bare.task = TaskId("t-1");
    bare.error.what = "it cannot be planned";
    QCOMPARE(lines(exception_text(bare, {})).mid(1, 3),
             (QStringList{"what it cannot be planned", "tried not recovered", "log its lines were dropped"}));
    QCOMPARE(exception_row(bare).size(), exception_columns().size());
    QCOMPARE(exception_row(bare).at(4), std::string("-"));
}

void ExceptionLinesTest::exception_is_printed_as_json() {
    const auto line = exception_json(entry());
    QCOMPARE(line.at("exception").get<int>(), 512);
    QCOMPARE(line.at("what").get<std::string>(), std::string("killed by signal 9"));
    QCOMPARE(line.at("recovered").get<int>(), 2);
    QCOMPARE(line.at("tried").size(), std::size_t{2});
    QCOMPARE(line.at("tried").at(1).at("step").get<int>(), 10);
    QCOMPARE(exception_row(entry()).at(5), entry().error.message());
    const auto told = line_json({7, TimePoint(seconds(999)), TaskHeld{TaskId("t-1"), true}});
    QCOMPARE(told.at("kind").get<std::string>(), std::string("task_held"));
    QCOMPARE(told.at("sequence").get<int>(), 7);
}

DIVISI_TEST(ExceptionLinesTest)

}  // namespace exception_lines_test

#include "exception_lines_test.moc"
