// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QFile>

#include <algorithm>
#include <set>

#include "backend/task/predict_step.h"
#include "backend/task/schema.h"
#include "backend/task/sent_text.h"
#include "backend/task/validate.h"
#include "tests/support/test_program.h"
#include "tests/unit/task/models.h"

namespace compile_test {

using namespace divisi;
using namespace divisi::task;
using divisi::task::test::gpt_task;
using divisi::task::test::model_of;

class CompileTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void every_zoo_model_compiles_data();
    void every_zoo_model_compiles();
    void sample_tasks_compile();
    void segment_flows_match_the_channels_of_operations();
    void cuts_by_name_give_the_same_hash();
    void every_planning_method_produces_a_split_data();
    void every_planning_method_produces_a_split();
    void plan_that_cannot_be_sent_is_refused_when_shown();
    void tabu_is_never_slower_than_the_chain_optimum();
    void open_number_of_stages_is_determined();
    void operators_kept_together_are_not_cut();
    void settings_that_change_the_plan_change_the_hash();
    void fault_settings_change_no_hash();
    void prediction_contains_work_memory_and_bytes();
    void frozen_weights_send_no_gradient_back();
    void block_segments_run_on_their_listed_nodes();
    void blocks_are_planned_around_pins();
    void memory_beyond_the_device_is_refused();
    void slots_can_be_set_and_too_few_are_refused();
    void single_remaining_head_is_one_stage();
    void units_form_the_task_graph();
    void schemas_list_values_that_cross_segments();
    void heads_run_in_separate_stages();
    void settings_of_a_head_change_the_hash();
    void evaluation_size_comes_from_task_or_data_set();
};

void CompileTest::every_zoo_model_compiles_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("schedule");
    for (const graph::ZooModel& model : graph::zoo_models())
        for (const char* schedule : {"gpipe", "1f1b"})
            QTest::addRow("%s %s", model.name.c_str(), schedule) << QString::fromStdString(model.name) << schedule;
}

void CompileTest::every_zoo_model_compiles() {
    QFETCH(QString, model);
    QFETCH(QString, schedule);
    TaskSpec spec = gpt_task();
    spec.model.zoo = model.toStdString();
    if (model != "gpt") spec.model.sizes.clear();
    spec.split.schedule = schedule.toStdString();
    const graph::Graph graph = model_of(spec);
    for (const std::int64_t stages : {1, 2, 3}) {
        spec.split.stages = stages;
        const auto compiled = compile(spec, graph);
        QVERIFY2(compiled.ok(), compiled.ok() ? "" : compiled.error().message().c_str());
        QCOMPARE(compiled->stage_count(), static_cast<std::int32_t>(stages));
        QCOMPARE(compiled->cuts.size(), static_cast<std::size_t>(stages) - 1);
        const auto& last = compiled->partition.segments[compiled->loss_stage()].nodes;
        QVERIFY(
            std::binary_search(last.begin(), last.end(), compiled->graph().values[compiled->training->loss].producer));
        const graph::ValueIndex accuracy = compiled->training->heads.front().accuracy;
        QVERIFY(std::binary_search(last.begin(), last.end(), compiled->graph().values[accuracy].producer));
    }
}

void CompileTest::sample_tasks_compile() {
    const QDir folder(QStringLiteral(DIVISI_SOURCE_DIR "/resources/tasks"));
    const QStringList names = folder.entryList({QStringLiteral("*.toml")});
    QVERIFY(!names.isEmpty());
    for (const QString& name : names) {
        QFile file(folder.filePath(name));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const auto spec = parse_task(file.readAll().toStdString(), name.toStdString());
        QVERIFY2(spec.ok(), spec.ok() ? "" : spec.error().message().c_str());
        QCOMPARE(parse_task(print_task(*spec), "printed").value(), *spec);
        if (spec->model.zoo.empty()) continue;
        const auto compiled = compile(*spec, model_of(*spec));
        QVERIFY2(compiled.ok(), compiled.ok() ? "" : (name.toStdString() + compiled.error().message()).c_str());
    }
}

