// SPDX-License-Identifier: Apache-2.0
// Runs all ONNX test cases that Debian ships, through the program as users call it.
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>

#include "tests/support/test_program.h"

namespace divisi::conformance_test {

class ConformanceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void published_conformance_cases_pass() {
        const QString data = "/usr/share/libonnx-testdata/data";
        if (!QFile::exists(data)) QSKIP("libonnx-testdata is not installed");
        QProcess program;
        program.start(DIVISI_BIN_DIR "/divisi-instance", {"conformance", data, "--json"});
        QVERIFY2(program.waitForFinished(600'000), qPrintable(program.errorString()));
        const auto lines = program.readAllStandardOutput().trimmed().split('\n');
        for (const auto& line : lines)
            if (line.contains("\"wrong\"") && line != lines.last()) qWarning("%s", line.constData());
        const auto totals = QJsonDocument::fromJson(lines.last()).object();
        QCOMPARE(totals["wrong"].toInt(-1), 0);
        QCOMPARE(program.exitCode(), 0);
        // At least 960 of 1,072 pass; the others hold strings, sequences, optional values, sub-graphs or random
        // numbers.
        QVERIFY2(totals["passed"].toInt() >= 960, lines.last().constData());
        QCOMPARE(totals["passed"].toInt() + totals["unsupported"].toInt(), static_cast<int>(lines.size()) - 1);
    }
};

DIVISI_TEST(ConformanceTest)

}  // namespace divisi::conformance_test

#include "conformance_test.moc"
