// SPDX-License-Identifier: Apache-2.0
// Tests divisictl profile: its measurements, and that nothing is measured twice.

#include "tests/system/programs.h"

#include "tests/support/test_program.h"

namespace divisi::tests::profile_test {

class ProfileTest : public QObject {
    Q_OBJECT

    static double ms(const QJsonObject& line, const char* part) { return line[part].toObject()["ms"].toDouble(-1); }

private Q_SLOTS:
    void measures_each_distinct_operator_once();
    void larger_products_take_longer();
    void bad_input_is_named();
};

void ProfileTest::measures_each_distinct_operator_once() {
    const Programs programs;
    const QStringList small{"profile", "zoo:gpt", "--set", "model.layers=2", "--set", "model.width=48", "--json"};
    const Finished first = programs.run(small);
    QVERIFY2(first.status == 0, qPrintable(first.errors));
    const QJsonObject end = first.objects("end").value(0);
    QVERIFY(end["distinct"].toInt() > 10);
    QCOMPARE(end["measured"].toInt(), end["distinct"].toInt());
    QCOMPARE(static_cast<int>(first.objects("operator").size()), end["measured"].toInt());
    for (const QJsonObject& line : first.objects("operator")) {
        const QString key = line["operator"].toString();
        QVERIFY2(ms(line, "forward") > 0, qPrintable(key));
        if (!key.startsWith("Gemm(") || !key.contains("w)")) continue;
        QVERIFY2(ms(line, "input_gradient") > 0 && ms(line, "weight_gradient") >= 0, qPrintable(key));
    }
    // Two more layers of the same sizes add no new operator.
    const Finished deeper =
        programs.run({"profile", "zoo:gpt", "--set", "model.layers=3", "--set", "model.width=48", "--json"});
    QCOMPARE(deeper.objects("end").value(0)["measured"].toInt(-1), 0);
    QVERIFY(programs.run(QStringList(small) << "--again").objects("end").value(0)["measured"].toInt() > 10);
}

void ProfileTest::larger_products_take_longer() {
    const Programs programs;
    const auto product = [&](const char* width) {
        const Finished run = programs.run(
            {"profile", "zoo:mlp", "--json", "--set", "train.batch=64", "--set", QString("model.width=") + width});
        double most = 0;
        for (const QJsonObject& line : run.objects("operator"))
            if (line["operator"].toString().startsWith("Gemm(")) most = std::max(most, ms(line, "forward"));
        return most;
    };
    const double narrow = product("128"), wide = product("1024");
    QVERIFY2(narrow > 0 && wide > 4 * narrow, qPrintable(QString("%1 ms, %2 ms").arg(narrow).arg(wide)));
}

void ProfileTest::bad_input_is_named() {
    const Programs programs;
    const Finished unknown = programs.run({"profile", "zoo:nothing"});
    QCOMPARE(unknown.status, 2);
    QVERIFY2(unknown.errors.contains("nothing"), qPrintable(unknown.errors));
    const Finished device = programs.run({"profile", "zoo:mlp", "--device", "cuda:7"});
    QVERIFY(device.status != 0);
    QVERIFY2(device.errors.contains("cuda:7"), qPrintable(device.errors));
    QVERIFY(programs.run({"profile", "/no/such/file.onnx"}).status != 0);
}

DIVISI_TEST(ProfileTest)

}  // namespace divisi::tests::profile_test

#include "profile_test.moc"
