// SPDX-License-Identifier: Apache-2.0
#include "agents/node/node_figures.h"

#include <QTest>

#include "agents/node/gpu_reader.h"

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
    void a_node_tells_of_its_machine_processes_files_and_gpus() {
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
        QVERIFY(text.find("gpu_power") == std::string::npos);  // which it does not tell
    }

    void gpus_are_read_beside() {
        const GpuReader none("libno-such-library.so.1");
        QVERIFY(none.last().empty());
        const GpuReader reader(DIVISI_NVML_STAND_IN);
        QVERIFY(QTest::qWaitFor([&] { return reader.last().size() == 2; }, 10'000));
        QCOMPARE(reader.last()[0].uuid, std::string("GPU-1"));
    }
};

QTEST_GUILESS_MAIN(NodeFiguresTest)
#include "node_figures_test.moc"
