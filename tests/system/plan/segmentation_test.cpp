// SPDX-License-Identifier: Apache-2.0
// Tests the segmentation interface: plans that a running orchestrator computes for its nodes.
#include <zmq.h>

#include <QtEndian>

#include "backend/graph/shapes.h"
#include "backend/onnx/export.h"
#include "tests/support/task_file.h"
#include "tests/support/test_program.h"
#include "tests/system/programs.h"
#include "tests/unit/graph/builder.h"

namespace segmentation_test {

using namespace divisi;
using divisi::testing::TaskFile;
using divisi::tests::Finished;
using divisi::tests::Programs;

namespace {

struct Case {
    const char* name;
    TaskFile::Entry model;
    QStringList settings;
};

const QList<Case>& cases() {
    static const QList<Case> all{
        {"cuts", {"zoo", "mlp"}, {"split.cuts=1"}},
        {"flops", {"zoo", "lenet"}, {"split.stages=3"}},
        {"optimal", {"zoo", "gpt"}, {"split.stages=2", "split.method=optimal"}},
        {"tabu",
         {"zoo", "mlp"},
         {"split.stages=3", "split.method=tabu", "split.tabu_iterations=20", "split.tabu_seed=7"}},
        {"open", {"zoo", "mlp"}, {"split.method=optimal", "split.most_stages=3"}},
        {"block", {"zoo", "lenet"}, {"split.strategy=block", "split.stages=2"}},
        {"placed", {"zoo", "mlp"}, {"split.stages=2", "place.stages=mic-2/node-1,mic-1/node-1"}},
        {"imported", {"onnx", "m.onnx"}, {"split.stages=2"}},
    };
    return all;
}

/// Writes an ONNX file with weights that are large enough to be left out of the skeleton.
void write_model(const Programs& programs) {
    graph::test::Builder builder;
    builder.graph.opset = 13;
    builder.symbolic_input("x", {{-1, "batch"}, {64, ""}});
    std::string last = "x";
    for (int i = 0; i < 4; ++i) {
        const std::string name = "/layer" + std::to_string(i);
        const std::vector<float> values(64 * 64, 0.01F);
        builder.constant(name + "/w", graph::HostTensor::of(graph::DType::float32, {64, 64}, values))
            .node(name + "/MatMul", "MatMul", {last, name + "/w"}, {name + "/m"})
            .node(name + "/Relu", "Relu", {name + "/m"}, {name + "/r"});
        last = name + "/r";
    }
    builder.output(last);
    graph::Graph model = std::move(builder.graph);
    if (!graph::infer_shapes(model, {})) qFatal("the model has no shapes");
    if (!onnx::export_model(model, programs.folder().toStdString() + "/m.onnx")) qFatal("the model was not written");
}

// A client that shares no code with Divisi; it is written from resources/docs/segmentation.md alone.

enum Kind : quint16 { refused = 0, hello = 2, welcome = 3, segment_model = 38, model_segmented = 39 };

QByteArray varint(quint64 value) {
    QByteArray bytes;
    for (; value > 0x7f; value >>= 7) bytes.append(static_cast<char>(value | 0x80));
    return bytes.append(static_cast<char>(value));
}
QByteArray number(int field, qint64 value) { return varint(field << 3) + varint(static_cast<quint64>(value)); }
QByteArray bytes(int field, const QByteArray& value) {
    return varint(field << 3 | 2) + varint(static_cast<quint64>(value.size())) + value;
}

template <typename T>
QByteArray little_endian(T value) {
    QByteArray text(sizeof value, '\0');
    qToLittleEndian(value, text.data());
    return text;
}

struct Answer {
    int kind = -1;
    QByteArray bytes;
};

class Stranger {
public:
    explicit Stranger(const QString& endpoint) {
        const int none = 0, patience_ms = 20'000;
        zmq_setsockopt(socket_, ZMQ_LINGER, &none, sizeof none);
        zmq_setsockopt(socket_, ZMQ_RCVTIMEO, &patience_ms, sizeof patience_ms);
        zmq_connect(socket_, qPrintable(endpoint));
    }
    ~Stranger() {
        zmq_close(socket_);
        zmq_ctx_term(context_);
    }
    Answer ask(Kind kind, const QByteArray& message) {
        const quint64 correlation = ++asked_;
        const QByteArray header = little_endian(correlation) + little_endian(quint16(kind)) +
                                  little_endian(quint32(message.size())) + little_endian(quint32(0));
        zmq_send(socket_, header.data(), size_t(header.size()), ZMQ_SNDMORE);
        zmq_send(socket_, message.data(), size_t(message.size()), 0);
        while (true) {
            const QByteArray head = receive();
            if (head.size() != 18) return {};
            const QByteArray body = receive();
            if (qFromLittleEndian<quint64>(head.data()) != correlation) continue;  // skips heartbeats
            return {qFromLittleEndian<quint16>(head.data() + 8), body};
        }
    }

private:
    QByteArray receive() {
        QByteArray part(1 << 20, '\0');
        const int size = zmq_recv(socket_, part.data(), size_t(part.size()), 0);
        return part.left(std::max(size, 0));
    }
    void* context_ = zmq_ctx_new();
    void* socket_ = zmq_socket(context_, ZMQ_DEALER);
    quint64 asked_ = 0;
};

}  // namespace

class SegmentationTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void cluster_plan_matches_the_local_plan_data();
    void cluster_plan_matches_the_local_plan();
    void plan_names_the_cluster_of_its_nodes();
    void error_names_its_setting();
    void foreign_client_gets_a_plan();
    void foreign_client_is_told_every_bad_field();

private:
    QStringList arguments(const Case& one) const {
        const TaskFile task =
            TaskFile("plan").replace("model", {one.model}).section("train", {{"steps", 2}, {"microbatches", 4}});
        QStringList words{"plan", programs_.write(QString(one.name) + ".toml", task)};
        for (const QString& setting : one.settings) words << "--set" << setting;
        return words;
    }
    /// Returns settings that place `stages` stages on the nodes in order.
    static QStringList nodes_in_order(qsizetype stages) {
        const QStringList all{"mic-1/node-1", "mic-1/node-2", "mic-2/node-1", "mic-2/node-2"};
        return {"--set", "place.stages=" + all.first(stages).join(',')};
    }
    /// Returns settings that request the cuts and nodes of `plan`.
    static QStringList as_planned(const QJsonObject& plan) {
        QStringList cuts, nodes;
        for (const QJsonValue cut : plan["cuts"].toArray()) cuts << cut.toString();
        for (const QJsonValue stage : plan["predictions"].toArray())
            nodes << stage["device"].toString().section(' ', 0, 0);
        return {"--set", "split.cuts=" + cuts.join(','), "--set", "place.stages=" + nodes.join(',')};
    }
    /// Returns the plan that divisictl makes with these arguments; empty if it fails.
    QJsonObject plan(const QStringList& words) const;
    void plan_in_cluster(const Case& one, const QStringList& how);
    QString connection() const { return programs_.data() + "/connection.toml"; }
    QString endpoint() const {
        QFile file(connection());
        if (!file.open(QIODevice::ReadOnly)) return {};
        const QString text = file.readAll();
        return text.mid(text.indexOf("ipc://")).section('\'', 0, 0);
    }

