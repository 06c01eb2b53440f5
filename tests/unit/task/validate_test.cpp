// SPDX-License-Identifier: Apache-2.0

#include "backend/task/validate.h"
#include "tests/support/test_program.h"
#include "tests/unit/task/models.h"

namespace validate_test {

using namespace divisi;
using namespace divisi::task;

class ValidateTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void valid_task_passes();
    void errors_name_the_key_data();
    void errors_name_the_key();
    void all_of_several_inputs_must_be_fed();
    void batch_dimension_must_be_the_micro_batch();
};

void ValidateTest::valid_task_passes() {
    const TaskSpec spec = test::gpt_task();
    const auto checked = check_against_model(spec, test::model_of(spec));
    QVERIFY2(checked.ok(), checked.ok() ? "" : checked.error().message().c_str());
}

void ValidateTest::errors_name_the_key_data() {
    QTest::addColumn<QString>("setting");
    QTest::addColumn<QString>("where");
    QTest::addColumn<QString>("hint");
    QTest::newRow("input") << "model.inputs.token=text"
                           << "model.inputs"
                           << "did you mean 'tokens'?";
    QTest::newRow("frozen") << "model.frozen=nothing_like_it"
                            << "model.frozen"
                            << "use one of";
    QTest::newRow("output") << "model.output=logit"
                            << "model.output"
                            << "'logits'";
    QTest::newRow("head") << "train.losses.logit=mse"
                          << "train.losses.logit"
                          << "'logits'";
    QTest::newRow("cut") << "split.cuts=/nowhere"
                         << "split.cuts"
                         << "cut '/nowhere'";
    QTest::newRow("cut index") << "split.cuts=9999"
                               << "split.cuts"
                               << "legal cuts";
    QTest::newRow("stages") << "split.stages=250"
                            << "split.stages"
                            << "use 1 to";
    QTest::newRow("classes") << "data.classes=100000"
                             << "train.loss"
                             << "100000";
}

void ValidateTest::errors_name_the_key() {
    QFETCH(QString, setting);
    QFETCH(QString, where);
    QFETCH(QString, hint);
    const auto spec = apply_overrides(test::gpt_task(), {setting.toStdString()});
    QVERIFY2(spec.ok(), spec.ok() ? "" : spec.error().message().c_str());
    const auto checked = check_against_model(*spec, test::model_of(*spec));
    QVERIFY(!checked.ok());
    QCOMPARE(checked.error().where, where.toStdString());
    QVERIFY2(checked.error().message().find(hint.toStdString()) != std::string::npos,
             checked.error().message().c_str());
}

void ValidateTest::all_of_several_inputs_must_be_fed() {
    TaskSpec spec = test::gpt_task();
    graph::Graph model = test::model_of(spec);
    model.inputs.push_back(model.add_value("mask", graph::DType::float32, graph::Shape{{2, ""}, {16, ""}}));
    spec.model.inputs = {{"tokens", "text"}};
    const auto refused = check_inputs(spec, model);
    QVERIFY(!refused.ok() && refused.error().message().find("'mask'") != std::string::npos);
    spec.model.inputs["mask"] = "mask";
    QVERIFY(check_inputs(spec, model).ok());
}

void ValidateTest::batch_dimension_must_be_the_micro_batch() {
    TaskSpec spec = test::gpt_task();
    const graph::Graph model = test::model_of(spec);
    spec.train.microbatches = 2;
    const auto refused = check_inputs(spec, model);
    QVERIFY(!refused.ok());
    QCOMPARE(refused.error().where, std::string("train.microbatches"));
    QVERIFY(refused.error().message().find("takes 2 samples") != std::string::npos);
}

DIVISI_TEST(ValidateTest)

}  // namespace validate_test

#include "validate_test.moc"
