// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/flow_router.h"

#include "tests/support/test_program.h"
#include "tests/unit/mesh/flow_device.h"

namespace flow_router_test {

using namespace divisi;
using namespace divisi::mesh;
using namespace std::chrono_literals;

namespace {

const RoutingId first_gateway(1), last_gateway(2), better(3), worse(4);
const Path first_path{first_gateway, better, last_gateway}, second_path{first_gateway, worse, last_gateway};

/// Gateway 1, at which the sender of the sample flow is.
struct Gateway : FlowDevice {
    explicit Gateway(double slower = 0.001) : FlowDevice(1, slower) {}
    /// Opens the sample flow by its first frame.
    RelayFlow& begin() { return *router.flow_of(sample_chunk(1000).header, RoutingId()); }
    /// Reports a backlog of `queued` bytes behind a router.
    void load(RoutingId behind, std::uint64_t queued) {
        LoadAdvert advert;
        advert.sender = behind.value();
        advert.sequence = ++sequence;
        advert.links = {{last_gateway.value(), true, queued}};
        QVERIFY(routes.loads().take(behind, advert, context.now));
    }
    /// Returns the reason for which a frame of an instance of this MIC is refused; `failed` if it is not refused.
    ErrorCode refusal(const frame::FrameHeader& header) {
        context.actions = {};
        const bool refused = !router.flow_of(header, RoutingId()) && context.actions.refused.size() == 1;
        return refused ? context.actions.refused[0].code : ErrorCode::failed;
    }
    std::uint64_t sequence = 0;
};

/// Router 3, with the sample flow. Its route and a promise to gateway 1 are set on request.
struct Router : FlowDevice {
    Router() : FlowDevice(3), flow(router.open(sample_key(), sample_name, sample_sids)) {}
    void promise() { QVERIFY(promises.try_reserve(flow, first_gateway, 1)); }
    void take_route() { router.adopt(flow, {1, first_path}); }
    RelayFlow& flow;
};

FlowPolicy with_share(std::uint8_t first_share) {
    FlowPolicy policy;
    policy.all.first_share = first_share;
    return policy;
}

/// Returns the header of one of a tensor's two chunks.
frame::FrameHeader half(std::int64_t step, std::uint32_t index) {
    frame::FrameHeader header = sample_chunk(1000, step).header;
    header.chunk_count = 2;
    header.chunk_index = index;
    return header;
}

}  // namespace

/// Tests how flows are opened, routed and closed.
class FlowRouterTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void first_frame_opens_a_flow_and_requests_both_paths();
    void frame_that_may_not_open_a_flow_is_refused();
    void flow_limit_refuses_a_new_flow();
    void only_a_path_opens_a_flow_for_a_neighbour();
    void receiving_gateway_delivers_to_the_instance();
    void router_takes_the_route_that_the_gateway_chose();
    void unusable_or_older_route_changes_nothing();
    void older_backup_route_is_ignored();
    void gateway_changes_to_the_backup_path_and_back();
    void gateway_without_a_path_keeps_the_chunks();
    void router_without_an_onward_path_gives_up_the_flow();
    void given_up_flow_returns_its_reservation();
    void closed_flow_frees_all_it_holds();
    void lost_neighbour_gets_no_message();
    void flow_of_a_removed_sid_is_closed_only_at_its_ends();
    void flow_that_the_route_table_lacks_shares_a_part_of_the_buffer();
    void flow_ends_when_its_sender_has_lapsed();
    void queue_outlives_its_sender_for_a_while();
    void tick_gives_up_a_queue_without_an_exit();
    void tick_routes_a_queue_of_the_gateway_again();
    void paused_flow_requests_credit_after_the_pause();
    void idle_path_without_tensors_is_returned_data();
    void idle_path_without_tensors_is_returned();
    void policy_chooses_the_path_of_a_tensor();
    void tensor_stays_on_its_path_when_the_policy_changes();
    void first_tensor_of_a_flow_stays_on_its_path();
    void new_flow_takes_the_path_with_the_shorter_queue();
};

