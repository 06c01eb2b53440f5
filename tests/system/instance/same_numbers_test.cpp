// SPDX-License-Identifier: Apache-2.0

#include "tests/support/task_file.h"
#include "tests/system/programs.h"

#include "tests/support/test_program.h"

namespace same_numbers_test {

using divisi::testing::TaskFile;
using divisi::tests::Finished;
using divisi::tests::Programs;

/// Tests a promise of Divisi with real processes. For one task file, the loss of every step has the same bits unsplit
/// and split anywhere, under either schedule.
class SameNumbers : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QVERIFY(programs_.cluster_up()); }
    void gpt_has_the_same_bits_for_any_cut_data();
    void gpt_has_the_same_bits_for_any_cut();
    void resnet_may_be_cut_across_skip_connections();
    void tied_embeddings_may_be_in_different_segments();
    void clipping_uses_the_norm_of_all_segments();
    void data_loading_on_another_node_does_not_change_losses();
    void epoch_visits_every_sample_once();
    void different_losses_are_detected();

private:
    QStringList reference(const QString& task, const QStringList& settings);
    QStringList split(const QString& task, const QStringList& settings);
    void compare(const QString& task, const QStringList& common, const QStringList& split_only);

    Programs programs_;
    QMap<QString, QStringList> references_;
};

namespace {

QStringList with_settings(QStringList arguments, const QStringList& settings) {
    for (const QString& setting : settings) arguments << "--set" << setting;
    return arguments << "--json";
}

TaskFile gpt_task() {
    return TaskFile("gpt")
        .gpt(4, 32, 2, 16)
        .replace("data", {{"kind", "text"},
                          {"path", DIVISI_SOURCE_DIR "/resources/samples/text/divisi.txt"},
                          {"validation_share", 0.05}})
        .section("train", {{"steps", 5},
                           {"microbatches", 4},
                           {"optimizer", "adamw"},
                           {"lr", 0.01},
                           {"seed", 3},
                           {"eval_every", 2},
                           {"eval_batches", 1}})
        .set("split.stages", 2);
}

TaskFile resnet_task() {
    return TaskFile("resnet")
        .section("model", {{"zoo", "resnet18"}, {"width", 8}, {"classes", 10}})
        .section("train", {{"steps", 4}, {"lr", 0.05}, {"momentum", 0.9}, {"seed", 5}})
        .set("split.stages", 3);
}

}  // namespace

QStringList SameNumbers::reference(const QString& task, const QStringList& settings) {
    const QString key = task + settings.join(' ');
    if (!references_.contains(key)) {
        const Finished finished = programs_.run(with_settings({"reference", task}, settings));
        if (finished.status != 0) qWarning("reference: %s", qPrintable(finished.errors));
        references_[key] = finished.losses();
    }
    return references_[key];
}

QStringList SameNumbers::split(const QString& task, const QStringList& settings) {
    const Finished finished = programs_.run(with_settings({"run", task}, settings));
    if (finished.status != 0) qWarning("run: %s", qPrintable(finished.errors));
    return finished.losses();
}

void SameNumbers::compare(const QString& task, const QStringList& common, const QStringList& split_only) {
    const QStringList wanted = reference(task, common);
    QVERIFY(wanted.size() >= 4);
    QCOMPARE(split(task, common + split_only), wanted);
}

void SameNumbers::gpt_has_the_same_bits_for_any_cut_data() {
    QTest::addColumn<int>("stages");
    QTest::addColumn<int>("microbatches");
    QTest::addColumn<QString>("schedule");
    for (const int stages : {2, 3, 4})
        for (const int microbatches : {4, 8})
            for (const char* schedule : {"gpipe", "1f1b"})
                QTest::addRow("%d stages, %d micro-batches, %s", stages, microbatches, schedule)
                    << stages << microbatches << QString(schedule);
}

void SameNumbers::gpt_has_the_same_bits_for_any_cut() {
    QFETCH(int, stages);
    QFETCH(int, microbatches);
    QFETCH(QString, schedule);
    const QString task = programs_.write("gpt.toml", gpt_task());
    compare(task, {QString("train.microbatches=%1").arg(microbatches)},
            {QString("split.stages=%1").arg(stages), "split.schedule=" + schedule});
}

void SameNumbers::resnet_may_be_cut_across_skip_connections() {
    const QString task = programs_.write("resnet.toml", resnet_task());
    // Cuts after the first convolution of a residual block, so that the skip connection crosses the cut.
    const Finished info = programs_.run({"model", "info", "zoo:resnet18", "--set", "model.width=8", "--json"});
    QString inside;
    for (const QJsonValue cut : info.objects().value(0)["cuts"].toArray())
        if (inside.isEmpty() && cut["after"].toString().contains("layer2") && cut["after"].toString().contains("conv1"))
            inside = cut["after"].toString();
    QVERIFY2(!inside.isEmpty(), "no legal cut inside a residual block");
    compare(task, {}, {"split.stages=3"});
    compare(task, {}, {"split.cuts=[\"" + inside + "\"]"});
}

void SameNumbers::tied_embeddings_may_be_in_different_segments() {
    const QString task = programs_.write("tied.toml", gpt_task());
    compare(task, {"model.tied=1"}, {"split.stages=3"});
}

void SameNumbers::clipping_uses_the_norm_of_all_segments() {
    const QString task = programs_.write("clip.toml", gpt_task());
    compare(task, {"train.clip=0.5", "model.tied=1"}, {"split.stages=4"});
}

void SameNumbers::data_loading_on_another_node_does_not_change_losses() {
    const QString task = programs_.write("place.toml", gpt_task());
    compare(task, {}, {"place.data=mic-2/node-2"});
}

/// If the weights are constant, the mean of an epoch's losses is the loss of all samples at once.
void SameNumbers::epoch_visits_every_sample_once() {
    const QString task =
        programs_.write("epoch.toml", TaskFile("epoch")
                                          .set("data.samples", 12)
                                          .drop("train.batch")
                                          .drop("train.microbatches")
                                          .section("train", {{"lr", 1e-30}, {"seed", 2}, {"loss", "mse"}}));
    const auto mean_loss = [&](int steps, int batch) {
        const Finished run = programs_.run(with_settings(
            {"reference", task}, {QString("train.steps=%1").arg(steps), QString("train.batch=%1").arg(batch)}));
        double sum = 0;
        for (const QJsonObject& step : run.objects("step")) sum += step["loss"].toDouble();
        return run.status == 0 ? sum / steps : -1;
    };
    const double all = mean_loss(1, 12), first_epoch = mean_loss(3, 4), two_epochs = mean_loss(6, 4);
    QVERIFY(all > 0);
    QVERIFY2(qAbs(first_epoch - all) < 1e-5 * all, qPrintable(QString("%1 %2").arg(first_epoch).arg(all)));
    QVERIFY2(qAbs(two_epochs - all) < 1e-5 * all, qPrintable(QString("%1 %2").arg(two_epochs).arg(all)));
}

void SameNumbers::different_losses_are_detected() {
    // Another seed must give other bits, or the comparisons above could not fail.
    const QString task = programs_.write("seed.toml", gpt_task());
    QVERIFY(split(task, {"train.seed=4"}) != reference(task, {"train.seed=3"}));
}

DIVISI_TEST(SameNumbers)

}  // namespace same_numbers_test

#include "same_numbers_test.moc"
