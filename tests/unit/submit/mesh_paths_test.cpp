// SPDX-License-Identifier: Apache-2.0
#include "backend/submit/mesh_paths.h"

#include <algorithm>

#include "backend/submit/node_pool.h"
#include "tests/support/test_program.h"
#include "tests/unit/base/draw.h"

namespace mesh_paths_test {

using namespace divisi;
using namespace divisi::control;
using namespace divisi::submit;

namespace {

void device(ClusterState& state, std::uint32_t id, const char* name, const char* mic,
            std::vector<std::string> neighbours = {}) {
    const auto role = *mic ? mesh::DeviceRole::gateway : mesh::DeviceRole::router;
    state.devices[name] = {id, name, role, MicId(mic), "here", std::move(neighbours)};
}
void node(ClusterState& state, const std::string& id, const std::string& host = "here") {
    NodeInfo info;
    info.id = NodeId(id);
    info.mic = MicId(id.substr(0, id.find('/')));
    info.host = host;
    info.blob_endpoint = "ipc:///x";
    info.devices = {{"cpu", "cpu", 2, 0}};
    state.nodes[info.id].info = info;
}
/// Returns the state of the embedded cluster: two MICs of two nodes, and two paths between them.
ClusterState embedded() {
    ClusterState state;
    for (const char* id : {"mic-1/node-1", "mic-1/node-2", "mic-2/node-1", "mic-2/node-2"}) node(state, id);
    device(state, 1, "mg-1", "mic-1", {"sr-1", "sr-2"});
    device(state, 2, "mg-2", "mic-2", {"sr-1", "sr-3"});
    device(state, 3, "sr-1", "");
    device(state, 4, "sr-2", "", {"sr-3"});
    device(state, 5, "sr-3", "");
    return state;
}
void measure(ClusterState& state, const char* from, const char* to, const LinkFigures& figures,
             LinkTransport transport = LinkTransport::mesh) {
    const LinkMeasured link{NodeId(), NodeId(), from, to, transport, figures};
    state.links[key_of(link)] = {link, TimePoint()};
}
std::vector<const NodeInfo*> both_mics(const ClusterState& state) {
    return {&state.nodes.at(NodeId("mic-1/node-1")).info, &state.nodes.at(NodeId("mic-2/node-1")).info};
}
std::shared_ptr<const price::DeviceProfile> profile(const Device&) {
    static const auto one = std::make_shared<const price::DeviceProfile>(price::default_profile("cpu"));
    return one;
}

/// Simulates the result of joined() independently. Pieces pass the links in order, one at a time on each link. Each
/// piece must arrive completely before it enters the next link. Returns the time at which the last piece has arrived.
double sent_through(const std::vector<price::LinkModel>& links, int pieces, double bytes_of_each, bool messages) {
    std::vector<double> free_at(links.size(), 0);
    double last = 0;
    for (int piece = 0; piece < pieces; ++piece) {
        double at = 0;
        for (std::size_t i = 0; i < links.size(); ++i) {
            const double moved = links[i].bytes_per_s > 0 ? bytes_of_each / links[i].bytes_per_s : 0;
            const double takes =
                (messages ? links[i].message_s : 0) + bytes_of_each * links[i].serialize_s_per_byte + moved;
            free_at[i] = std::max(at, free_at[i]) + takes;
            at = free_at[i] + links[i].latency_s;
        }
        last = at;
    }
    return last;
}

bool near(double a, double b, double share) { return std::abs(a - b) <= share * std::max(std::abs(a), std::abs(b)); }

}  // namespace

/// Tests the price that a plan assumes for a path through gateways and routers.
class MeshPathsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void chained_links_match_an_independent_simulation();
    void path_of_the_route_table_is_priced();
    void relay_costs_of_a_device_cover_both_of_its_links();
    void measured_link_changes_the_price_of_its_direction_only();
    void price_source_of_a_path_is_that_of_its_least_certain_link();
    void link_may_be_stated_by_the_names_of_its_ends();
    void unconnected_mics_have_no_path();
    void pool_has_paths_only_between_mics();
    void every_link_is_listed_in_both_directions();
    void hosts_of_a_mic_have_their_own_last_links();
    void last_link_is_priced_from_gateway_to_instance();
    void policy_determines_which_of_two_paths_is_priced();
    void bottleneck_is_the_most_shared_of_equal_links();
    void bottleneck_is_the_last_link_if_several_send_to_one();
};

