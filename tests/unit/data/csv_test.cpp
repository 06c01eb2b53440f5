// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "tests/support/test_program.h"

#include "tests/unit/data/files.h"

namespace csv_test {

using namespace divisi;
using namespace divisi::data;

class CsvTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void returns_features_targets_and_columns();
    void standardizes_over_the_training_part();
    void assigns_numbers_to_named_classes();
    void reads_number_formats_of_other_programs();
    void heads_read_their_own_columns();
    void reads_quoted_fields();
    void validation_file_uses_scale_and_classes_of_the_training();
    void refuses_bad_tables_with_file_and_line_data();
    void refuses_bad_tables_with_file_and_line();

private:
    DatasetSpec spec(const QByteArray& text, std::vector<std::string> targets = {"y"}) const {
        DatasetSpec spec;
        spec.kind = "csv";
        spec.path = files_.write("t.csv", text);
        spec.targets = std::move(targets);
        spec.standardize = false;
        return spec;
    }
    /// Returns all samples in the order of the file, by using the file as its own validation part.
    Batch all(DatasetSpec wanted, std::int64_t rows) const {
        wanted.validation = wanted.path;
        wanted.rows = rows;
        auto data = open_dataset(wanted);
        if (!data) qFatal("%s", data.error().message().c_str());
        return (*data)->validation(0, rows).value();
    }
    Files files_;
};

void CsvTest::returns_features_targets_and_columns() {
    auto wanted = spec("a,y,b,z\n1,10,2,0.5\n3,20,4,1.5\n", {"z", "y"});
    wanted.target_form = DatasetSpec::Targets::values;
    const Batch batch = all(wanted, 2);
    QCOMPARE(batch.find("features")->dims, (std::vector<std::int64_t>{2, 2}));
    QCOMPARE(numbers(batch, "input"), (std::vector<double>{1, 2, 3, 4}));
    QCOMPARE(batch.find("target")->dims, (std::vector<std::int64_t>{2, 2}));
    QCOMPARE(numbers(batch, "target"), (std::vector<double>{0.5, 10, 1.5, 20}));
    QCOMPARE(numbers(batch, "b"), (std::vector<double>{2, 4}));
    QCOMPARE(batch.find("y")->dims, (std::vector<std::int64_t>{2, 1}));
    QVERIFY(!batch.find("nothing"));
    wanted.input_shape = {1};  // a model that is fed column by column
    QCOMPARE(refusal(wanted), "opened");
    wanted.input_shape = {5};
    COMPARE_CONTAINS(refusal(wanted), "samples are 2, but the model takes 5");
}

void CsvTest::standardizes_over_the_training_part() {
    auto wanted = spec("a,b,y\n1,5,0\n3,5,1\n1000,5,0\n1000,5,1\n");
    wanted.standardize = true;
    wanted.validation_share = 0.5;
    const auto data = open_dataset(wanted);
    QVERIFY(data.ok());
    const auto held_out = numbers((*data)->validation(0, 1).value(), "input");
    QCOMPARE(held_out, (std::vector<double>{998, 0}));  // mean 2, deviation 1; a constant column reads 0
}

void CsvTest::assigns_numbers_to_named_classes() {
    const auto named = spec("a,y\n1,dog\n2,cat\n3,dog\n");
    QCOMPARE(integers(all(named, 3), "target"), (std::vector<std::int64_t>{1, 0, 1}));
    QCOMPARE(all(named, 3).find("y")->dims, (std::vector<std::int64_t>{3}));
    const auto numbered = spec("a,y\n1,4\n2,0\n3,2\n");
    QCOMPARE(integers(all(numbered, 3), "target"), (std::vector<std::int64_t>{4, 0, 2}));
    QCOMPARE((*open_dataset(numbered))->classes(), 5);
    const auto with_points = spec("a,y\n1,10.0\n2,2\n3,2.0\n");
    QCOMPARE(integers(all(with_points, 3), "target"), (std::vector<std::int64_t>{10, 2, 2}));
}

void CsvTest::reads_number_formats_of_other_programs() {
    const auto wanted = spec("a,b,y\n+1.5,1e-400,0\n -2E1 ,1e-46,0\n.5,3.4028235e38,0\n");
    const Batch batch = all(wanted, 3);
    QCOMPARE(numbers(batch, "a"), (std::vector<double>{1.5, -20, 0.5}));
    QCOMPARE(numbers(batch, "b"), (std::vector<double>{0, 0, std::numeric_limits<float>::max()}));
}

