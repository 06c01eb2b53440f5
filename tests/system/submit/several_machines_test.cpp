// SPDX-License-Identifier: Apache-2.0
#include "tests/system/tcp_cluster.h"

#include <QRegularExpression>
#include <filesystem>

#include "tests/support/task_file.h"
#include "tests/support/test_program.h"

namespace several_machines_test {

using divisi::testing::TaskFile;
using divisi::tests::Finished;
using divisi::tests::Programs;
using divisi::tests::TcpCluster;

/// Simulates several machines on one: an orchestrator and two nodes with their own folders, on tcp with CURVE. No other
/// process can see the client's files: its paths lead through /proc/self/cwd, which every process resolves to its own
/// folder.
class SeveralMachines : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void text_file_is_sent_once_and_trains_to_the_same_bits();
    void weights_are_fetched_for_an_export();
    void imported_weights_go_to_the_stages_that_use_them();
    void pictures_are_sent_as_a_folder();
    void images_are_sent_with_their_labels();
    void client_on_ipc_reaches_nodes_on_tcp();
    void unknown_client_is_refused();
    void files_on_the_node_are_not_sent();
    void unneeded_files_are_evicted();

private:
    enum class Sent { none, partly, all };

    QString file(const QString& name) const { return cluster_.programs.folder() + "/" + name; }
    Finished client(const QStringList& arguments, const QStringList& how, const QString& folder = "client") const;
    Finished client(const QStringList& arguments) const { return client(arguments, as("me.key")); }
    QStringList as(const QString& key) const { return {"--connect", cluster_.connection(), "--keys", file(key)}; }
    QString task(const QString& name, TaskFile::Entries model, TaskFile::Entries data);
    QStringList train(const QString& task, Sent wanted);
    QStringList blobs(const QString& node) const {
        return QDir(file(node + "/blobs")).entryList(QDir::Files).filter(QRegularExpression("^[0-9a-f]{64}$"));
    }

    TcpCluster cluster_;
};

namespace {

const TaskFile::Entries small_gpt = {{"zoo", "gpt"}, {"layers", 2}, {"width", 16}, {"heads", 2}, {"context", 16}};

quint32 crc(const QByteArray& bytes) {
    quint32 value = 0xffffffff;
    for (const char byte : bytes) {
        value ^= static_cast<unsigned char>(byte);
        for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ (value & 1 ? 0xedb88320 : 0);
    }
    return ~value;
}

QByteArray big_endian(quint32 value) {
    QByteArray bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
    return bytes;
}

/// Returns a grey picture of one colour.
QByteArray png(int width, int height, char colour) {
    const auto chunk = [](const QByteArray& type, const QByteArray& bytes) {
        return big_endian(static_cast<quint32>(bytes.size())) + type + bytes + big_endian(crc(type + bytes));
    };
    const QByteArray rows = (QByteArray(1, '\0') + QByteArray(width, colour)).repeated(height);
    const QByteArray header = big_endian(static_cast<quint32>(width)) + big_endian(static_cast<quint32>(height));
    return QByteArray("\x89PNG\r\n\x1a\n") + chunk("IHDR", header + QByteArray("\x08\0\0\0\0", 5)) +
           chunk("IDAT", qCompress(rows).mid(4)) + chunk("IEND", {});
}

}  // namespace

