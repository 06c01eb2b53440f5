// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/rsvp_handler.h"

#include "tests/support/test_program.h"
#include "tests/unit/mesh/flow_device.h"

namespace rsvp_handler_test {

using namespace divisi;
using namespace divisi::mesh;
using namespace std::chrono_literals;

namespace {

const RoutingId first_gateway(1), last_gateway(2), better(3), worse(4);
const Route first_route{1, {first_gateway, better, last_gateway}},
    second_route{1, {first_gateway, worse, last_gateway}};
const FlowSids unknown_sids{"task", "task/x/0", "task/y/0"};
/// The window of RelayConfig, and the one that the router grants in the tests of RESV.
constexpr std::uint64_t full_window = 8u << 20, granted = 1u << 20;

RsvpMessage message_of(RsvpType type, std::uint16_t number, RoutingId hop) {
    RsvpMessage message;
    message.type = type;
    message.session = {device_address(last_gateway), 6, 0, number};
    message.sender = {device_address(first_gateway), number};
    message.hop = {device_address(hop), 5};
    return message;
}
/// Returns a PATH without a route, for the sample flow.
RsvpMessage bare_path() {
    RsvpMessage message = message_of(RsvpType::credit_path, sample_name.number, first_gateway);
    message.sids = sample_sids;
    return message;
}
RsvpMessage path(const Route& route = first_route) {
    RsvpMessage message = bare_path();
    set_route(message, RouteUse::primary, route);
    return message;
}
RsvpMessage path_of(const FlowSids& sids, std::uint16_t number = sample_name.number) {
    RsvpMessage message = path();
    message.sids = sids;
    message.session.port = message.sender.port = number;
    return message;
}
RsvpMessage backup_path() {
    RsvpMessage message = bare_path();
    set_route(message, RouteUse::backup, second_route);
    return message;
}
RsvpMessage error_of(std::uint16_t number, const ErrorSpec& why) {
    RsvpMessage message = message_of(RsvpType::path_error, number, {});
    message.hop = {};
    message.error = why;
    return message;
}

/// A device that receives RSVP messages.
struct Receiver : FlowDevice {
    explicit Receiver(std::uint16_t self = 3, std::uint64_t buffer = 256u << 20) : FlowDevice(self, 0.001, buffer) {}
    /// Handles a message, and returns the reason for which it is refused; `failed` if it is not refused.
    ErrorCode refusal(RoutingId from, const RsvpMessage& message) {
        const std::uint64_t before = context.counters.refused_signals;
        context.actions = {};
        handler.handle(from, message);
        const bool refused = context.counters.refused_signals == before + 1 && context.actions.refused.size() == 1;
        return refused ? context.actions.refused[0].code : ErrorCode::failed;
    }
    RsvpHandler handler{parts(), router};
};

/// Gateway 1, which has requested credit for its sample flow from both routers.
struct Gateway : Receiver {
    Gateway() : Receiver(1), flow(*router.flow_of(sample_chunk(0).header, RoutingId())) { step(); }
    RsvpMessage resv(std::uint64_t incarnation, std::uint64_t allowed) const {
        RsvpMessage message = message_of(RsvpType::credit_resv, flow.name.number, better);
        message.credit = Credit{flow.name.number, incarnation, allowed};
        set_window(message, granted);
        return message;
    }
    /// Receives the credit of the router's first reservation, after it has freed this many bytes.
    void receive_credit(std::uint64_t freed = 0) { handler.handle(better, resv(1, granted + freed)); }
    RelayFlow::Downstream& next() { return flow.downstream.at(better); }
    void send(std::size_t bytes) {
        hold(flow, bytes);
        sender.schedule(flow);
        sender.send_next({better, 0});
    }
    RelayFlow& flow;
};

}  // namespace

/// Tests how a device answers each RSVP message of a neighbour.
class RsvpHandlerTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void path_is_answered_with_credit_and_forwarded();
    void receiving_gateway_only_answers_a_path();
    void repeated_path_refreshes_the_promise();
    void path_of_a_restarted_neighbour_gets_a_new_reservation();
    void newer_route_is_passed_on();
    void device_on_the_backup_path_promises_one_chunk();
    void second_path_of_a_flow_is_a_separate_flow();
    void flow_of_blobs_gets_the_window_for_blobs();
    void path_message_without_a_usable_route_is_answered_with_an_error();
    void impossible_path_is_refused();
    void path_for_unknown_sids_is_accepted_within_limits();
    void path_without_buffer_is_answered_with_an_error();
    void reused_number_replaces_the_earlier_flow();
    void new_number_of_a_flow_replaces_the_earlier_one();
    void path_reports_the_figures_of_its_link();
    void credit_releases_waiting_chunks();
    void freed_bytes_release_the_oldest_chunks();
    void repeated_or_overtaken_credit_changes_nothing();
    void new_reservation_sends_the_chunks_again();
    void impossible_credit_restarts_the_reservation();
    void unexpected_credit_is_refused();
    void credit_reports_the_figures_of_the_links_behind();
    void freed_chunk_confirms_a_retried_link();
    void freed_chunks_close_the_circuit_breaker();
    void router_passes_an_error_on_to_the_sender();
    void gateway_avoids_the_link_that_found_no_path();
    void gateway_pauses_a_flow_whose_receiver_has_no_room();
    void error_for_an_unknown_flow_is_refused();
    void tear_ends_the_flow_on_the_whole_path();
    void flow_is_closed_when_its_last_neighbour_sends_a_tear();
    void sending_gateway_ignores_a_tear();
};