    Programs programs_;
    QMap<QString, QJsonObject> here_;  ///< plans made without a cluster
    struct Planned {
        QJsonObject plan;
        QJsonObject other;  ///< a plan on the nodes in their order; for a tabu search: with the found cuts and nodes
    };
    QMap<QString, QList<Planned>> there_;  ///< plans made in the cluster: found by divisictl itself, and named to it
};

void SegmentationTest::initTestCase() {
    write_model(programs_);
    // A cluster measures its links as soon as it is idle. Its figures then apply without a cluster too. Another cluster
    // would measure other figures, so all plans use the figures of this cluster.
    QVERIFY(programs_.cluster_up());
    const Finished measured = programs_.run({"links", "--measure"});
    QVERIFY2(measured.status == 0, qPrintable(measured.errors));
    for (const Case& one : cases())
        for (const QStringList& how : {QStringList{}, QStringList{"--connect", connection()}})
            plan_in_cluster(one, how);
    const Finished down = programs_.run({"cluster", "down"});
    QVERIFY2(down.status == 0, qPrintable(down.errors));
    for (const Case& one : cases()) {
        here_[one.name] = plan(arguments(one));
        QCOMPARE(here_[one.name]["nodes_of"].toString(), QString("this machine"));
    }
    QVERIFY(programs_.cluster_up());
}

