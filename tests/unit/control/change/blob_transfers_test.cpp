// SPDX-License-Identifier: Apache-2.0
#include "backend/control/change/blob_transfers.h"

#include <algorithm>
#include <functional>

#include "backend/mesh/base/place.h"
#include "tests/support/test_program.h"
#include "tests/unit/control/fixture.h"

namespace blob_transfers_test {

using namespace divisi;
using namespace divisi::control;
using std::chrono::seconds;

namespace {

const std::string hash(64, 'a'), other(64, 'b');
const NodeId here("mic-1/a"), near("mic-1/b"), far("mic-2/c");

/// A substitute for an orchestrator state machine that orders transfers.
struct Orderer final : TransferListener {
    struct Heard {
        std::string hash;
        NodeId to;
        std::optional<Error> error;
    };
    std::vector<Heard> heard;
    std::vector<Bytes> sizes;           ///< sizes of the blobs that have arrived
    std::vector<std::uint64_t> orders;  ///< numbers of the orders whose result was reported
    std::function<void()> then = [] {};
    void arrived(const std::string&, const NodeId&, std::uint64_t, Bytes size) override { sizes.push_back(size); }
    void brought(const std::string& what, const NodeId& to, std::uint64_t order,
                 const std::optional<Error>& error) override {
        heard.push_back({what, to, error});
        orders.push_back(order);
        then();
    }
};

/// A fixture with three nodes in two MICs, and a mesh between the MICs. The tests decide how the node agents answer.
struct Country : test::Fixture {
    MeshDevices devices{context};
    BlobTransfers transfers{context, devices};
    PeerId operates = connect(9);

    Country() {
        context.follow([this](const Event& event) { devices.follow(event); });
        std::uint64_t peer = 1;
        for (const NodeId& id : {here, near, far}) {
            node(peer++, id.value(), "host", "ipc:///" + id.value());
            NodeInfo info = context.state().nodes.at(id).info;
            info.mic = MicId(id.value().substr(0, 5));
            info.blob_key = "key of " + id.value();
            context.append(NodeJoined{info});
        }
    }
    void build_mesh() {
        std::uint64_t peer = 11;
        for (const char* name : {"mg-1", "mg-2", "sr-1"}) {
            DeviceInfo info;
            info.name = name;
            const bool router = info.name == "sr-1";
            info.role = router ? mesh::DeviceRole::router : mesh::DeviceRole::gateway;
            if (!router) info.mic = MicId("mic-" + info.name.substr(3));
            if (!router) info.neighbours = {"sr-1"};
            info.endpoint = "ipc:///" + info.name;
            say(devices, connect(peer++), RegisterDevice{info, 0});
        }
        advertise();
    }
    void advertise() {
        pass(seconds(1));
        transfers.poll(devices.advertise());
    }
    void bring(const std::string& what = hash, const NodeId& from = here, const NodeId& to = far) {
        clear();
        say(transfers, operates, BringBlob{what, from, to});
    }
    /// Opens both ends of the newest transfer and returns the transfer's number.
    std::uint64_t open() {
        const auto asked = sent<OpenBlobEnd>();
        if (asked.size() < 2) return 0;
        for (auto one = asked.end() - 2; one != asked.end(); ++one)
            say(transfers, one->first, BlobEndOpened{one->second.transfer, "ipc:///end", {}});
        return asked.back().second.transfer;
    }
    std::vector<TablePlace> places() {
        std::vector<TablePlace> found;
        for (const auto& [peer, table] : sent<MeshTable>()) found = table.places;
        for (const auto& [peer, change] : sent<MeshChange>()) found = change.places;
        return found;
    }
};

}  // namespace

/// Tests transfers of blobs from node to node: their route, their notifications and their end.
class BlobTransfersTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void transfers_without_gateways_are_direct();
    void gateways_learn_both_ends_before_the_ends_connect();
    void ends_may_send_only_to_each_other();
    void failed_transfer_is_retried_under_a_new_number();
    void lost_node_ends_its_transfers();
    void transfer_fails_if_an_end_does_not_open_in_time();
    void at_most_four_transfers_run_at_once();
    void gateway_that_reconnects_is_told_the_ends();
    void impossible_transfers_are_refused();
    void results_from_other_nodes_are_ignored();
    void internal_orderer_is_notified_of_the_result();
    void order_joins_a_transfer_in_progress();
    void order_does_not_join_a_check_of_the_targets_own_store();
    void transfer_of_a_part_serves_no_order_of_the_whole_blob();
    void parts_of_one_blob_are_separate_transfers();
    void sink_selects_the_part_through_the_mesh();
    void waiting_order_can_be_withdrawn();
    void withdrawing_one_of_two_orders_keeps_the_other();
    void client_and_internal_orders_alternate();
    void internal_orders_are_bounded_and_leave_room_for_clients();
    void listener_may_order_and_withdraw_in_its_callback();
};