// --- PATH ---------------------------------------------------------------------------------------

void RsvpHandlerTest::path_is_answered_with_credit_and_forwarded() {
    Receiver at;
    at.handler.handle(first_gateway, path());
    const RelayFlow* flow = at.sample();
    QVERIFY(flow && flow->name == sample_name && flow->sids == sample_sids && flow->named);
    QVERIFY(flow->exit == (Exit{last_gateway, 0}));
    const auto answers = at.sent(first_gateway), forwarded = at.sent(last_gateway);
    QCOMPARE(answers.size(), std::size_t{1});
    QVERIFY(answers[0].type == RsvpType::credit_resv);
    const std::uint64_t incarnation = flow->upstream.at(first_gateway).promise.incarnation();
    QVERIFY(incarnation > 0);
    QVERIFY(answers[0].credit == (Credit{sample_name.number, incarnation, full_window}));
    QCOMPARE(window_of(answers[0]), full_window);
    QVERIFY(answers[0].credit_megabytes == 8U);  // 8 MiB in units of 10^6 bytes, rounded down
    QVERIFY(answers[0].session == path().session && answers[0].sender == path().sender);
    QVERIFY(answers[0].hop.address == device_address(better));
    QCOMPARE(forwarded.size(), std::size_t{1});
    QVERIFY(forwarded[0].type == RsvpType::credit_path && forwarded[0].sids == sample_sids);
    QVERIFY(forwarded[0].session == path().session && forwarded[0].sender == path().sender);
    QVERIFY(forwarded[0].hop.address == device_address(better));
    QVERIFY(route_of(forwarded[0], RouteUse::primary) == first_route);
    QCOMPARE(at.context.counters.refused_signals, std::uint64_t{0});
}

void RsvpHandlerTest::receiving_gateway_only_answers_a_path() {
    Receiver at(2);
    at.handler.handle(better, path());
    QCOMPARE(signals_of(at.context), std::size_t{1});
    QVERIFY(at.sent(better).at(0).type == RsvpType::credit_resv);
    QVERIFY(at.sample() && at.sample()->exit == (Exit{RoutingId(), sample_key().destination}));
}

void RsvpHandlerTest::repeated_path_refreshes_the_promise() {
    Receiver at;
    at.handler.handle(first_gateway, path());
    const RelayFlow::Upstream& upstream = at.sample()->upstream.at(first_gateway);
    const std::uint64_t incarnation = upstream.promise.incarnation();
    at.step(refresh_interval);
    at.handler.handle(first_gateway, path());
    QVERIFY(upstream.refreshed == at.context.now);
    QCOMPARE(signals_of(at.context), std::size_t{1});  // each device repeats its own PATH
    const RsvpMessage answer = at.sent(first_gateway).at(0);
    QVERIFY(answer.credit == (Credit{sample_name.number, incarnation, full_window}));
    QVERIFY(!answer.credit_megabytes);  // only the first RESV has it
    QCOMPARE(at.limits.promised(), full_window);
}

