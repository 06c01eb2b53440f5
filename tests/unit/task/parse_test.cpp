// SPDX-License-Identifier: Apache-2.0

#include "backend/task/parse.h"

#include "tests/support/test_program.h"

namespace parse_test {

using namespace divisi;
using namespace divisi::task;

namespace {

constexpr const char* sample = R"([task]
name = "gpt-text"

[model]
zoo = "gpt"
layers = 4
width = 64

[data]
kind = "text"
path = "corpus.txt"
validation_share = 0.1

[train]
steps = 20
batch = 16
microbatches = 4
optimizer = "adamw"
lr = 1e-3
lr_schedule = "cosine"
eval_every = 5

[split]
stages = 2
)";

std::string message(const Result<TaskSpec>& result) { return result.ok() ? "no error" : result.error().message(); }

/// Returns the sample with one line replaced.
std::string with(const std::string& from, const std::string& to) {
    std::string text = sample;
    text.replace(text.find(from), from.size(), to);
    return text;
}

struct Mistake {
    const char *name, *from, *to;
    const char* where;
    const char* hint;
};

/// The replaced piece of the sample, its replacement, the reported position, and a part of the message.
const Mistake mistakes[] = {
    {"syntax", "steps = 20", "steps = ", "t.toml:15", "toml.io"},
    {"section", "[train]", "[trian]", "t.toml:14", "did you mean 'train'?"},
    {"key", "microbatches", "microbatchs", "t.toml:17", "did you mean 'microbatches'?"},
    {"far key", "microbatches", "zzzzzzzzzzzz", "t.toml:17", "use one of steps, batch"},
    {"section is a value", "[task]\nname = \"gpt-text\"", "task = 3\n", "t.toml:1", "[task]"},
    {"string wanted", "\"gpt-text\"", "7", "t.toml:2", "string"},
    {"integer wanted", "steps = 20", "steps = 2.5", "t.toml:15", "an integer"},
    {"number wanted", "lr = 1e-3", "lr = \"small\"", "t.toml:19", "a number"},
    {"list wanted", "stages = 2", "cuts = \"3\"", "t.toml:24", "a list"},
    {"steps", "steps = 20", "steps = 0", "t.toml:15", "use 1 to"},
    {"divides", "microbatches = 4", "microbatches = 5", "t.toml:17", "divisor"},
    {"optimizer", "\"adamw\"", "\"adam\"", "t.toml:18", "did you mean 'adamw'?"},
    {"lr", "lr = 1e-3", "lr = -1", "t.toml:19", "number from 0"},
    {"nan", "lr = 1e-3", "lr = nan", "t.toml:19", "number from 0"},
    {"kind", "name = \"gpt-text\"", "kind = \"trian\"", "t.toml:2", "did you mean 'train'?"},
    {"later kind", "name = \"gpt-text\"", "kind = \"infer\"", "t.toml:2", "is not supported yet"},
    {"name", "\"gpt-text\"", "\"../up\"", "t.toml:2", "letters"},
    {"data", "\"text\"", "\"texts\"", "t.toml:10", "did you mean 'text'?"},
    {"no path", "path = \"corpus.txt\"\n", "", "t.toml", "name the file"},
    {"no validation", "validation_share = 0.1\n", "", "t.toml:20", "validation_share = 0.1"},
    {"both splits", "stages = 2", "stages = 2\ncuts = [1]", "t.toml:25", "keep one"},
    {"dp", "stages = 2", "dp = 2", "t.toml:24", "data parallelism is not supported yet"},
    {"tp", "stages = 2", "tp = 2", "t.toml:24", "tensor parallelism is not supported yet"},
    {"strategy", "stages = 2", "strategy = \"busines\"", "t.toml:24", "business"},
    {"block", "stages = 2", "strategy = \"block\"", "t.toml:24", "[[split.segment]]"},
    {"segment of layers", "stages = 2", "[[split.segment]]\nnodes = [\"*\"]", "t.toml:24", "strategy = \"block\""},
    {"segment's key", "stages = 2", "strategy = \"block\"\n[[split.segment]]\nnode = [\"*\"]", "t.toml:26", "'nodes'"},
    {"segment's type", "stages = 2", "strategy = \"block\"\n[[split.segment]]\nnodes = [\"*\"]\nplace = 3", "t.toml:27",
     "a string"},
    {"empty segment", "stages = 2", "strategy = \"block\"\n[[split.segment]]", "t.toml:25", "nodes = ["},
    {"no table", "stages = 2", "strategy = \"block\"\nsegment = 3", "t.toml:25", "[[split.segment]] before each"},
    {"segments and stages", "stages = 2", "stages = 2\nstrategy = \"block\"\n[[split.segment]]\nnodes = [\"*\"]",
     "t.toml:24", "keep one"},
    {"schedule", "stages = 2", "schedule = \"1b1f\"", "t.toml:24", "did you mean '1f1b'?"},
    {"device", "[split]", "[place]\ndevice = \"gpu\"\n[split]", "t.toml:24", "cuda"},
    {"placement", "[split]", "[place]\nstages = [\"a\"]\n[split]", "t.toml:24", "one node per stage"},
    {"no number of standbys", "[split]", "[place]\nstandby = -1\n[split]", "t.toml:24", "use 0 to 16"},
    {"too many standbys", "[split]", "[place]\nstandby = 17\n[split]", "t.toml:24", "use 0 to 16"},
    {"standbys of a task that fails", "[split]", "[place]\nstandby = 1\n[faults]\nanswer = \"fail\"\n[split]",
     "t.toml:24", "faults.answer = \"recover\""},
    {"standbys of a task that waits", "[split]", "[place]\nstandby = 1\n[faults]\nanswer = \"wait\"\n[split]",
     "t.toml:24", "faults.answer = \"recover\""},
    {"standby's key", "[split]", "[place]\nstandbys = 1\n[split]", "t.toml:24", "did you mean 'standby'?"},
    {"no steps between", "[split]", "[checkpoint]\nevery = 0\n[split]", "t.toml:24", "a number of steps"},
    {"no time between", "[split]", "[checkpoint]\nevery = \"5 days\"\n[split]", "t.toml:24", "\"5min\""},
    {"parts of a step", "[split]", "[checkpoint]\nevery = 2.5\n[split]", "t.toml:24", "a string"},
    {"none kept", "[split]", "[checkpoint]\nkeep = 0\n[split]", "t.toml:24", "use 1 to 100"},
    {"checkpoint's key", "[split]", "[checkpoint]\nevry = 5\n[split]", "t.toml:24", "did you mean 'every'?"},
    {"answer", "[split]", "[faults]\nanswer = \"standby\"\n[split]", "t.toml:24", "use one of recover, wait, fail"},
    {"no model", "zoo = \"gpt\"\nlayers = 4\nwidth = 64\n", "", "t.toml", "zoo = \"gpt\""},
    {"both models", "zoo = \"gpt\"", "zoo = \"gpt\"\nonnx = \"m.onnx\"", "t.toml:6", "keep one"},
    {"zoo", "\"gpt\"", "\"gptt\"", "t.toml:5", "did you mean 'gpt'?"},
    {"size", "layers", "layer", "t.toml:6", "did you mean 'layers'?"},
    {"size out of range", "layers = 4", "layers = 0", "t.toml:6", "use 1 to"},
    {"sizes of a file", "zoo = \"gpt\"", "onnx = \"m.onnx\"", "t.toml:6", "model.symbols"},
};

}  // namespace

class ParseTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void reads_texts_numbers_lists_and_tables();
    void errors_name_line_and_remedy_data();
    void errors_name_line_and_remedy();
    void settings_override_the_file();
    void setting_removes_the_settings_that_it_excludes();
    void wrong_settings_are_named();
    void heads_are_checked_data();
    void heads_are_checked();
    void errors_name_the_line_of_a_head();
    void printed_task_parses_to_the_same();
    void accepts_a_split_given_apart_from_the_text();
    void names_every_bad_field_of_a_split();
    void refuses_huge_files();
};

void ParseTest::reads_texts_numbers_lists_and_tables() {
    const auto spec = parse_task(sample, "t.toml");
    QVERIFY2(spec.ok(), message(spec).c_str());
    QCOMPARE(spec->task.name, std::string("gpt-text"));
    QCOMPARE(spec->model.sizes.at("layers"), std::int64_t{4});
    QCOMPARE(spec->train.lr, 1e-3);
    QCOMPARE(spec->split.stages, std::int64_t{2});
    const auto more = parse_task(std::string(sample) + R"(
[model.inputs]
tokens = "text"
[place]
stages = ["mic-1/node-1", "mic-2/node-1"]
)",
                                 "t.toml");
    QVERIFY2(more.ok(), message(more).c_str());
    QCOMPARE(more->model.inputs.at("tokens"), std::string("text"));
    QCOMPARE(more->place.stages.size(), std::size_t{2});
    const auto cuts = parse_task(with("stages = 2", "cuts = [3, \"/layers/2/Add\"]"), "t.toml");
    QVERIFY2(cuts.ok(), message(cuts).c_str());
    QCOMPARE(cuts->split.cuts, (std::vector<std::string>{"3", "/layers/2/Add"}));
    QCOMPARE(parse_task(with("\"gpt\"", "\"zoo:gpt\""), "t.toml")->model.zoo, std::string("gpt"));
}

