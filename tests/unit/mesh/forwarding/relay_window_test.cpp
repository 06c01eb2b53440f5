// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "backend/mesh/route/hops.h"
#include "tests/support/test_program.h"
#include "tests/unit/mesh/relay_network.h"

namespace relay_window_test {

using namespace divisi;
using namespace divisi::mesh;
using namespace std::chrono_literals;

namespace {

const std::string a = "task/stage-0/0", b = "task/stage-1/0";
const std::string source = "blobs/7/source", sink = "blobs/7/sink";
constexpr std::size_t chunk = frame::max_chunk_bytes;
constexpr std::uint64_t configured = 8u << 20;

/// A fixture with two MICs and a router between their gateways: 1 - 3 - 2.
struct Line : RelayNetwork {
    explicit Line(std::uint64_t buffer = RelayConfig().buffer) {
        config.buffer = buffer;
        gateway(1, "mic-1");
        gateway(2, "mic-2");
        router(3);
        link(1, 3, 10ms);
        link(3, 2);
        place(a, 1);
        place(b, 2);
        place(source, 1, blob_root);
        place(sink, 2, blob_root);
        install();
    }
    /// Sends a chunk, and returns the promises of a device to each flow, the smallest first.
    std::vector<std::uint64_t> promised_after(const std::string& from, const std::string& to, std::uint16_t id) {
        const std::size_t before = numbers(to).size();
        send(from, to, sent++, chunk);
        run_for(200ms);
        if (numbers(to).size() != before + 1) return {};
        return promised(id);
    }
    std::vector<std::uint64_t> promised(std::uint16_t id) {
        std::vector<std::uint64_t> all;
        for (const Relay::FlowView& flow : at(id).flows()) all.push_back(flow.promised);
        std::ranges::sort(all);
        return all;
    }
    std::int64_t sent = 0;
};

using Windows = std::vector<std::uint64_t>;

}  // namespace

/// Tests the window that a flow is promised on measured links.
class RelayWindowTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void plausible_figures_are_sent_and_impossible_ones_are_not();
    void long_link_gets_twice_bandwidth_times_delay();
    void slow_or_short_link_keeps_the_configured_window();
    void window_is_limited_by_links_further_along_the_path();
    void window_of_an_existing_flow_only_grows();
    void window_is_at_most_a_quarter_of_the_buffer();
    void half_of_the_buffer_stays_for_others();
    void window_of_the_policy_overrides_measured_windows();
    void blobs_keep_their_small_window();
    void stopped_receiver_fills_at_most_the_promise();
};