void RsvpHandlerTest::path_of_a_restarted_neighbour_gets_a_new_reservation() {
    Receiver at;
    at.handler.handle(first_gateway, path());
    const std::uint64_t before = at.sent(first_gateway).at(0).credit->incarnation;
    at.step();
    RsvpMessage restarted = path();
    restarted.hop.interface_handle += 1;
    at.handler.handle(first_gateway, restarted);
    const RsvpMessage answer = at.sent(first_gateway).at(0);
    QVERIFY(answer.credit->incarnation > before);
    QVERIFY(answer.credit_megabytes == 8U);
    QCOMPARE(at.limits.promised(), full_window);  // the earlier promise has ended
    QCOMPARE(at.sent(last_gateway).size(), std::size_t{1});
}

void RsvpHandlerTest::newer_route_is_passed_on() {
    Receiver at;
    at.handler.handle(first_gateway, path());
    at.step();
    const Route newer{2, {first_gateway, worse, better, last_gateway}};
    at.handler.handle(first_gateway, path(newer));
    QVERIFY(at.sample()->route == newer);
    QCOMPARE(at.sent(last_gateway).size(), std::size_t{1});
    QVERIFY(route_of(at.sent(last_gateway)[0], RouteUse::primary) == newer);
    at.step();
    at.handler.handle(first_gateway, path());  // a late copy of the old route
    QVERIFY(at.sample()->route == newer);
    QVERIFY(at.sent(last_gateway).empty());
}

void RsvpHandlerTest::device_on_the_backup_path_promises_one_chunk() {
    Receiver at(4);
    at.handler.handle(first_gateway, backup_path());
    QCOMPARE(at.sent(first_gateway).at(0).credit->allowed_bytes, std::uint64_t{frame::max_chunk_bytes});
    QVERIFY(at.sample()->path.empty() && at.sample()->exit == Exit());
    QVERIFY(at.sample()->backup_path == (Path{worse, last_gateway}));
    const auto forwarded = at.sent(last_gateway);
    QCOMPARE(forwarded.size(), std::size_t{1});
    QVERIFY(route_of(forwarded[0], RouteUse::backup) == second_route);
    QVERIFY(route_of(forwarded[0], RouteUse::primary) == Route());
}

void RsvpHandlerTest::second_path_of_a_flow_is_a_separate_flow() {
    Receiver at(4);
    RsvpMessage message = path(second_route);
    set_path_index(message, 1);
    at.handler.handle(first_gateway, message);
    QVERIFY(!at.sample());
    QVERIFY(at.flows.contains(with_other_path(sample_key())));
    QCOMPARE(at.sent(first_gateway).at(0).credit->allowed_bytes, full_window);  // the router is on the path
    QCOMPARE(int{path_index_of(at.sent(last_gateway).at(0))}, 1);
}

void RsvpHandlerTest::flow_of_blobs_gets_the_window_for_blobs() {
    Receiver at;
    RsvpMessage message = path_of({"blobs", "blobs/mic-1", "blobs/mic-2"});
    set_class(message, FlowClass::blob);
    at.handler.handle(first_gateway, message);
    QCOMPARE(at.sent(first_gateway).at(0).credit->allowed_bytes, at.context.config.blob_window);
    QVERIFY(class_of(at.sent(last_gateway).at(0)) == FlowClass::blob);
}

void RsvpHandlerTest::path_message_without_a_usable_route_is_answered_with_an_error() {
    Receiver at;
    QVERIFY(at.neighbours.try_fail(last_gateway));
    at.handler.handle(first_gateway, path());
    const RsvpMessage answer = last_signal(at.context, first_gateway);
    QVERIFY(answer.type == RsvpType::path_error);
    QVERIFY(answer.error == (ErrorSpec{device_address(better), 0, routing_problem, no_route}));
    QVERIFY(at.sent(last_gateway).empty() && at.sample()->upstream.empty());
    QCOMPARE(at.limits.promised(), std::uint64_t{0});
}