void ParseTest::errors_name_line_and_remedy_data() {
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("start");
    QTest::addColumn<QString>("hint");
    for (const Mistake& m : mistakes)
        QTest::newRow(m.name) << QString(m.from) << QString(m.to) << QString(m.where) << QString(m.hint);
}

void ParseTest::errors_name_line_and_remedy() {
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(QString, start);
    QFETCH(QString, hint);
    const auto spec = parse_task(with(from.toStdString(), to.toStdString()), "t.toml");
    const std::string text = message(spec);
    QVERIFY2(!spec.ok() && text.starts_with(start.toStdString() + ":"), text.c_str());
    QVERIFY2(text.find(hint.toStdString()) != std::string::npos, text.c_str());
}

void ParseTest::settings_override_the_file() {
    const auto spec =
        parse_task(sample, "t.toml",
                   {"train.steps=7", "train.optimizer=sgd", "model.layers=2", "split.schedule=gpipe",
                    "model.symbols.batch=4", "place.device=cuda:1", "train.recompute=true", "place.stages=a/b, c/d",
                    "data.path=\"x y.txt\"", "checkpoint.every=5", "faults.answer=fail"});
    QVERIFY2(spec.ok(), message(spec).c_str());
    QCOMPARE(spec->train.steps, std::int64_t{7});
    QCOMPARE(spec->train.optimizer, std::string("sgd"));
    QCOMPARE(spec->model.sizes.at("layers"), std::int64_t{2});
    QCOMPARE(spec->model.symbols.at("batch"), std::int64_t{4});
    QCOMPARE(spec->place.device, std::string("cuda:1"));
    QCOMPARE(spec->place.stages, (std::vector<std::string>{"a/b", "c/d"}));
    QVERIFY(spec->train.recompute);
    QCOMPARE(spec->data.path, std::string("x y.txt"));
    QCOMPARE(spec->checkpoint.every, std::string("5"));
    QCOMPARE(spec->faults.answer, std::string("fail"));
    const auto timed = apply_overrides(*spec, {"checkpoint.every=30s", "checkpoint.keep=7"});
    QVERIFY2(timed.ok(), message(timed).c_str());
    QCOMPARE(timed->checkpoint, (CheckpointSection{"30s", 7}));
}

void ParseTest::setting_removes_the_settings_that_it_excludes() {
    const auto cuts = parse_task(sample, "t.toml", {"split.cuts=3,/layers/2/Add"});
    QVERIFY2(cuts.ok(), message(cuts).c_str());
    QCOMPARE(cuts->split.stages, std::int64_t{0});
    QCOMPARE(cuts->split.cuts, (std::vector<std::string>{"3", "/layers/2/Add"}));
    const auto stages = apply_overrides(*cuts, {"split.stages=3"});
    QVERIFY2(stages.ok(), message(stages).c_str());
    QVERIFY(stages->split.cuts.empty() && stages->split.stages == 3);
    const auto blocks = apply_overrides(*stages, {"split.segment=[{nodes = [\"*\"]}]", "split.strategy=block"});
    QVERIFY2(blocks.ok(), message(blocks).c_str());
    QVERIFY(blocks->split.stages == 0 && blocks->split.segments.size() == 1);
    QCOMPARE(apply_overrides(*cuts, {"split.cuts=5"})->split.cuts, (std::vector<std::string>{"5"}));
    QCOMPARE(apply_overrides(*cuts, {"split.cuts=[1, 2]"})->split.cuts, (std::vector<std::string>{"1", "2"}));
    const auto onnx = parse_task(sample, "t.toml", {"model.onnx=m.onnx"});
    QVERIFY2(onnx.ok(), message(onnx).c_str());
    QVERIFY(onnx->model.zoo.empty() && onnx->model.sizes.empty());
}

