// SPDX-License-Identifier: Apache-2.0
#include "backend/base/csv.h"

#include "tests/support/test_program.h"

namespace csv_test {

using namespace divisi;
using Rows = std::vector<std::vector<std::string>>;

class CsvTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void fields_are_quoted_when_necessary();
    void written_text_reads_back();
    void foreign_csv_is_read_data();
    void foreign_csv_is_read();
    void broken_quotes_are_reported();
};

void CsvTest::fields_are_quoted_when_necessary() {
    QCOMPARE(csv_line({"a", "", "b c", "d,e", "say \"hi\"", "two\nlines"}),
             std::string("a,,b c,\"d,e\",\"say \"\"hi\"\"\",\"two\nlines\""));
}

void CsvTest::written_text_reads_back() {
    const std::vector<std::string> fields{"", ",", "\"", "\r\n", "\n", "a\"b", "\"\"", "plain", ""};
    const std::string text = csv_line(fields) + "\r\n" + csv_line({"x"}) + "\r\n";
    QVERIFY(parse_csv(text, "t").value() == (Rows{fields, {"x"}}));
}

void CsvTest::foreign_csv_is_read_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<int>("rows");
    QTest::newRow("nothing") << QByteArray("") << 0;
    QTest::newRow("line feeds") << QByteArray("a,b\nc,d\n") << 2;
    QTest::newRow("no line break at the end") << QByteArray("a,b\r\nc,d") << 2;
    QTest::newRow("more quotes than needed") << QByteArray("\"a\",\"b\"\r\n\"c\",d\r\n") << 2;
}

void CsvTest::foreign_csv_is_read() {
    QFETCH(QByteArray, text);
    QFETCH(int, rows);
    const Rows all{{"a", "b"}, {"c", "d"}};
    QVERIFY(parse_csv(text.toStdString(), "t").value() == Rows(all.begin(), all.begin() + rows));
}

void CsvTest::broken_quotes_are_reported() {
    for (const char* text : {"a\r\n\"b", "a\r\nb\"c\"", "a\r\n\"b\"c"}) {
        const auto rows = parse_csv(text, "file.csv");
        QVERIFY2(!rows, text);
        QVERIFY(rows.error().where == "file.csv, row 2");
    }
}

DIVISI_TEST(CsvTest)

}  // namespace csv_test

#include "csv_test.moc"