void RsvpHandlerTest::impossible_path_is_refused() {
    Receiver at;
    RsvpMessage stranger = path(), wrong_source = path(), wrong_destination = path(), wrong_class = path();
    stranger.sender.source = device_address(RoutingId(9));
    wrong_source.sender.source = device_address(last_gateway);
    wrong_destination.session.destination = device_address(first_gateway);
    set_class(wrong_class, FlowClass::blob);
    QVERIFY(at.refusal(first_gateway, stranger) == ErrorCode::not_found);
    QVERIFY(at.refusal(first_gateway, wrong_source) == ErrorCode::denied);
    QVERIFY(at.refusal(first_gateway, wrong_destination) == ErrorCode::denied);
    QVERIFY(at.refusal(first_gateway, wrong_class) == ErrorCode::denied);
    QVERIFY(at.refusal(first_gateway, path_of({"blobs", "blobs/mic-1", "blobs/mic-2"})) == ErrorCode::denied);
    QVERIFY(at.refusal(first_gateway, path(second_route)) == ErrorCode::denied);  // the route avoids this router
    QVERIFY(at.refusal(first_gateway, backup_path()) == ErrorCode::denied);
    const Route loop{1, {first_gateway, better, last_gateway, better}};
    QVERIFY(at.refusal(first_gateway, path(loop)) == ErrorCode::denied);
    QCOMPARE(at.flows.size(), std::size_t{0});
    QCOMPARE(signals_of(at.context), std::size_t{0});
    Receiver sender(1);
    QVERIFY(sender.refusal(better, path()) == ErrorCode::denied);  // the PATH has returned to its sender
}

void RsvpHandlerTest::path_for_unknown_sids_is_accepted_within_limits() {
    Receiver at;
    at.handler.handle(first_gateway, path_of(unknown_sids, 8));  // the table may not have arrived yet
    QCOMPARE(at.flows.size(), std::size_t{1});
    QVERIFY(!at.flows.begin()->second.named);
    QVERIFY(at.sent(first_gateway).at(0).type == RsvpType::credit_resv);
    at.limits.set_unnamed(most_flows / unnamed_part, 0);
    QVERIFY(at.refusal(first_gateway, path_of({"task", "task/x/0", "task/z/0"}, 9)) == ErrorCode::exhausted);
    QCOMPARE(at.flows.size(), std::size_t{1});
    QCOMPARE(signals_of(at.context), std::size_t{0});
    at.handler.handle(first_gateway, path());  // the table has its SIDs
    QVERIFY(at.sample());
}

void RsvpHandlerTest::path_without_buffer_is_answered_with_an_error() {
    Receiver at(3, frame::max_chunk_bytes);  // a part is kept for the other neighbour
    QVERIFY(at.refusal(first_gateway, path()) == ErrorCode::exhausted);
    QCOMPARE(signals_of(at.context), std::size_t{1});
    QVERIFY(at.sent(first_gateway).at(0).error == (ErrorSpec{device_address(better), 0, admission_failure, no_buffer}));
    QCOMPARE(at.limits.promised(), std::uint64_t{0});
}

void RsvpHandlerTest::reused_number_replaces_the_earlier_flow() {
    Receiver at;
    at.handler.handle(first_gateway, path());
    at.step();
    at.handler.handle(first_gateway, path_of(unknown_sids));
    QVERIFY(!at.sample());
    QCOMPARE(at.flows.size(), std::size_t{1});
    QVERIFY(at.flows.begin()->second.sids == unknown_sids && at.flows.begin()->second.name == sample_name);
    QCOMPARE(at.limits.promised(), full_window);
    const auto messages = at.sent(last_gateway);
    QCOMPARE(messages.size(), std::size_t{2});
    QVERIFY(messages[0].type == RsvpType::path_tear);
    QVERIFY(messages[1].type == RsvpType::credit_path && messages[1].sids == unknown_sids);
}

void RsvpHandlerTest::new_number_of_a_flow_replaces_the_earlier_one() {
    Receiver at;
    at.handler.handle(first_gateway, path());
    at.step();
    at.handler.handle(first_gateway, path_of(sample_sids, 8));
    QCOMPARE(at.flows.size(), std::size_t{1});
    QVERIFY(!at.flows.find(sample_name));
    QVERIFY(at.sample() && at.sample()->name == (FlowName{first_gateway, last_gateway, 8}));
    QCOMPARE(at.limits.promised(), full_window);
    const auto messages = at.sent(last_gateway);
    QCOMPARE(messages.size(), std::size_t{2});
    QVERIFY(messages[0].type == RsvpType::path_tear && messages[0].session.port == sample_name.number);
    QVERIFY(messages[1].type == RsvpType::credit_path && messages[1].session.port == 8);
}