/// Runs divisictl with its own data folder, in the client's folder or another; `how` holds the connection options.
Finished SeveralMachines::client(const QStringList& arguments, const QStringList& how, const QString& folder) const {
    QProcess process;
    QProcessEnvironment environment = cluster_.programs.environment();
    environment.insert("DIVISI_DATA", file("client/divisi"));
    process.setProcessEnvironment(environment);
    process.setWorkingDirectory(file(folder));
    process.start(Programs::program("divisictl"), arguments + how);
    Finished finished;
    if (process.waitForFinished(120'000) && process.exitStatus() == QProcess::NormalExit)
        finished.status = process.exitCode();
    finished.output = process.readAllStandardOutput();
    finished.errors = process.readAllStandardError();
    if (finished.status != 0) qInfo("%s: %s", qPrintable(arguments.join(' ')), qPrintable(finished.errors));
    return finished;
}

void SeveralMachines::initTestCase() {
    cluster_.apart = true;
    QVERIFY(cluster_.start());
    QVERIFY(QDir().mkpath(file("client")));
    QVERIFY(cluster_.allow(cluster_.make_key("me.key"), "me", "operator"));
}

/// Writes and returns the file of a task in two stages on two nodes; the first node loads the data.
QString SeveralMachines::task(const QString& name, TaskFile::Entries model, TaskFile::Entries data) {
    return cluster_.programs.write(
        "client/" + name + ".toml",
        TaskFile(name.toStdString())
            .replace("model", model)
            .replace("data", data)
            .section("train", {{"steps", 4}, {"lr", 0.05}, {"seed", 3}, {"eval_every", 2}, {"eval_batches", 1}})
            .set("split.stages", 2)
            .section("place", {{"stages", {"mic-1/node-1", "mic-2/node-1"}}, {"data", "mic-1/node-1"}}));
}

/// Trains on the nodes. Returns the errors: the list is empty if the losses are the reference's and the sent bytes
/// match `wanted`.
QStringList SeveralMachines::train(const QString& task, Sent wanted) {
    const Finished run = client({"run", task, "--json"});
    const QStringList losses = client({"reference", task, "--json"}, {}).losses();
    if (run.status != 0 || losses.size() != 4 || run.losses() != losses) return {"losses differ", run.output};
    const QJsonObject upload = run.objects("upload").value(0);
    const double bytes = upload["bytes"].toDouble(), sent = upload["sent_bytes"].toDouble(-1);
    const Sent found = sent == 0 ? Sent::none : sent == bytes ? Sent::all : Sent::partly;
    if (bytes <= 0 || found != wanted) return {"not sent as wanted", run.output};
    return {};
}

void SeveralMachines::text_file_is_sent_once_and_trains_to_the_same_bits() {
    QVERIFY(QFile::copy(QString(DIVISI_SOURCE_DIR) + "/resources/samples/text/divisi.txt", file("client/text.txt")));
    const QString text =
        task("text", small_gpt, {{"kind", "text"}, {"path", "/proc/self/cwd/text.txt"}, {"validation_share", 0.05}});
    QCOMPARE(train(text, Sent::all), QStringList());
    QCOMPARE(train(text, Sent::none), QStringList());
    // Changing one byte makes it another file.
    QFile changed(file("client/text.txt"));
    QVERIFY(changed.open(QIODevice::Append) && changed.write("!") == 1);
    changed.close();
    QCOMPARE(train(text, Sent::all), QStringList());
}

void SeveralMachines::weights_are_fetched_for_an_export() {
    // Files are read in place if the nodes' paths are readable here; a client elsewhere fetches them.
    const Finished direct = client({"model", "export", "text", file("client/direct.onnx")}, as("me.key"), ".");
    QVERIFY2(direct.status == 0, qPrintable(direct.errors));
    QVERIFY(!QFile::exists(file("client/mic-1-node-1")));
    const Finished fetched = client({"model", "export", "text", "fetched.onnx"});
    QVERIFY2(fetched.status == 0, qPrintable(fetched.errors));
    QFile a(file("client/direct.onnx")), b(file("client/fetched.onnx"));
    QVERIFY(a.open(QIODevice::ReadOnly) && b.open(QIODevice::ReadOnly));
    QVERIFY(a.size() > 1000);
    QCOMPARE(b.readAll(), a.readAll());
    QVERIFY(QDir(file("client/divisi/fetched")).entryList(QDir::Files).isEmpty());
}

void SeveralMachines::imported_weights_go_to_the_stages_that_use_them() {
    const QString imported = task("imported", {{"onnx", "/proc/self/cwd/fetched.onnx"}},
                                  {{"kind", "text"}, {"path", "/proc/self/cwd/text.txt"}, {"validation_share", 0.05}});
    const auto before = blobs("mic-2-node-1").size();
    QCOMPARE(train(imported, Sent::partly), QStringList());  // the text was already there
    QVERIFY(blobs("mic-2-node-1").size() > before);
    QCOMPARE(train(imported, Sent::none), QStringList());
}

void SeveralMachines::pictures_are_sent_as_a_folder() {
    for (int i = 0; i < 24; ++i) {
        const QString name = QString("client/pictures/%1/%2.png").arg(i % 2 ? "dark" : "bright").arg(i);
        QVERIFY(QDir().mkpath(QFileInfo(file(name)).path()));
        cluster_.programs.write(name, png(28, 28, static_cast<char>(i % 2 ? i : 255 - i)));
    }
    const QString pictures = task("pictures", {{"zoo", "lenet"}, {"classes", 2}},
                                  {{"kind", "images"}, {"path", "/proc/self/cwd/pictures"}, {"validation_share", 0.4}});
    QCOMPARE(train(pictures, Sent::all), QStringList());
    QCOMPARE(train(pictures, Sent::none), QStringList());
}

void SeveralMachines::images_are_sent_with_their_labels() {
    for (const char* name : {"digits-images.idx", "digits-labels.idx"})
        QVERIFY(QFile::copy(QString(DIVISI_SOURCE_DIR) + "/resources/samples/digits/" + name,
                            file(QString("client/") + name)));
    const QString digits = task("digits", {{"zoo", "lenet"}},
                                {{"kind", "images"},
                                 {"path", "/proc/self/cwd/digits-images.idx"},
                                 {"validation", "/proc/self/cwd/digits-images.idx"}});
    QCOMPARE(train(digits, Sent::all), QStringList());
}

void SeveralMachines::client_on_ipc_reaches_nodes_on_tcp() {
    // The client's key is on no list, but ipc authenticates its uid.
    const Finished run = client({"run", file("client/digits.toml"), "--json"},
                                {"--connect", cluster_.programs.data() + "/connection.toml"});
    QCOMPARE(run.status, 0);
    QCOMPARE(run.objects("upload").value(0)["sent_bytes"].toInt(-1), 0);
}

void SeveralMachines::unknown_client_is_refused() {
    (void)cluster_.make_key("stranger.key");
    const Finished run = client({"run", file("client/digits.toml"), "--json"}, as("stranger.key"));
    QVERIFY(run.status > 0);
    QVERIFY(run.objects("upload").isEmpty());
}

void SeveralMachines::files_on_the_node_are_not_sent() {
    QVERIFY(QFile::copy(file("client/text.txt"), file("mic-1-node-1/of-the-node.txt")));
    const QString text =
        task("node", small_gpt,
             {{"kind", "text"}, {"validation_share", 0.05}, {"path", "node:" + file("mic-1-node-1/of-the-node.txt")}});
    const Finished run = client({"run", text, "--json"});
    QCOMPARE(run.status, 0);
    QVERIFY(run.objects("upload").isEmpty());
    const Finished missing = client({"run", text, "--json", "--set", "data.path=node:/nowhere.txt"});
    QCOMPARE(missing.status, 1);
    QVERIFY2(missing.output.contains("/nowhere.txt"), qPrintable(missing.output));
}

/// Old data of ended tasks are evicted; the data that an export needs stay.
void SeveralMachines::unneeded_files_are_evicted() {
    QFile text(file("client/text.txt"));
    QVERIFY(text.open(QIODevice::ReadOnly));
    const auto size = text.size();
    const QDir folder(file("mic-1-node-1/blobs"));
    QString data;
    for (const QString& hash : blobs("mic-1-node-1")) {
        const std::filesystem::path path = folder.filePath(hash).toStdString();
        if (QFileInfo(folder.filePath(hash)).size() == size) data = hash;
        std::filesystem::last_write_time(path,
                                         std::filesystem::file_time_type::clock::now() - std::chrono::hours(9000));
    }
    QVERIFY2(!data.isEmpty(), "the text is not at the node that loads it");
    QProcess& node = cluster_.node(0);
    node.terminate();
    QVERIFY(node.waitForFinished(15'000));
    node.start();
    QVERIFY2(QTest::qWaitFor([&] { return !blobs("mic-1-node-1").contains(data); }, 30'000), "old data stay");
    QVERIFY(QTest::qWaitFor([&] { return cluster_.programs.run({"logs"}).output.contains("unneeded blobs"); }, 10'000));
    const Finished exported = client({"model", "export", "text", "again.onnx"});
    QVERIFY2(exported.status == 0, qPrintable(exported.errors));
    // Evicted data are sent again when needed.
    QCOMPARE(train(file("client/text.toml"), Sent::all), QStringList());
}

DIVISI_TEST(SeveralMachines)

}  // namespace several_machines_test

#include "several_machines_test.moc"