QJsonObject SegmentationTest::plan(const QStringList& words) const {
    const Finished run = programs_.run(words + QStringList{"--json"});
    if (run.status != 0) qWarning("%s", qPrintable(run.errors));
    return run.status == 0 ? run.objects().last() : QJsonObject();
}

/// Stores the plan of a case. If the cluster chose its nodes or its cuts, also stores a plan to compare it with.
void SegmentationTest::plan_in_cluster(const Case& one, const QStringList& how) {
    Planned planned{plan(arguments(one) + how), {}};
    const qsizetype stages = planned.plan["predictions"].toArray().size();
    const QString name = one.name;
    if (name == "tabu") planned.other = plan(arguments(cases()[0]) + how + as_planned(planned.plan));
    else if (stages > 2 && name != "placed") planned.other = plan(arguments(one) + how + nodes_in_order(stages));
    there_[name].append(planned);
}

void SegmentationTest::cluster_plan_matches_the_local_plan_data() {
    QTest::addColumn<int>("number");
    for (int i = 0; i < cases().size(); ++i) QTest::newRow(cases()[i].name) << i;
}

/// The cluster's nodes are processes of this machine, so its plan equals the local plan in every digit. Exceptions are
/// the nodes of the stages, and the costs of paths between MICs, which exist only in the cluster. If the simulated step
/// chooses the plan, the plan may differ but is no slower.
void SegmentationTest::cluster_plan_matches_the_local_plan() {
    QFETCH(int, number);
    const Case& one = cases()[number];
    QCOMPARE(there_[one.name].size(), 2);
    for (const Planned& planned : there_[one.name]) {
        QJsonObject there = planned.plan, here = here_[one.name];
        QCOMPARE(there["nodes_of"].toString(), QString("cluster embedded"));
        QVERIFY(there["time_ms"].toDouble() > 0);
        QJsonArray stages = there["predictions"].toArray();
        const QJsonArray stages_here = here["predictions"].toArray();
        // In the cluster, gateways share hosts with stages, so the simulated step decides: see decision record 0180.
        if (QString(one.name) == "optimal" || QString(one.name) == "open") {
            const double step_ms = there["predicted_step_ms"].toDouble();
            QVERIFY(step_ms > 0 && !stages.isEmpty());
            QVERIFY2(step_ms <= here["predicted_step_ms"].toDouble(), qPrintable(QString::number(step_ms)));
            continue;
        }
        QCOMPARE(stages.size(), stages_here.size());
        // Tabu search considers the costs of paths. The same cuts and nodes, planned without the search, cost the same.
        if (there.contains("paths") && QString(one.name) == "tabu") {
            QCOMPARE(planned.other["cuts"], there["cuts"]);
            QCOMPARE(planned.other["predicted_step_ms"], there["predicted_step_ms"]);
            QVERIFY(there["predicted_step_ms"].toDouble() > 0);
            continue;
        }
        // Cuts by a simple rule go to the nodes with the shortest simulated step (decision record 0188). The step is no
        // slower than on the nodes in their order, if everything is as on this machine.
        if (there.contains("paths") && stages.size() > 2 && QString(one.name) != "placed") {
            const double found_ms = there["predicted_step_ms"].toDouble();
            QCOMPARE(there["cuts"], here["cuts"]);
            there = planned.other;
            stages = there["predictions"].toArray();
            QVERIFY2(found_ms > 0 && found_ms <= there["predicted_step_ms"].toDouble(),
                     qPrintable(QString::number(found_ms)));
        }
        for (int i = 0; i < stages.size(); ++i) {
            QJsonObject stage = stages[i].toObject(), stage_here = stages_here[i].toObject();
            const QString node = QString(one.name) == "placed" ? QString("mic-%1/node-1 cpu").arg(2 - i)
                                                               : QString("mic-1/node-%1 cpu").arg(i + 1);
            if (i < 2) QCOMPARE(stage["device"].toString(), node);
            for (const char* key : {"device", "capacity_bytes"}) stage.remove(key), stage_here.remove(key);
            if (there.contains("paths")) {
                for (const char* key : {"busy_ms", "bubble"}) stage.remove(key), stage_here.remove(key);
                QVERIFY(stages.size() > 2 || QString(one.name) == "placed");  // otherwise the stages fit into one MIC
            }
            QCOMPARE(stage, stage_here);
        }
        if (there.contains("paths")) {
            QVERIFY(there["predicted_step_ms"].toDouble() > here["predicted_step_ms"].toDouble());
            for (const char* key : {"paths", "predicted_step_ms"}) there.remove(key), here.remove(key);
        }
        for (const char* key : {"nodes_of", "time_ms", "predictions"}) there.remove(key), here.remove(key);
        QCOMPARE(there, here);
    }
}