void CsvTest::heads_read_their_own_columns() {
    auto wanted = spec("a,kind,price,skipped\n1,red,0.5,no number\n3,blue,1.5,\n", {"kind", "price", "skipped"});
    wanted.heads = {{"price", Targets::values, 1}, {"kind", Targets::classes, 2}};
    const Batch batch = all(wanted, 2);
    QCOMPARE(numbers(batch, "input"), (std::vector<double>{1, 3}));
    QCOMPARE(numbers(batch, "price"), (std::vector<double>{0.5, 1.5}));
    QCOMPARE(batch.find("price")->dims, (std::vector<std::int64_t>{2, 1}));
    QCOMPARE(integers(batch, "kind"), (std::vector<std::int64_t>{1, 0}));
    QVERIFY(!batch.find("target") && !batch.find("skipped"));
    wanted.heads = {{"kind", Targets::classes, 1}};
    const auto small = open_dataset(wanted);
    QVERIFY(!small.ok());
    QVERIFY(small.error().message().find("there are 1 classes") != std::string::npos);
    wanted.heads = {{"price", Targets::values, 1}, {"price", Targets::classes, 2}};
    QVERIFY(open_dataset(wanted).error().message().find("same loss") != std::string::npos);
}

void CsvTest::reads_quoted_fields() {
    const auto wanted = spec("\xef\xbb\xbf\"a, b\",y\r\n\" 1.5 \",\"the \"\"big\"\"\none\"\r\n\r\n-2e1,small");
    const Batch batch = all(wanted, 2);
    QCOMPARE(numbers(batch, "a, b"), (std::vector<double>{1.5, -20}));
    QCOMPARE(integers(batch, "y"), (std::vector<std::int64_t>{1, 0}));
}

void CsvTest::validation_file_uses_scale_and_classes_of_the_training() {
    auto wanted = spec("a,y\n0,red\n2,blue\n");
    wanted.standardize = true;
    wanted.validation = files_.write("v.csv", "a,y\n4,red\n");
    const auto data = open_dataset(wanted);
    QVERIFY2(data.ok(), qPrintable(refusal(wanted)));
    const Batch batch = (*data)->validation(0, 1).value();
    QCOMPARE(numbers(batch, "a"), (std::vector<double>{3}));
    QCOMPARE(integers(batch, "target"), (std::vector<std::int64_t>{1}));
    files_.write("v.csv", "a,y\n4,red\n4,green\n");
    COMPARE_CONTAINS(refusal(wanted), "v.csv:3: label 'green'");
    files_.write("v.csv", "b,y\n4,red\n");
    COMPARE_CONTAINS(refusal(wanted), "differ from those of the training file");
}

