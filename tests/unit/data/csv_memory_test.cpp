// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include "tests/support/test_program.h"

#include "tests/unit/data/files.h"

namespace csv_memory_test {

using namespace divisi;
using namespace divisi::data;

/// Runs in its own program, because the peak memory of a process never decreases.
class CsvMemoryTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void table_needs_only_the_memory_of_its_numbers();

private:
    static double peak_bytes() {
        rusage usage{};
        ::getrusage(RUSAGE_SELF, &usage);
        return static_cast<double>(usage.ru_maxrss) * 1024;
    }
    Files files_;
};

void CsvMemoryTest::table_needs_only_the_memory_of_its_numbers() {
#ifdef __SANITIZE_ADDRESS__
    QSKIP("AddressSanitizer's shadow and quarantine are no bytes of the table");
#endif
    constexpr int rows = 400'000, features = 9;
    const QByteArray header("a,b,c,d,e,f,g,h,i,y\n");
    {
        QFile file(QString::fromStdString(files_.path("big.csv")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(header);
        for (int row = 0; row < rows; ++row) {
            QByteArray line;
            for (int i = 0; i < features; ++i) line += QByteArray::number(row * 0.125 + i) + ',';
            file.write(line + QByteArray::number(row % 10) + '\n');
        }
    }
    DatasetSpec spec;
    spec.kind = "csv";
    spec.path = files_.path("big.csv");
    spec.targets = {"y"};
    spec.classes = 10;
    spec.validation_share = 0.1;
    const double before = peak_bytes();
    const auto data = open_dataset(spec);
    QVERIFY(data.ok());
    const double taken = peak_bytes() - before, numbers = 4.0 * rows * (features + 1);
    constexpr double constant = 4 << 20;  // one block for each target column and one for the features, chunk and record
    const QString figures = QString("%1 MB for numbers of %2 MB").arg(taken / 1e6, 0, 'f', 1).arg(numbers / 1e6);
    qInfo("%s", qPrintable(figures));
    QVERIFY2(taken < 1.05 * numbers + constant, qPrintable(figures));
    QVERIFY2(taken > 0.8 * numbers, "the watch sees too little");
}

DIVISI_TEST(CsvMemoryTest)

}  // namespace csv_memory_test

#include "csv_memory_test.moc"
