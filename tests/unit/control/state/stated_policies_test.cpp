// SPDX-License-Identifier: Apache-2.0
#include "backend/control/state/stated_policies.h"

#include "backend/control/policy/policies.h"
#include "tests/support/test_program.h"
#include "tests/unit/control/fixture.h"

namespace stated_policies_test {

using namespace divisi;
using namespace divisi::control;

namespace {

/// Parses a file with a gateway and a node, whose entries begin at line 18.
Result<task::ClusterSpec> file_with(const std::string& entries) {
    return task::parse_cluster(
        "[cluster]\ntransport = \"tcp\"\norchestrator = \"tcp://10.0.0.1:7600\"\nhost = \"a\"\n[[host]]\n"
        "name = \"a\"\naddress = \"10.0.0.1\"\n[[mic]]\nname = \"m\"\n[[mic.node]]\nname = \"n\"\nhost = \"a\"\n"
        "[mic.gateway]\nname = \"mg\"\nhost = \"a\"\n[policy]\nentries = [\n" +
            entries + "]\n[[router]]\nname = \"sr\"\nhost = \"a\"\nport = 7630\nlinks = [\"mg\"]\n",
        "c.toml");
}

std::vector<PolicySetting> settings(const std::vector<std::string>& texts) {
    std::vector<PolicySetting> all;
    for (const std::string& text : texts) all.push_back(*parse_setting(text));
    return all;
}

/// A fixture with an orchestrator's policies, which start with the entries of a file.
struct Begun : test::Fixture {
    MeshDevices devices{context};
    Models models{context};
    Policies policies{context, devices, models};

    void begin(const std::vector<std::string>& texts) {
        policies.state(settings(texts));
        policies.adopt();
    }
    std::vector<std::string> in_force() const {
        std::vector<std::string> texts;
        if (context.state().policies.empty()) return texts;
        for (const PolicyEntry& entry : context.state().policies.rbegin()->second.entries)
            texts.push_back(to_text(entry));
        return texts;
    }
    void set(const std::string& text) {
        clear();
        say(policies, connect(1), SetPolicies{{text}});
        QCOMPARE(refusal(), std::string());
    }
};

using Texts = std::vector<std::string>;

}  // namespace

/// Tests [policy] of a cluster file: its entries, and when they apply.
class StatedPoliciesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void entries_are_parsed_checked_and_printed();
    void error_names_the_line_and_a_correction_data();
    void error_names_the_line_and_a_correction();
    void file_makes_one_version();
    void restart_with_the_same_file_undoes_nothing();
    void entries_removed_from_the_file_are_withdrawn();
    void times_are_printed_as_they_are_parsed();
    void alarms_apply_to_gateways_and_routers();
};

