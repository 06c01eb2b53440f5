// SPDX-License-Identifier: Apache-2.0
#include <signal.h>

#include "tests/support/task_file.h"
#include "tests/support/test_program.h"
#include "tests/system/disturbed_run.h"
#include "tests/system/programs.h"

namespace models_test {

using divisi::testing::TaskFile;
using divisi::tests::DisturbedRun;
using divisi::tests::expect_reference_bits;
using divisi::tests::Finished;
using divisi::tests::Programs;

namespace {

TaskFile chain_task(const char* name, int width) {
    return TaskFile(name)
        .gpt(2, width, 2, 32)
        .section("train", {{"steps", 20}, {"microbatches", 4}, {"optimizer", "sgd"}, {"lr", 0.05}, {"momentum", 0}})
        .set("split.stages", 2);
}

/// Settings for a training that begins with a version: other cuts, another number of stages and another schedule.
const QStringList other_plan{"--set", "train.steps=10", "--set", "split.stages=3", "--set", "split.schedule=gpipe"};

}  // namespace

/// Tests the model repository with real processes: versions, their lineage, and trainings that begin with one. The
/// tests build on each other.
class ModelsSystem : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void successful_training_creates_a_model_version();
    void training_can_start_from_a_version();
    void version_of_another_model_is_refused();
    void versions_outlive_the_orchestrator();
    void version_can_be_dropped();
    void versions_outlive_the_cluster();
    void checkpoint_becomes_a_version();

private:
    QList<QJsonObject> versions() const { return programs_.run({"models", "--json"}).objects(); }
    QJsonObject shown(const QString& version) const {
        return programs_.run({"models", "show", version, "--json"}).objects().value(0);
    }
    QStringList reference_from(const QString& weights, const QStringList& settings) const {
        const Finished reference =
            programs_.run(QStringList{"reference", chain_, "--json", "--from", weights} + settings);
        if (reference.status != 0) qWarning("%s", qPrintable(reference.errors));
        return reference.losses();
    }
    Finished run_from(const QString& version, const QStringList& settings) const {
        return programs_.run(QStringList{"run", chain_, "--json", "--from", version} + settings);
    }
    void expect_refusal(const Finished& finished, int status, const QStringList& parts) const {
        QCOMPARE(finished.status, status);
        for (const QString& part : parts)
            QVERIFY2(finished.errors.contains(part), qPrintable(finished.errors + " lacks " + part));
    }

    Programs programs_;
    QString chain_, wide_, kept_, weights_;
};

void ModelsSystem::initTestCase() {
    QVERIFY(programs_.cluster_up());
    chain_ = programs_.write("chain.toml", chain_task("chain", 64));
    wide_ = programs_.write("wide.toml", chain_task("wide", 32));
    kept_ = programs_.write("kept.toml", chain_task("kept", 64));
    weights_ = programs_.folder() + "/weights.onnx";
    QVERIFY(programs_.run({"models"}).output.startsWith("no versions"));
}

void ModelsSystem::successful_training_creates_a_model_version() {
    const Finished run = programs_.run({"run", chain_, "--json"});
    QVERIFY2(run.status == 0, qPrintable(run.errors));
    QCOMPARE(run.losses().size(), 20);
    QCOMPARE(versions().size(), 1);
    const QJsonObject version = versions().first();
    QCOMPARE(version["version"].toInt(), 1);
    QCOMPARE(version["task"].toString(), QString("chain-1"));
    QCOMPARE(version["step"].toInt(), 20);
    QVERIFY(version["from"].isNull());
    QVERIFY(version["kept"].toBool());
    QCOMPARE(version["data"].toString(), QString("synthetic"));
    QCOMPARE(version["hash"].toString().size(), 16);
    const Finished exported = programs_.run({"model", "export", "1", weights_});
    QVERIFY2(exported.status == 0, qPrintable(exported.errors));
    QVERIFY(programs_.run({"logs", "--contains", "version 1 of zoo:gpt"}).output.contains("chain-1"));
}

/// The reference reads the same weights from the exported file, so it needs no cluster and no version.
void ModelsSystem::training_can_start_from_a_version() {
    const Finished run = run_from("chain-1", other_plan);
    QVERIFY2(run.status == 0, qPrintable(run.errors));
    QCOMPARE(run.losses().size(), 10);
    const QStringList expected = reference_from(weights_, {"--set", "train.steps=10"});
    QCOMPARE(run.losses(), expected);
    const Finished anew = programs_.run({"reference", chain_, "--json", "--set", "train.steps=10"});
    QVERIFY(anew.losses() != expected);  // the version is not the model's initial weights
    const QJsonObject version = shown("2");
    QCOMPARE(version["task"].toString(), QString("chain-2"));
    QCOMPARE(version["from"].toInt(), 1);
    QCOMPARE(version["stages"].toInt(), 3);
    QCOMPARE(version["lineage"].toArray().size(), 1);
    QCOMPARE(version["lineage"].toArray().at(0).toObject()["task"].toString(), QString("chain-1"));
    QVERIFY(programs_.run({"models", "show", "2"}).output.contains("the model's initial weights"));
}