void BlobTransfersTest::transfers_without_gateways_are_direct() {
    Country country;
    country.bring();
    QCOMPARE(country.sent<FetchBlob>().size(), std::size_t{1});
    country.build_mesh();
    country.bring(hash, here, near);
    const auto fetch = country.sent<FetchBlob>();
    QCOMPARE(fetch.size(), std::size_t{1});
    QCOMPARE(fetch[0].first, PeerId(2));
    QCOMPARE(fetch[0].second.endpoint, std::string("ipc:///mic-1/a"));
    QCOMPARE(fetch[0].second.key, std::string("key of mic-1/a"));
    QVERIFY(country.sent<OpenBlobEnd>().empty());
    country.pass(seconds(2));
    country.say(country.transfers, PeerId(2), BlobFetched{fetch[0].second.transfer, 4'000'000, {}});
    const auto brought = country.sent<BlobBrought>();
    QCOMPARE(brought.size(), std::size_t{1});
    QCOMPARE(brought[0].first, country.operates);
    QCOMPARE(brought[0].second.seconds, 2.0);
    QVERIFY(!brought[0].second.by_mesh);
}

void BlobTransfersTest::gateways_learn_both_ends_before_the_ends_connect() {
    Country country;
    country.build_mesh();
    country.bring();
    const std::uint64_t number = country.open();
    QVERIFY(number > 0);
    QVERIFY(country.sent<JoinBlobEnds>().empty());
    country.advertise();
    const std::string path = std::string(mesh::blob_root) + "/" + std::to_string(number);
    const auto places = country.places();
    QCOMPARE(places.size(), std::size_t{2});
    QCOMPARE(places[0].sid, Sid(path + "/sink"));
    QCOMPARE(places[1].sid, Sid(path + "/source"));
    QCOMPARE(places[1].task, TaskId(mesh::blob_root));
    QCOMPARE(places[1].key, std::string("key of mic-1/a"));
    const auto joined = country.sent<JoinBlobEnds>();
    QCOMPARE(joined.size(), std::size_t{2});
    for (const auto& [peer, join] : joined)
        QCOMPARE(join.endpoint, std::string(peer == PeerId(1) ? "ipc:///mg-1" : "ipc:///mg-2"));
    country.clear();
    country.say(country.transfers, PeerId(3), BlobFetched{number, 64 << 20, {}});
    QVERIFY(country.sent<BlobBrought>().at(0).second.by_mesh);
    QCOMPARE(country.sent<CloseBlobEnd>().size(), std::size_t{2});
    country.advertise();
    QCOMPARE(country.sent<MeshChange>().at(0).second.ended.size(), std::size_t{2});
}

void BlobTransfersTest::ends_may_send_only_to_each_other() {
    Country country;
    country.build_mesh();
    country.bring();
    const std::uint64_t number = country.open();
    country.advertise();
    const std::string path = std::string(mesh::blob_root) + "/" + std::to_string(number);
    std::vector<AdmissionRule> rules;
    for (const auto& [peer, policy] : country.sent<AdmissionPolicy>())
        rules.insert(rules.end(), policy.rules.begin(), policy.rules.end());
    QCOMPARE(rules.size(), std::size_t{2});
    for (const AdmissionRule& rule : rules) {
        QCOMPARE(rule.sid_prefix, path);
        QCOMPARE(rule.incarnation, number);
        QCOMPARE(rule.key, std::string(rule.as == Sid(path + "/source") ? "key of mic-1/a" : "key of mic-2/c"));
    }
    country.clear();
    country.say(country.transfers, PeerId(3), BlobFetched{number, 1, {}});
    country.advertise();
    for (const auto& [peer, policy] : country.sent<AdmissionPolicy>()) QVERIFY(policy.rules.empty());
    QCOMPARE(country.sent<AdmissionPolicy>().size(), std::size_t{2});
}

