// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the real console when its command line names the cluster to show.
#include <QFileInfo>
#include <QImage>
#include <QProcess>

#include "app/client/cluster_client.h"
#include "app/client/replay_client.h"
#include "tests/gui/console.h"
#include "tests/support/test_program.h"
#include "tests/system/tcp_cluster.h"

namespace connect_test {

using namespace divisi;
using divisi::tests::Programs;

class ConnectTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// A viewer's key makes everything visible. Forbidden actions are disabled, and their tooltips give the reason.
    void viewer_sees_everything_and_is_told_what_is_denied() {
        tests::TcpCluster cluster;
        QVERIFY(cluster.start());
        QVERIFY(
            cluster.allow(cluster.make_key(QStringLiteral("vera")), QStringLiteral("vera"), QStringLiteral("viewer")));
        client::ClusterOptions options;
        options.connection = cluster.connection().toStdString();
        options.keys = (cluster.programs.folder() + QStringLiteral("/vera")).toStdString();
        options.version = "test";
        client::ClusterClient watcher(std::move(options));
        testing::Console console(&watcher);
        QTRY_COMPARE_WITH_TIMEOUT(watcher.status().connection, client::Connection::connected, 20'000);
        QCOMPARE(watcher.status().role, control::Role::viewer);
        QTRY_COMPARE_WITH_TIMEOUT(watcher.data().state.nodes.size(), std::size_t{2}, 20'000);
        QTRY_VERIFY(!console.action("run")->isEnabled());
        QVERIFY2(console.action("run")->toolTip().contains(QStringLiteral("is read-only")),
                 qPrintable(console.action("run")->toolTip()));
    }

    /// The console's recording must show the cluster. The console has its own data folder, so only the command line can
    /// lead it to that cluster.
    void command_line_takes_a_connection_file() {
        Programs programs;
        QVERIFY(programs.cluster_up());
        const QString task = programs.small_task(QStringLiteral("known"), 3);
        const tests::Finished ran = programs.run({QStringLiteral("run"), task, QStringLiteral("--json")});
        QVERIFY2(ran.status == 0, qPrintable(ran.errors));
        const QTemporaryDir own;
        const QString data = own.filePath(QStringLiteral("data")), record = own.filePath(QStringLiteral("a.divisirec"));
        const QString picture = own.filePath(QStringLiteral("connected.png"));
        QProcessEnvironment environment = programs.environment();
        environment.insert(QStringLiteral("DIVISI_DATA"), data);
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        QProcess console;
        console.setProcessEnvironment(environment);
        console.start(
            Programs::program(QStringLiteral("divisi")),
            {QStringLiteral("--settings"), own.filePath(QStringLiteral("settings.ini")), QStringLiteral("--connect"),
             programs.data() + QStringLiteral("/connection.toml"), QStringLiteral("--record"), record,
             QStringLiteral("--after"), QStringLiteral("6000"), QStringLiteral("--screenshot"), picture});
        QVERIFY(console.waitForFinished(60'000));
        const QByteArray said = console.readAllStandardError();
        QVERIFY2(console.exitCode() == 0, said.constData());
        QVERIFY2(QImage(picture).width() > 400, said.constData());
        auto seen = client::ReplayClient::open(record.toStdString());
        QVERIFY2(seen.ok(), seen.ok() ? "" : seen.error().message().c_str());
        (*seen)->show((*seen)->end());
        const control::ClusterState& state = (*seen)->data().state;
        QVERIFY(state.tasks.contains(TaskId("known-1")));
        QVERIFY(!state.nodes.empty());
        QVERIFY2(!QFileInfo::exists(data + QStringLiteral("/connection.toml")), "it has started a cluster of its own");
    }
};

DIVISI_WINDOW_TEST(ConnectTest)

}  // namespace connect_test

#include "connect_test.moc"