void RsvpHandlerTest::path_reports_the_figures_of_its_link() {
    Receiver at;
    const PathFigures link = path_figures(0.002, 1e9);
    RsvpMessage message = path();
    set_path_figures(message, link);
    at.handler.handle(first_gateway, message);
    QVERIFY(at.neighbours.find(first_gateway)->link_here == link);
    at.handler.handle(first_gateway, path());  // the gateway does not know the figures
    QVERIFY(at.neighbours.find(first_gateway)->link_here == link);
    QVERIFY(at.neighbours.find(last_gateway)->link_here == PathFigures());
}

// --- RESV ---------------------------------------------------------------------------------------

void RsvpHandlerTest::credit_releases_waiting_chunks() {
    Gateway at;
    at.hold(at.flow, 1000);
    at.sender.schedule(at.flow);
    QVERIFY(at.context.actions.ready.empty());
    at.receive_credit();
    QCOMPARE(at.context.actions.ready.size(), std::size_t{1});
    QVERIFY(at.context.actions.ready[0] == (Exit{better, 0}));
    QCOMPARE(at.next().allowance.left(), granted);
    QCOMPARE(at.context.counters.refused_signals, std::uint64_t{0});
}

void RsvpHandlerTest::freed_bytes_release_the_oldest_chunks() {
    Gateway at;
    at.receive_credit();
    at.send(1000);
    at.send(500);
    QCOMPARE(at.next().out.size(), std::size_t{2});
    QCOMPARE(at.next().allowance.left(), granted - 1500);
    at.receive_credit(1000);
    QCOMPARE(at.next().out.size(), std::size_t{1});
    QCOMPARE(at.limits.held(), std::uint64_t{500});
    QCOMPARE(at.next().allowance.left(), granted - 500);
    at.receive_credit(1499);  // less than the whole chunk was freed
    QCOMPARE(at.limits.held(), std::uint64_t{500});
    at.receive_credit(1500);
    QVERIFY(at.next().out.empty());
    QCOMPARE(at.limits.held(), std::uint64_t{0});
    QCOMPARE(at.next().allowance.left(), granted);
}

void RsvpHandlerTest::repeated_or_overtaken_credit_changes_nothing() {
    Gateway at;
    at.receive_credit();
    at.send(1000);
    at.send(500);
    at.receive_credit(1000);
    QVERIFY(at.refusal(better, at.resv(1, granted + 1000)) == ErrorCode::failed);  // a repeated message is not refused
    QVERIFY(at.refusal(better, at.resv(1, granted)) == ErrorCode::conflict);       // a newer message has arrived before
    QCOMPARE(at.next().out.size(), std::size_t{1});
    QCOMPARE(at.next().allowance.left(), granted - 500);
    QVERIFY(at.flow.queue.empty());
}

void RsvpHandlerTest::new_reservation_sends_the_chunks_again() {
    Gateway at;
    at.receive_credit();
    at.send(1000);
    at.send(500);
    at.handler.handle(better, at.resv(2, granted));
    QVERIFY(at.next().out.empty());
    QCOMPARE(at.flow.queue.size(), std::size_t{2});
    QCOMPARE(at.flow.queue.front().bytes(), std::uint64_t{1000});
    QCOMPARE(at.context.counters.rerouted, std::uint64_t{2});
    QCOMPARE(at.next().allowance.left(), granted);
    QCOMPARE(at.limits.held(), std::uint64_t{1500});
    QVERIFY(at.refusal(better, at.resv(1, granted + 1000)) == ErrorCode::conflict);
    QCOMPARE(at.next().allowance.incarnation(), std::uint64_t{2});
}

void RsvpHandlerTest::impossible_credit_restarts_the_reservation() {
    Gateway at;
    at.receive_credit();
    at.send(1000);
    const std::uint32_t handle = at.next().handle;
    QVERIFY(at.refusal(better, at.resv(1, granted + 1001)) == ErrorCode::corrupt);  // more bytes than were sent
    QCOMPARE(at.flow.queue.size(), std::size_t{1});
    QVERIFY(!at.next().allowance.open());
    QVERIFY(at.next().handle != handle);
    const auto requests = at.sent(better);
    QCOMPARE(requests.size(), std::size_t{1});
    QVERIFY(requests[0].type == RsvpType::credit_path);
    QCOMPARE(requests[0].hop.interface_handle, at.next().handle);
}