void BlobTransfersTest::failed_transfer_is_retried_under_a_new_number() {
    Country country;
    country.build_mesh();
    country.bring();
    const Error silent{ErrorCode::unavailable, "no answer", "blob transfer", "try again"};
    std::uint64_t last = 0;
    for (int attempt = 1; attempt <= most_attempts; ++attempt) {
        const std::uint64_t number = country.open();
        QVERIFY(number > last);
        last = number;
        country.advertise();
        country.clear();
        country.say(country.transfers, PeerId(3), BlobFetched{number, 0, silent});
        QCOMPARE(country.sent<CloseBlobEnd>().size(), std::size_t{2});
        QCOMPARE(country.refusal().empty(), attempt < most_attempts);
    }
    QCOMPARE(country.refusal(), silent.what);
    // A permanent error is not retried.
    country.bring();
    const std::uint64_t number = country.open();
    country.clear();
    country.say(country.transfers, PeerId(3),
                BlobFetched{number, 0, Error{ErrorCode::not_found, "no such blob", "node", ""}});
    QCOMPARE(country.refusal(), std::string("no such blob"));
}

void BlobTransfersTest::lost_node_ends_its_transfers() {
    Country country;
    country.build_mesh();
    country.bring();
    country.open();
    country.clear();
    country.transfers.node_gone(far);
    QCOMPARE(country.refusal(), std::string("the node is away"));
    country.advertise();
    QCOMPARE(country.places().size(), std::size_t{0});
}

void BlobTransfersTest::transfer_fails_if_an_end_does_not_open_in_time() {
    Country country;
    country.build_mesh();
    country.bring();
    QVERIFY(country.transfers.next_deadline().has_value());
    country.pass(seconds(11));
    country.transfers.check_deadlines();
    QVERIFY(!country.refusal().empty());
    QVERIFY(!country.transfers.next_deadline());
    country.bring();
    const auto asked = country.sent<OpenBlobEnd>();
    country.say(country.transfers, asked[1].first,
                BlobEndOpened{asked[1].second.transfer, "", Error{ErrorCode::exhausted, "no sockets left", "", ""}});
    QCOMPARE(country.refusal(), std::string("no sockets left"));
}

void BlobTransfersTest::at_most_four_transfers_run_at_once() {
    Country country;
    for (char digit = '0'; digit < '6'; ++digit) {
        country.say(country.transfers, country.operates, BringBlob{std::string(64, digit), here, far});
    }
    const auto first = country.sent<FetchBlob>();
    QCOMPARE(first.size(), most_transfers);
    country.clear();
    country.say(country.transfers, PeerId(3), BlobFetched{first[2].second.transfer, 1, {}});
    const auto next = country.sent<FetchBlob>();
    QCOMPARE(next.size(), std::size_t{1});
    QCOMPARE(next[0].second.hash, std::string(64, '4'));
}

void BlobTransfersTest::gateway_that_reconnects_is_told_the_ends() {
    Country country;
    country.build_mesh();
    country.bring();
    country.open();
    country.advertise();
    country.clear();
    country.advertise();
    QVERIFY(country.sent<JoinBlobEnds>().empty());
    country.devices.device_gone(PeerId(12), "its process ended", false);
    DeviceInfo info;
    info.name = "mg-2";
    info.role = mesh::DeviceRole::gateway;
    info.mic = MicId("mic-2");
    info.neighbours = {"sr-1"};
    info.endpoint = "ipc:///elsewhere";
    country.say(country.devices, country.connect(22), RegisterDevice{info, 0});
    country.advertise();
    const auto joined = country.sent<JoinBlobEnds>();
    QCOMPARE(joined.size(), std::size_t{1});
    QCOMPARE(joined[0].first, PeerId(3));
    QCOMPARE(joined[0].second.endpoint, std::string("ipc:///elsewhere"));
}

void BlobTransfersTest::impossible_transfers_are_refused() {
    Country country;
    const auto why = [&](const std::string& what, const NodeId& from, const NodeId& to) {
        country.bring(what, from, to);
        return country.refusal();
    };
    QCOMPARE(why("abc", here, far), std::string("not a blob's hash"));
    QCOMPARE(why(hash, here, here), std::string("a node cannot send a blob to itself"));
    QCOMPARE(why(hash, here, NodeId("mic-3/x")), std::string("no such node"));
    QCOMPARE(why(hash, here, far), std::string());
    QCOMPARE(why(hash, near, far), std::string("this blob is already on its way to the node"));
    QCOMPARE(why(other, near, far), std::string());
    country.context.sessions().close(PeerId(1));
    QCOMPARE(why(std::string(64, 'c'), here, far), std::string("the node is away"));
}