void FlowRouterTest::first_frame_opens_a_flow_and_requests_both_paths() {
    Gateway at;
    const RelayFlow& flow = at.begin();
    QVERIFY(flow.key == sample_key() && flow.sids == sample_sids && flow.named);
    QVERIFY(flow.name == (FlowName{first_gateway, last_gateway, 1}));
    QVERIFY(flow.path == first_path && flow.backup_path == second_path);
    QVERIFY(flow.exit == (Exit{better, 0}));
    QCOMPARE(at.sent(better).size(), std::size_t{1});
    QCOMPARE(at.sent(worse).size(), std::size_t{1});
    const RsvpMessage path = at.sent(better)[0];
    QVERIFY(path.type == RsvpType::credit_path && path.sids == sample_sids);
    QVERIFY(path.session.destination == device_address(last_gateway) && path.session.port == 1);
    QVERIFY(path.sender.source == device_address(first_gateway));
    QVERIFY(route_of(path, RouteUse::primary) == (Route{1, first_path}));
    QVERIFY(route_of(at.sent(worse)[0], RouteUse::backup) == (Route{1, second_path}));
    QCOMPARE(&at.begin(), &flow);
    QCOMPARE(at.flows.size(), std::size_t{1});
    QCOMPARE(signals_of(at.context), std::size_t{2});
}

void FlowRouterTest::frame_that_may_not_open_a_flow_is_refused() {
    Gateway at;
    const frame::FrameHeader good = sample_chunk(1000).header;
    frame::FrameHeader unserved = good, foreign = good, other_task = good, blob = good;
    unserved.destination.sid = 9;
    std::swap(foreign.source, foreign.destination);  // its source is at gateway 2
    other_task.key.task = 9;
    blob.key.kind = frame::FrameKind::blob_chunk;
    QVERIFY(at.refusal(unserved) == ErrorCode::not_found);
    QCOMPARE(at.context.counters.unserved, std::uint64_t{1});
    QCOMPARE(at.context.counters.refused_frames, std::uint64_t{0});
    QVERIFY(at.refusal(foreign) == ErrorCode::denied);
    QVERIFY(at.refusal(other_task) == ErrorCode::denied);
    QVERIFY(at.refusal(blob) == ErrorCode::denied);
    auto places = sample_places();
    places.at(sample_key().destination).task = TaskId("another");
    at.context.table.set(two_ways(), places);
    QVERIFY(at.refusal(good) == ErrorCode::denied);
    QCOMPARE(at.context.counters.refused_frames, std::uint64_t{4});
    QCOMPARE(at.flows.size(), std::size_t{0});
    QCOMPARE(signals_of(at.context), std::size_t{0});
}

void FlowRouterTest::flow_limit_refuses_a_new_flow() {
    Gateway at;
    FlowKey key = sample_key();
    for (std::size_t i = 0; i < most_flows; ++i) {
        key.source = i + 1;
        at.flows.add(key, at.flows.unused_name(first_gateway, last_gateway), sample_sids);
    }
    QVERIFY(at.refusal(sample_chunk(1000).header) == ErrorCode::exhausted);
    at.flows.erase(key);
    QVERIFY(at.router.flow_of(sample_chunk(1000).header, RoutingId()));
}

void FlowRouterTest::only_a_path_opens_a_flow_for_a_neighbour() {
    FlowDevice at(3);
    QVERIFY(!at.router.flow_of(sample_chunk(1000).header, first_gateway));
    QCOMPARE(at.context.counters.refused_frames, std::uint64_t{1});
    QVERIFY(at.context.actions.refused.at(0).code == ErrorCode::not_found);
    const RelayFlow& flow = at.router.open(sample_key(), sample_name, sample_sids);
    QCOMPARE(at.router.flow_of(sample_chunk(1000).header, first_gateway), &flow);
    frame::FrameHeader other_path = sample_chunk(1000).header;
    set_path_index(other_path, 1);
    QVERIFY(!at.router.flow_of(other_path, first_gateway));
    QVERIFY(!at.router.flow_of(sample_chunk(1000).header, RoutingId()));  // no instance of this device sends it
    QCOMPARE(at.context.counters.refused_frames, std::uint64_t{3});
}