void RsvpHandlerTest::unexpected_credit_is_refused() {
    Gateway at;
    const RsvpMessage good = at.resv(1, granted);
    RsvpMessage unknown = good, megabytes_only = good, foreign = good, contradiction = good;
    unknown.session.port = 77;
    megabytes_only.credit.reset();
    megabytes_only.credit_megabytes = 1;
    foreign.credit->flow += 1;
    contradiction.credit_megabytes = 2;
    QVERIFY(at.refusal(better, unknown) == ErrorCode::not_found);
    QVERIFY(at.refusal(last_gateway, good) == ErrorCode::not_found);  // this neighbour was not asked
    QVERIFY(at.refusal(better, megabytes_only) == ErrorCode::unsupported);
    QVERIFY(at.refusal(better, foreign) == ErrorCode::corrupt);
    QVERIFY(at.refusal(better, contradiction) == ErrorCode::corrupt);
    QVERIFY(!at.next().allowance.open());
    RsvpMessage both = good;
    both.credit_megabytes = 1;
    QVERIFY(at.refusal(better, both) == ErrorCode::failed);
    QVERIFY(at.next().allowance.open());
}

void RsvpHandlerTest::credit_reports_the_figures_of_the_links_behind() {
    Gateway at;
    RsvpMessage message = at.resv(1, granted);
    set_path_figures(message, path_figures(0.004, 1e9));
    at.handler.handle(better, message);
    QVERIFY(at.next().behind == path_figures(0.004, 1e9));
}

void RsvpHandlerTest::freed_chunk_confirms_a_retried_link() {
    Gateway at;
    QVERIFY(at.neighbours.try_fail(worse));
    at.router.choose_all();
    const ErrorSpec why{device_address(better), 0, routing_problem, no_route};
    at.handler.handle(better, error_of(at.flow.name.number, why));
    QVERIFY(at.flow.path.empty());
    at.step(first_avoidance);
    QVERIFY(at.routes.end_avoidances());
    at.router.choose_all();
    QVERIFY(at.flow.path == first_route.path);
    at.step();
    at.receive_credit();
    at.send(1000);
    QVERIFY(!at.routes.reaches(last_gateway));
    at.receive_credit(1000);
    QVERIFY(at.routes.reaches(last_gateway));
}

void RsvpHandlerTest::freed_chunks_close_the_circuit_breaker() {
    Gateway at;
    for (int i = 0; i < BreakerConfig().failures; ++i) at.routes.record_failure(better);
    at.router.choose_all();
    QVERIFY(at.flow.path == second_route.path);
    at.step(BreakerConfig().shortest);
    QVERIFY(at.routes.breakers().tick(
        at.context.now, [](RoutingId) { return true; }, [](const FlowKey&) { return true; }));
    at.router.choose_all();
    QVERIFY(at.flow.path == first_route.path);  // this flow tests the neighbour of the open breaker
    FlowKey key = sample_key();
    key.source = 9;
    const RelayFlow& other = at.router.open(key, {first_gateway, last_gateway, 9}, unknown_sids);
    QVERIFY(other.path == second_route.path);
    at.receive_credit();
    for (int i = 0; i < 3; ++i) at.send(1000);
    for (const std::uint64_t freed : {1000, 2000, 2000}) at.receive_credit(freed);  // the last one is a repetition
    QCOMPARE(at.routes.breakers().views().size(), std::size_t{1});
    QVERIFY(other.path == second_route.path);
    at.receive_credit(3000);
    QVERIFY(at.routes.breakers().views().empty());
    QVERIFY(other.path == first_route.path);
}

// --- PathErr and PathTear -----------------------------------------------------------------------

void RsvpHandlerTest::router_passes_an_error_on_to_the_sender() {
    Receiver at;
    at.handler.handle(first_gateway, path());
    at.hold(*at.sample(), 1000);
    at.step();
    const ErrorSpec why{device_address(last_gateway), 0, admission_failure, no_buffer};
    at.handler.handle(last_gateway, error_of(sample_name.number, why));
    QCOMPARE(signals_of(at.context), std::size_t{1});  // nothing is returned to the refusing device
    const RsvpMessage passed = at.sent(first_gateway).at(0);
    QVERIFY(passed.type == RsvpType::path_error && passed.error == why);
    QVERIFY(passed.session == path().session && passed.sender == path().sender);
    QVERIFY(at.sample()->upstream.empty() && at.sample()->downstream.empty() && at.sample()->exit == Exit());
    QCOMPARE(at.limits.promised(), std::uint64_t{0});
    QCOMPARE(at.limits.held(), std::uint64_t{0});  // the chunk is still at the previous device
}