void MeshPathsTest::chained_links_match_an_independent_simulation() {
    testing::Draw draw(7);
    for (int round = 0; round < 200; ++round) {
        std::vector<Hop> hops;
        std::vector<price::LinkModel> links;
        for (int i = 0, count = 1 + draw.below(6); i < count; ++i) {
            const auto some = [&](double unit) { return draw.between(unit, 1e3 * unit); };
            links.push_back({some(1e-6), draw.chance(20) ? 0 : some(1e6), some(1e-7), some(1e-12)});
            hops.push_back({"a" + std::to_string(i), "b", links.back()});
        }
        const price::LinkModel path = joined(hops).link;
        // For one or many messages without bytes, the price is exact.
        for (const int count : {1, 2, 50})
            QVERIFY(near(path.latency_s + count * path.message_s, sent_through(links, count, 0, true), 1e-9));
        // For a tensor in relatively small pieces, devices forward the first pieces while others arrive.
        const int pieces = 20'000;
        const double bytes = 1e9;
        double latencies = 0, messages = 0;
        for (const auto& link : links) latencies += link.latency_s;
        for (const auto& link : links) messages += link.message_s;
        const double flowed = sent_through(links, pieces, bytes / pieces, false) - latencies;
        QVERIFY(near(path.occupancy(static_cast<Bytes>(bytes)) - path.message_s, flowed, 1e-3));
        // For pieces of the devices' own size, or a single smaller one, the price is exact.
        for (const auto& [count, each] : {std::pair{1, Bytes{700'000}}, {1, Bytes{1} << 20}, {9, Bytes{1} << 20}}) {
            const Bytes whole = count * each;
            const double arrives = path.latency(whole) + path.occupancy(whole);
            QVERIFY(near(arrives - messages, sent_through(links, count, static_cast<double>(each), false), 1e-9));
        }
    }
}

void MeshPathsTest::path_of_the_route_table_is_priced() {
    const ClusterState state = embedded();
    const price::MeshPaths paths = mesh_paths(state, both_mics(state));
    QCOMPARE(paths.size(), std::size_t{2});
    const price::MeshPath& there = paths.at({0, 1});
    QCOMPARE(there.devices, (std::vector<std::string>{"mg-1", "sr-1", "mg-2"}));
    QCOMPARE(paths.at({1, 0}).devices, (std::vector<std::string>{"mg-2", "sr-1", "mg-1"}));
    // hops: instance, gateway, router, gateway, instance
    const price::LinkModel one = price::default_links().within_host;
    QVERIFY(near(there.link.latency_s + there.link.message_s, 4 * (one.latency_s + one.message_s), 1e-9));
    QCOMPARE(there.link.occupancy(1 << 20), one.occupancy(1 << 20));
    QCOMPARE(there.link.source, price::LinkSource::standard);
}

void MeshPathsTest::relay_costs_of_a_device_cover_both_of_its_links() {
    ClusterState state = embedded();
    state.devices.at("sr-1").host = "there";
    const LinkFigures slow{1e-4, 0, 5e-5, 1e9, 0};
    measure(state, "mg-1", "sr-1", slow);
    const auto paths = mesh_paths(state, both_mics(state));
    const auto& path = paths.at({0, 1});
    QCOMPARE(path.devices, (std::vector<std::string>{"mg-1", "sr-1", "mg-2"}));
    QCOMPARE(path.relays.size(), std::size_t{3});
    QCOMPARE(path.relays[0].host, std::string("here"));
    QCOMPARE(path.relays[1].host, std::string("there"));
    const auto link = [&](const char* from, const char* to) {
        return link_between(state, state.devices.at(from), state.devices.at(to)).model;
    };
    QVERIFY(near(path.relays[1].message_s, link("mg-1", "sr-1").message_s + link("sr-1", "mg-2").message_s, 1e-12));
    QVERIFY(near(path.relays[1].serialize_s_per_byte,
                 link("mg-1", "sr-1").serialize_s_per_byte + link("sr-1", "mg-2").serialize_s_per_byte, 1e-12));
}

void MeshPathsTest::measured_link_changes_the_price_of_its_direction_only() {
    ClusterState state = embedded();
    const price::MeshPaths before = mesh_paths(state, both_mics(state));
    measure(state, "sr-1", "mg-2", {1e-2, 0, 1e-5, 2e7, 0});
    const price::MeshPaths after = mesh_paths(state, both_mics(state));
    QCOMPARE(after.at({0, 1}).narrowest, std::string("sr-1, mg-2"));
    QVERIFY(near(after.at({0, 1}).link.occupancy(1 << 20), 1e-5 + (1 << 20) / 2e7, 1e-3));
    QVERIFY(after.at({0, 1}).link.latency_s > before.at({0, 1}).link.latency_s + 0.009);
    QCOMPARE(after.at({1, 0}).link.occupancy(1 << 20), before.at({1, 0}).link.occupancy(1 << 20));
}

void MeshPathsTest::price_source_of_a_path_is_that_of_its_least_certain_link() {
    ClusterState state = embedded();
    const LinkFigures figures{1e-4, 0, 1e-5, 1e9, 0};
    measure(state, "mg-1", "sr-1", figures);
    measure(state, "sr-1", "mg-2", figures);
    QCOMPARE(mesh_paths(state, both_mics(state)).at({0, 1}).link.source, price::LinkSource::standard);
    measure(state, "here", "here", figures, LinkTransport::ipc);  // between instances and their gateways
    QCOMPARE(mesh_paths(state, both_mics(state)).at({0, 1}).link.source, price::LinkSource::measured);
    QCOMPARE(mesh_paths(state, both_mics(state)).at({1, 0}).link.source, price::LinkSource::standard);
}

void MeshPathsTest::link_may_be_stated_by_the_names_of_its_ends() {
    ClusterState state = embedded();
    state.stated_links = {{"sr-1", "mg-1", {}, 5e6}, {"*", "*", 9.0, {}}};
    for (const auto& ends : {std::pair(0, 1), std::pair(1, 0)}) {
        const price::MeshPath path = mesh_paths(state, both_mics(state)).at(ends);
        QVERIFY(path.narrowest == "mg-1, sr-1" || path.narrowest == "sr-1, mg-1");
        QCOMPARE(path.link.bytes_per_s, 5e6);
    }
}

void MeshPathsTest::unconnected_mics_have_no_path() {
    ClusterState state = embedded();
    state.devices.erase("sr-1");
    // the path leads through the other two routers
    QCOMPARE(mesh_paths(state, both_mics(state)).at({0, 1}).devices.size(), std::size_t{4});
    state.devices.erase("sr-3");
    QVERIFY(mesh_paths(state, both_mics(state)).empty());
    state.devices.clear();
    QVERIFY(mesh_paths(state, both_mics(state)).empty());
    QVERIFY(!node_pool(state, {}, profile).links.paths);
}

void MeshPathsTest::pool_has_paths_only_between_mics() {
    ClusterState state = embedded();
    measure(state, "sr-1", "mg-2", {1e-2, 0, 1e-5, 2e7, 0});
    const price::NodePool pool = node_pool(state, {}, profile);
    QCOMPARE(pool.hosts.size(), std::size_t{1});
    const auto end = [&](const char* name) { return pool.nodes[pool.find(name)].end(); };
    QVERIFY(!pool.links.path(end("mic-1/node-1"), end("mic-1/node-2")));
    QVERIFY(pool.links.path(end("mic-1/node-1"), end("mic-2/node-2")));
    QVERIFY(pool.links.of(end("mic-1/node-1"), end("mic-2/node-1")).latency_s > 0.009);
    QVERIFY(pool.links.of(end("mic-1/node-1"), end("mic-1/node-2")).latency_s < 0.009);
}

void MeshPathsTest::every_link_is_listed_in_both_directions() {
    ClusterState state = embedded();
    measure(state, "sr-2", "sr-3", {1e-4, 0, 1e-5, 1e9, 0});
    const auto links = device_links(state);
    QCOMPARE(links.size(), std::size_t{10});
    const auto measured =
        std::count_if(links.begin(), links.end(), [](const HostLink& one) { return one.link.measured.has_value(); });
    QCOMPARE(measured, 1);
}

void MeshPathsTest::hosts_of_a_mic_have_their_own_last_links() {
    ClusterState state = embedded();
    node(state, "mic-1/node-3", "far");
    node(state, "mic-1/node-4", "away");
    for (auto& [id, view] : state.nodes) view.info.blob_endpoint = "tcp://10.0.0.1:1";
    const price::LinkModel host = price::default_links().within_host;
    price::NodePool pool = node_pool(state, {}, profile);
    const auto end = [&](const char* name) { return pool.nodes[pool.find(name)].end(); };
    const auto link_of = [&](const char* from) { return pool.links.of(end(from), end("mic-2/node-1")); };
    QVERIFY(near(link_of("mic-1/node-1").latency_s + link_of("mic-1/node-1").message_s,
                 4 * (host.latency_s + host.message_s), 1e-9));
    QVERIFY(link_of("mic-1/node-3").latency_s > link_of("mic-1/node-1").latency_s);
    QCOMPARE(end("mic-1/node-3").mic, end("mic-1/node-4").mic);  // both have the same prices
    QVERIFY(!pool.links.path(end("mic-1/node-1"), end("mic-1/node-3")));
    // A measurement of one host applies to this host only, and makes its link the narrowest.
    const LinkFigures slow{1e-3, 0, 1e-5, 1e6, 0};
    for (const char* from : {"far", "away"}) measure(state, from, "here", slow, LinkTransport::tcp);
    pool = node_pool(state, {}, profile);
    for (const auto& [name, link] : {std::pair("mic-1/node-3", "far, mg-1"), std::pair("mic-1/node-4", "away, mg-1")}) {
        const price::MeshPath* path = pool.links.path(end(name), end("mic-2/node-1"));
        QVERIFY(path);
        QCOMPARE(price::narrowest_link(*path, end(name), end("mic-2/node-1"), pool.hosts), std::string(link));
        QVERIFY(near(path->link.occupancy(1 << 20), 1e-5 + (1 << 20) / 1e6, 1e-3));
    }
    QVERIFY(link_of("mic-1/node-1").occupancy(1 << 20) < 0.1);
}

void MeshPathsTest::last_link_is_priced_from_gateway_to_instance() {
    ClusterState state = embedded();
    for (auto& [id, view] : state.nodes) {
        view.info.blob_endpoint = "tcp://10.0.0.1:1";
        if (id == NodeId("mic-2/node-1")) view.info.host = "far";
    }
    const auto there = [&] { return mesh_paths(state, both_mics(state)).at({0, 1}); };
    const double before = there().link.occupancy(1 << 20);
    measure(state, "far", "here", {1e-3, 0, 1e-5, 1e6, 0}, LinkTransport::tcp);  // tensors do not use that direction
    QCOMPARE(there().link.occupancy(1 << 20), before);
    measure(state, "here", "far", {1e-3, 0, 1e-5, 1e6, 0}, LinkTransport::tcp);
    QCOMPARE(there().narrowest, std::string("mg-2, "));
    QVERIFY(near(there().link.occupancy(1 << 20), 1e-5 + (1 << 20) / 1e6, 1e-3));
}

void MeshPathsTest::policy_determines_which_of_two_paths_is_priced() {
    ClusterState state = embedded();
    const auto there = [&] { return mesh_paths(state, both_mics(state)).at({0, 1}).devices; };
    const auto enact = [&](std::uint64_t version, std::vector<PolicyEntry> entries) {
        state.policies[version] = {version, {}, "", "", "", std::move(entries)};
    };
    const std::vector<std::string> first{"mg-1", "sr-1", "mg-2"}, second{"mg-1", "sr-2", "sr-3", "mg-2"};
    enact(1, {{PolicyKey::share, "mg-1", "mg-2", 40}});
    QVERIFY(there() == second);
    QCOMPARE(mesh_paths(state, both_mics(state)).at({1, 0}).devices.size(), std::size_t{3});
    enact(2, {{PolicyKey::share, "mg-1", "mg-2", 50}});
    QVERIFY(there() == first);
    enact(3, {{PolicyKey::share, "", "", 0}, {PolicyKey::share, "task/a", "task/b", 100}});
    QVERIFY(there() == second);
    enact(4, {{PolicyKey::share, "", "", 0}, {PolicyKey::share, "mg-1", "mg-2", 100}});
    QVERIFY(there() == first);
    enact(5, {{PolicyKey::share, "", "", 0}});
    state.devices.erase("sr-3");  // removes the second path
    QVERIFY(there() == first);
}

void MeshPathsTest::bottleneck_is_the_most_shared_of_equal_links() {
    // There are two MICs at each end of one link between routers.
    ClusterState state;
    std::vector<const NodeInfo*> ends;
    for (const char* id : {"mic-1/a", "mic-2/a", "mic-3/a", "mic-4/a"}) node(state, id);
    for (const auto& [id, view] : state.nodes) ends.push_back(&view.info);
    device(state, 1, "mg-1", "mic-1", {"sr-1"});
    device(state, 2, "mg-2", "mic-2", {"sr-1"});
    device(state, 3, "mg-3", "mic-3", {"sr-2"});
    device(state, 4, "mg-4", "mic-4", {"sr-2"});
    device(state, 5, "sr-1", "", {"sr-2"});
    device(state, 6, "sr-2", "");
    price::MeshPaths paths = mesh_paths(state, ends);
    for (const auto& [from, to] : {std::pair(0, 2), std::pair(0, 3), std::pair(1, 2), std::pair(1, 3)}) {
        QCOMPARE(paths.at({from, to}).narrowest, std::string("sr-1, sr-2"));
        QCOMPARE(paths.at({to, from}).narrowest, std::string("sr-2, sr-1"));
    }
    // Measured bandwidths differ within the measurement error.
    measure(state, "mg-1", "sr-1", {1e-4, 0, 1e-5, 1.00e6, 0});
    measure(state, "sr-1", "sr-2", {1e-4, 0, 1e-5, 1.02e6, 0});
    QCOMPARE(mesh_paths(state, ends).at({0, 2}).narrowest, std::string("sr-1, sr-2"));
    measure(state, "sr-1", "sr-2", {1e-4, 0, 1e-5, 1.2e6, 0});
    QCOMPARE(mesh_paths(state, ends).at({0, 2}).narrowest, std::string("mg-1, sr-1"));
}

void MeshPathsTest::bottleneck_is_the_last_link_if_several_send_to_one() {
    ClusterState state;
    std::vector<const NodeInfo*> ends;
    for (const char* id : {"mic-1/a", "mic-2/a", "mic-3/a"}) node(state, id);
    for (const auto& [id, view] : state.nodes) ends.push_back(&view.info);
    device(state, 1, "mg-1", "mic-1", {"sr-1"});
    device(state, 2, "mg-2", "mic-2", {"sr-1"});
    device(state, 3, "mg-3", "mic-3", {"sr-1"});
    device(state, 4, "sr-1", "");
    const price::MeshPaths paths = mesh_paths(state, ends);
    QCOMPARE(paths.at({0, 2}).narrowest, std::string("sr-1, mg-3"));
    QCOMPARE(paths.at({1, 2}).narrowest, std::string("sr-1, mg-3"));
}

DIVISI_TEST(MeshPathsTest)

}  // namespace mesh_paths_test

#include "mesh_paths_test.moc"