void ParseTest::wrong_settings_are_named() {
    for (const char* setting : {"steps=3", "train.steps", "train.steps=", "trian.steps=3", "train.stepz=3",
                                "train.steps=many", "train.steps=0", "train.steps.x=3", "checkpoint.every=0",
                                "checkpoint.evry=3", "checkpoint.keep=101", "faults.answer=standby"}) {
        const auto spec = parse_task(sample, "t.toml", {setting});
        QVERIFY2(!spec.ok(), setting);
        QVERIFY2(message(spec).starts_with(std::string("--set ") + setting), message(spec).c_str());
    }
    QVERIFY(message(parse_task(sample, "t.toml", {"train.stepz=3"})).find("'steps'") != std::string::npos);
    QVERIFY(message(parse_task(sample, "t.toml", {"nonsense.x=3"})).find("task, model, data, train") !=
            std::string::npos);
}

namespace {

const char* heads = R"([model]
zoo = "multitask"
[model.targets]
logits_0 = "price"
[data]
kind = "csv"
path = "t.csv"
targets = ["price", "logits_1"]
[train.losses]
logits_0 = "mse"
logits_1 = "cross_entropy"
[train.weights]
logits_0 = 0.5
)";

}  // namespace

void ParseTest::heads_are_checked_data() {
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("start");
    QTest::addColumn<QString>("hint");
    QTest::newRow("loss") << "logits_0 = \"mse\""
                          << "logits_0 = \"msee\""
                          << "t.toml:10"
                          << "did you mean 'mse'?";
    QTest::newRow("type") << "logits_0 = \"mse\""
                          << "logits_0 = 5"
                          << "t.toml:10"
                          << "a string";
    QTest::newRow("negative") << "0.5"
                              << "-0.5"
                              << "t.toml:13"
                              << "number from 0";
    QTest::newRow("not finite") << "0.5"
                                << "inf"
                                << "t.toml:13"
                                << "number from 0";
    QTest::newRow("weight of nothing") << "logits_0 = 0.5"
                                       << "logits_3 = 0.5"
                                       << "t.toml:13"
                                       << "did you mean";
    QTest::newRow("no column") << ", \"logits_1\""
                               << ""
                               << "t.toml:11"
                               << "[model.targets] logits_1";
    QTest::newRow("other column") << "= \"price\""
                                  << "= \"prise\""
                                  << "t.toml:4"
                                  << "did you mean 'price'?";
    QTest::newRow("target of nothing") << "logits_0 = \"price\""
                                       << "logits_5 = \"price\""
                                       << "t.toml:4"
                                       << "logits_5";
    QTest::newRow("output too") << "zoo = \"multitask\""
                                << "zoo = \"multitask\"\noutput = \"logits_0\""
                                << "t.toml:3"
                                << "keep one";
}

void ParseTest::heads_are_checked() {
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(QString, start);
    QFETCH(QString, hint);
    QVERIFY(parse_task(heads, "t.toml").ok());
    const auto wrong = parse_task(QString(heads).replace(from, to).toStdString(), "t.toml");
    const QString said = QString::fromStdString(message(wrong));
    QVERIFY2(said.startsWith(start + ":") && said.contains(hint), qPrintable(said));
}

void ParseTest::errors_name_the_line_of_a_head() {
    QCOMPARE(where_written(heads, "t.toml", {}, "train.losses.logits_1"), std::string("t.toml:11"));
    QCOMPARE(where_written(heads, "t.toml", {"train.losses.logits_1=mse"}, "train.losses.logits_1"),
             std::string("--set train.losses.logits_1=mse"));
    QCOMPARE(where_written(heads, "t.toml", {}, "split.stages"), std::string("split.stages"));
    const auto set = parse_task(heads, "t.toml", {"train.weights.logits_0=-1"});
    QVERIFY(message(set).starts_with("--set train.weights.logits_0=-1:"));
    const auto dropped = parse_task(heads, "t.toml", {"train.losses.logits_1=none"});
    QCOMPARE(dropped->train.losses.at("logits_1"), std::string("none"));
    QVERIFY(message(parse_task(heads, "t.toml", {"train.losses={logits_0=\"none\"}"})).find("gives no head a loss") !=
            std::string::npos);
}