void SegmentationTest::plan_names_the_cluster_of_its_nodes() {
    const Finished text = programs_.run(arguments(cases()[0]));
    QVERIFY2(text.output.contains("a step on cluster embedded (mic-1/node-1 cpu, mic-1/node-2 cpu)"),
             qPrintable(text.output));
}

void SegmentationTest::error_names_its_setting() {
    const Finished many = programs_.run(arguments(cases()[0]) << "--set"
                                                              << "split.stages=200");
    QCOMPARE(many.status, 2);
    QVERIFY2(many.errors.startsWith("error: --set split.stages=200: "), qPrintable(many.errors));
    const Finished node = programs_.run(arguments(cases()[0]) << "--set"
                                                              << "place.data=mic-9/node-9");
    QVERIFY2(node.errors.contains("no node of the cluster is called 'mic-9/node-9'"), qPrintable(node.errors));
}

void SegmentationTest::foreign_client_gets_a_plan() {
    Stranger stranger(endpoint());
    QCOMPARE(stranger.ask(hello, bytes(1, "stranger") + number(3, 1)).kind, int(welcome));
    const QByteArray split = number(1, 1) + bytes(3, "optimal") + number(4, 2);
    const TaskFile task = TaskFile().set("model.zoo", "gpt").drop_section("data").set("train.microbatches", 4);
    const Answer plan = stranger.ask(segment_model, bytes(1, split) + bytes(2, QByteArray::fromStdString(task.text())));
    QVERIFY2(plan.kind == model_segmented, plan.bytes.constData());
    QVERIFY(plan.bytes.startsWith(number(1, 1) + bytes(2, "embedded")));
    QVERIFY(plan.bytes.contains("mic-1/node-1 cpu") && plan.bytes.contains("mic-1/node-2 cpu"));
    for (const QJsonValue& cut : here_["optimal"]["cuts"].toArray())
        QVERIFY(plan.bytes.contains(bytes(2, cut.toString().toUtf8())));
}

void SegmentationTest::foreign_client_is_told_every_bad_field() {
    Stranger stranger(endpoint());
    QCOMPARE(stranger.ask(hello, bytes(1, "stranger") + number(3, 1)).kind, int(welcome));
    const QByteArray split = number(1, 1) + bytes(2, "service") + number(10, -1) + number(11, 0) + bytes(16, "*");
    const Answer answer = stranger.ask(segment_model, bytes(1, split));
    QCOMPARE(answer.kind, int(refused));
    for (const char* says : {"split.strategy", "= 'service' is not known", "split.tabu_tenure", "= -1 is out of range",
                             "split.tabu_iterations", "= 0 is out of range", "split.sensitive", "names every operator"})
        QVERIFY2(answer.bytes.contains(says), says);
    QVERIFY(!answer.bytes.contains("split.method"));
    const Answer newer = stranger.ask(segment_model, bytes(1, number(1, 9) + number(10, -1)));
    QCOMPARE(newer.kind, int(refused));
    QVERIFY(newer.bytes.contains("= 9 is a version that this build does not support") &&
            newer.bytes.contains("use version = 1") && !newer.bytes.contains("tabu_tenure"));
    const Answer none = stranger.ask(segment_model, {});
    QVERIFY(none.kind == refused && none.bytes.contains("split.version"));
    // The error did no harm: the connection still works.
    const QByteArray text =
        QByteArray::fromStdString(TaskFile().drop_section("data").drop("train.microbatches").text());
    QCOMPARE(stranger.ask(segment_model, bytes(1, number(1, 1) + number(4, 2)) + bytes(2, text)).kind,
             int(model_segmented));
}

DIVISI_TEST(SegmentationTest)

}  // namespace segmentation_test

#include "segmentation_test.moc"
