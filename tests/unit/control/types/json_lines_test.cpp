// SPDX-License-Identifier: Apache-2.0
#include "backend/control/types/json_lines.h"

#include <QJsonDocument>
#include <QJsonObject>

#include "backend/control/state/event.h"
#include "tests/support/test_program.h"

namespace json_lines_test {

using namespace divisi;
using namespace divisi::control;

/// Reads Divisi's JSON lines with Qt's parser, so that any program can read them.
class JsonLinesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void any_text_becomes_a_valid_string_data();
    void any_text_becomes_a_valid_string();
    void errors_quote_any_bytes();
    void checkpoints_and_recoveries_have_json_and_text_lines();
};

void JsonLinesTest::any_text_becomes_a_valid_string_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("read");
    QTest::newRow("plain") << QByteArray("loss") << "loss";
    QTest::newRow("quotes") << QByteArray("a \"b\" \\ /") << "a \"b\" \\ /";
    QTest::newRow("controls") << QByteArray("a\n\t\x1b\x7f") << "a\n\t\x1b\x7f";
    QTest::newRow("zero") << QByteArray("a\0b", 3) << QString::fromUtf8("a\0b", 3);
    QTest::newRow("letters") << QByteArray("\xc3\xa4 \xe4\xb8\xad \xf0\x9f\x8e\xbb")
                             << QString::fromUtf8("\xc3\xa4 \xe4\xb8\xad \xf0\x9f\x8e\xbb");
    QTest::newRow("Latin-1") << QByteArray("\xe9t\xe9") << "\\xe9t\\xe9";
    QTest::newRow("mark of UTF-16") << QByteArray(
                                           "\xff\xfe"
                                           "a")
                                    << "\\xff\\xfea";
    QTest::newRow("surrogate") << QByteArray("\xed\xa0\x80") << "\\xed\\xa0\\x80";
}

void JsonLinesTest::any_text_becomes_a_valid_string() {
    QFETCH(QByteArray, text);
    QFETCH(QString, read);
    const QByteArray line = QByteArray::fromStdString("{\"text\":" + control::quoted(text.toStdString()) + "}");
    QCOMPARE(QString::fromUtf8(line).toUtf8(), line);
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(line, &error);
    QVERIFY2(document.isObject(), qPrintable(error.errorString()));
    QCOMPARE(document["text"].toString(), read);
}

void JsonLinesTest::errors_quote_any_bytes() {
    Error error{ErrorCode::invalid_input, "has no column 'y'", "\xff\xfe.csv:1", "columns: \xe9t\xe9"};
    const auto line = QByteArray::fromStdString(end_line("t\xfe", Outcome::failed, error));
    const QJsonDocument document = QJsonDocument::fromJson(line);
    QVERIFY2(document.isObject(), line.constData());
    QCOMPARE(document["error"]["next"].toString(), QString("columns: \\xe9t\\xe9"));
    QVERIFY(!document["error"].toObject().contains("id"));
    error.id = "no-column";
    const auto with_id = QByteArray::fromStdString(end_line("t", Outcome::failed, error));
    QCOMPARE(QJsonDocument::fromJson(with_id)["error"]["id"].toString(), QString("no-column"));
}

void JsonLinesTest::checkpoints_and_recoveries_have_json_and_text_lines() {
    const Checkpoint one{2, 10, {}, {{Sid("t/s-0/0"), 0, "a", 12'000'000, {}}, {Sid("t/s-1/0"), 1, "b", 340'000, {}}}};
    const auto checkpoint = QJsonDocument::fromJson(QByteArray::fromStdString(checkpoint_line(one)));
    QCOMPARE(checkpoint.object(),
             (QJsonObject{{"event", "checkpoint"}, {"step", 10}, {"generation", 2}, {"bytes", 12'340'000}}));
    QCOMPARE(checkpoint_text(one), std::string("after step 10: 2 snapshots, 12.3 MB"));
    QCOMPARE(checkpoint_text({1, 5, {}, {{}}}), std::string("after step 5: 1 snapshot, 0.0 MB"));
    const TaskRecovers two{TaskId("t-1"), 3, 10, InstanceId("t-1/s-0/0#1"), "killed by \"9\""};
    const auto recovery = QJsonDocument::fromJson(QByteArray::fromStdString(recovery_line(two)));
    QCOMPARE(recovery.object(), (QJsonObject{{"event", "recovery"},
                                             {"step", 10},
                                             {"generation", 3},
                                             {"reason", "killed by \"9\""},
                                             {"instance", "t-1/s-0/0#1"}}));
    QCOMPARE(recovery_text(two), std::string("killed by \"9\"; generation 3 continues after step 10"));
    QCOMPARE(recovery_text({TaskId("t-1"), 2, 0, {}, "lost"}),
             std::string("lost; generation 2 continues from its beginning"));
    // The log uses the same texts.
    QCOMPARE(describe(CheckpointCommitted{TaskId("t-1"), one}), "checkpoint of task t-1 " + checkpoint_text(one));
    QCOMPARE(describe(two), std::string("task t-1 continues after step 10 as generation 3: killed by \"9\""));
}

DIVISI_TEST(JsonLinesTest)

}  // namespace json_lines_test

#include "json_lines_test.moc"
