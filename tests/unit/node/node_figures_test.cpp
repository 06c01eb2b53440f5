// SPDX-License-Identifier: Apache-2.0
#include "agents/node/node_figures.h"

#include <QTemporaryDir>

#include <fstream>

#include "agents/node/hardware_reader.h"
#include "tests/support/test_program.h"

namespace node_figures_test {

using namespace divisi;
using namespace divisi::node;

namespace {

bool has(const std::string& text, const std::string& line) {
    return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

}  // namespace

class NodeFiguresTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void metrics_contain_machine_processes_files_and_gpus() {
        NodeFigures node{"m/n", true, {}, 3, 1, BlobService::Holding{4, 500}, {}};
        node.machine.cpu_share = 0.5;
        process::GpuFigures gpu;
        gpu.uuid = "GPU-1";
        gpu.model = "H200";
        gpu.busy_share = 0.25;
        gpu.memory = 1000;
        gpu.energy_mj = 2500;
        node.gpus = {gpu};
        const std::string text = figures_of(node).text();
        for (const char* line : {"divisi_node_connected{node=\"m/n\"} 1", "divisi_node_cpu_ratio{node=\"m/n\"} 0.5",
                                 "divisi_node_instances{node=\"m/n\"} 3", "divisi_node_kept_processes{node=\"m/n\"} 1",
                                 "divisi_node_blobs{node=\"m/n\"} 4", "divisi_node_blob_bytes{node=\"m/n\"} 500",
                                 "divisi_node_gpu_busy_ratio{gpu=\"GPU-1\",model=\"H200\",node=\"m/n\"} 0.25",
                                 "divisi_node_gpu_memory_bytes{gpu=\"GPU-1\",model=\"H200\",node=\"m/n\"} 1000",
                                 "divisi_node_gpu_energy_joules_total{gpu=\"GPU-1\",model=\"H200\",node=\"m/n\"} 2.5"})
            QVERIFY2(has(text, line), line);
        QVERIFY(text.find("gpu_power") == std::string::npos);  // the GPU does not report its power
    }

    void highest_temperature_and_total_power_are_reported() {
        const Hardware nothing = hardware_of({}, std::nullopt, std::nullopt);
        QVERIFY(nothing.gpus.empty() && !nothing.temperature_c && !nothing.power_w);
        QCOMPARE(hardware_of({}, 40, 65).temperature_c, std::optional(40.0));
        QCOMPARE(hardware_of({}, 40, 65).power_w, std::optional(65.0));
        std::vector<process::GpuFigures> gpus(3);  // the last GPU reports no figures
        gpus[0].temperature_c = 60;
        gpus[0].power_w = 250;
        gpus[1].temperature_c = 50;
        const Hardware both = hardware_of(gpus, 40, 65);
        QCOMPARE(both.temperature_c, std::optional(60.0));
        QCOMPARE(both.power_w, std::optional(315.0));
        QCOMPARE(both.gpus.size(), std::size_t{3});
        QCOMPARE(hardware_of(gpus, 80, std::nullopt).temperature_c, std::optional(80.0));
        QCOMPARE(hardware_of(gpus, 80, std::nullopt).power_w, std::optional(250.0));
    }

    void hardware_is_read_in_the_background() {
        const QTemporaryDir folder;
        const std::filesystem::path system = folder.path().toStdString();
        const HardwareReader none("libno-such-library.so.1", system);
        QVERIFY(none.last().gpus.empty() && !none.last().temperature_c);
        std::filesystem::create_directories(system / "hwmon/hwmon0");
        std::ofstream(system / "hwmon/hwmon0/name") << "coretemp\n";
        std::ofstream(system / "hwmon/hwmon0/temp1_input") << "52500\n";
        const HardwareReader reader(DIVISI_NVML_STAND_IN, system);
        QVERIFY(QTest::qWaitFor([&] { return reader.last().gpus.size() == 2; }, 10'000));
        const Hardware last = reader.last();
        QCOMPARE(last.gpus[0].uuid, std::string("GPU-1"));
        QCOMPARE(last.temperature_c, std::optional(52.5));  // the GPUs report 41
        QCOMPARE(last.power_w, std::optional(250.5));       // power of the GPU that reports it
        // If the driver hangs, its old figures expire.
        const Hardware old = reader.last(HardwareReader::Steady::now() + 2 * HardwareReader::longest_age);
        QVERIFY(!old.temperature_c && !old.power_w);
        QCOMPARE(old.gpus.size(), std::size_t{2});
    }
};

DIVISI_TEST(NodeFiguresTest)

}  // namespace node_figures_test

#include "node_figures_test.moc"