void CompileTest::segment_flows_match_the_channels_of_operations() {
    TaskSpec spec = gpt_task();
    spec.split.stages = 3;
    spec.train.clip = 1.0;
    const auto compiled = compile(spec, model_of(spec));
    QVERIFY(compiled.ok());
    const plan::Programs& programs = *compiled->programs;
    for (std::int32_t stage = 0; stage < 3; ++stage) {
        const plan::SegmentFlow& flow = programs.flows[stage];
        for (const plan::Operation& operation : programs.stages[stage].training) {
            const auto values = [&](const std::vector<std::int32_t>& channels) {
                std::vector<graph::ValueIndex> result;
                for (const std::int32_t channel : channels) result.push_back(programs.channels[channel].value);
                return result;
            };
            if (operation.kind == plan::OperationKind::forward) {
                QVERIFY(values(operation.inputs) == flow.inputs && values(operation.outputs) == flow.outputs);
            } else if (operation.kind == plan::OperationKind::backward) {
                QVERIFY(values(operation.inputs) == flow.output_gradients);
                QVERIFY(values(operation.outputs) == flow.input_gradients);
            } else if (operation.kind == plan::OperationKind::optimizer) {
                QCOMPARE(operation.inputs.size(), std::size_t{2});  // norm shares of the other two stages
            }
        }
        QCOMPARE(programs.stages[stage].training.back().kind, plan::OperationKind::optimizer);
    }
    const auto& last = programs.flows[2].inputs;
    QVERIFY(std::find(last.begin(), last.end(), compiled->training->heads[0].target) != last.end());
}

void CompileTest::cuts_by_name_give_the_same_hash() {
    TaskSpec spec = gpt_task();
    const graph::Graph graph = model_of(spec);
    const auto by_stages = compile(spec, graph);
    QVERIFY(by_stages.ok());
    spec.split.stages = 0;
    spec.split.cuts = by_stages->cuts;
    spec.place.stages = {"mic-1/node-1", "mic-2/node-1"};
    const auto by_name = compile(spec, graph);
    QVERIFY(by_name.ok());
    spec.split.cuts = {std::to_string(by_stages->cut_indices[0])};
    const auto by_index = compile(spec, graph);
    QVERIFY(by_index.ok());
    QCOMPARE(by_name->hash, by_stages->hash);
    QCOMPARE(by_index->hash, by_stages->hash);
    QCOMPARE(by_stages->hash.size(), std::size_t{16});
}

void CompileTest::every_planning_method_produces_a_split_data() {
    QTest::addColumn<QString>("method");
    for (const std::string& method : search::segmentation_methods())
        QTest::newRow(method.c_str()) << QString::fromStdString(method);
}

void CompileTest::every_planning_method_produces_a_split() {
    QFETCH(QString, method);
    TaskSpec spec = gpt_task();
    spec.split.stages = 3;
    spec.split.method = method.toStdString();
    spec.split.tabu_iterations = 5;
    const graph::Graph graph = model_of(spec);
    const auto compiled = compile(spec, graph);
    QVERIFY2(compiled.ok(), compiled.ok() ? "" : compiled.error().message().c_str());
    QCOMPARE(compiled->stage_count(), 3);
    // A task file with the found cuts gives the same plan as the request.
    const TaskSpec found = with_found_plan(*compiled);
    QCOMPARE(found.split.cuts, compiled->cuts);
    QCOMPARE(compile(found, graph)->hash, compiled->hash);
    const auto distance = split_distance(spec, graph, compiled->cut_indices);
    QVERIFY(distance.ok());
    QVERIFY(distance->least_ms > 0 && distance->slowest_ms >= distance->least_ms);
    if (method == "optimal") QCOMPARE(distance->slowest_ms, distance->least_ms);
}

