// SPDX-License-Identifier: Apache-2.0
#include <QElapsedTimer>
#include <QJsonArray>
#include <QSet>

#include "tests/support/task_file.h"
#include "tests/support/test_program.h"

#include "tests/system/programs.h"

namespace mesh_views_test {

using divisi::testing::TaskFile;
using divisi::tests::Finished;
using divisi::tests::Programs;

namespace {

TaskFile seen_task() {
    return TaskFile("seen")
        .set("train.steps", 50)
        .set("split.stages", 2)
        .set("place.stages", {"mic-1/node-1", "mic-2/node-2"});
}

}  // namespace

/// Checks divisictl's views of the mesh: the signaling messages and the links.
class MeshViews : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void signals_are_shown_decoded();
    void signals_are_filtered();
    void routes_are_advertised_with_health();
    void routers_report_their_state_to_gateways();
    void signals_filter_rejects_unknown_devices();
    void mesh_links_are_shown_in_both_directions();
    void registrations_requests_and_reports_are_shown();

private:
    QList<QJsonObject> signaling(const QStringList& more = {}) const {
        return programs_.run(QStringList{"signals", "--json"} + more).objects();
    }
    QList<QJsonObject> links() const { return programs_.run({"links", "--mesh", "--json"}).objects(); }
    Programs programs_;
};

void MeshViews::initTestCase() {
    QVERIFY(programs_.cluster_up());
    const Finished run = programs_.run({"run", programs_.write("seen.toml", seen_task())});
    QVERIFY2(run.status == 0, qPrintable(run.errors));
    // Devices report twice a second; the last message of a flow is its teardown.
    QVERIFY(QTest::qWaitFor([&] { return !signaling({"--type", "PathTear"}).isEmpty(); }, 20'000));
}

void MeshViews::signals_are_shown_decoded() {
    bool path = false, credit = false;
    qint64 last = 0;
    for (const QJsonObject& one : signaling()) {
        QVERIFY(one["number"].toInteger() > last);
        last = one["number"].toInteger();
        if (one.contains("signaling_type")) continue;  // not an RSVP message
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

/// Tests signaling type 2. An instance's health is pending after it has joined, and active while it trains.
void MeshViews::routes_are_advertised_with_health() {
    QSet<QString> healths;
    for (const QJsonObject& one : signaling({"--type", "ROUTES"})) {
        QCOMPARE(one["signaling_type"].toInt(), 2);
        QCOMPARE(one["from"], "orchestrator");
        QVERIFY(one["says"].toString().startsWith("revision "));
        for (const QJsonValue sid : one["sids"].toArray())
            if (sid.toString().startsWith("seen-1/stage-1")) healths.insert(sid.toString().section(' ', 1));
    }
    QVERIFY2(healths.contains("active, mic-2 at mg-2"), qPrintable(QStringList(healths.values()).join("; ")));
    QVERIFY2(healths.contains("pending, mic-2 at mg-2"), qPrintable(QStringList(healths.values()).join("; ")));
}

/// Tests signaling type 4, which routers send every 500 ms, and immediately when a link fails.
void MeshViews::routers_report_their_state_to_gateways() {
    const QStringList filter{"--type", "LOAD", "--from", "sr-1", "--to", "mg-1"};
    const auto told = [&] { return signaling(filter); };
    const auto last_of = [](const QList<QJsonObject>& all) {
        return all.isEmpty() ? 0 : all.last()["number"].toInteger();
    };
    const auto since = [&](qint64 number) {
        auto all = told();
        all.removeIf([&](const QJsonObject& one) { return one["number"].toInteger() <= number; });
        return all;
    };
    const qint64 before = last_of(told());
    QElapsedTimer timer;
    timer.start();
    QVERIFY(QTest::qWaitFor([&] { return since(before).size() >= 6; }, 20'000));
    // On an idle mesh there are 2 reports per second. The margin covers earlier immediate reports and late ones.
    const double seconds = static_cast<double>(timer.elapsed()) / 1000;
    const auto idle = since(before);
    QVERIFY2(idle.size() <= 2 * (seconds + 2), qPrintable(QString::number(idle.size())));
    for (qsizetype i = 0; i < idle.size(); ++i) {
        QCOMPARE(idle[i]["signaling_type"].toInt(), 4);
        QCOMPARE(idle[i]["from"], "sr-1");
        if (i > 0) QCOMPARE(idle[i]["sequence"].toInteger(), idle[i - 1]["sequence"].toInteger() + 1);
    }
    const auto usable = [](const QJsonObject& one, const QString& to) {
        for (const QJsonValue link : one["links"].toArray())
            if (link["to"] == to) return link["usable"].toBool();
        return false;
    };
    QVERIFY(usable(idle.last(), "mg-2"));
    const qint64 whole = last_of(idle);
    QCOMPARE(programs_.run({"fault", "cut-link", "sr-1", "mg-2"}).status, 0);
    const auto failed = [&] {
        for (const QJsonObject& one : since(whole))
            if (!usable(one, "mg-2")) return true;
        return false;
    };
    QVERIFY(QTest::qWaitFor(failed, 20'000));
    // The gateway has received the report and shows it in its own next report.
    const auto heard = [&] {
        for (const QJsonObject& device : programs_.run({"routes", "--json"}).objects()) {
            if (device["device"] != "mg-1") continue;
            for (const QJsonValue neighbour : device["neighbours"].toArray())
                if (neighbour["name"] == "sr-1" &&
                    neighbour["load"]["failed_links"].toArray().contains(QJsonValue("mg-2")))
                    return true;
        }
        return false;
    };
    QVERIFY(QTest::qWaitFor(heard, 20'000));
    QCOMPARE(programs_.run({"fault", "heal"}).status, 0);
    QVERIFY(QTest::qWaitFor([&] { return !told().isEmpty() && usable(told().last(), "mg-2"); }, 20'000));
}

void MeshViews::signals_filter_rejects_unknown_devices() {
    const Finished nobody = programs_.run({"signals", "--from", "mg-9"});
    QCOMPARE(nobody.status, 2);
    QVERIFY2(nobody.errors.contains("mg-9") && nobody.errors.contains("divisictl routes"), qPrintable(nobody.errors));
}

void MeshViews::mesh_links_are_shown_in_both_directions() {
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

/// Tests signaling types 1, 3 and 5. Messages of all three go to the orchestrator; policies also come from it.
void MeshViews::registrations_requests_and_reports_are_shown() {
    const auto says = [&](const char* type, int number, const QString& from, const QString& to, const QString& what) {
        for (const QJsonObject& one : signaling({"--type", type})) {
            const QString text = one["says"].toString();
            if (one["signaling_type"].toInt() == number && one["from"] == from && one["to"] == to &&
                text.contains(what))
                return true;
        }
        return false;
    };
    QVERIFY(says("REGISTER", 1, "seen-1/stage-0/0", "orchestrator", "is active"));
    QVERIFY(says("REGISTER", 1, "sr-1", "orchestrator", "registers as router"));
    QVERIFY(says("REQUEST", 3, "mg-1", "orchestrator", "seen-1/stage-0/0 > seen-1/stage-1/0: admitted"));
    QVERIFY(says("REPORT", 5, "sr-1", "orchestrator", "worst p99"));
    QCOMPARE(programs_.run({"policies", "set", "adapt=off"}).status, 0);
    QVERIFY(says("REPORT", 5, "orchestrator", "all", "policy 1 by "));
}

DIVISI_TEST(MeshViews)

}  // namespace mesh_views_test

#include "mesh_views_test.moc"