void StatedPoliciesTest::entries_are_parsed_checked_and_printed() {
    const auto spec = file_with(
        "\"breaker:mg=5\", \"breaker-window=20s\", \"send:m/n:gpt=deny\",\n\"send:m/*:*=allow\", "
        "\"send:key@m/n:*=deny\", \"send:key@sr:gpt=deny\", \"send:role@agent:gpt=deny\"");
    QVERIFY2(spec.ok(), spec.ok() ? "" : spec.error().message().c_str());
    const auto said = stated_policies(*spec);
    QVERIFY2(said.ok(), said.ok() ? "" : said.error().message().c_str());
    QCOMPARE(said->size(), std::size_t{7});
    QCOMPARE(said->at(1).entry.value, std::int64_t{20'000});
    QCOMPARE(said->at(6).entry.from, std::string("role@agent"));
    QCOMPARE(spec->policies[3].where, std::string("c.toml:19"));
    const auto again = task::parse_cluster(task::print_cluster(*spec), "printed");
    QVERIFY2(again.ok(), again.ok() ? "" : again.error().message().c_str());
    QVERIFY(*again == *spec);
}

void StatedPoliciesTest::error_names_the_line_and_a_correction_data() {
    QTest::addColumn<QString>("entry");
    QTest::addColumn<QString>("told");
    QTest::newRow("no policy") << "\"braker=5\""
                               << "there is no policy 'braker'";
    QTest::newRow("out of bounds") << "\"breaker=0\""
                                   << "write e.g. breaker=3";
    QTest::newRow("a time without unit") << "\"breaker-open=5\""
                                         << "breaker-open=30s, with ms or s";
    QTest::newRow("too short") << "\"breaker-window=10ms\""
                               << "from 500 ms to 3600 s";
    QTest::newRow("an unknown gateway") << "\"retries:mg-7=5\""
                                        << "no gateway 'mg-7' is in the file";
    QTest::newRow("no such count") << "\"alarm-retries=0\""
                                   << "write e.g. alarm-retries=16";
    QTest::newRow("an impossible latency") << "\"alarm-latency=0s\""
                                           << "from 1 ms to 60 s";
    QTest::newRow("an unknown device") << "\"alarm-full:sr-7=1s\""
                                       << "no gateway or router 'sr-7' is in the file";
    QTest::newRow("a router in place of a gateway") << "\"breaker:sr=3\""
                                                    << "no gateway 'sr' is in the file";
    QTest::newRow("an unknown node") << "\"send:m/x:*=deny\""
                                     << "no node 'm/x' is in the file";
    QTest::newRow("an unknown key") << "\"send:key@m/x:*=deny\""
                                    << "no key that 'key@m/x' names is in the file";
    QTest::newRow("a role that no key of the file has") << "\"send:role@module:*=deny\""
                                                        << "no key that 'role@module' names is in the file";
    QTest::newRow("no role") << "\"send:role@boss:*=deny\""
                             << "'boss' is not a role of a key";
    QTest::newRow("a SID") << "\"share:t-1/a:t-1/b=40\""
                           << "which ends with its task";
    QTest::newRow("a task's module") << "\"module:link-trend:t-1=off\""
                                     << "applies to a task";
    QTest::newRow("a removal of a setting made elsewhere") << "\"breaker=default\""
                                                           << "only removes settings that were made elsewhere";
    QTest::newRow("twice") << "\"breaker=3\", \"breaker=4\""
                           << "the file sets it twice";
    QTest::newRow("no text") << "5"
                             << "a list of texts";
}

void StatedPoliciesTest::error_names_the_line_and_a_correction() {
    QFETCH(QString, entry);
    QFETCH(QString, told);
    const auto spec = file_with(entry.toStdString());
    const Error error = spec ? stated_policies(*spec).error() : spec.error();
    QCOMPARE(QString::fromStdString(error.where), QString("c.toml:18"));
    QVERIFY2(QString::fromStdString(error.message()).contains(told), error.message().c_str());
}

void StatedPoliciesTest::file_makes_one_version() {
    Begun nothing;
    nothing.begin({});
    QVERIFY(nothing.context.state().policies.empty());
    Begun cluster;
    cluster.begin({"breaker=5", "retries=20"});
    QCOMPARE(cluster.in_force(), (Texts{"breaker=5", "retries=20"}));
    const PolicyVersion& version = cluster.context.state().policies.rbegin()->second;
    QCOMPARE(version.author, std::string(file_author));
    QCOMPARE(version.reason, std::string("it says: breaker=5, retries=20"));
}

void StatedPoliciesTest::restart_with_the_same_file_undoes_nothing() {
    Begun cluster;
    cluster.begin({"breaker=5", "retries=20"});
    cluster.set("breaker=7");
    cluster.begin({"breaker=5", "retries=20"});
    QCOMPARE(cluster.in_force(), (Texts{"breaker=7", "retries=20"}));
    QCOMPARE(cluster.context.state().policies.size(), std::size_t{2});
    cluster.begin({"breaker=5", "retries=30"});  // the file has changed, so all its entries apply
    QCOMPARE(cluster.in_force(), (Texts{"breaker=5", "retries=30"}));
}

void StatedPoliciesTest::entries_removed_from_the_file_are_withdrawn() {
    Begun cluster;
    cluster.begin({"breaker=5", "retries=20", "send:anyone:gpt=deny"});
    cluster.set("retries=30");
    cluster.begin({"breaker=5"});
    QCOMPARE(cluster.in_force(), (Texts{"breaker=5", "retries=30"}));  // set by an operator, so it stays
    cluster.begin({});
    QCOMPARE(cluster.in_force(), (Texts{"retries=30"}));
}

void StatedPoliciesTest::times_are_printed_as_they_are_parsed() {
    for (const char* text : {"breaker-window=20s", "breaker-open:mg-1=1500ms"})
        QCOMPARE(to_text(parse_setting(text)->entry), std::string(text));
    QCOMPARE(parse_setting("breaker-open=2 s")->entry.value, std::int64_t{2000});
    QVERIFY(!parse_setting("breaker-open:mg-1:mg-2=2s").ok());
    QVERIFY(!parse_setting("breaker-window=nan s").ok());
    QVERIFY(!parse_setting("breaker-window=4000s").ok());
    QCOMPARE(to_text(parse_setting("blob-share:mg-1:mg-2=0")->entry), std::string("blob-share:mg-1:mg-2=0"));
    QVERIFY(!parse_setting("blob-share:t/a:t/b=0").ok());
}

void StatedPoliciesTest::alarms_apply_to_gateways_and_routers() {
    const auto spec = file_with(
        "\"alarm-retries=32\", \"alarm-refusals:mg=4\", \"alarm-latency:sr=80ms\",\n\"alarm-full:sr=1500ms\"");
    QVERIFY2(spec.ok(), spec.ok() ? "" : spec.error().message().c_str());
    const auto said = stated_policies(*spec);
    QVERIFY2(said.ok(), said.ok() ? "" : said.error().message().c_str());
    QCOMPARE(said->size(), std::size_t{4});
    for (std::size_t i = 0; i < said->size(); ++i) QCOMPARE(to_text(said->at(i).entry), spec->policies[i].text);
}

DIVISI_TEST(StatedPoliciesTest)

}  // namespace stated_policies_test

#include "stated_policies_test.moc"