void CsvTest::refuses_bad_tables_with_file_and_line_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("message");
    QTest::newRow("missing column") << QByteArray("a,b\n1,2\n") << "t.csv:1: has no column 'y'; columns: a, b";
    QTest::newRow("no rows") << QByteArray("a,y\n") << "contains no row";
    QTest::newRow("empty file") << QByteArray() << "the file is empty";
    QTest::newRow("short row") << QByteArray("a,y\n1,2\n3\n") << "t.csv:3: 1 fields, but the header has 2";
    QTest::newRow("no number") << QByteArray("a,y\n1,2\nx,3\n")
                               << "t.csv:3: column 'a' (field 1) contains 'x', not a number";
    QTest::newRow("nothing") << QByteArray("a,b,y\n1,,2\n") << "t.csv:2: column 'b' (field 2) is empty";
    QTest::newRow("nan") << QByteArray("a,y\nnan,3\n") << "t.csv:2: column 'a' (field 1) contains 'nan', not a finite";
    QTest::newRow("inf") << QByteArray("a,y\n-inf,3\n")
                         << "t.csv:2: column 'a' (field 1) contains '-inf', not a finite";
    QTest::newRow("beyond float32") << QByteArray("a,b,y\n1,1,0\n1,-1e39,0\n")
                                    << "t.csv:3: column 'b' (field 2) contains '-1e39', beyond the range of float32";
    QTest::newRow("beyond float64") << QByteArray("a,y\n1e400,0\n")
                                    << "t.csv:2: column 'a' (field 1) contains '1e400', beyond the range of float32";
    QTest::newRow("beyond long double") << QByteArray("a,y\n1e9999,0\n") << "contains '1e9999', beyond the range";
    QTest::newRow("UTF-16, little endian") << QByteArray(
                                                  "\xff\xfe"
                                                  "a\0,\0y\0\n\0",
                                                  10)
                                           << "t.csv: is UTF-16 text, but CSV files are read as UTF-8; save it as";
    QTest::newRow("UTF-16, big endian") << QByteArray("\xfe\xff\0a\0,\0y\0\n", 10) << "t.csv: is UTF-16 text";
    QTest::newRow("UTF-32") << QByteArray("\xff\xfe\0\0a\0\0\0", 8) << "t.csv: is UTF-32 text";
    QTest::newRow("UTF-16 without a mark") << QByteArray("a\0,\0y\0\n\0", 8) << "t.csv:1: contains a zero byte";
    QTest::newRow("Latin-1") << QByteArray("\xe9t\xe9\n1\n") << "columns: \\xe9t\\xe9";
    QTest::newRow("a control sequence") << QByteArray("a,y\n\x1b[2J,0\n") << "contains '\\x1b[2J', not a number";
    QTest::newRow("truncated within a character") << "a,y\n" + QByteArray("\xc3\xa4").repeated(30) + ",0\n"
                                                  << "...', not a number";
    QTest::newRow("line counts in quotes") << QByteArray("a,y\n1,\"p\nq\"\nx,3\n") << "t.csv:4: column 'a' (field 1)";
    QTest::newRow("open quote") << QByteArray("a,y\n1,2\n3,\"4\n5,6\n") << "t.csv:3: a quoted field is not closed";
    QTest::newRow("text behind quote") << QByteArray("a,y\n1,\"2\"3\n") << "t.csv:2: text follows a closing quote";
    QTest::newRow("doubled name") << QByteArray("a,a,y\n1,2,3\n") << "t.csv:1: two columns are called 'a'";
    QTest::newRow("unnamed column") << QByteArray("a,,y\n1,2,3\n") << "t.csv:1: a column without a name";
    QTest::newRow("no features") << QByteArray("y\n1\n") << "every column is a target";
    QTest::newRow("empty label") << QByteArray("a,y\n1,\n") << "t.csv:2: no value in target column 'y' (field 2)";
    QTest::newRow("label too high") << QByteArray("a,y\n1,0\n1,3\n")
                                    << "t.csv:3: label '3' in column 'y' (field 2) is out of range";
    QTest::newRow("first label too high") << QByteArray("a,y\n1,9\n1,10\n") << "t.csv:2: label '9'";
    QTest::newRow("half a label") << "a,y\n" + QByteArray("1,0\n1,1\n").repeated(20) + "1,0.5\n"
                                  << "t.csv:42: label '0.5' in column 'y' (field 2) is not a class number";
    QTest::newRow("nan as label") << QByteArray("a,y\n1,0\n1,1\n1,nan\n") << "t.csv:4: label 'nan' in column 'y'";
    QTest::newRow("a name among numbers") << "a,y\n" + QByteArray("1,0\n1,1\n1,2\n").repeated(2) + "1,two\n"
                                          << "t.csv:8: label 'two' in column 'y' (field 2) is not a whole number";
    QTest::newRow("a number among names") << "a,y\n" + QByteArray("1,z\n1,x\n1,y\n").repeated(2) + "1,2\n"
                                          << "t.csv:8: label '2' in column 'y' (field 2) is a whole number";
    QTest::newRow("a name too many")
        << QByteArray("a,y\n1,z\n1,x\n1,y\n1,a\n")
        << "t.csv:5: label 'a' in column 'y' (field 2) exceeds the number of classes; there are 3 classes";
    QTest::newRow("label below 0") << QByteArray("a,y\n1,-1\n1,0\n") << "t.csv:2: label '-1'";
}

void CsvTest::refuses_bad_tables_with_file_and_line() {
    QFETCH(QByteArray, text);
    QFETCH(QString, message);
    auto wanted = spec(text);
    wanted.classes = 3;
    COMPARE_CONTAINS(refusal(wanted), message.toLatin1());
    const std::string bytes = open_dataset(wanted).error().message();
    QCOMPARE(QString::fromStdString(bytes).toStdString(), bytes);  // Qt would replace invalid UTF-8
}

DIVISI_TEST(CsvTest)

}  // namespace csv_test

#include "csv_test.moc"
