// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <map>

#include "backend/task/data_files.h"
#include "backend/task/kinds.h"
#include "backend/task/model_source.h"
#include "backend/task/parse.h"
#include "backend/task/predict_step.h"
#include "tests/support/test_program.h"
#include "tests/unit/task/models.h"

namespace kinds_test {

using namespace divisi;
using namespace divisi::task;
using divisi::task::test::gpt_task;
using divisi::task::test::model_of;

namespace {

const char* batch = R"([task]
name = "score"
kind = "batch"
[model]
onnx = "m.onnx"
[data]
kind = "csv"
path = "a.csv"
targets = ["price"]
)";

std::string message(const std::string& text, const std::vector<std::string>& settings = {}) {
    const auto spec = parse_task(text, "t.toml", settings);
    return spec.ok() ? "" : spec.error().message();
}

}  // namespace

/// Tests tasks of kind batch: their keys and their plan.
class KindsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void batch_prints_and_reads_back();
    void batch_has_no_data_instances();
    void batch_may_state_that_it_has_no_checkpoints();
    void meaningless_keys_are_refused_data();
    void meaningless_keys_are_refused();
    void training_has_no_batch_section();
    void weights_come_from_a_file_or_a_task();
    void change_of_kind_removes_the_other_kinds_keys();
    void unlabelled_batch_may_not_name_labels();
    void results_are_next_to_the_task_file();
    void batch_plan_is_forward_only_data();
    void batch_plan_is_forward_only();
    void heads_of_a_batch_have_results_but_no_sum_data();
    void heads_of_a_batch_have_results_but_no_sum();
    void batch_step_is_priced_without_backward();
    void batches_of_one_group_differ_only_in_data_and_name();
};

void KindsTest::batch_prints_and_reads_back() {
    const auto spec = parse_task(batch, "t.toml", {"batch.output=out.csv", "batch.values=outputs", "train.batch=7"});
    QVERIFY2(spec.ok(), spec.ok() ? "" : spec.error().message().c_str());
    QVERIFY(is_batch(*spec));
    QCOMPARE(spec->train.batch, std::int64_t{7});
    const auto again = parse_task(print_task(*spec), "printed");
    QVERIFY(again.ok());
    QVERIFY(*again == *spec);
}

void KindsTest::meaningless_keys_are_refused_data() {
    QTest::addColumn<QString>("setting");
    for (const char* setting :
         {"train.steps=100", "train.microbatches=1", "train.optimizer=sgd", "train.lr=0.01", "train.eval_every=5",
          "train.nonfinite=stop", "train.recompute=true", "train.weights.a=1", "model.frozen=w", "split.schedule=1f1b",
          "checkpoint.every=5", "checkpoint.every=30s", "checkpoint.keep=2", "place.standby=0"})
        QTest::newRow(setting) << setting;
}

/// Meaningless keys are refused even with their default value: the author expects an effect.
void KindsTest::meaningless_keys_are_refused() {
    QFETCH(QString, setting);
    const std::string said = message(batch, {setting.toStdString()});
    QVERIFY2(said.starts_with("--set " + setting.toStdString()), said.c_str());
    QVERIFY2(said.find("has no meaning for a batch task") != std::string::npos, said.c_str());
}

void KindsTest::training_has_no_batch_section() {
    const std::string text = "[model]\nzoo = \"mlp\"\n[data]\nkind = \"synthetic\"\nsamples = 4\n";
    QCOMPARE(message(text), std::string());
    QVERIFY(message(text + "[batch]\noutput = \"x.csv\"\n").starts_with("t.toml:7: batch.output applies only to"));
    // A training may begin with the weights of a version, but must still name its model.
    QCOMPARE(message("[model]\nzoo = \"mlp\"\nfrom = \"4\"\n[data]\nkind = \"synthetic\"\nsamples = 4\n"),
             std::string());
    const std::string alone = "[model]\nfrom = \"4\"\n[data]\nkind = \"synthetic\"\nsamples = 4\n";
    QVERIFY(message(alone).find("a training must also name its model") != std::string::npos);
}

void KindsTest::weights_come_from_a_file_or_a_task() {
    QVERIFY(message(batch, {"model.zoo=mlp"}).find("without trained weights") != std::string::npos);
    QCOMPARE(message(batch, {"model.from=gpt-1"}), std::string());  // the setting replaces the file
    std::string both = batch;
    both.replace(both.find("onnx"), 4, "from = \"gpt-1\"\nonnx");
    QVERIFY(message(both).find("exclude each other") != std::string::npos);
    QVERIFY(message("[task]\nkind = \"batch\"\n[model]\n[data]\nkind = \"synthetic\"\nsamples = 4\n")
                .find("model.from is missing") != std::string::npos);
    const auto from = parse_task(
        "[task]\nkind=\"batch\"\n[model]\nfrom=\"gpt-1\"\n[data]\nkind=\"synthetic\"\nsamples=4\n", "t.toml");
    QVERIFY(from.ok());
    const auto model = load_model(*from, [] { return Result<graph::Graph>(graph::Graph()); });
    QVERIFY(!model.ok());
    QVERIFY(model.error().next.find("model export gpt-1") != std::string::npos);
}

