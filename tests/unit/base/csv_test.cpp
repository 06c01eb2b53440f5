// SPDX-License-Identifier: Apache-2.0
#include "backend/base/csv.h"

#include "tests/support/test_program.h"

namespace csv_test {

using namespace divisi;
using Rows = std::vector<std::vector<std::string>>;

class CsvTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void fields_are_quoted_where_they_must_be();
    void what_was_written_is_read();
    void texts_of_others_are_read_data();
    void texts_of_others_are_read();
    void broken_quotes_are_named();
};

void CsvTest::fields_are_quoted_where_they_must_be() {
    QCOMPARE(csv_line({"a", "", "b c", "d,e", "say \"hi\"", "two\nlines"}),
             std::string("a,,b c,\"d,e\",\"say \"\"hi\"\"\",\"two\nlines\""));
}

void CsvTest::what_was_written_is_read() {
    const std::vector<std::string> fields{"", ",", "\"", "\r\n", "\n", "a\"b", "\"\"", "plain", ""};
    const std::string text = csv_line(fields) + "\r\n" + csv_line({"x"}) + "\r\n";
    QVERIFY(parse_csv(text, "t").value() == (Rows{fields, {"x"}}));
}

void CsvTest::texts_of_others_are_read_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<int>("rows");
    QTest::newRow("nothing") << QByteArray("") << 0;
    QTest::newRow("line feeds") << QByteArray("a,b\nc,d\n") << 2;
    QTest::newRow("no line break at the end") << QByteArray("a,b\r\nc,d") << 2;
    QTest::newRow("more quotes than needed") << QByteArray("\"a\",\"b\"\r\n\"c\",d\r\n") << 2;
}

void CsvTest::texts_of_others_are_read() {
    QFETCH(QByteArray, text);
    QFETCH(int, rows);
    const Rows all{{"a", "b"}, {"c", "d"}};
    QVERIFY(parse_csv(text.toStdString(), "t").value() == Rows(all.begin(), all.begin() + rows));
}

void CsvTest::broken_quotes_are_named() {
    for (const char* text : {"a\r\n\"b", "a\r\nb\"c\"", "a\r\n\"b\"c"}) {
        const auto rows = parse_csv(text, "file.csv");
        QVERIFY2(!rows, text);
        QVERIFY(rows.error().where == "file.csv, row 2");
    }
}

DIVISI_TEST(CsvTest)

}  // namespace csv_test

#include "csv_test.moc"