void BlobTransfersTest::results_from_other_nodes_are_ignored() {
    Country country;
    country.bring();
    const auto fetch = country.sent<FetchBlob>();
    country.clear();
    country.say(country.transfers, PeerId(2), BlobFetched{fetch.at(0).second.transfer, 1, {}});
    country.say(country.transfers, PeerId(3), BlobFetched{fetch.at(0).second.transfer + 1, 1, {}});
    QVERIFY(country.sent<BlobBrought>().empty());
}

void BlobTransfersTest::internal_orderer_is_notified_of_the_result() {
    Country country;
    Orderer orderer;
    country.clear();
    QVERIFY(country.transfers.bring(hash, here, near, orderer).ok());
    QVERIFY(country.transfers.bring(other, near, far, orderer).ok());
    const auto fetch = country.sent<FetchBlob>();
    QCOMPARE(fetch.size(), std::size_t{2});
    QVERIFY(fetch[1].second.transfer > fetch[0].second.transfer);
    QVERIFY(orderer.heard.empty());
    country.say(country.transfers, PeerId(2), BlobFetched{fetch[0].second.transfer, 4, {}});
    country.say(country.transfers, PeerId(3),
                BlobFetched{fetch[1].second.transfer, 0, Error{ErrorCode::not_found, "no such blob", "node", ""}});
    QCOMPARE(orderer.heard.size(), std::size_t{2});
    QCOMPARE(orderer.heard[0].hash, hash);
    QCOMPARE(orderer.heard[0].to, near);
    QVERIFY(!orderer.heard[0].error);
    QCOMPARE(orderer.heard[1].to, far);
    QCOMPARE(orderer.heard[1].error.value().what, std::string("no such blob"));
    // No client asked, so no client is answered, and no line is logged.
    QVERIFY(country.sent<BlobBrought>().empty() && country.sent<Refused>().empty());
    QVERIFY(country.logged<Noted>().empty());
    QCOMPARE(country.transfers.bring(hash, here, NodeId("mic-3/x"), orderer).error().what, std::string("no such node"));
    QCOMPARE(orderer.heard.size(), std::size_t{2});
}

void BlobTransfersTest::order_joins_a_transfer_in_progress() {
    Country country;
    Orderer one, two;
    country.bring(hash, here, far);
    const std::uint64_t number = country.sent<FetchBlob>().at(0).second.transfer;
    QVERIFY(country.transfers.bring(hash, here, far, one).ok());
    QVERIFY(country.transfers.bring(hash, near, far, two).ok());  // the source does not matter
    QCOMPARE(country.sent<FetchBlob>().size(), std::size_t{1});
    // A client's transfer cannot be withdrawn by an order that has joined it. The client is answered as usual.
    QVERIFY(!country.transfers.withdraw(hash, far, one));
    country.say(country.transfers, PeerId(3), BlobFetched{number, 4, {}});
    QCOMPARE(country.sent<BlobBrought>().size(), std::size_t{1});
    QCOMPARE(one.heard.size(), std::size_t{1});
    QCOMPARE(two.heard.size(), std::size_t{1});
    QVERIFY(country.transfers.bring(hash, here, far, one).ok());
    country.bring(hash, here, far);
    QCOMPARE(country.refusal(), std::string("this blob is already on its way to the node"));
}

/// A transfer from a node to itself only asks whether the node has the blob. An order that needs the blob on that node
/// does not join such a transfer.
void BlobTransfersTest::order_does_not_join_a_check_of_the_targets_own_store() {
    Country country;
    Orderer asks, wants;
    country.clear();
    QVERIFY(country.transfers.bring(hash, near, near, asks).ok());
    QVERIFY(country.transfers.bring(hash, here, near, wants).ok());
    const auto fetch = country.sent<FetchBlob>();
    QCOMPARE(fetch.size(), std::size_t{2});
    QCOMPARE(fetch[1].second.endpoint, std::string("ipc:///") + here.value());
    country.say(country.transfers, PeerId(2),
                BlobFetched{fetch[0].second.transfer, 0, Error{ErrorCode::not_found, "no such blob", hash, ""}});
    QCOMPARE(asks.heard.size(), std::size_t{1});
    QVERIFY(wants.heard.empty());
    country.say(country.transfers, PeerId(2), BlobFetched{fetch[1].second.transfer, 9, {}});
    QCOMPARE(wants.sizes, std::vector<Bytes>{9});
}