void KindsTest::batch_has_no_data_instances() {
    QVERIFY(message(batch, {"data.instances=2"}).find("without data instances") != std::string::npos);
}

void KindsTest::batch_may_state_that_it_has_no_checkpoints() {
    QCOMPARE(message(batch, {"checkpoint.every=never"}), std::string());
    QCOMPARE(message(batch, {"checkpoint.every=auto", "faults.answer=fail"}), std::string());
}

void KindsTest::unlabelled_batch_may_not_name_labels() {
    QVERIFY(message(batch, {"batch.labels=false"}).find("data.targets names labels") != std::string::npos);
    const std::string text =
        "[task]\nkind=\"batch\"\n[model]\nonnx=\"m.onnx\"\n[data]\nkind=\"csv\"\npath=\"a.csv\"\n[batch]\nlabels="
        "false\n";
    QCOMPARE(message(text), std::string());
    DataSection images;
    images.kind = "images";
    images.path = "x-images.idx";
    QCOMPARE(data_files(images).size(), std::size_t{2});
    QCOMPARE(data_files(images, false).size(), std::size_t{1});
}

void KindsTest::results_are_next_to_the_task_file() {
    TaskSpec spec;
    spec.task.name = "score";
    QCOMPARE(results_file(spec, "/home"), std::string("/home/score-results.csv"));
    spec.batch.output = "r/x.csv";
    QCOMPARE(results_file(spec, "/home"), std::string("/home/r/x.csv"));
}

void KindsTest::batch_plan_is_forward_only_data() {
    QTest::addColumn<int>("stages");
    QTest::addColumn<bool>("labels");
    for (const int stages : {1, 2, 3})
        for (const bool labels : {true, false}) QTest::addRow("%d %d", stages, int(labels)) << stages << labels;
}

void KindsTest::batch_plan_is_forward_only() {
    QFETCH(int, stages);
    QFETCH(bool, labels);
    TaskSpec spec = gpt_task();
    spec.task.kind = "batch";
    spec.train.microbatches = 1;
    spec.split.stages = stages;
    spec.batch.labels = labels;
    const auto compiled = compile(spec, model_of(spec));
    QVERIFY2(compiled.ok(), compiled.ok() ? "" : compiled.error().message().c_str());
    QCOMPARE(compiled->stage_count(), stages);
    QCOMPARE(compiled->loss_stage(), stages - 1);
    QVERIFY(compiled->programs->length.over_data());
    for (const plan::Channel& channel : compiled->programs->channels)
        QVERIFY(channel.kind == plan::Channel::Kind::value);
    for (const plan::Program& program : compiled->programs->stages) {
        QCOMPARE(program.training.size(), std::size_t{1});
        QCOMPARE(program.training[0].kind, plan::OperationKind::evaluate);
    }
    const auto targets = std::count_if(compiled->graph().inputs.begin(), compiled->graph().inputs.end(),
                                       [&](auto input) { return compiled->training->is_target(input); });
    QCOMPARE(targets, labels ? 1 : 0);
    for (const plan::Unit& unit : compiled->task_graph.units)
        QVERIFY(unit.kind != plan::UnitKind::backward && unit.kind != plan::UnitKind::optimizer);
}

void KindsTest::heads_of_a_batch_have_results_but_no_sum_data() {
    QTest::addColumn<bool>("labels");
    QTest::newRow("held against labels") << true;
    QTest::newRow("predictions alone") << false;
}

