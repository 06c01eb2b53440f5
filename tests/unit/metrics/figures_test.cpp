// SPDX-License-Identifier: Apache-2.0
#include "backend/metrics/figures.h"

#include "backend/metrics/cluster_figures.h"
#include "tests/support/test_program.h"

namespace figures_test {

using namespace divisi;
using namespace divisi::metrics;

namespace {

bool has(const std::string& text, const std::string& line) {
    return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

control::DeviceView gateway() {
    control::DeviceView device;
    device.id = 1;
    device.info.name = "mg-1";
    device.info.role = mesh::DeviceRole::gateway;
    device.counters.frames = 7;
    device.counters.bytes = 7'000;
    device.held = 12;
    device.neighbours.push_back({2, true, 100, 30, 40});
    device.neighbours.push_back({9, false, 0, 0, 0});
    device.flows.resize(3);
    device.guard.policy = 4;
    device.guard.counters.admitted = 5;
    device.guard.counters.denied = 6;
    device.dealt.push_back({Sid("m/gpt/data/0"), 11, 1, 0});
    return device;
}

std::string name_of(std::uint32_t id) { return id == 2 ? "sr-1" : ""; }

}  // namespace

class FiguresTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void text_has_help_type_and_rows_of_each_name_once() {
        Figures figures;
        figures.gauge("divisi_b", "Second.", {{"node", "m/n"}}, 2);
        figures.total("divisi_a_total", "First.", {{"why", "a \"b\"\\\n"}}, 1);
        figures.gauge("divisi_b", "Second.", {{"node", "m/o"}}, 3);
        QCOMPARE(figures.text(), std::string("# HELP divisi_a_total First.\n"
                                             "# TYPE divisi_a_total counter\n"
                                             "divisi_a_total{why=\"a \\\"b\\\"\\\\\\n\"} 1\n"
                                             "# HELP divisi_b Second.\n"
                                             "# TYPE divisi_b gauge\n"
                                             "divisi_b{node=\"m/n\"} 2\n"
                                             "divisi_b{node=\"m/o\"} 3\n"));
    }

    void figures_that_are_no_longer_shown_are_removed() {
        Board board;
        QCOMPARE(board.text(), std::string());
        Figures both;
        add_machine(both, "m/n", {});
        add_machine(both, "m/o", {});
        board.show(both);
        QVERIFY(has(board.text(), "divisi_node_cpu_ratio{node=\"m/n\"} 0"));
        QVERIFY(has(board.text(), "divisi_node_cpu_ratio{node=\"m/o\"} 0"));
        Figures one;
        add_machine(one, "m/o", {});
        board.show(one);
        QVERIFY(board.text().find("m/n") == std::string::npos);
        QVERIFY(has(board.text(), "divisi_node_cpu_ratio{node=\"m/o\"} 0"));
    }

    void all_figures_of_a_machine_are_shown() {
        control::MachineFigures machine;
        machine.cpu_share = 0.25;
        machine.memory = 64;
        machine.memory_free = 32;
        machine.received_bytes = 5;
        machine.written_bytes = 6;
        machine.disk = 100;
        machine.disk_free = 10;
        Figures figures;
        add_machine(figures, "m/n", machine);
        const std::string text = figures.text();
        for (const char* line :
             {"divisi_node_cpu_ratio{node=\"m/n\"} 0.25", "divisi_node_memory_bytes{node=\"m/n\"} 64",
              "divisi_node_memory_free_bytes{node=\"m/n\"} 32",
              "divisi_node_network_received_bytes_total{node=\"m/n\"} 5",
              "divisi_node_disk_written_bytes_total{node=\"m/n\"} 6", "divisi_node_disk_bytes{node=\"m/n\"} 100",
              "divisi_node_disk_free_bytes{node=\"m/n\"} 10"})
            QVERIFY2(has(text, line), line);
        QVERIFY(text.find("celsius") == std::string::npos && text.find("watts") == std::string::npos);
        machine.temperature_c = 61.5;
        machine.power_w = 250;
        Figures warm;
        add_machine(warm, "m/n", machine);
        QVERIFY(has(warm.text(), "divisi_node_temperature_celsius{node=\"m/n\"} 61.5"));
        QVERIFY(has(warm.text(), "divisi_node_power_watts{node=\"m/n\"} 250"));
    }

    void gateway_shows_its_decisions_and_router_its_cache() {
        Figures figures;
        add_device(figures, gateway(), name_of);
        control::DeviceView router;
        router.info.name = "sr-1";
        router.info.role = mesh::DeviceRole::router;
        router.cache.limit_bytes = 1'000;
        router.cache.hits = 3;
        add_device(figures, router, name_of);
        const std::string text = figures.text();
        for (const char* line :
             {"divisi_device_forwarded_bytes_total{device=\"mg-1\"} 7000",
              "divisi_device_held_bytes{device=\"mg-1\"} 12", "divisi_device_flows{device=\"mg-1\"} 3",
              "divisi_device_link_queued_bytes{device=\"mg-1\",neighbour=\"sr-1\"} 30",
              "divisi_device_link_credit_bytes{device=\"mg-1\",neighbour=\"sr-1\"} 40",
              "divisi_device_link_usable{device=\"mg-1\",neighbour=\"9\"} 0",
              "divisi_gateway_set_ups_total{decision=\"admitted\",gateway=\"mg-1\"} 5",
              "divisi_gateway_set_ups_total{decision=\"denied\",gateway=\"mg-1\"} 6",
              "divisi_gateway_policy_version{gateway=\"mg-1\"} 4",
              "divisi_gateway_dealt_microbatches_total{gateway=\"mg-1\",sid=\"m/gpt/data/0\"} 11",
              "divisi_router_cache_lookups_total{result=\"hit\",router=\"sr-1\"} 3",
              "divisi_device_failed_handshakes_total{device=\"sr-1\",why=\"key\"} 0"})
            QVERIFY2(has(text, line), line);
        QVERIFY(text.find("divisi_gateway_set_ups_total{decision=\"admitted\",gateway=\"sr-1\"") == std::string::npos);
    }
};

DIVISI_TEST(FiguresTest)

}  // namespace figures_test

#include "figures_test.moc"
