// SPDX-License-Identifier: Apache-2.0
// Measures the cost of the mesh: the step time of a task with a cut between two MICs, and the time to start an embedded
// cluster.
#include <QElapsedTimer>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "backend/process/lifeline.h"
#include "tests/bench/mesh/benches.h"
#include "tests/bench/mesh/relaying.h"
#include "tests/support/task_file.h"
#include "tests/system/programs.h"

namespace divisi::bench {
namespace {

using tests::Finished, tests::Programs;

/// Steps that are not counted, because the first ones fault in their memory.
constexpr int warm_up_steps = 3;

testing::TaskFile gpt_task(const char* name, int steps, const char* second_node) {
    return testing::TaskFile(name)
        .gpt(6, 192, 6, 128)
        .set("data.samples", 256)
        .section("train", {{"steps", steps}, {"batch", 16}, {"microbatches", 8}, {"optimizer", "adamw"}})
        .section("split", {{"stages", 2}, {"schedule", "1f1b"}})
        .set("place.stages", {"mic-1/node-1", second_node});
}

/// Step times of one run, in milliseconds.
struct Steps {
    double median = 0;
    double fastest = 0;  ///< the step that other programs of this machine disturbed least
};

Steps steps_of(const Finished& run) {
    std::vector<double> times;
    const auto steps = run.objects("step");
    for (qsizetype i = warm_up_steps; i < steps.size(); ++i) times.push_back(steps[i]["step_ms"].toDouble());
    if (run.status != 0 || times.empty()) give_up("a run failed: " + run.errors.toStdString());
    return {median(times), *std::ranges::min_element(times)};
}

/// One placement with its steps in all rounds.
struct Placement {
    const char* name;
    const char* second_node;
    std::vector<double> medians, fastest;
    void add(const Steps& steps) {
        medians.push_back(steps.median);
        fastest.push_back(steps.fastest);
    }
    double best() const { return *std::ranges::min_element(fastest); }
};

/// Creates a folder of programs whose gateways and routers exit immediately and are not restarted, so no run waits for
/// them.
QString programs_without_mesh(const QString& folder) {
    const std::filesystem::path bin = folder.toStdString() + "/bin";
    std::filesystem::create_directories(bin);
    for (const char* name : {"divisictl", "divisid", "divisi-node", "divisi-instance"})
        std::filesystem::copy_file(Programs::program(name).toStdString(), bin / name);
    for (const char* name : {"divisi-gateway", "divisi-router"}) {
        std::ofstream(bin / name) << "#!/bin/sh\nexit " << process::exit_stopped << "\n";
        std::filesystem::permissions(bin / name, std::filesystem::perms::owner_all);
    }
    return QString::fromStdString(bin.string());
}

/// Returns the milliseconds from the start of `divisictl run`, which embeds a cluster, to its first step.
double first_step_ms(const QString& bin) {
    const Programs programs;
    const QString file = programs.small_task("start", 3);
    QElapsedTimer timer;
    timer.start();
    QProcess run;
    run.setProcessEnvironment(programs.environment());
    run.start(bin + "/divisictl", {"run", file, "--json"});
    QByteArray output;
    while (!output.contains("\"event\":\"step\"")) {
        if (!run.waitForReadyRead(60'000)) give_up("a run failed: " + run.readAllStandardError().toStdString());
        output += run.readAllStandardOutput();
    }
    const double ms = static_cast<double>(timer.nsecsElapsed()) / 1e6;
    if (!run.waitForFinished(60'000)) run.kill();
    return ms;
}

}  // namespace

int steps_bench(const Arguments& arguments) {
    const int rounds = arguments.empty() ? 5 : std::max(1, std::atoi(arguments.front()));
    constexpr int steps = 20;
    constexpr double wanted = 1.10;
    Programs programs;
    if (!programs.cluster_up()) give_up("the cluster does not start");
    Placement inside{"inside", "mic-1/node-2", {}, {}}, across{"across", "mic-2/node-2", {}, {}};
    QStringList losses;
    for (int round = 0; round < rounds; ++round)
        for (Placement* one : {round % 2 ? &across : &inside, round % 2 ? &inside : &across}) {
            const QString task = programs.write("task.toml", gpt_task(one->name, steps, one->second_node));
            const Finished run = programs.run({"run", task, "--json"});
            one->add(steps_of(run));
            if (losses.isEmpty()) losses = run.losses();
            if (run.losses() != losses) give_up("the losses differ");
        }
    const double ratio = median_ratio(across.medians, inside.medians), least = across.best() / inside.best();
    std::printf("gpt of 6 layers in two stages, ms a step, medians of %d rounds, and the fastest step of all\n",
                rounds);
    std::printf("both stages in one MIC                  %8.2f %8.2f\n", median(inside.medians), inside.best());
    std::printf("each stage in its own MIC               %8.2f %8.2f  ratios %.3f and %.3f (wanted: %.2f)\n",
                median(across.medians), across.best(), ratio, least, wanted);
    return std::max(ratio, least) <= wanted ? 0 : 1;
}

int start_bench(const Arguments& arguments) {
    const int rounds = arguments.empty() ? 7 : std::max(1, std::atoi(arguments.front()));
    constexpr double wanted_ms = 500;
    const Programs folder;
    const QString without = programs_without_mesh(folder.folder()),
                  with = QFileInfo(Programs::program("divisictl")).path();
    std::vector<double> plain, mesh;
    for (int round = 0; round < rounds; ++round) {
        const bool first = round % 2 == 0;  // the first run of a round finds colder caches
        if (first) plain.push_back(first_step_ms(without));
        mesh.push_back(first_step_ms(with));
        if (!first) plain.push_back(first_step_ms(without));
    }
    const double later = median(mesh) - median(plain);
    std::printf("ms from the start of 'divisictl run' to its first step, medians of %d rounds\n", rounds);
    std::printf("a cluster without gateways and routers  %8.0f\n", median(plain));
    std::printf("the embedded cluster                    %8.0f  %.0f later (wanted: %.0f)\n", median(mesh), later,
                wanted_ms);
    return later <= wanted_ms ? 0 : 1;
}

}  // namespace divisi::bench