void FlowRouterTest::receiving_gateway_delivers_to_the_instance() {
    FlowDevice at(2);
    const RelayFlow& flow = at.router.open(sample_key(), sample_name, sample_sids);
    QVERIFY(flow.exit == (Exit{RoutingId(), sample_key().destination}));
    QCOMPARE(signals_of(at.context), std::size_t{0});
}

void FlowRouterTest::router_takes_the_route_that_the_gateway_chose() {
    Router at;
    QVERIFY(at.flow.exit == Exit() && at.flow.path.empty());
    at.take_route();
    QVERIFY(at.flow.path == (Path{better, last_gateway}));
    QVERIFY(at.flow.exit == (Exit{last_gateway, 0}));
    QCOMPARE(at.sent(last_gateway).size(), std::size_t{1});
    QVERIFY(route_of(at.sent(last_gateway)[0], RouteUse::primary) == (Route{1, first_path}));
}

void FlowRouterTest::unusable_or_older_route_changes_nothing() {
    Router at;
    at.router.adopt(at.flow, {2, first_path});
    const Path other{first_gateway, worse, better, last_gateway};
    for (const Route& route : {Route{1, other}, Route{2, other},             // older, or known
                               Route{3, second_path},                        // without this router
                               Route{3, {first_gateway, better, worse}},     // over a link that does not exist
                               Route{3, {better, last_gateway, better}}}) {  // a loop
        at.router.adopt(at.flow, route);
        QVERIFY(at.flow.route == (Route{2, first_path}));
        QVERIFY(at.flow.path == (Path{better, last_gateway}));
    }
    at.router.adopt(at.flow, {3, other});
    QVERIFY(at.flow.route == (Route{3, other}));
    Gateway own;
    RelayFlow& flow = own.begin();
    own.router.adopt(flow, {9, second_path});  // only the sender's gateway chooses the route
    QVERIFY(flow.path == first_path);
}

void FlowRouterTest::older_backup_route_is_ignored() {
    Router at;
    at.router.adopt_backup(at.flow, {2, first_path});
    QVERIFY(at.flow.backup_path == (Path{better, last_gateway}));
    at.router.adopt_backup(at.flow, {1, second_path});
    QVERIFY(at.flow.backup == (Route{2, first_path}));
    at.router.adopt_backup(at.flow, {3, second_path});  // the backup does not contain this router
    QVERIFY(at.flow.backup == (Route{3, second_path}) && at.flow.backup_path.empty());
    QVERIFY(at.flow.path.empty() && at.flow.exit == Exit());  // no frame takes the backup
}

void FlowRouterTest::gateway_changes_to_the_backup_path_and_back() {
    Gateway at;
    RelayFlow& flow = at.begin();
    at.step();
    QVERIFY(at.neighbours.try_fail(better));
    at.router.choose_all();
    QVERIFY(flow.path == second_path && flow.exit == (Exit{worse, 0}));
    const auto paths = at.sent(worse);
    QCOMPARE(paths.size(), std::size_t{1});
    QVERIFY(route_of(paths[0], RouteUse::primary) == (Route{2, second_path}));
    QVERIFY(at.neighbours.record_life(better, at.context.now));
    at.router.choose_all();
    QVERIFY(flow.path == first_path && flow.route.version == 3);
    at.router.choose_all();
    QCOMPARE(flow.route.version, 3U);  // an unchanged route is not a new one
}

void FlowRouterTest::gateway_without_a_path_keeps_the_chunks() {
    Gateway at;
    RelayFlow& flow = at.begin();
    at.hold(flow, 1000);
    for (const RoutingId id : {better, worse}) QVERIFY(at.neighbours.try_fail(id));
    at.router.choose_all();
    QVERIFY(flow.exit == Exit() && flow.path.empty());
    QCOMPARE(flow.queue.size(), std::size_t{1});
    QCOMPARE(at.limits.held(), std::uint64_t{1000});
}

