// SPDX-License-Identifier: Apache-2.0
// Checks the Prometheus metrics of divisid, nodes, gateways and routers. Prometheus's own promtool checks their format.
#include <signal.h>

#include <QElapsedTimer>
#include <QStandardPaths>

#include <cmath>
#include <optional>

#include "backend/control/protocol/state_messages.h"
#include "backend/link/control_client.h"
#include "backend/link/zmq_transport.h"
#include "tests/support/task_file.h"
#include "tests/support/test_program.h"
#include "tests/system/free_port.h"
#include "tests/system/http_get.h"
#include "tests/system/programs.h"

namespace metrics_test {

using divisi::testing::TaskFile;
using divisi::tests::http_body;
using divisi::tests::http_get;
using divisi::tests::Programs;

namespace {

/// A client that subscribes and keeps the reports of a node's machine.
class Watcher {
public:
    Watcher(const Programs& programs, divisi::NodeId node)
        : transport_(context_, loop_, std::nullopt),
          client_(loop_, transport_, *divisi::link::read_connection(programs.data().toStdString() + "/connection.toml"),
                  {"watcher", "1", divisi::control::Role::viewer, ""}) {
        client_.start(
            [this](const divisi::link::ControlClient::State& state) {
                if (state.kind == divisi::link::ControlClient::State::Kind::connected)
                    client_.request(divisi::control::Subscribe{}, std::chrono::seconds(10), [](const auto&) {});
            },
            [this, node](std::uint64_t, const divisi::control::Message& message) {
                const auto* push = get_if<divisi::control::LoadPush>(&message);
                if (!push) return;
                for (const divisi::control::NodeMachine& one : push->nodes)
                    if (one.node == node) told.push_back(one.machine);
            });
    }
    bool run_until(const std::function<bool()>& condition, int limit_ms) {
        QElapsedTimer timer;
        for (timer.start(); !condition() && timer.elapsed() < limit_ms;) {
            loop_.after(std::chrono::milliseconds(20), [this] { loop_.stop(); });
            loop_.run();
        }
        return condition();
    }
    std::vector<divisi::control::MachineFigures> told;

private:
    divisi::link::Context context_;
    divisi::link::EventLoop loop_;
    divisi::link::ZmqTransport transport_;
    divisi::link::ControlClient client_;
};

}  // namespace

class MetricsOfDivisid : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void divisid_reports_loop_log_and_cluster();
    void divisid_reports_the_decisions_of_gateways();
    void nodes_gateways_and_routers_report_metrics();
    void client_receives_machine_load_without_asking();
    void peers_that_left_vanish_from_the_metrics();
    void instances_report_metrics();
    void second_node_on_the_folder_removes_no_instance();
    void modules_report_metrics();
    void promtool_accepts_the_metrics_data();
    void promtool_accepts_the_metrics();
    void prometheus_scrapes_every_program();
    void ended_instances_are_no_longer_listed();
    void other_paths_are_not_served();
    void invalid_metrics_address_is_refused_data();
    void invalid_metrics_address_is_refused();
    void cleanupTestCase();

private:
    double value(const QByteArray& series) const { return value(port_, series); }
    static QByteArray text_at(int port) { return QByteArray::fromStdString(http_body(http_get(port, "/metrics"))); }
    static double value(int port, const QByteArray& series) { return value_in(text_at(port), series); }
    /// Returns the value of a series; -1 if the series is missing.
    static double value_in(const QByteArray& text, const QByteArray& series) {
        for (const QByteArray& line : text.split('\n'))
            if (line.startsWith(series + " ")) return line.mid(series.size() + 1).toDouble();
        return -1;
    }

