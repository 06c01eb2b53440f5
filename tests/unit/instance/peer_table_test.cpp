// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/serving/peer_table.h"

#include <utility>

#include "backend/frame/end.h"
#include "tests/support/test_program.h"

namespace peer_table_test {

using namespace divisi;
using namespace divisi::instance;

namespace {

/// Records the actions of a table for instance "me".
struct Recorded {
    std::vector<std::string> actions;
    PeerTable table{
        InstanceId("me"),
        {[this](const control::Peer& peer) { actions.push_back("connect " + peer.sid.value()); },
         [this](const Sid& sid) { actions.push_back("disconnect " + sid.value()); },
         [this](const std::string& key, const std::string& name) { actions.push_back("allow " + key + " of " + name); },
         [this](const std::string& key) { actions.push_back("revoke " + key); }}};

    std::vector<std::string> take() { return std::exchange(actions, {}); }
};

control::Peer peer(const std::string& name, std::int32_t stage, const std::string& key = "") {
    return {InstanceId(name), Sid("s-" + name), stage, "ipc://" + name, key};
}
using Actions = std::vector<std::string>;

}  // namespace

class PeerTableTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void all_peers_but_itself_are_connected_and_allowed();
    void replaced_key_is_revoked_unless_another_peer_has_it();
    void data_instance_that_ended_is_disconnected();
    void first_stage_is_the_data_unit_without_a_data_instance();
    void channels_through_the_gateway_are_far();
};

void PeerTableTest::all_peers_but_itself_are_connected_and_allowed() {
    Recorded recorded;
    recorded.table.connect({{}, 1, {peer("me", 0, "k"), peer("b", 1, "kb"), peer("c", 2)}, "g", "kg"});
    QVERIFY((recorded.take() == Actions{"allow kg of gateway", "allow kb of b", "connect s-b", "connect s-c"}));
}

void PeerTableTest::replaced_key_is_revoked_unless_another_peer_has_it() {
    Recorded recorded;
    recorded.table.connect({{}, 1, {peer("b", 1, "old"), peer("c", 2, "old")}, "", ""});
    (void)recorded.take();
    recorded.table.connect({{}, 1, {peer("b", 1, "new")}, "", ""});
    QVERIFY((recorded.take() == Actions{"allow new of b", "connect s-b"}));
    recorded.table.connect({{}, 1, {peer("c", 2, "new")}, "", ""});
    QVERIFY((recorded.take() == Actions{"revoke old", "allow new of c", "connect s-c"}));
}

void PeerTableTest::data_instance_that_ended_is_disconnected() {
    Recorded recorded;
    const auto one = peer("d", control::dealt_stage), two = peer("e", control::dealt_stage);
    recorded.table.connect({{}, 1, {one, two}, "", ""});
    (void)recorded.take();
    recorded.table.connect({{}, 1, {two}, "", ""});
    QVERIFY((recorded.take() == Actions{"connect s-e", "disconnect s-d"}));
}

void PeerTableTest::first_stage_is_the_data_unit_without_a_data_instance() {
    Recorded recorded;
    recorded.table.set({peer("a", 0), peer("b", 1)});
    QCOMPARE(recorded.table.at(plan::data_unit).sid, Sid("s-a"));
    recorded.table.set({peer("d", plan::data_unit)});
    QCOMPARE(recorded.table.at(plan::data_unit).sid, Sid("s-d"));
    QVERIFY(recorded.table.stages_of(frame::flow_id(Sid("s-b"))) == std::vector{1});
    QVERIFY(recorded.table.stages_of(frame::flow_id(Sid("s-d"))).empty());
    QCOMPARE(recorded.table.sids().size(), std::size_t{3});
}

void PeerTableTest::channels_through_the_gateway_are_far() {
    Recorded recorded;
    recorded.table.set({peer("a", 0), peer("b", 1), peer("c", 2)});
    using Kind = plan::Channel::Kind;
    const std::vector<plan::Channel> channels{
        {Kind::value, 0, 0, 1, 1}, {Kind::value, 0, 0, 2, 1}, {Kind::value, 0, 1, 2, 1}};
    QVERIFY(recorded.table.far_channels(channels, 0, "ipc://c") == std::set<std::int32_t>{1});
    QVERIFY(recorded.table.far_channels(channels, 0, "").empty());
}

DIVISI_TEST(PeerTableTest)

}  // namespace peer_table_test

#include "peer_table_test.moc"