void ModelsSystem::version_of_another_model_is_refused() {
    const auto tasks = programs_.run({"tasks", "--json"}).objects().size();
    expect_refusal(programs_.run({"run", wide_, "--from", "1"}), 2,
                   {"version 1 belongs to another model", "in the version and"});
    expect_refusal(programs_.run({"reference", wide_, "--from", weights_}), 2, {"belongs to another model"});
    expect_refusal(run_from("99", {}), 2, {"no such version", "divisictl models"});
    expect_refusal(programs_.run({"models", "show", "nobody"}), 2, {"no such version"});
    QCOMPARE(programs_.run({"tasks", "--json"}).objects().size(), tasks);  // nothing was submitted
}

void ModelsSystem::versions_outlive_the_orchestrator() {
    const auto found = programs_.pids("divisid");
    QCOMPARE(found.size(), 1);
    ::kill(static_cast<pid_t>(found[0]), SIGKILL);
    QVERIFY(QTest::qWaitFor([&] { return versions().size() == 2; }, 30'000));
    QCOMPARE(versions().last()["from"].toInt(), 1);
    const auto ready = [&] {
        return programs_.run({"cluster", "status", "--json"}).output.count("\"state\":\"ready\"") == 4;
    };
    QVERIFY(QTest::qWaitFor(ready, 30'000));
}

void ModelsSystem::version_can_be_dropped() {
    const Finished dropped = programs_.run({"models", "drop", "1"});
    QVERIFY2(dropped.output.contains("the weights of version 1 are dropped"), qPrintable(dropped.errors));
    expect_refusal(run_from("1", {}), 1, {"the weights of version 1 were deleted"});
    expect_refusal(programs_.run({"models", "drop", "1"}), 1, {"already dropped"});
    const QJsonArray lineage = shown("2")["lineage"].toArray();
    QCOMPARE(lineage.size(), 1);
    QVERIFY(!lineage.at(0).toObject()["kept"].toBool());
}

void ModelsSystem::versions_outlive_the_cluster() {
    QCOMPARE(programs_.run({"cluster", "down"}).status, 0);
    QVERIFY(programs_.cluster_up());
    QCOMPARE(versions().size(), 2);
    const QString second = programs_.folder() + "/second.onnx";
    const Finished run = run_from("2", {"--set", "train.steps=3"});
    QVERIFY2(run.status == 0, qPrintable(run.errors));
    const Finished exported = programs_.run({"model", "export", "chain-2", second});
    QVERIFY2(exported.status == 0, qPrintable(exported.errors));
    QCOMPARE(run.losses(), reference_from(second, {"--set", "train.steps=3"}));
    QCOMPARE(shown("3")["lineage"].toArray().size(), 2);
}

/// The version has the weights of a training that ended at the checkpoint's step. This holds while the training
/// continues, and after its task is gone.
void ModelsSystem::checkpoint_becomes_a_version() {
    DisturbedRun run(programs_, kept_, {"train.steps=1000000", "checkpoint.every=7"});
    QVERIFY2(run.wait_for_checkpoint(), run.told().constData());
    const Finished kept = programs_.run({"checkpoint", "kept-1", "--keep", "--name", "early", "--json"});
    QVERIFY2(kept.status == 0, qPrintable(kept.errors));
    const int step = kept.objects().value(0)["step"].toInt();
    QVERIFY(step > 0);
    QVERIFY(kept.objects().first()["checkpoint"].toBool());
    expect_refusal(programs_.run({"models", "keep", "kept-1", "--name", "early"}), 1, {"already has this name"});
    expect_refusal(programs_.run({"models", "keep", "kept-1", "--step", "1"}), 2, {"no checkpoint after step 1"});
    QVERIFY2(run.wait_for_more_steps(), run.told().constData());
    run.stop();
    expect_reference_bits(run);
    expect_refusal(programs_.run({"models", "keep", "kept-1"}), 1, {"has ended"});
    QCOMPARE(shown("early")["task"].toString(), QString("kept-1"));

    const QString steps = "train.steps=" + QString::number(step);
    const Finished whole = programs_.run({"run", kept_, "--json", "--set", steps});
    QVERIFY2(whole.status == 0, qPrintable(whole.errors));
    const QString early = programs_.folder() + "/early.onnx", ended = programs_.folder() + "/ended.onnx";
    for (const auto& [version, file] : {std::pair(QString("early"), early), std::pair(QString("kept-2"), ended)}) {
        const Finished exported = programs_.run({"model", "export", version, file});
        QVERIFY2(exported.status == 0, qPrintable(exported.errors));
    }
    const QStringList expected = reference_from(ended, {"--set", "train.steps=10"});
    QCOMPARE(expected.size(), 10);
    QCOMPARE(reference_from(early, {"--set", "train.steps=10"}), expected);
    const Finished begun = run_from("early", other_plan);  // three stages instead of two
    QVERIFY2(begun.status == 0, qPrintable(begun.errors));
    QCOMPARE(begun.losses(), expected);
    QCOMPARE(versions().last()["from"].toInt(), shown("early")["version"].toInt());
    QCOMPARE(programs_.run({"models", "drop", "early"}).status, 0);
    expect_refusal(run_from("early", {}), 1, {"were deleted"});
}

DIVISI_TEST(ModelsSystem)

}  // namespace models_test

#include "models_test.moc"