/// A transfer of only a part of a blob must not count as the copy that a checkpoint needs. A transfer of the whole blob
/// may serve an order of a part.
void BlobTransfersTest::transfer_of_a_part_serves_no_order_of_the_whole_blob() {
    Country country;
    Orderer copies, recuts, others;
    country.clear();
    const std::vector<std::string> values{"w", "b"};
    QVERIFY(country.transfers.bring(hash, here, near, recuts, values).ok());
    QVERIFY(country.transfers.bring(hash, here, near, copies).ok());
    const auto fetch = country.sent<FetchBlob>();
    QCOMPARE(fetch.size(), std::size_t{2});
    QCOMPARE(fetch[0].second.values, values);
    QVERIFY(fetch[1].second.values.empty());
    country.say(country.transfers, PeerId(2), BlobFetched{fetch[0].second.transfer, 3, {}});
    QCOMPARE(recuts.sizes, std::vector<Bytes>{3});
    QCOMPARE(recuts.heard.size(), std::size_t{1});
    QVERIFY(copies.heard.empty());
    QVERIFY(country.transfers.bring(hash, here, near, others, {"v"}).ok());
    QCOMPARE(country.sent<FetchBlob>().size(), std::size_t{2});  // the new order joins the transfer of the whole blob
    country.say(country.transfers, PeerId(2), BlobFetched{fetch[1].second.transfer, 9, {}});
    QCOMPARE(copies.sizes, std::vector<Bytes>{9});
    QCOMPARE(others.sizes, std::vector<Bytes>{9});
    QCOMPARE(recuts.heard.size(), std::size_t{1});
}

void BlobTransfersTest::parts_of_one_blob_are_separate_transfers() {
    Country country;
    Orderer orderer;
    country.clear();
    QVERIFY(country.transfers.bring(hash, here, near, orderer, {"w"}, 1).ok());
    QVERIFY(country.transfers.bring(hash, here, near, orderer, {"v"}, 2).ok());
    const auto fetch = country.sent<FetchBlob>();
    QCOMPARE(fetch.size(), std::size_t{2});
    country.say(country.transfers, PeerId(2), BlobFetched{fetch[1].second.transfer, 4, {}});
    QCOMPARE(orderer.orders, std::vector<std::uint64_t>{2});
    country.say(country.transfers, PeerId(2), BlobFetched{fetch[0].second.transfer, 3, {}});
    QCOMPARE(orderer.orders, (std::vector<std::uint64_t>{2, 1}));
    // Waiting transfers of two parts are separate, too.
    for (char digit = '0'; digit < '4'; ++digit)
        QVERIFY(country.transfers.bring(std::string(64, digit), here, near, orderer).ok());
    QVERIFY(country.transfers.bring(hash, here, near, orderer, {"w"}, 1).ok());
    QVERIFY(country.transfers.bring(hash, here, near, orderer, {"v"}, 2).ok());
    QVERIFY(!country.transfers.withdraw(hash, near, orderer));
    QVERIFY(country.transfers.withdraw(hash, near, orderer, 2));
    QVERIFY(!country.transfers.withdraw(hash, near, orderer, 2));
    QVERIFY(country.transfers.withdraw(hash, near, orderer, 1));
}

void BlobTransfersTest::sink_selects_the_part_through_the_mesh() {
    Country country;
    country.build_mesh();
    Orderer orderer;
    country.clear();
    QVERIFY(country.transfers.bring(hash, here, far, orderer, {"w"}).ok());
    const auto ends = country.sent<OpenBlobEnd>();
    QCOMPARE(ends.size(), std::size_t{2});
    for (const auto& [peer, end] : ends)
        QCOMPARE(end.values, end.sink ? std::vector<std::string>{"w"} : std::vector<std::string>());
}

void BlobTransfersTest::waiting_order_can_be_withdrawn() {
    Country country;
    Orderer one, two;
    for (char digit = '0'; digit < '6'; ++digit)
        QVERIFY(country.transfers.bring(std::string(64, digit), here, far, one).ok());
    QVERIFY(country.transfers.bring(std::string(64, '5'), here, far, two).ok());
    QVERIFY(!country.transfers.withdraw(std::string(64, '0'), far, one));
    QVERIFY(!country.transfers.withdraw(std::string(64, '4'), near, one));
    QVERIFY(country.transfers.withdraw(std::string(64, '4'), far, one));
    QVERIFY(country.transfers.withdraw(std::string(64, '5'), far, one));
    QVERIFY(!country.transfers.withdraw(std::string(64, '5'), far, one));
    const auto first = country.sent<FetchBlob>();
    country.clear();
    country.say(country.transfers, PeerId(3), BlobFetched{first.at(0).second.transfer, 1, {}});
    const auto next = country.sent<FetchBlob>();
    QCOMPARE(next.size(), std::size_t{1});  // the other component still needs the blob
    QCOMPARE(next[0].second.hash, std::string(64, '5'));
    country.say(country.transfers, PeerId(3), BlobFetched{next[0].second.transfer, 1, {}});
    QCOMPARE(one.heard.size(), std::size_t{1});
    QCOMPARE(two.heard.size(), std::size_t{1});
}

