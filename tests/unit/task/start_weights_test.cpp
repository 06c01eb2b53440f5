// SPDX-License-Identifier: Apache-2.0
#include "backend/task/start_weights.h"

#include "tests/support/test_program.h"
#include "tests/unit/task/models.h"

namespace start_weights_test {

using namespace divisi;
using namespace divisi::task;
using namespace divisi::task::test;

namespace {

TaskSpec resnet_task() {
    TaskSpec spec = gpt_task();
    spec.model.zoo = "resnet18";
    spec.model.sizes = {{"width", 8}};
    return spec;
}

bool is_float(const graph::Graph& model, const graph::Initializer& initializer) {
    return graph::is_floating(model.values[static_cast<std::size_t>(initializer.value)].dtype);
}

/// Returns the model after a training: every floating-point weight has data, which begin with its position.
graph::Graph trained(const TaskSpec& spec) {
    graph::Graph model = model_of(spec);
    for (std::size_t i = 0; i < model.initializers.size(); ++i) {
        graph::Initializer& one = model.initializers[i];
        if (!is_float(model, one) || (!one.trainable && !one.random)) continue;
        const graph::Value& value = model.values[static_cast<std::size_t>(one.value)];
        std::vector<std::int64_t> dims;
        for (const graph::Dim& dim : *value.shape) dims.push_back(dim.size);
        const auto count = static_cast<std::size_t>(graph::element_count(value).value());
        one.data = graph::HostTensor::of(value.dtype, dims, std::vector<float>(count, static_cast<float>(i)));
        one.random.reset();
    }
    return model;
}

/// Returns the error message; empty if there is no error.
std::string refusal(const TaskSpec& spec, const graph::Graph& model, const graph::Graph& from) {
    const auto fits = check_start(spec, model, from, "version 4");
    return fits ? "" : fits.error().message();
}

bool has(const std::string& whole, const std::string& part) {
    if (whole.find(part) != std::string::npos) return true;
    qWarning("'%s' is not in '%s'", part.c_str(), whole.c_str());
    return false;
}

}  // namespace

/// Tests a training that starts with the weights of another training.
class StartWeightsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void every_weight_is_copied_data();
    void every_weight_is_copied();
    void weights_fit_a_task_with_another_batch_size_and_cuts();
    void different_size_is_named();
    void missing_weight_is_named();
    void frozen_weights_are_copied_too();
};

void StartWeightsTest::every_weight_is_copied_data() {
    QTest::addColumn<bool>("normalized");
    QTest::newRow("gpt") << false;
    QTest::newRow("resnet18, with running statistics") << true;
}

void StartWeightsTest::every_weight_is_copied() {
    QFETCH(bool, normalized);
    const TaskSpec spec = normalized ? resnet_task() : gpt_task();
    graph::Graph model = model_of(spec);
    const auto started = start_with(spec, model, trained(spec), "version 4");
    QVERIFY2(started.ok(), started.ok() ? "" : started.error().message().c_str());
    std::size_t taken = 0;
    for (std::size_t i = 0; i < model.initializers.size(); ++i) {
        const graph::Initializer& one = model.initializers[i];
        if (!is_float(model, one)) continue;
        QVERIFY(one.data && !one.random && !one.offset);
        if (!one.trainable) continue;
        QCOMPARE(one.data->number_at(0), static_cast<double>(i));
        ++taken;
    }
    QVERIFY(taken > 10);
}

void StartWeightsTest::weights_fit_a_task_with_another_batch_size_and_cuts() {
    TaskSpec spec = gpt_task();
    const graph::Graph from = trained(spec);
    spec.train.batch = 16;
    spec.train.optimizer = "sgd";
    spec.split.stages = 3;
    QCOMPARE(refusal(spec, model_of(spec), from), std::string());
}

void StartWeightsTest::different_size_is_named() {
    const graph::Graph from = trained(gpt_task());
    TaskSpec wide = gpt_task();
    wide.model.sizes["width"] = 64;
    const std::string said = refusal(wide, model_of(wide), from);
    for (const char* part : {"model.from: version 4 belongs to another model", "32", "64", "in the version and", "more",
                             "divisictl models", "without --from"})
        QVERIFY(has(said, part));
}

void StartWeightsTest::missing_weight_is_named() {
    TaskSpec deep = gpt_task();
    deep.model.sizes["layers"] = 3;
    QVERIFY(has(refusal(deep, model_of(deep), trained(gpt_task())), "the version lacks '"));
    QVERIFY(has(refusal(gpt_task(), model_of(gpt_task()), trained(deep)), "the task lacks '"));
    QVERIFY(has(refusal(resnet_task(), model_of(resnet_task()), trained(gpt_task())), "belongs to another model"));
    graph::Graph untouched = model_of(deep);
    QVERIFY(!start_with(deep, untouched, trained(gpt_task()), "version 4").ok());
    for (const graph::Initializer& one : untouched.initializers)
        if (one.trainable) QVERIFY(one.random && !one.data);
}

void StartWeightsTest::frozen_weights_are_copied_too() {
    TaskSpec spec = gpt_task();
    spec.model.frozen = {"*"};
    graph::Graph model = model_of(spec);
    QVERIFY(start_with(spec, model, trained(gpt_task()), "version 4").ok());
    for (const graph::Initializer& one : model.initializers) QVERIFY(!one.random);
}

DIVISI_TEST(StartWeightsTest)

}  // namespace start_weights_test

#include "start_weights_test.moc"