void RelayWindowTest::plausible_figures_are_sent_and_impossible_ones_are_not() {
    const PathFigures link = path_figures(0.02, 1e9);
    QCOMPARE(link, (PathFigures{20'000'000, 1'000'000'000}));
    QCOMPARE(bytes_on(link), 2e7);
    for (const double wrong : {-1.0, 11.0, std::numeric_limits<double>::infinity(), std::nan("")})
        QCOMPARE(path_figures(wrong, 1e9), PathFigures());
    for (const double wrong : {-1.0, 0.0, 1e13, std::numeric_limits<double>::infinity(), std::nan("")})
        QCOMPARE(path_figures(0.02, wrong), PathFigures());
    QCOMPARE(joined({10, 3}, {5, 7}), (PathFigures{15, 3}));
    QCOMPARE(joined({10, 3}, {}), (PathFigures{10, 3}));
    QCOMPARE(joined({}, {10, 3}), (PathFigures{10, 3}));

    RsvpMessage message;
    set_path_figures(message, {});
    QVERIFY(message.passed_on.empty());
    QCOMPARE(path_figures_of(message), PathFigures());
    set_path_figures(message, link);
    QCOMPARE(path_figures_of(message), link);
    RsvpMessage lie;
    set_path_figures(lie, {std::numeric_limits<std::uint64_t>::max(), 1});
    QCOMPARE(path_figures_of(lie), PathFigures());
}

void RelayWindowTest::long_link_gets_twice_bandwidth_times_delay() {
    Line plain;
    QCOMPARE(plain.promised_after(a, b, 3), Windows{configured});
    Line net;
    net.measure(1, 3, 0.02, 1e9);
    QCOMPARE(net.promised_after(a, b, 3), Windows{40'000'000});
    QCOMPARE(net.promised(2), Windows{configured});  // the link of gateway 2 has not been measured
    QVERIFY(net.refused.empty());
}

void RelayWindowTest::slow_or_short_link_keeps_the_configured_window() {
    for (const auto& [round_trip_s, bytes_per_s] : {std::pair(0.02, 1e8), {1e-4, 1e10}}) {
        Line net;
        net.measure(1, 3, round_trip_s, bytes_per_s);
        net.measure(3, 2, round_trip_s, bytes_per_s);
        QCOMPARE(net.promised_after(a, b, 3), Windows{configured});
        QCOMPARE(net.promised(2), Windows{configured});
    }
}

/// A device frees a byte only after the next device has freed it. So the slowest link on the path limits the window.
void RelayWindowTest::window_is_limited_by_links_further_along_the_path() {
    Line net;
    net.measure(1, 3, 0.02, 1e9);
    net.measure(3, 2, 0.04, 5e8);
    QCOMPARE(net.promised_after(a, b, 3), Windows{60'000'000});
    QCOMPARE(net.promised(2), Windows{40'000'000});
}

void RelayWindowTest::window_of_an_existing_flow_only_grows() {
    Line net;
    QCOMPARE(net.promised_after(a, b, 3), Windows{configured});
    net.measure(1, 3, 0.02, 1e9);
    net.run_for(2 * refresh_interval);
    QCOMPARE(net.promised_after(a, b, 3), Windows{40'000'000});
    const auto flows = net.at(1).flows();
    QCOMPARE(flows.size(), std::size_t{1});
    QCOMPARE(flows[0].credit, std::uint64_t{40'000'000});  // the sender has already been told of the larger window
    net.measure(1, 3, 0.001, 1e9);
    net.run_for(2 * refresh_interval);
    QCOMPARE(net.promised_after(a, b, 3), Windows{40'000'000});
}

void RelayWindowTest::window_is_at_most_a_quarter_of_the_buffer() {
    Line net(std::uint64_t{64} << 20);
    net.measure(1, 3, 0.02, 1e9);
    QCOMPARE(net.promised_after(a, b, 3), Windows{std::uint64_t{16} << 20});
    Line tight(std::uint64_t{24} << 20);  // a quarter of this buffer is less than the configured window
    tight.measure(1, 3, 0.02, 1e9);
    QCOMPARE(tight.promised_after(a, b, 3), Windows{configured});
}

void RelayWindowTest::half_of_the_buffer_stays_for_others() {
    Line net;
    net.measure(1, 3, 0.02, 1e9);
    constexpr int flows = 10;
    const auto sid = [](int i) { return "task/many-" + std::to_string(i) + "/0"; };
    for (int i = 0; i < flows; ++i) net.place(sid(i), 2);
    net.install();
    for (int i = 0; i < flows; ++i) QVERIFY(!net.promised_after(a, sid(i), 3).empty());
    const Windows promised = net.promised(3);
    QCOMPARE(promised.size(), std::size_t{flows});
    QCOMPARE(promised.front(), configured);
    QCOMPARE(promised[flows - 3], std::uint64_t{40'000'000});
    QCOMPARE(promised[flows - 4], RelayConfig().buffer / 2 - 120'000'000);
    QVERIFY(net.at(3).promised() <= RelayConfig().buffer);
    QCOMPARE(net.at(3).promised(), std::accumulate(promised.begin(), promised.end(), std::uint64_t{0}));
}

void RelayWindowTest::window_of_the_policy_overrides_measured_windows() {
    Line net;
    net.measure(1, 3, 0.02, 1e9);
    FlowPolicy policy;
    policy.all.window = 4u << 20;
    for (const std::uint16_t id : {1, 2, 3}) net.step(RoutingId(id), relay::Policy{policy});
    QCOMPARE(net.promised_after(a, b, 3), Windows{4u << 20});
    for (const std::uint16_t id : {1, 2, 3}) net.step(RoutingId(id), relay::Policy{});
    QCOMPARE(net.promised_after(a, b, 3), Windows{40'000'000});
}

void RelayWindowTest::blobs_keep_their_small_window() {
    Line net;
    net.measure(1, 3, 0.02, 1e9);
    QCOMPARE(net.promised_after(source, sink, 3), Windows{RelayConfig().blob_window});
}

void RelayWindowTest::stopped_receiver_fills_at_most_the_promise() {
    Line net;
    net.measure(1, 3, 0.02, 1e9);
    net.measure(3, 2, 0.02, 1e9);
    net.stop(b);
    std::uint64_t most = 0;
    net.after_step = [&](RoutingId id) {
        if (id == RoutingId(1)) return;  // tensor slots bound what the instances of its MIC send
        const Relay& relay = net.at(id.value());
        QVERIFY(relay.held() <= relay.promised());
        QVERIFY(relay.promised() <= RelayConfig().buffer);
        if (id == RoutingId(3)) most = std::max(most, relay.held());
    };
    for (int i = 0; i < 200; ++i) net.send(a, b, i, chunk);
    net.run_for(30s);
    QVERIFY(most > 40'000'000);
    net.let_go(b);
    net.run_for(5s);
    QCOMPARE(net.numbers(b).size(), std::size_t{200});
}

DIVISI_TEST(RelayWindowTest)

}  // namespace relay_window_test

#include "relay_window_test.moc"