    Programs programs_;
    /// Returns the metrics port that a program prints; 0 if it prints none within 10 s.
    static int port_of(QProcess& program) {
        QByteArray said;
        if (!QTest::qWaitFor([&] { return (said += program.readAllStandardOutput()).contains("/metrics\n"); }, 10'000))
            return 0;
        const QByteArray before = "http://127.0.0.1:";
        return said.mid(said.indexOf(before) + before.size()).split('/').first().toInt();
    }

    /// Returns the path of the discovery file of an instance, which Prometheus reads.
    QString target(const QString& instance) const {
        return programs_.folder() + "/n/metrics/" + QString(instance).replace('/', '.') + ".json";
    }
    /// Returns the port in an instance's file; 0 if there is none.
    int port_of(const QString& instance) const {
        QFile file(target(instance));
        if (!file.open(QIODevice::ReadOnly)) return 0;
        const QJsonArray groups = QJsonDocument::fromJson(file.readAll()).array();
        const QJsonArray targets = groups.at(0).toObject()["targets"].toArray();
        return targets.at(0).toString().section(':', 1).toInt();
    }

    QProcess divisid_, node_, gateway_, router_, other_node_, module_, task_;
    int port_ = 0, node_port_ = 0, gateway_port_ = 0, router_port_ = 0, module_port_ = 0;
    const QString instance_ = "long-1/stage-1/0#";  ///< followed by its incarnation
};

void MetricsOfDivisid::initTestCase() {
    const QString file = programs_.data() + "/connection.toml";
    divisid_.setProcessEnvironment(programs_.environment());
    divisid_.start(Programs::program("divisid"),
                   {"--data", programs_.data(), "--listen", "ipc://" + programs_.folder() + "/control.sock",
                    "--metrics", "127.0.0.1:0"});
    port_ = port_of(divisid_);
    QVERIFY(port_ > 0);
    const QStringList served{"--runtime", programs_.folder(), "--metrics", "127.0.0.1:0"};
    node_.start(Programs::program("divisi-node"), QStringList{"--connect", file, "--name", "m/n", "--data",
                                                              programs_.folder() + "/n", "--metrics-instances"} +
                                                      served);
    gateway_.start(Programs::program("divisi-gateway"),
                   QStringList{"--connect", file, "--name", "mg-1", "--mic", "m", "--neighbours", "sr-1"} + served);
    router_.start(Programs::program("divisi-router"), QStringList{"--connect", file, "--name", "sr-1"} + served);
    node_port_ = port_of(node_);
    gateway_port_ = port_of(gateway_);
    router_port_ = port_of(router_);
    QVERIFY(node_port_ > 0 && gateway_port_ > 0 && router_port_ > 0);
}

void MetricsOfDivisid::divisid_reports_loop_log_and_cluster() {
    QVERIFY(QTest::qWaitFor([&] { return value("divisi_nodes{state=\"ready\"}") == 1; }, 20'000));
    QCOMPARE(value("divisi_tasks{activity=\"queued\"}"), 0.0);
    const double events = value("divisi_events_total"), log_cpu = value("divisi_event_log_cpu_seconds_total");
    QVERIFY(events >= 2);  // the start, and the node that joined
    const QString task = programs_.write("wide.toml", TaskFile().set("train.steps", 3));
    QCOMPARE(programs_.run({"run", task, "--json", "--connect", programs_.data() + "/connection.toml"}).status, 0);
    QVERIFY(QTest::qWaitFor([&] { return value("divisi_tasks{activity=\"ended\"}") == 1; }, 5'000));
    QVERIFY(value("divisi_events_total") > events + 3);
    QVERIFY(value("divisi_event_log_cpu_seconds_total") > log_cpu);
    const double longest = value("divisi_loop_longest_round_seconds");
    QVERIFY2(longest > 0 && longest < 5, qPrintable(QString::number(longest)));
    const double rounds = value("divisi_loop_round_seconds_count");
    QVERIFY(rounds > 10 && value("divisi_loop_round_seconds_bucket{le=\"+Inf\"}") >= rounds);
    QVERIFY(value("divisi_loop_round_seconds_sum") >= longest);
}

void MetricsOfDivisid::divisid_reports_the_decisions_of_gateways() {
    const QByteArray of_gateway = "{gateway=\"mg-1\"}";
    QVERIFY(QTest::qWaitFor([&] { return value("divisi_gateway_policy_version" + of_gateway) > 0; }, 10'000));
    for (const char* decision : {"admitted", "denied", "unserved", "limited"})
        QCOMPARE(value(QByteArray("divisi_gateway_set_ups_total{decision=\"") + decision + "\",gateway=\"mg-1\"}"),
                 0.0);
    for (const char* name : {"set_up_retries", "refused_frames", "ejections", "delayed_chunks"})
        QCOMPARE(value(QByteArray("divisi_gateway_") + name + "_total" + of_gateway), 0.0);
    const auto signaling = [&](const char* type) {
        return value(QByteArray("divisi_signaling_messages_total{type=\"") + type + "\"}");
    };
    QTRY_VERIFY_WITH_TIMEOUT(signaling("1") >= 2, 10'000);  // from the gateway and from the router
    QCOMPARE(signaling("3"), 0.0);
    for (const char* type : {"2", "5"}) QTRY_VERIFY_WITH_TIMEOUT(signaling(type) > 0, 10'000);
    for (const QByteArray device : {"mg-1", "sr-1"})
        for (const QByteArray why : {"key", "unfinished"}) {
            const QByteArray series = "divisi_device_failed_handshakes_total{device=\"" + device + "\",why=\"" + why;
            QTRY_COMPARE(value(series + "\"}"), 0.0);
        }
}

void MetricsOfDivisid::nodes_gateways_and_routers_report_metrics() {
    QTRY_COMPARE_WITH_TIMEOUT(value(node_port_, "divisi_node_connected{node=\"m/n\"}"), 1.0, 20'000);
    QTRY_VERIFY_WITH_TIMEOUT(value(node_port_, "divisi_node_memory_free_bytes{node=\"m/n\"}") > 0, 10'000);
    QVERIFY(value(node_port_, "divisi_node_disk_bytes{node=\"m/n\"}") > 0);
    // The process of the ended task may still be exiting.
    QTRY_COMPARE_WITH_TIMEOUT(value(node_port_, "divisi_node_instances{node=\"m/n\"}"), 0.0, 20'000);
    QTRY_VERIFY_WITH_TIMEOUT(value(node_port_, "divisi_node_blobs{node=\"m/n\"}") >= 0, 20'000);
    QTRY_VERIFY_WITH_TIMEOUT(value(gateway_port_, "divisi_gateway_policy_version{gateway=\"mg-1\"}") > 0, 20'000);
    QCOMPARE(value(gateway_port_, "divisi_gateway_set_ups_total{decision=\"admitted\",gateway=\"mg-1\"}"), 0.0);
    QTRY_COMPARE_WITH_TIMEOUT(value(gateway_port_, "divisi_device_link_usable{device=\"mg-1\",neighbour=\"sr-1\"}"),
                              1.0, 20'000);
    QTRY_COMPARE_WITH_TIMEOUT(value(router_port_, "divisi_device_connected{device=\"sr-1\"}"), 1.0, 20'000);
    QTRY_COMPARE_WITH_TIMEOUT(value(router_port_, "divisi_device_held_bytes{device=\"sr-1\"}"), 0.0, 20'000);
}

void MetricsOfDivisid::client_receives_machine_load_without_asking() {
    Watcher watcher(programs_, divisi::NodeId("m/n"));
    const auto busy = [&] { return watcher.told.size() >= 3 && watcher.told.back().cpu_share > 0; };
    QElapsedTimer timer;
    timer.start();
    QVERIFY(watcher.run_until(busy, 60'000));
    QVERIFY(timer.elapsed() > 3'000);  // the node reports twice a second, more often than curves need
    const divisi::control::MachineFigures machine = watcher.told.back();
    QVERIFY(machine.cpu_share <= 1);
    QVERIFY(machine.memory_free > 0 && machine.memory_free < machine.memory);
    QCOMPARE(value("divisi_node_memory_bytes{node=\"m/n\"}"), static_cast<double>(machine.memory));
    QVERIFY(!machine.temperature_c || (*machine.temperature_c > -40 && *machine.temperature_c < 150));
    QVERIFY(!machine.power_w || *machine.power_w >= 0);
    const auto rows = programs_.run({"nodes", "--json", "--connect", programs_.data() + "/connection.toml"}).objects();
    QCOMPARE(rows.size(), 1);
    const QJsonObject shown = rows[0]["machine"].toObject();
    QCOMPARE(shown["memory"].toDouble(), static_cast<double>(machine.memory));
    QVERIFY(shown.contains("temperature_c") && shown.contains("power_w"));
    QCOMPARE(shown["temperature_c"].isNull(), !machine.temperature_c.has_value());
}

void MetricsOfDivisid::peers_that_left_vanish_from_the_metrics() {
    other_node_.start(Programs::program("divisi-node"),
                      {"--connect", programs_.data() + "/connection.toml", "--name", "m/o", "--data",
                       programs_.folder() + "/o", "--runtime", programs_.folder()});
    QTRY_VERIFY_WITH_TIMEOUT(value("divisi_node_memory_bytes{node=\"m/o\"}") > 0, 20'000);
    QTRY_COMPARE_WITH_TIMEOUT(value("divisi_nodes{state=\"ready\"}"), 2.0, 5'000);
    other_node_.terminate();
    QVERIFY(other_node_.waitForFinished(10'000));
    QTRY_COMPARE_WITH_TIMEOUT(value("divisi_node_memory_bytes{node=\"m/o\"}"), -1.0, 20'000);
    QVERIFY(value("divisi_node_memory_bytes{node=\"m/n\"}") > 0);
    QTRY_COMPARE_WITH_TIMEOUT(value("divisi_nodes{state=\"ready\"}"), 1.0, 5'000);
}

void MetricsOfDivisid::instances_report_metrics() {
    task_.setProcessEnvironment(programs_.environment());
    task_.setStandardOutputFile(QProcess::nullDevice());
    task_.start(Programs::program("divisictl"),
                {"run", programs_.small_task("long", 1'000'000), "--json", "--set", "checkpoint.every=100", "--connect",
                 programs_.data() + "/connection.toml"});
    QTRY_VERIFY_WITH_TIMEOUT(port_of(instance_ + "1") > 0, 60'000);
    const int port = port_of(instance_ + "1");
    const auto series = [](const QByteArray& name) { return "divisi_instance_" + name + "{sid=\"long-1/stage-1/0\"}"; };
    QTRY_VERIFY_WITH_TIMEOUT(value(port, series("snapshots_total")) > 0, 120'000);
    const QByteArray memory = "divisi_instance_memory_bytes{of=\"parameters\",sid=\"long-1/stage-1/0\"}";
    QTRY_VERIFY_WITH_TIMEOUT(value(port, memory) > 0, 10'000);
    const QByteArray text = text_at(port);
    const auto now = [&](const QByteArray& name) { return value_in(text, series(name)); };
    QCOMPARE(value_in(text, "divisi_instance_state{sid=\"long-1/stage-1/0\",state=\"running\"}"), 1.0);
    QCOMPARE(now("connected"), 1.0);
    QCOMPARE(now("incarnation"), 1.0);
    const double steps = now("steps_total");
    QVERIFY2(steps >= 20 && now("step") >= 20, text.constData());
    // A step may have ended between reading the two figures.
    QVERIFY2(std::abs(now("samples_total") - 8 * steps) <= 8, text.constData());
    for (const char* name : {"sent_bytes_total", "received_bytes_total", "busy_seconds_total", "resident_bytes",
                             "snapshot_written_bytes_total", "snapshot_write_seconds_total"})
        QVERIFY2(now(name) > 0, name);
    QVERIFY2(now("taken_slots") >= 0 && now("free_slots") >= 0 && now("taken_slots") + now("free_slots") > 0,
             text.constData());
    QTRY_VERIFY_WITH_TIMEOUT(value(port, series("steps_total")) > steps, 20'000);
}

/// A second node, started by mistake, reports which process uses the folder. The first node's instances stay listed.
void MetricsOfDivisid::second_node_on_the_folder_removes_no_instance() {
    QVERIFY(port_of(instance_ + "1") > 0);
    QProcess second;
    second.start(Programs::program("divisi-node"),
                 {"--connect", programs_.data() + "/connection.toml", "--name", "m/second", "--data",
                  programs_.folder() + "/n", "--runtime", programs_.folder(), "--metrics-instances"});
    QVERIFY(second.waitForFinished(20'000));
    QCOMPARE(second.exitCode(), 2);
    const QByteArray errors = second.readAllStandardError();
    QVERIFY2(errors.contains("in use by process " + QByteArray::number(node_.processId())), errors.constData());
    QVERIFY(port_of(instance_ + "1") > 0);
}

void MetricsOfDivisid::modules_report_metrics() {
    module_.start(Programs::program("divisi-module-link-trend"),
                  {"--connect", programs_.data() + "/connection.toml", "--metrics", "127.0.0.1:0"});
    module_port_ = port_of(module_);
    QVERIFY(module_port_ > 0);
    const QByteArray of_module = "{module=\"link-trend\"}";
    QTRY_COMPARE_WITH_TIMEOUT(value(module_port_, "divisi_module_connected" + of_module), 1.0, 20'000);
    QTRY_VERIFY_WITH_TIMEOUT(value(module_port_, "divisi_module_observations_total" + of_module) > 0, 20'000);
}

void MetricsOfDivisid::promtool_accepts_the_metrics_data() {
    QTest::addColumn<int>("port");
    QTest::newRow("divisid") << port_;
    QTest::newRow("divisi-node") << node_port_;
    QTest::newRow("divisi-gateway") << gateway_port_;
    QTest::newRow("divisi-router") << router_port_;
    QTest::newRow("divisi-module-link-trend") << module_port_;
    QTest::newRow("divisi-instance") << port_of(instance_ + "1");
}

void MetricsOfDivisid::promtool_accepts_the_metrics() {
    QFETCH(int, port);
    const QString promtool = QStandardPaths::findExecutable("promtool");
    if (promtool.isEmpty())
        QSKIP("promtool is not installed (package prometheus): the form of the metrics is unchecked");
    const auto check = [&](const QByteArray& text) {
        QProcess tool;
        tool.setProcessChannelMode(QProcess::MergedChannels);
        tool.start(promtool, {"check", "metrics"});
        tool.write(text);
        tool.closeWriteChannel();
        tool.waitForFinished(20'000);
        return std::pair(tool.exitCode(), tool.readAll());
    };
    const QByteArray text = text_at(port);
    QVERIFY(text.contains("divisi_build_info"));  // promtool would accept an empty text
    const auto [status, said] = check(text);
    QVERIFY2(status == 0 && said.isEmpty(), said.constData());
    QVERIFY(check("# TYPE divisi_rounds counter\ndivisi_rounds 1\n").first != 0);  // promtool does check the text
}

void MetricsOfDivisid::prometheus_scrapes_every_program() {
    const QString program = QStandardPaths::findExecutable("prometheus");
    if (program.isEmpty()) QSKIP("prometheus is not installed (package prometheus): nobody scrapes the metrics here");
    QVERIFY(QTest::qWaitFor([&] { return value("divisi_node_disk_bytes{node=\"m/n\"}") > 0; }, 20'000));
    const QString config = programs_.write(
        "prometheus.yml",
        QString("global:\n  scrape_interval: 1s\nscrape_configs:\n  - job_name: divisi\n    static_configs:\n"
                "      - targets: ['127.0.0.1:%1']\n"
                "  - job_name: instances\n    file_sd_configs:\n      - files: ['%2/n/metrics/*.json']\n")
            .arg(port_)
            .arg(programs_.folder())
            .toUtf8());
    const int port = divisi::tests::free_port_pair();
    QProcess prometheus;
    prometheus.setProcessChannelMode(QProcess::MergedChannels);
    prometheus.start(program, {"--config.file", config, "--storage.tsdb.path", programs_.folder() + "/tsdb",
                               "--web.listen-address", QString("127.0.0.1:%1").arg(port)});
    QVERIFY(prometheus.waitForStarted(10'000));
    // Returns the newest value of a series from Prometheus's API; nothing if the series has no value yet.
    const auto scraped = [&](const char* series) -> std::optional<double> {
        const std::string answer = http_body(http_get(port, std::string("/api/v1/query?query=") + series));
        const auto result = QJsonDocument::fromJson(QByteArray::fromStdString(answer))["data"]["result"].toArray();
        if (result.isEmpty()) return std::nullopt;
        return result.first()["value"].toArray().at(1).toString().toDouble();
    };
    const bool came = QTest::qWaitFor([&] { return scraped("divisi_node_disk_bytes").value_or(0) > 0; }, 60'000);
    const char* steps = "divisi_instance_steps_total%7Bjob=%22instances%22,sid=%22long-1/stage-1/0%22%7D";
    const bool found = QTest::qWaitFor([&] { return scraped(steps).value_or(0) > 0; }, 60'000);
    const auto disk = scraped("divisi_node_disk_bytes");
    const auto nodes = scraped("divisi_nodes%7Bstate=%22ready%22%7D");
    const auto events = scraped("divisi_events_total");
    prometheus.terminate();
    if (!prometheus.waitForFinished(20'000)) prometheus.kill();
    const QByteArray said = prometheus.readAll();
    QVERIFY2(came && found, said.constData());
    QCOMPARE(disk.value_or(0), value("divisi_node_disk_bytes{node=\"m/n\"}"));
    QCOMPARE(nodes.value_or(0), 1.0);
    QVERIFY(events.value_or(0) >= 2);
}

void MetricsOfDivisid::ended_instances_are_no_longer_listed() {
    QVERIFY(port_of(instance_ + "1") > 0);
    for (const qint64 pid : programs_.pids("divisi-instance")) ::kill(static_cast<pid_t>(pid), SIGKILL);
    QTRY_VERIFY_WITH_TIMEOUT(!QFile::exists(target(instance_ + "1")), 10'000);
    // The instance that recovers the training is listed instead.
    const QDir folder(programs_.folder() + "/n/metrics");
    const auto is_found = [&] {
        const QString file = folder.entryList({"long-1.stage-1.0#*.json"}, QDir::Files).value(0);
        const QString number = file.section('#', 1).section('.', 0, 0);
        const double told = value(port_of(instance_ + number), "divisi_instance_incarnation{sid=\"long-1/stage-1/0\"}");
        return told > 1 && told == number.toDouble();
    };
    QVERIFY(QTest::qWaitFor(is_found, 60'000));
    QCOMPARE(programs_.run({"tasks", "stop", "long-1", "--connect", programs_.data() + "/connection.toml"}).status, 0);
    QTRY_COMPARE_WITH_TIMEOUT(folder.entryList({"*.json"}, QDir::Files), QStringList(), 60'000);
}

void MetricsOfDivisid::other_paths_are_not_served() {
    for (const char* path : {"/", "/metrics/", "/../connection.toml"})
        QVERIFY2(http_get(port_, path).find(" 404 ") != std::string::npos, path);
    QVERIFY(http_get(port_, "/metrics").find("Content-Type: text/plain; version=0.0.4") != std::string::npos);
}

void MetricsOfDivisid::invalid_metrics_address_is_refused_data() {
    QTest::addColumn<QString>("address");
    QTest::addColumn<QString>("says");
    QTest::newRow("every address") << "0.0.0.0:9464"
                                   << "not a loopback address";
    QTest::newRow("another machine's") << "10.0.0.1:9464"
                                       << "not a loopback address";
    QTest::newRow("no port") << "127.0.0.1"
                             << "not a loopback address";
    QTest::newRow("a port beyond") << "127.0.0.1:65536"
                                   << "not a loopback address";
    QTest::newRow("more than a port") << "127.0.0.1:9464/metrics"
                                      << "not a loopback address";
    QTest::newRow("a port that is taken") << QString("127.0.0.1:%1").arg(port_) << "cannot listen for metrics";
}

void MetricsOfDivisid::invalid_metrics_address_is_refused() {
    QFETCH(QString, address);
    QFETCH(QString, says);
    const Programs other;
    QProcess divisid;
    divisid.start(Programs::program("divisid"), {"--data", other.data(), "--listen",
                                                 "ipc://" + other.folder() + "/control.sock", "--metrics", address});
    const bool ended = divisid.waitForFinished(10'000);
    const QString errors = divisid.readAllStandardError();
    if (!ended) divisid.kill();
    QVERIFY(ended);
    QCOMPARE(divisid.exitCode(), 2);
    QVERIFY2(errors.contains(says) && errors.contains(address), qPrintable(errors));
}

void MetricsOfDivisid::cleanupTestCase() {
    for (QProcess* process : {&task_, &module_, &gateway_, &router_, &node_, &other_node_, &divisid_}) {
        process->terminate();
        if (!process->waitForFinished(10'000)) process->kill();
        process->waitForFinished();
    }
}

DIVISI_TEST(MetricsOfDivisid)

}  // namespace metrics_test

#include "metrics_test.moc"