/// Two tasks with the same model may be moved to the same node at the same time.
void BlobTransfersTest::withdrawing_one_of_two_orders_keeps_the_other() {
    Country country;
    Orderer both;
    for (char digit = '0'; digit < '5'; ++digit)
        QVERIFY(country.transfers.bring(std::string(64, digit), here, far, both).ok());
    const std::string waits(64, '4');
    QVERIFY(country.transfers.bring(waits, here, far, both).ok());
    const auto first = country.sent<FetchBlob>();
    QVERIFY(country.transfers.withdraw(waits, far, both));
    country.clear();
    country.say(country.transfers, PeerId(3), BlobFetched{first.at(0).second.transfer, 1, {}});
    const auto next = country.sent<FetchBlob>();
    QCOMPARE(next.size(), std::size_t{1});
    QCOMPARE(next[0].second.hash, waits);
    country.say(country.transfers, PeerId(3), BlobFetched{next[0].second.transfer, 1, {}});
    QCOMPARE(both.heard.size(), std::size_t{2});
    QCOMPARE(both.heard[1].hash, waits);
}

void BlobTransfersTest::client_and_internal_orders_alternate() {
    Country country;
    Orderer orderer;
    for (char digit = '0'; digit < '8'; ++digit)
        QVERIFY(country.transfers.bring(std::string(64, digit), here, far, orderer).ok());
    const std::uint64_t first = country.sent<FetchBlob>().at(0).second.transfer;
    for (char digit = 'a'; digit < 'e'; ++digit) country.bring(std::string(64, digit), here, far);
    country.clear();
    const auto next = [&](std::uint64_t ends) {
        country.clear();
        country.say(country.transfers, PeerId(3), BlobFetched{ends, 1, {}});
        return country.sent<FetchBlob>().at(0).second;
    };
    // The orchestrator's four copies started before the clients requested theirs. Four more of its orders precede the
    // clients in the queue.
    const FetchBlob second = next(first), third = next(first + 1);
    QCOMPARE(second.hash, std::string(64, 'a'));
    QCOMPARE(third.hash, std::string(64, 'b'));
    // Now two of each kind are in progress. When one ends, the next of the same kind starts.
    QCOMPARE(next(first + 2).hash, std::string(64, '4'));
    QCOMPARE(next(second.transfer).hash, std::string(64, 'c'));
}

void BlobTransfersTest::internal_orders_are_bounded_and_leave_room_for_clients() {
    Country country;
    Orderer orderer;
    const auto numbered = [](std::size_t number) {
        std::string text = std::to_string(number);
        return std::string(64 - text.size(), '0') + text;
    };
    for (std::size_t i = 0; i < most_own_transfers; ++i)
        QVERIFY(country.transfers.bring(numbered(i), here, far, orderer).ok());
    const auto refused = country.transfers.bring(numbered(most_own_transfers), here, far, orderer);
    QCOMPARE(refused.error().code, ErrorCode::exhausted);
    country.bring(hash, here, near);
    QCOMPARE(country.refusal(), std::string());
    country.transfers.node_gone(here);
    QCOMPARE(orderer.heard.size(), most_own_transfers);
}

void BlobTransfersTest::listener_may_order_and_withdraw_in_its_callback() {
    Country country;
    Orderer orderer;
    for (char digit = '0'; digit < '6'; ++digit)
        QVERIFY(country.transfers.bring(std::string(64, digit), here, near, orderer).ok());
    orderer.then = [&] {
        (void)country.transfers.withdraw(std::string(64, '5'), near, orderer);
        (void)country.transfers.bring(other, near, far, orderer);
        orderer.then = [] {};
    };
    country.clear();
    country.transfers.node_gone(here);
    QCOMPARE(orderer.heard.size(), std::size_t{5});
    QCOMPARE(country.sent<FetchBlob>().at(country.sent<FetchBlob>().size() - 1).second.hash, other);
}

DIVISI_TEST(BlobTransfersTest)

}  // namespace blob_transfers_test

#include "blob_transfers_test.moc"
