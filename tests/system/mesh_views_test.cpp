// SPDX-License-Identifier: Apache-2.0
#include <QSet>
#include <QTest>

#include "tests/system/programs.h"

using divisi::tests::Finished;
using divisi::tests::Programs;

namespace {

const char* task_text = R"(
[task]
name = "seen"
[model]
zoo = "mlp"
[data]
kind = "synthetic"
samples = 64
[train]
steps = 50
batch = 8
microbatches = 2
[split]
stages = 2
[place]
stages = ["mic-1/node-1", "mic-2/node-2"]
)";

}  // namespace

/// What divisictl shows of the mesh: the signaling messages, and the links.
class MeshViews : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void signals_are_shown_decoded();
    void signals_are_filtered();
    void signals_of_nobody_are_refused();
    void links_of_the_mesh_are_shown_both_ways();

private:
    QList<QJsonObject> signaling(const QStringList& more = {}) const {
        return programs_.run(QStringList{"signals", "--json"} + more).objects();
    }
    QList<QJsonObject> links() const { return programs_.run({"links", "--mesh", "--json"}).objects(); }
    Programs programs_;
};

void MeshViews::initTestCase() {
    QVERIFY(programs_.cluster_up());
    const Finished run = programs_.run({"run", programs_.write("seen.toml", task_text)});
    QVERIFY2(run.status == 0, qPrintable(run.errors));
    // Devices report twice a second; a flow's last word is that it is over.
    QVERIFY(QTest::qWaitFor([&] { return !signaling({"--type", "PathTear"}).isEmpty(); }, 20'000));
}

void MeshViews::signals_are_shown_decoded() {
    bool path = false, credit = false;
    qint64 last = 0;
    for (const QJsonObject& one : signaling()) {
        QVERIFY(one["number"].toInteger() > last);
        last = one["number"].toInteger();
        const QString first = one["first_gateway"].toString();
        QVERIFY(first == "mg-1" || first == "mg-2");
        QCOMPARE(one["last_gateway"].toString(), first == "mg-1" ? "mg-2" : "mg-1");
        if (one["type"] == "PATH" && one["task"] == "seen-1") {
            const QJsonArray hops = one["path"].toArray();
            path = path || (hops.first() == one["first_gateway"] && hops.last() == one["last_gateway"]);
        }
        if (one["type"] == "RESV" && one["task"] == "seen-1")
            credit = credit || (one["allowed_bytes"].toInteger() > 0 && one["window_bytes"].toInteger() > 0);
    }
    QVERIFY(path);
    QVERIFY(credit);
    const QString lines = programs_.run({"signals"}).output;
    QVERIFY2(lines.contains("path mg-1 > ") && lines.contains("allowed "), qPrintable(lines.left(2000)));
}

void MeshViews::signals_are_filtered() {
    const auto all_are = [&](const QStringList& filter, const QString& key, const QString& value) {
        const auto found = signaling(filter);
        for (const QJsonObject& one : found)
            if (one[key] != value) return false;
        return !found.isEmpty();
    };
    QVERIFY(all_are({"--type", "RESV"}, "type", "RESV"));
    QVERIFY(all_are({"--from", "mg-1"}, "from", "mg-1"));
    QVERIFY(all_are({"--to", "mg-2"}, "to", "mg-2"));
    QVERIFY(all_are({"--flow", "seen"}, "task", "seen-1"));
    QVERIFY(signaling({"--flow", "another"}).isEmpty());
    QVERIFY(signaling({"--type", "RESV"}).size() < signaling().size());
}

void MeshViews::signals_of_nobody_are_refused() {
    const Finished nobody = programs_.run({"signals", "--from", "mg-9"});
    QCOMPARE(nobody.status, 2);
    QVERIFY2(nobody.errors.contains("mg-9") && nobody.errors.contains("divisictl routes"), qPrintable(nobody.errors));
}

void MeshViews::links_of_the_mesh_are_shown_both_ways() {
    QSet<QString> seen;
    qint64 sent = 0;
    for (const QJsonObject& one : links()) {
        seen.insert(one["from"].toString() + " " + one["to"].toString());
        QCOMPARE(one["state"], "up");
        QCOMPARE(one["fault"], "");
        if (one["from"] == "mg-1") sent += one["sent"].toInteger();
    }
    for (const QString& way : seen) QVERIFY(seen.contains(way.section(' ', 1) + " " + way.section(' ', 0, 0)));
    QVERIFY(seen.contains("mg-1 sr-1"));
    QVERIFY(sent > 0);
    QCOMPARE(programs_.run({"fault", "cut-link", "mg-1", "sr-1"}).status, 0);
    for (const QJsonObject& one : links()) {
        const QString way = one["from"].toString() + " " + one["to"].toString();
        QCOMPARE(one["fault"], way == "mg-1 sr-1" || way == "sr-1 mg-1" ? "cut" : "");
    }
    QCOMPARE(programs_.run({"fault", "heal"}).status, 0);
}

QTEST_GUILESS_MAIN(MeshViews)
#include "mesh_views_test.moc"