void KindsTest::heads_of_a_batch_have_results_but_no_sum() {
    QFETCH(bool, labels);
    TaskSpec spec = gpt_task();
    spec.task.kind = "batch";
    spec.model.zoo = "multitask";
    spec.model.sizes = {{"heads", 3}};
    spec.data = {};
    spec.data.kind = "synthetic";
    spec.data.samples = 64;
    spec.train.microbatches = 1;
    spec.train.losses = {{"logits_0", "cross_entropy"}, {"logits_1", "mse"}, {"logits_2", "cross_entropy"}};
    spec.batch.labels = labels;
    spec.split = {};
    spec.split.strategy = "business";
    const auto compiled = compile(spec, model_of(spec));
    QVERIFY2(compiled.ok(), compiled.ok() ? "" : compiled.error().message().c_str());
    QVERIFY(compiled->stage_count() > 1);
    const plan::TrainingGraph& training = *compiled->training;
    QVERIFY(training.multi_task);
    QCOMPARE(training.loss, graph::no_value);
    QCOMPARE(training.heads.size(), std::size_t{3});
    std::map<std::int32_t, std::vector<std::string>> results, given;  // values by stage
    for (const plan::Head& head : training.heads) {
        QVERIFY(head.result != graph::no_value);
        const graph::Value& result = training.graph.values[static_cast<std::size_t>(head.result)];
        results[plan::segment_of(compiled->partition, result.producer)].push_back(result.name);
    }
    for (const plan::Unit& unit : compiled->task_graph.units) {
        if (unit.kind != plan::UnitKind::loss) continue;
        QCOMPARE(unit.inputs.size(), unit.outputs.size() * (labels ? 2 : 1));
        for (const plan::TensorSchema& output : unit.outputs) given[unit.stage].push_back(output.name);
    }
    QVERIFY(given == results);
}

void KindsTest::batch_step_is_priced_without_backward() {
    TaskSpec spec = gpt_task();
    spec.train.microbatches = 1;
    const auto training = compile(spec, model_of(spec));
    spec.task.kind = "batch";
    const auto forward = compile(spec, model_of(spec));
    QVERIFY(training.ok() && forward.ok());
    const double whole = predict_step(*training, default_placement(*training))->step_ms;
    const double part = predict_step(*forward, default_placement(*forward))->step_ms;
    QVERIFY2(part > 0 && part < whole / 2, qPrintable(QString("%1 of %2").arg(part).arg(whole)));
    for (std::size_t stage = 0; stage < forward->memory.size(); ++stage)
        QVERIFY(forward->memory[stage] < training->memory[stage]);
}

/// Changes the kind like the console's form. The parser must accept the printed result.
void KindsTest::change_of_kind_removes_the_other_kinds_keys() {
    TaskSpec spec = gpt_task();
    spec.task.kind = "batch";
    spec.train.microbatches = 2;
    spec.train.batch = 6;
    spec.train.momentum = 0.5;
    spec.train.eval_every = 3;
    spec.train.weights = {{"y", 2}};
    spec.split.schedule = "gpipe";
    spec.data.instances = 2;
    spec.checkpoint = {"5", 4};
    drop_of_other_kinds(spec);
    spec.model.onnx = "m.onnx";
    const auto score = parse_task(print_task(spec), "batch");
    QVERIFY2(score.ok(), score.ok() ? "" : score.error().message().c_str());
    QVERIFY(*score == spec);
    QCOMPARE(score->train.batch, std::int64_t(6));
    spec.task.kind = "train";
    spec.batch = {"out.csv", true, "outputs"};
    drop_of_other_kinds(spec);
    const auto training = parse_task(print_task(spec), "training");
    QVERIFY2(training.ok(), training.ok() ? "" : training.error().message().c_str());
}

void KindsTest::batches_of_one_group_differ_only_in_data_and_name() {
    TaskSpec spec = gpt_task();
    spec.task.kind = "batch";
    spec.train.microbatches = 1;
    const auto group = [](const TaskSpec& of) { return group_hash(compile(of, model_of(of)).value()); };
    const std::string first = group(spec);
    QVERIFY(!first.empty());
    const auto changed = [&](auto change) {
        TaskSpec other = spec;
        change(other);
        return group(other);
    };
    QCOMPARE(changed([](TaskSpec& other) {
                 other.task.name = "other";
                 other.task.priority = 5;
                 other.data.path = "other.txt";
                 other.data.validation_share = 0;
                 other.batch.output = "other.csv";
                 other.batch.values = "outputs";
                 other.place.stages = {"m/a", "m/b"};
                 other.checkpoint.every = "never";
                 other.faults.answer = "fail";
             }),
             first);
    QVERIFY(changed([](TaskSpec& other) { other.train.batch = 4; }) != first);
    QVERIFY(changed([](TaskSpec& other) { other.split.stages = 1; }) != first);
    QVERIFY(changed([](TaskSpec& other) { other.batch.labels = false; }) != first);        // different operators
    QVERIFY(changed([](TaskSpec& other) { other.model.sizes["context"] = 8; }) != first);  // different shapes
    QVERIFY(changed([](TaskSpec& other) { other.place.threads = 2; }) != first);
    QCOMPARE(changed([](TaskSpec& other) { other.batch.group = false; }), std::string());
    QCOMPARE(group(gpt_task()), std::string());  // trainings have no group
}

DIVISI_TEST(KindsTest)

}  // namespace kinds_test

#include "kinds_test.moc"