void ParseTest::printed_task_parses_to_the_same() {
    TaskSpec spec = parse_task(sample, "t.toml").value();
    QCOMPARE(parse_task(print_task(spec), "p").value(), spec);
    QVERIFY(print_task(spec).find("momentum") == std::string::npos);  // defaults are not written
    spec.split.stages = 0;
    spec.split.cuts = {"3", "/layers/\"2\"/Add\\\n"};
    spec.model.symbols = {{"sequence length", 128}};
    spec.model.inputs = {{"input.1", "text"}};
    spec.model.frozen = {"embed*"};
    spec.model.targets = {{"head.1", "target"}};
    spec.train.losses = {{"head.1", "mse"}, {"head.2", "none"}};
    spec.train.weights = {{"head.1", 0.25}};
    spec.train.lr = 0.1 + 0.2;
    spec.train.epsilon = 1e-300;
    spec.train.seed = 1234567890123456789ULL;
    spec.train.clip = 3.0;
    spec.train.recompute = true;
    spec.train.nonfinite = "continue";
    spec.place.threads = 2;
    spec.checkpoint = {"5", 3};
    spec.faults.answer = "fail";
    auto again = parse_task(print_task(spec), "p");
    QVERIFY2(again.ok(), (message(again) + "\n" + print_task(spec)).c_str());
    QCOMPARE(again.value(), spec);
    spec.split.cuts.clear();
    spec.split.strategy = "block";
    spec.split.segments = {{{"/layers/*", "/a\"b"}, "mic-1/node-1"}, {{"*"}, ""}};
    spec.faults.answer = "recover";
    spec.place.standby = 2;
    again = parse_task(print_task(spec), "p");
    QVERIFY2(again.ok(), (message(again) + "\n" + print_task(spec)).c_str());
    QCOMPARE(again.value(), spec);
}

void ParseTest::accepts_a_split_given_apart_from_the_text() {
    SplitSection split;
    split.stages = 2;
    split.method = "optimal";
    const auto zoo = parse_task("[model]\nzoo = \"mlp\"\n[place]\nstages = [\"a\", \"b\"]\n", "m", split, false);
    QVERIFY2(zoo.ok(), message(zoo).c_str());
    QVERIFY(zoo->split == split && zoo->data.kind == "synthetic");
    QVERIFY(parse_task("", "m", split, true)->model.zoo.empty());  // the model was sent with the request
    QVERIFY(message(parse_task("", "m", split, false)).find("model.zoo is missing") != std::string::npos);
    const auto twice = message(parse_task("[task]\nname = \"t\"\n[split]\nstages = 2\n", "m", split, true));
    QVERIFY2(twice.starts_with("m:3: [split] is given both in the text"), twice.c_str());
    const auto nan = message(parse_task("[train]\nlr = nan\n", "m", split, true));
    QVERIFY2(nan.find("train.lr is out of range") != std::string::npos, nan.c_str());
    const auto other = message(parse_task("[place]\nstages = [\"a\"]\n", "m", split, true));
    QVERIFY2(other.find("names 1 nodes for 2 stages") != std::string::npos, other.c_str());
}

void ParseTest::names_every_bad_field_of_a_split() {
    SplitSection split;
    split.strategy = "blocks";
    split.tabu_iterations = 0;
    split.schedule = "";
    split.segments = {{{"/a"}, ""}};
    split.dp = 0;
    split.tp = 2;
    std::vector<std::string> named;
    for (const Error& error : split_errors(split)) named.push_back(error.where);
    QCOMPARE(named, (std::vector<std::string>{"split.strategy", "split.tabu_iterations", "split.segment",
                                              "split.schedule", "split.dp", "split.tp"}));
    QCOMPARE(split_errors(split).front().next, std::string("did you mean 'block'?"));
    split = {};
    split.strategy = "block";
    split.segments.assign(1, {std::vector<std::string>(100'001, "/a"), ""});
    QCOMPARE(split_errors(split).front().where, std::string("split.segment"));
    QVERIFY(split_errors({}).empty());
    const std::string text =
        "[model]\nzoo = \"mlp\"\n[data]\nkind = \"synthetic\"\nsamples = 9\n[split]\n"
        "method = \"best\"\nstages = 2\ntabu_iterations = 0\n";
    const auto said = message(parse_task(text, "t.toml", {"split.tabu_tenure=-1"}));
    QVERIFY2(said.starts_with("t.toml:7: split.method = 'best' is not known; use one of"), said.c_str());
    QVERIFY2(
        said.find("; also --set split.tabu_tenure=-1: split.tabu_tenure = -1 is out of range; use 0 to 10000; also "
                  "t.toml:9: split.tabu_iterations = 0 is out of range") != std::string::npos,
        said.c_str());
}

void ParseTest::refuses_huge_files() {
    QVERIFY(!parse_task(std::string(most_file_bytes + 1, '#'), "t.toml").ok());
    QVERIFY(!parse_task("a = " + std::string(100000, '['), "t.toml").ok());
}

DIVISI_TEST(ParseTest)

}  // namespace parse_test

#include "parse_test.moc"