void FlowRouterTest::router_without_an_onward_path_gives_up_the_flow() {
    Router at;
    at.promise();
    at.take_route();
    at.hold(at.flow, 1000);
    at.step();
    QVERIFY(at.neighbours.try_fail(last_gateway));
    at.router.choose(at.flow);
    const auto errors = at.sent(first_gateway);
    QCOMPARE(errors.size(), std::size_t{1});
    QVERIFY(errors[0].type == RsvpType::path_error);
    QVERIFY(errors[0].error == (ErrorSpec{device_address(better), 0, routing_problem, no_route}));
    QVERIFY(at.flow.upstream.empty() && at.flow.queue.empty() && at.flow.queued == 0);
    QVERIFY(at.flow.path.empty() && at.flow.exit == Exit());
    QCOMPARE(at.limits.promised(), std::uint64_t{0});
    QCOMPARE(at.limits.held(), std::uint64_t{0});
}

void FlowRouterTest::given_up_flow_returns_its_reservation() {
    Router at;
    at.promise();
    at.take_route();
    at.flow.downstream.at(last_gateway).out.push_back({sample_chunk(500), first_gateway, 0, at.context.now});
    at.limits.count_in(500);
    at.step();
    const ErrorSpec why{device_address(last_gateway), 0, admission_failure, no_buffer};
    at.router.give_up(at.flow, why);
    QCOMPARE(at.sent(last_gateway).size(), std::size_t{1});
    QVERIFY(at.sent(last_gateway)[0].type == RsvpType::path_tear);
    QVERIFY(last_signal(at.context, first_gateway).error == why);  // another device's reason is passed on
    QVERIFY(at.flow.downstream.empty());
    QCOMPARE(at.limits.held(), std::uint64_t{0});
}

void FlowRouterTest::closed_flow_frees_all_it_holds() {
    Router at;
    at.promise();
    at.take_route();
    at.hold(at.flow, 1000);
    at.flow.downstream.at(last_gateway).out.push_back({sample_chunk(500), first_gateway, 0, at.context.now});
    at.limits.count_in(500);
    at.step();
    at.router.close(at.flow.key);
    QVERIFY(!at.sample());
    QVERIFY(!at.flows.find(sample_name));
    QCOMPARE(at.limits.held(), std::uint64_t{0});
    QCOMPARE(at.limits.promised(), std::uint64_t{0});
    QCOMPARE(at.sent(last_gateway).size(), std::size_t{1});
    QVERIFY(at.sent(last_gateway)[0].type == RsvpType::path_tear);
    at.router.close(sample_key());  // an unknown flow
    QCOMPARE(signals_of(at.context), std::size_t{1});
}

void FlowRouterTest::lost_neighbour_gets_no_message() {
    Router at;
    at.promise();
    at.take_route();
    for (int i = 0; i < 2; ++i)
        at.flow.downstream.at(last_gateway).out.push_back({sample_chunk(500, i), first_gateway, 0, at.context.now});
    at.step();
    at.router.lose(last_gateway);
    QCOMPARE(at.flow.queue.size(), std::size_t{2});
    QCOMPARE(at.flow.queued, std::uint64_t{1000});
    QCOMPARE(at.flow.queue.front().chunk.header.key.step, std::int64_t{0});
    QCOMPARE(at.context.counters.rerouted, std::uint64_t{2});
    QVERIFY(at.flow.downstream.empty() && at.flow.upstream.contains(first_gateway));
    at.router.lose(first_gateway);
    QVERIFY(at.flow.upstream.empty());
    QCOMPARE(at.limits.promised(), std::uint64_t{0});
    QCOMPARE(signals_of(at.context), std::size_t{0});
}

void FlowRouterTest::flow_of_a_removed_sid_is_closed_only_at_its_ends() {
    for (const std::uint16_t self : {1, 2, 3}) {
        FlowDevice at(self);
        at.router.open(sample_key(), sample_name, sample_sids);
        auto places = sample_places();
        places.erase(self == 1 ? sample_key().destination : sample_key().source);
        at.routes.forget_paths();
        at.context.table.set(two_ways(), places);
        at.router.apply_table();
        QCOMPARE(at.flows.contains(sample_key()), self == 3);
    }
}