void RsvpHandlerTest::gateway_avoids_the_link_that_found_no_path() {
    Gateway at;
    at.receive_credit();
    at.send(1000);
    at.step();
    const ErrorSpec why{device_address(better), 0, routing_problem, no_route};
    at.handler.handle(better, error_of(at.flow.name.number, why));
    QCOMPARE(at.flow.queue.size(), std::size_t{1});
    QVERIFY(at.flow.path == second_route.path && at.flow.exit == (Exit{worse, 0}));
    QVERIFY(!at.flow.downstream.contains(better));
    const auto requests = at.sent(worse);
    QCOMPARE(requests.size(), std::size_t{1});
    QVERIFY(route_of(requests[0], RouteUse::primary) == (Route{2, second_route.path}));
    QVERIFY(!at.flow.paused);
}

void RsvpHandlerTest::gateway_pauses_a_flow_whose_receiver_has_no_room() {
    Gateway at;
    const ErrorSpec why{device_address(last_gateway), 0, admission_failure, no_buffer};
    at.handler.handle(better, error_of(at.flow.name.number, why));
    QVERIFY(at.flow.paused == at.context.now + 5s);
    QVERIFY(at.flow.path == first_route.path);
    QCOMPARE(signals_of(at.context), std::size_t{0});  // no new request during the pause
}

void RsvpHandlerTest::error_for_an_unknown_flow_is_refused() {
    Gateway at;
    const ErrorSpec why{device_address(better), 0, routing_problem, no_route};
    QVERIFY(at.refusal(better, error_of(77, why)) == ErrorCode::not_found);
    QVERIFY(at.refusal(last_gateway, error_of(at.flow.name.number, why)) == ErrorCode::not_found);
    QVERIFY(at.flow.path == first_route.path && at.flow.downstream.contains(better));
}

void RsvpHandlerTest::tear_ends_the_flow_on_the_whole_path() {
    Receiver at;
    at.handler.handle(first_gateway, path());
    at.step();
    const RsvpMessage tear = message_of(RsvpType::path_tear, sample_name.number, first_gateway);
    at.handler.handle(first_gateway, tear);
    QVERIFY(!at.sample());
    QCOMPARE(at.limits.promised(), std::uint64_t{0});
    QCOMPARE(signals_of(at.context), std::size_t{1});
    const RsvpMessage passed = at.sent(last_gateway).at(0);
    QVERIFY(passed.type == RsvpType::path_tear && passed.session == tear.session && passed.sender == tear.sender);
    at.handler.handle(first_gateway, tear);  // the flow has already ended
    QCOMPARE(signals_of(at.context), std::size_t{1});
    QCOMPARE(at.context.counters.refused_signals, std::uint64_t{0});
}

void RsvpHandlerTest::flow_is_closed_when_its_last_neighbour_sends_a_tear() {
    Receiver at(2);
    at.handler.handle(better, path());
    at.handler.handle(worse, backup_path());
    QCOMPARE(at.sample()->upstream.size(), std::size_t{2});
    at.handler.handle(worse, message_of(RsvpType::path_tear, sample_name.number, worse));
    QVERIFY(at.sample() && at.sample()->upstream.contains(better));
    QCOMPARE(at.limits.promised(), full_window);
    at.handler.handle(better, message_of(RsvpType::path_tear, sample_name.number, better));
    QVERIFY(!at.sample());
    QCOMPARE(at.limits.promised(), std::uint64_t{0});
}

void RsvpHandlerTest::sending_gateway_ignores_a_tear() {
    Gateway at;
    at.handler.handle(better, message_of(RsvpType::path_tear, at.flow.name.number, better));
    QVERIFY(at.sample() && at.flow.path == first_route.path);
    QCOMPARE(signals_of(at.context), std::size_t{0});
}

DIVISI_TEST(RsvpHandlerTest)

}  // namespace rsvp_handler_test

#include "rsvp_handler_test.moc"