/// `run` sends the plan as a task file, whose size the reader limits. Therefore `plan` must not show a plan that `run`
/// cannot send.
void CompileTest::plan_that_cannot_be_sent_is_refused_when_shown() {
    TaskSpec spec = gpt_task();
    spec.split.strategy = "block";
    graph::Graph graph = model_of(spec);
    const auto compiled_of = [&] { return compile(spec, graph).value(); };
    const auto price = [&](const CompiledPlan& plan) { return price_plan(plan, graph, price::default_pool()); };
    QVERIFY(sent_text(compiled_of()).ok() && price(compiled_of()).ok());
    for (graph::Node& node : graph.nodes) node.name += "/" + std::string(30'000, 'x');
    const CompiledPlan longer = compiled_of();
    const auto sent = sent_text(longer);
    QVERIFY(!sent.ok());
    QCOMPARE(sent.error().code, ErrorCode::exhausted);
    QCOMPARE(sent.error().where, std::string("split.strategy"));
    QVERIFY2(sent.error().message().find("operators, so its task text takes") != std::string::npos,
             sent.error().message().c_str());
    const auto shown = price(longer);
    QVERIFY(!shown.ok());
    QCOMPARE(shown.error().message(), sent.error().message());
    for (graph::Node& node : graph.nodes) node.name = node.name.substr(0, node.name.find("xx")) + "\xff";
    QVERIFY(!sent_text(compiled_of()).ok());  // TOML must be UTF-8
}

void CompileTest::tabu_is_never_slower_than_the_chain_optimum() {
    TaskSpec spec = gpt_task();
    spec.split.stages = 3;
    spec.split.tabu_iterations = 20;
    const graph::Graph graph = model_of(spec);
    const auto step_ms = [&](const char* method) {
        spec.split.method = method;
        const auto compiled = compile(spec, graph);
        return predict_step(*compiled, default_placement(*compiled))->step_ms;
    };
    const double optimal_ms = step_ms("optimal"), tabu_ms = step_ms("tabu");
    QVERIFY(tabu_ms <= optimal_ms);
    const plan::BranchedModel trained = *trained_model(spec, graph);
    const plan::TrainingGraph training = *add_loss(spec, trained.graph);
    const auto split =
        choose_split(spec, trained, graph::find_cuts(trained.graph), training, graph::GraphCost(training.graph));
    QVERIFY(split.ok());
    QCOMPARE(split->start_step_ms, optimal_ms);
    QCOMPARE(split->step_ms, tabu_ms);
}

void CompileTest::open_number_of_stages_is_determined() {
    TaskSpec spec = gpt_task();
    spec.split.stages = 0;
    spec.split.least_stages = 2;
    spec.split.most_stages = 4;
    const graph::Graph graph = model_of(spec);
    for (const char* method : {"equal-flops", "optimal"}) {
        spec.split.method = method;
        const auto compiled = compile(spec, graph);
        QVERIFY2(compiled.ok(), compiled.ok() ? "" : compiled.error().message().c_str());
        QCOMPARE(compiled->stage_counts.size(), std::size_t{3});
        QVERIFY(compiled->stage_count() >= 2 && compiled->stage_count() <= 4);
        QVERIFY(compile(with_found_plan(*compiled), graph)->stage_counts.empty());
    }
    spec.place.stages = {"mic-1/node-1", "mic-1/node-2"};
    const auto refused = compile(spec, graph);
    QVERIFY(!refused.ok());
    QCOMPARE(refused.error().where, std::string("place.stages"));
}

void CompileTest::operators_kept_together_are_not_cut() {
    TaskSpec spec = gpt_task();
    const graph::Graph graph = model_of(spec);
    const auto free = compile(spec, graph);
    QVERIFY(free.ok() && free->cuts.size() == 1);
    spec.split.together = {"/nowhere"};
    QCOMPARE(compile(spec, graph).error().where, std::string("split.together"));
    spec.split.stages = 0;
    spec.split.cuts = {std::to_string(free->cut_indices[0])};
    spec.split.together = {"/*"};
    const auto refused = compile(spec, graph);
    QVERIFY(!refused.ok());
    QCOMPARE(refused.error().where, std::string("split.cuts"));
    QVERIFY2(refused.error().what.find("split.together") != std::string::npos, refused.error().message().c_str());
}

void CompileTest::settings_that_change_the_plan_change_the_hash() {
    const TaskSpec spec = gpt_task();
    const graph::Graph graph = model_of(spec);
    std::set<std::string> hashes{compile(spec, graph)->hash};
    for (const char* setting : {"split.stages=3", "split.schedule=gpipe", "train.lr=0.5", "train.microbatches=8",
                                "train.clip=1.0", "model.frozen=*", "model.width=64", "train.seed=1"}) {
        const auto changed = apply_overrides(spec, {setting});
        QVERIFY2(changed.ok(), setting);
        const auto compiled = compile(*changed, model_of(*changed));
        QVERIFY2(compiled.ok(), compiled.ok() ? "" : compiled.error().message().c_str());
        QVERIFY2(hashes.insert(compiled->hash).second, setting);
    }
}

void CompileTest::prediction_contains_work_memory_and_bytes() {
    const TaskSpec spec = gpt_task();
    const auto compiled = compile(spec, model_of(spec));
    QVERIFY(compiled.ok());
    const auto prediction = predict_step(*compiled, default_placement(*compiled));
    QVERIFY2(prediction.ok(), prediction.ok() ? "" : prediction.error().message().c_str());
    double share = 0;
    for (const price::PredictedStage& stage : prediction->stages) {
        QVERIFY(stage.flops > 0);
        QVERIFY(stage.memory > 0);
        share += stage.flops_share;
    }
    QVERIFY(std::abs(share - 1.0) < 1e-12);
    Bytes crossing = 0;
    for (const plan::Edge& edge : compiled->partition.edges)
        if (edge.from != plan::data_unit) crossing += *graph::size_bytes(compiled->graph().values[edge.value]);
    QVERIFY(crossing > 0);
    QCOMPARE(prediction->stages[0].sent_forward, crossing * 4);
    QCOMPARE(prediction->stages[1].sent_backward, crossing * 4);
    QCOMPARE(prediction->stages[1].sent_forward, Bytes{0});
}

void CompileTest::frozen_weights_send_no_gradient_back() {
    TaskSpec spec = gpt_task();
    spec.model.frozen = {"*"};
    const auto compiled = compile(spec, model_of(spec));
    QVERIFY2(compiled.ok(), compiled.ok() ? "" : compiled.error().message().c_str());
    for (const plan::Channel& channel : compiled->programs->channels)
        QVERIFY(channel.kind == plan::Channel::Kind::value);
}

void CompileTest::block_segments_run_on_their_listed_nodes() {
    TaskSpec spec = gpt_task();
    spec.model.zoo = "multitask";
    spec.model.sizes = {{"heads", 3}};
    spec.split.stages = 0;
    spec.split.strategy = "block";
    spec.split.segments = {{{"/heads/1/*"}, "late"}, {{"/heads/*"}, "early"}, {{"*"}, ""}};
    const auto compiled = compile(spec, model_of(spec));
    QVERIFY2(compiled.ok(), compiled.ok() ? "" : compiled.error().message().c_str());
    QCOMPARE(compiled->stage_nodes, (std::vector<std::string>{"", "late", "early"}));
    QCOMPARE(compiled->loss_stage(), 2);  // the loss reads the first head
    QVERIFY(compiled->cuts.empty());
    const graph::ValueIndex accuracy = compiled->training->heads.front().accuracy;
    QCOMPARE(plan::segment_of(compiled->partition, compiled->graph().values[accuracy].producer), 2);
    std::swap(spec.split.segments[0], spec.split.segments[1]);
    const auto swapped = compile(spec, model_of(spec));
    QVERIFY2(swapped.ok(), swapped.ok() ? "" : swapped.error().message().c_str());
    QCOMPARE(swapped->loss_stage(), 1);
    QVERIFY(swapped->hash != compiled->hash);
    for (const plan::UnitEdge& edge : swapped->task_graph.edges) QVERIFY2(edge.from < edge.to, edge.tag.c_str());
}

void CompileTest::blocks_are_planned_around_pins() {
    TaskSpec spec = gpt_task();
    spec.model.zoo = "multitask";
    spec.model.sizes = {{"heads", 4}};
    spec.split.strategy = "block";
    spec.split.stages = 3;
    auto compiled = compile(spec, model_of(spec));
    QVERIFY2(compiled.ok(), compiled.ok() ? "" : compiled.error().message().c_str());
    QVERIFY(compiled->stage_count() > 1 && compiled->stage_count() <= 3);
    QCOMPARE(compile(spec, model_of(spec))->hash, compiled->hash);
    spec.place.pins = {{"/heads/0/*", "near"}, {"/heads/2/*", "near"}, {"/heads/1/*", "far"}};
    spec.split.together = {"/backbone/*"};
    compiled = compile(spec, model_of(spec));
    QVERIFY2(compiled.ok(), compiled.ok() ? "" : compiled.error().message().c_str());
    const auto node_of = [&](const char* name) {
        return compiled->stage_nodes[plan::segment_of(compiled->partition, compiled->graph().find_node(name))];
    };
    QCOMPARE(node_of("/heads/0/Gemm"), std::string("near"));
    QCOMPARE(node_of("/heads/2/Gemm_1"), std::string("near"));
    QCOMPARE(node_of("/heads/1/Relu"), std::string("far"));
    QCOMPARE(plan::segment_of(compiled->partition, compiled->graph().find_node("/backbone/0/Gemm")),
             plan::segment_of(compiled->partition, compiled->graph().find_node("/backbone/2/Relu")));
}

void CompileTest::memory_beyond_the_device_is_refused() {
    const TaskSpec spec = gpt_task();
    CompileOptions options;
    options.capacities = {{"node-1 cpu", Bytes{1} << 40}, {"node-2 cpu", 1000}};
    const auto refused = compile(spec, model_of(spec), options);
    QVERIFY(!refused.ok());
    QCOMPARE(refused.error().code, ErrorCode::exhausted);
    QVERIFY(refused.error().message().find("node-2 cpu") != std::string::npos);
}

void CompileTest::units_form_the_task_graph() {
    const TaskSpec spec = gpt_task();
    CompileOptions options;
    options.task = "gpt-1";
    const auto compiled = compile(spec, model_of(spec), options);
    QVERIFY(compiled.ok());
    const plan::TaskGraph& units = compiled->task_graph;
    QCOMPARE(units.units.size(), std::size_t{2 + 2 * 3 + 1});
    std::set<std::string> sids;
    for (const plan::Unit& unit : units.units) {
        QVERIFY(sids.insert(unit.sid.value()).second);
        QVERIFY(unit.sid.value().starts_with("gpt-1/"));
        QVERIFY(unit.tags.empty() == (unit.kind == plan::UnitKind::load));
    }
    QVERIFY(sids.contains("gpt-1/stage-1/backward/0") && sids.contains("gpt-1/data/load/0"));
    for (const plan::UnitEdge& edge : units.edges) QVERIFY2(edge.from < edge.to, edge.tag.c_str());
    const auto crossing = std::count_if(units.edges.begin(), units.edges.end(), [&](const auto& edge) {
        return units.units[edge.from].stage >= 0 && units.units[edge.from].stage != units.units[edge.to].stage;
    });
    QVERIFY(crossing >= 2);  // an activation and its gradient
    for (const plan::Unit& unit : units.units)
        if (unit.kind == plan::UnitKind::loss) QCOMPARE(unit.inputs[1].name, std::string("target"));
}

namespace {

TaskSpec heads_task() {
    TaskSpec spec = gpt_task();
    spec.model.zoo = "multitask";
    spec.model.sizes = {{"heads", 3}};
    spec.data = {};
    spec.data.kind = "synthetic";
    spec.data.samples = 64;
    spec.train.losses = {{"logits_0", "cross_entropy"}, {"logits_1", "mse"}, {"logits_2", "cross_entropy"}};
    spec.split = {};
    spec.split.strategy = "business";
    return spec;
}

}  // namespace

void CompileTest::schemas_list_values_that_cross_segments() {
    TaskSpec spec = gpt_task();
    const graph::Graph graph = model_of(spec);
    const CompiledPlan plan = compile(spec, graph, {}).value();
    const Schema first = schema_of(plan, 0, true, 4096), last = schema_of(plan, 1, false, 4096);
    const QString given = QString::fromStdString(first.output);
    // The data unit is in the first stage: nothing arrives there, and activations and targets are sent.
    QCOMPARE(first.input, std::string());
    QCOMPARE(first.output, last.input);
    QVERIFY2(given.contains(":float32[32,32], ") && given.contains("target:int64[2,16]"), qPrintable(given));
    QCOMPARE(last.output, std::string());
    QVERIFY(!schema_of(plan, 0, false, 4096).input.empty());  // a separate data instance reads the data
    const std::string little = schema_of(plan, 1, false, 40).input;
    QVERIFY2(little.size() <= 40 && little.ends_with(" more"), little.c_str());
}

void CompileTest::heads_run_in_separate_stages() {
    const TaskSpec spec = heads_task();
    const auto compiled = compile(spec, model_of(spec));
    QVERIFY2(compiled.ok(), compiled.ok() ? "" : compiled.error().message().c_str());
    QCOMPARE(compiled->stage_count(), 4);
    QCOMPARE(compiled->parts.size(), std::size_t{4});
    QCOMPARE(compiled->parts[0].name, std::string("backbone"));
    QCOMPARE(compiled->parts[0].shared_values, std::vector<std::string>{"/backbone/2/Relu_output_0"});
    for (std::int32_t i = 0; i < 4; ++i) QCOMPARE(compiled->parts[i].stages, std::vector<std::int32_t>{i});
    const auto prediction = predict_step(*compiled, default_placement(*compiled));
    QVERIFY(std::abs(compiled->parts[1].flops / prediction->stages[1].flops - 1) < 1e-9);
    // Each head has a loss unit, which waits only for the outputs of its own stage. Edges lead forward.
    const plan::TaskGraph& units = compiled->task_graph;
    const auto losses = std::count_if(units.units.begin(), units.units.end(),
                                      [](const plan::Unit& unit) { return unit.kind == plan::UnitKind::loss; });
    QCOMPARE(losses, std::ptrdiff_t{3});
    for (const plan::UnitEdge& edge : units.edges) QVERIFY2(edge.from < edge.to, edge.tag.c_str());
    TaskSpec placed = spec;
    placed.place.stages = {"a", "b", "c"};
    QCOMPARE(compile(placed, model_of(placed)).error().where, std::string("place.stages"));
    placed.place.stages.push_back("d");
    QVERIFY(compile(placed, model_of(placed)).ok());
}

void CompileTest::slots_can_be_set_and_too_few_are_refused() {
    TaskSpec spec = gpt_task();
    spec.split.slots = 3;
    const auto compiled = compile(spec, model_of(spec));
    QVERIFY2(compiled.ok(), compiled.ok() ? "" : compiled.error().message().c_str());
    for (const plan::Channel& channel : compiled->programs->channels) QCOMPARE(channel.slots, 3);
    // The loss of the first head skips two stages. Its second gradient cannot arrive before the first backward. The
    // first backward waits for the last stage's third forward, which in turn comes after the second gradient.
    spec = heads_task();
    spec.model.sizes = {{"heads", 4}};
    spec.train.losses["logits_3"] = "mse";
    spec.split.slots = 1;
    const auto refused = compile(spec, model_of(spec));
    QVERIFY(!refused.ok());
    QVERIFY2(refused.error().message().find("deadlocks") != std::string::npos, refused.error().message().c_str());
    QVERIFY(refused.error().next.find("split.slots") != std::string::npos);
    spec.split.slots = 0;
    QVERIFY(compile(spec, model_of(spec)).ok());
}

void CompileTest::single_remaining_head_is_one_stage() {
    TaskSpec spec = heads_task();
    spec.train.losses = {{"logits_0", "none"}, {"logits_1", "mse"}, {"logits_2", "none"}};
    const auto compiled = compile(spec, model_of(spec));
    QVERIFY2(compiled.ok(), compiled.ok() ? "" : compiled.error().message().c_str());
    QCOMPARE(compiled->stage_count(), 1);
    spec.train.losses.clear();
    QVERIFY(compile(spec, model_of(spec)).error().what.find("several heads") != std::string::npos);
}

/// No computation of an instance depends on these settings.
void CompileTest::fault_settings_change_no_hash() {
    const TaskSpec spec = gpt_task();
    const graph::Graph graph = model_of(spec);
    const auto changed = apply_overrides(spec, {"checkpoint.every=3", "checkpoint.keep=9", "faults.answer=fail"});
    QVERIFY(changed.ok() && *changed != spec);
    QCOMPARE(compile(*changed, graph)->hash, compile(spec, graph)->hash);
}

void CompileTest::settings_of_a_head_change_the_hash() {
    const TaskSpec spec = heads_task();
    const graph::Graph graph = model_of(spec);
    std::set<std::string> hashes{compile(spec, graph)->hash};
    for (const char* setting : {"split.stages=3", "train.weights.logits_0=2", "train.losses.logits_0=none",
                                "train.losses.logits_0=mse", "split.shared_layers=2"}) {
        const auto changed = apply_overrides(spec, {setting});
        QVERIFY2(changed.ok(), setting);
        const auto compiled = compile(*changed, graph);
        QVERIFY2(compiled.ok(), compiled.ok() ? "" : compiled.error().message().c_str());
        QVERIFY2(hashes.insert(compiled->hash).second, setting);
    }
    // A task with these cuts has the same hash.
    const auto first = compile(spec, graph);
    TaskSpec by_cuts = spec;
    by_cuts.split = {};
    by_cuts.split.cuts = first->cuts;
    QCOMPARE(compile(by_cuts, graph)->hash, first->hash);
}

void CompileTest::evaluation_size_comes_from_task_or_data_set() {
    TaskSpec spec = gpt_task();
    spec.train.eval_every = 5;
    CompileOptions options;
    options.eval_microbatches = 7;
    QCOMPARE(compile(spec, model_of(spec), options)->programs->length.eval_microbatches, 7);
    spec.train.eval_batches = 3;
    QCOMPARE(compile(spec, model_of(spec), options)->programs->length.eval_microbatches, 3 * 4);
}

DIVISI_TEST(CompileTest)

}  // namespace compile_test

#include "compile_test.moc"