void FlowRouterTest::flow_that_the_route_table_lacks_shares_a_part_of_the_buffer() {
    Router at;
    at.promise();
    const std::uint64_t window = at.flow.upstream.at(first_gateway).promise.window();
    const std::uint64_t part = at.context.config.buffer / unnamed_part;
    QVERIFY(at.flow.named && window > 0);
    QCOMPARE(at.limits.buffer_left_for(first_gateway, false), part);
    at.context.table.set(two_ways(), {});
    at.router.apply_table();
    QVERIFY(!at.flow.named);
    QCOMPARE(at.limits.buffer_left_for(first_gateway, false), part - window);
    at.context.table.set(two_ways(), sample_places());
    at.router.apply_table();
    QVERIFY(at.flow.named);
    QCOMPARE(at.limits.buffer_left_for(first_gateway, false), part);
    // Exactly one more flow without a name is allowed.
    at.limits.set_unnamed(most_flows / unnamed_part - 1, 0);
    FlowKey key = sample_key();
    key.source = 9;
    at.router.open(key, {first_gateway, last_gateway, 9}, {"task", "task/x/0", "task/y/0"});
    QVERIFY(!at.limits.try_new_flow(first_gateway, false, at.flows.size(), at.context.now));
    at.router.close(key);
    QVERIFY(at.limits.try_new_flow(first_gateway, false, at.flows.size(), at.context.now));
}

void FlowRouterTest::flow_ends_when_its_sender_has_lapsed() {
    Router at;
    at.promise();
    at.take_route();
    at.step(lapse_after - 1ms);
    at.router.tick();
    QVERIFY(at.sample());
    at.step(1ms);
    at.router.tick();
    QVERIFY(!at.sample());
    QCOMPARE(at.limits.promised(), std::uint64_t{0});
    QVERIFY(last_signal(at.context, last_gateway).type == RsvpType::path_tear);
    QCOMPARE(at.sent(last_gateway).size(), std::size_t{1});
}

void FlowRouterTest::queue_outlives_its_sender_for_a_while() {
    Router at;
    at.take_route();
    at.hold(at.flow, 1000);
    at.step(lapse_after - 1ms);
    at.router.tick();
    QVERIFY(at.sample());
    at.step(1ms);
    at.router.tick();
    QVERIFY(!at.sample());
    QCOMPARE(at.limits.held(), std::uint64_t{0});
}

void FlowRouterTest::tick_gives_up_a_queue_without_an_exit() {
    Router at;
    at.promise();
    at.hold(at.flow, 1000);
    at.router.tick();
    QVERIFY(last_signal(at.context, first_gateway).error ==
            (ErrorSpec{device_address(better), 0, routing_problem, no_route}));
    QVERIFY(!at.sample());
    QCOMPARE(at.limits.held(), std::uint64_t{0});
}

void FlowRouterTest::tick_routes_a_queue_of_the_gateway_again() {
    Gateway at;
    RelayFlow& flow = at.begin();
    at.hold(flow, 1000);
    for (const RoutingId id : {better, worse}) QVERIFY(at.neighbours.try_fail(id));
    at.router.choose_all();
    QVERIFY(at.neighbours.record_life(worse, at.context.now));
    at.routes.forget_paths();
    at.router.tick();
    QVERIFY(flow.exit == (Exit{worse, 0}) && flow.queue.size() == 1);
}

void FlowRouterTest::paused_flow_requests_credit_after_the_pause() {
    Gateway at;
    RelayFlow& flow = at.begin();
    flow.paused = at.context.now + 5s;
    at.step(5s - 1ms);
    at.router.tick();
    QVERIFY(flow.paused && at.sent(better).empty());
    at.step(1ms);
    at.router.tick();
    QVERIFY(!flow.paused);
    QCOMPARE(at.sent(better).size(), std::size_t{1});
    QVERIFY(at.sent(better)[0].type == RsvpType::credit_path);
}

