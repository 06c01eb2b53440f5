// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/engine/batch_results.h"

#include <QFile>
#include <QTemporaryDir>

#include "tests/unit/instance/compiled_plan.h"

namespace batch_results_test {

using namespace divisi;
using namespace divisi::instance;
using testing::small_plan;

namespace {

/// Returns a plan with the section [batch] of a task without labels.
std::shared_ptr<const task::CompiledPlan> without_labels() {
    auto plan = std::make_shared<task::CompiledPlan>(*small_plan());
    plan->spec.batch.labels = false;
    return plan;
}
graph::HostTensor scores(const std::vector<float>& values) {
    return graph::HostTensor::of(graph::DType::float32, {static_cast<std::int64_t>(values.size()) / 4, 4}, values);
}

}  // namespace

class BatchResultsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void results_follow_the_outputs_and_padding_does_not_count();
    void missing_folder_is_an_error();
};

void BatchResultsTest::results_follow_the_outputs_and_padding_does_not_count() {
    QTemporaryDir folder;
    const QString path = folder.filePath("results.csv");
    auto results = BatchResults::create(without_labels(), path.toStdString());
    QVERIFY(results);
    const graph::HostTensor output = scores({9, 9, 9, 9});
    QVERIFY(results->add({output, scores({0, 0, 1, 0, 5, 0, 0, 0})}, 1, 2));
    QVERIFY(results->add({output, scores({0, 7, 0, 0, 0, 0, 0, 7})}, 1, 1));
    QVERIFY(results->scores().empty());
    const auto totals = results->finish();
    QVERIFY(totals && !totals->has_value());
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), QByteArray("sample,prediction\r\n0,2\r\n1,0\r\n2,1\r\n"));
}

void BatchResultsTest::missing_folder_is_an_error() {
    QTemporaryDir folder;
    QVERIFY(!BatchResults::create(without_labels(), folder.filePath("none/results.csv").toStdString()));
}

DIVISI_TEST(BatchResultsTest)

}  // namespace batch_results_test

#include "batch_results_test.moc"
