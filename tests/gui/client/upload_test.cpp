// SPDX-License-Identifier: GPL-3.0-or-later
// Tests uploads to nodes on other machines, which tests/system/tcp_cluster.h simulates as far as possible.
#include <QProgressBar>
#include <QRandomGenerator>

#include "tests/gui/console.h"
#include "tests/gui/live_console.h"
#include "tests/support/task_file.h"
#include "tests/support/test_program.h"
#include "tests/system/tcp_cluster.h"

namespace upload_test {

using namespace divisi;
using divisi::tests::TcpCluster;

namespace {

/// Size of a file whose upload takes long enough to be seen and cancelled.
constexpr qint64 file_bytes = qint64{192} << 20;

testing::TaskFile brought_task() {
    return testing::TaskFile("brought")
        .gpt(1, 16, 1, 8)
        .replace("data", {{"kind", "text"}, {"path", "words.txt"}})
        .section("train", {{"steps", 2}, {"batch", 4}})
        .set("split.stages", 2);
}

}  // namespace

class UploadTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase() { cluster_.reset(); }
    void transfer_shows_its_progress_and_can_be_cancelled();

private:
    client::ClusterOptions options() const {
        client::ClusterOptions options;
        options.connection = cluster_->connection().toStdString();
        options.keys = (cluster_->programs.folder() + QStringLiteral("/me.key")).toStdString();
        options.uploads = (cluster_->programs.folder() + QStringLiteral("/uploads")).toStdString();
        options.version = "test";
        return options;
    }
    /// Writes a task with a new file of random bytes, which no node has.
    QString task() const {
        QByteArray noise(file_bytes, Qt::Uninitialized);
        auto* words = reinterpret_cast<quint32*>(noise.data());
        QRandomGenerator::system()->fillRange(words, file_bytes / qint64{sizeof(quint32)});
        cluster_->programs.write(QStringLiteral("words.txt"), noise);
        return cluster_->programs.write(QStringLiteral("brought.toml"), brought_task());
    }

    std::unique_ptr<TcpCluster> cluster_;
};

void UploadTest::initTestCase() {
    cluster_ = std::make_unique<TcpCluster>();
    QVERIFY(cluster_->start());
    QVERIFY(cluster_->allow(cluster_->make_key(QStringLiteral("me.key")), QStringLiteral("me"),
                            QStringLiteral("operator")));
}

void UploadTest::transfer_shows_its_progress_and_can_be_cancelled() {
    testing::LiveConsole live(options());
    QSignalSpy refused(&live.cluster, &client::Client::refused), submitted(&live.cluster, &client::Client::submitted);
    auto* bar = live.console.find<QWidget>("uploadBar");
    auto* progress = bar->findChild<QProgressBar*>();
    QVERIFY(!bar->isVisible());

    QVERIFY(live.submit(task()));
    QVERIFY(QTest::qWaitFor(
        [&] { return bar->isVisible() && live.cluster.upload() && live.cluster.upload()->done > 0; }, 60'000));
    QVERIFY(live.console.find<QLabel>("uploadText")->text().contains(QStringLiteral("MiB")));
    QVERIFY(progress->value() > 0 && progress->maximum() > 0);
    live.console.shot("upload");
    QTest::mouseClick(live.console.find<QToolButton>("cancelUpload"), Qt::LeftButton);
    QVERIFY(QTest::qWaitFor([&] { return !bar->isVisible() && !refused.isEmpty(); }, 20'000));
    QVERIFY(refused[0][0].toString().contains(QStringLiteral("cancelled")));
    QVERIFY(submitted.isEmpty());
    const auto failed = [&] {
        const auto& tasks = live.cluster.data().state.tasks;
        return tasks.size() == 1 && tasks.begin()->second.outcome == control::Outcome::failed;
    };
    QVERIFY(QTest::qWaitFor(failed, 20'000));

    // The second upload resumes after the bytes that have arrived, and completes.
    Bytes least = -1;
    connect(&live.cluster, &client::Client::uploadChanged, this, [&] {
        if (live.cluster.upload() && live.cluster.upload()->total > 0 && least < 0) least = live.cluster.upload()->done;
    });
    live.console.action("run")->trigger();
    QVERIFY(QTest::qWaitFor([&] { return !submitted.isEmpty(); }, 120'000));
    QVERIFY(least > 0);
    QVERIFY(!bar->isVisible());
}

DIVISI_WINDOW_TEST(UploadTest)

}  // namespace upload_test

#include "upload_test.moc"