void FlowRouterTest::idle_path_without_tensors_is_returned_data() {
    QTest::addColumn<int>("first_share");
    QTest::addColumn<int>("path_index");
    QTest::addColumn<bool>("returned");
    QTest::newRow("first path, share 0") << 0 << 0 << true;
    QTest::newRow("first path, share 1") << 1 << 0 << false;
    QTest::newRow("first path, share 100") << 100 << 0 << false;
    QTest::newRow("second path, share 0") << 0 << 1 << false;
    QTest::newRow("second path, share 99") << 99 << 1 << false;
    QTest::newRow("second path, share 100") << 100 << 1 << true;
}

void FlowRouterTest::idle_path_without_tensors_is_returned() {
    QFETCH(int, first_share);
    QFETCH(int, path_index);
    QFETCH(bool, returned);
    Gateway at;
    FlowKey key = sample_key();
    key.path_index = static_cast<std::uint8_t>(path_index);
    at.router.open(key, sample_name, sample_sids);
    at.context.policy = with_share(static_cast<std::uint8_t>(first_share));
    at.step(path_idle - 1ms);
    at.router.tick();
    QVERIFY(at.flows.contains(key));
    at.step(1ms);
    at.router.tick();
    QCOMPARE(!at.flows.contains(key), returned);
    for (const RoutingId id : {better, worse}) {
        const auto messages = at.sent(id);
        const bool tear = !messages.empty() && messages.back().type == RsvpType::path_tear;
        QCOMPARE(tear, returned);
    }
}

void FlowRouterTest::policy_chooses_the_path_of_a_tensor() {
    Gateway at;
    at.context.policy = with_share(0);
    const RelayFlow& second = at.begin();
    QCOMPARE(int{second.key.path_index}, 1);
    QVERIFY(second.path == second_path && second.backup_path == first_path);
    at.context.policy = with_share(100);
    QCOMPARE(int{at.begin().key.path_index}, 0);
    QVERIFY(at.begin().path == first_path);
    QCOMPARE(at.flows.size(), std::size_t{2});
    at.context.policy = with_share(0);
    QVERIFY(at.neighbours.try_fail(worse));
    at.router.choose_all();
    QCOMPARE(int{at.begin().key.path_index}, 0);  // there is only one path
}

void FlowRouterTest::tensor_stays_on_its_path_when_the_policy_changes() {
    Gateway at;
    (void)at.begin();
    at.context.policy = with_share(0);
    const RelayFlow* second = at.router.flow_of(half(1, 0), RoutingId());
    QVERIFY(second && second->key.path_index == 1);
    at.context.policy = with_share(100);
    QCOMPARE(at.router.flow_of(half(1, 1), RoutingId()), second);
    const RelayFlow* next = at.router.flow_of(half(2, 0), RoutingId());
    QVERIFY(next && next->key.path_index == 0);
}

void FlowRouterTest::first_tensor_of_a_flow_stays_on_its_path() {
    Gateway at;
    at.context.policy = with_share(0);
    const RelayFlow* opened = at.router.flow_of(half(1, 0), RoutingId());
    QVERIFY(opened && opened->key.path_index == 1);
    at.context.policy = with_share(100);
    QCOMPARE(at.router.flow_of(half(1, 1), RoutingId()), opened);
}

void FlowRouterTest::new_flow_takes_the_path_with_the_shorter_queue() {
    Gateway at(0);
    at.load(better, 8u << 20);
    at.load(worse, 0);
    const RelayFlow& flow = at.begin();
    QVERIFY(flow.path == second_path && flow.backup_path == first_path);
    QCOMPARE(int{flow.key.path_index}, 0);
    at.load(better, 0);
    at.load(worse, 8u << 20);
    at.router.choose_all();
    QVERIFY(flow.path == second_path);  // a flow does not change its path because of queues
}

DIVISI_TEST(FlowRouterTest)

}  // namespace flow_router_test

#include "flow_router_test.moc"
