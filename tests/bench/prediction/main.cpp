// SPDX-License-Identifier: Apache-2.0
// Compares the step time that `divisictl plan` predicts with the step time that `divisictl run` measures, over many
// plans of three models.
#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <set>

#include "backend/process/processor.h"
#include "tests/bench/pipeline/breakdown.h"
#include "tests/bench/prediction/agreement.h"
#include "tests/bench/prediction/plans.h"
#include "tests/support/task_file.h"
#include "tests/system/programs.h"

namespace {

using namespace divisi::bench;
using divisi::testing::TaskFile;
using divisi::tests::Finished;
using divisi::tests::Programs;

/// Steps that are not counted, because the first ones fault in their memory.
constexpr int warm_up_steps = 3;
/// Maximum number of stages: in a longer pipeline, a stage of these models would have almost no work.
constexpr int most_stages = 8;
/// Steps of the unsplit training between two plans. The number is large enough to compute a median.
constexpr int reference_steps = 5;
constexpr int run_limit_ms = 600'000;

using Entries = std::vector<TaskFile::Entry>;

struct Model {
    const char* name;
    Entries source;  ///< keys of the task's [model] section; the first names a model of the zoo or a file
    Entries data;    ///< keys of the task's [data] section
    const char* optimizer;
};

const Entries images = {{"kind", "synthetic"}, {"classes", 10}, {"samples", 512}};

std::vector<Model> models() {
    const Entries text = {{"kind", "text"}, {"path", DIVISI_SOURCE_DIR "/resources/samples/text/divisi.txt"}};
    return {
        {"gpt", {{"zoo", "gpt"}, {"layers", 4}, {"width", 128}, {"heads", 4}, {"context", 64}}, text, "adamw"},
        {"resnet18", {{"zoo", "resnet18"}, {"width", 32}}, images, "sgd"},
        {"imported", {{"onnx", "imported.onnx"}}, images, "adamw"},
    };
}

/// The model that is exported and imported again.
const Model exported{
    "exported", {{"zoo", "vit"}, {"layers", 4}, {"width", 128}, {"heads", 4}, {"patch", 4}}, images, "adamw"};

QString write_task(const Programs& programs, const Model& model, int steps) {
    TaskFile task(model.name);
    task.replace("model", {})
        .replace("data", {})
        .replace("train",
                 {{"steps", steps}, {"batch", 16}, {"optimizer", model.optimizer}, {"lr", 0.001}, {"seed", 1}});
    for (const TaskFile::Entry& entry : model.source) task.section("model", {entry});
    for (const TaskFile::Entry& entry : model.data) task.section("data", {entry});
    return programs.write(QString(model.name) + ".toml", task);
}

/// A plan's step in milliseconds, with its breakdown on the stage that is predicted to be the busiest.
struct Outcome {
    PlanChoice plan;
    Pair step;             ///< the median step
    Pair quiet_step;       ///< the lower quartile: the step with less disturbance by other programs
    Pair own_time;         ///< predicted for the present speed of the machine, as measured by the reference
    double reference = 0;  ///< ms of the unsplit training: mean of the runs just before and just after the plan
    double predicted_busy = 0;
    double profiled_share = 0;
    Shares shares;
};

/// Predicts and runs the plans of one model. Every member reports its failure on stderr.
class Subject {
public:
    Subject(const Programs& programs, const Model& model, int steps)
        : programs_(programs),
          model_(model),
          task_(write_task(programs, model, steps)),
          steps_(steps),
          trace_(programs.folder() + "/trace") {}

    /// Returns the number of legal cuts of the model.
    std::optional<int> legal_cuts() const {
        QStringList arguments{"model", "info"};
        const auto value = [](const TaskFile::Entry& entry) { return QString::fromStdString(entry.value.toml); };
        const TaskFile::Entry& first = model_.source.front();
        const QString name = value(first).section('"', 1, 1);
        arguments << (first.key == std::string("zoo") ? "zoo:" + name : programs_.folder() + "/" + name);
        for (std::size_t i = 1; i < model_.source.size(); ++i)
            arguments << "--set" << QString("model.%1=%2").arg(model_.source[i].key, value(model_.source[i]));
        const auto info = json(arguments);
        if (!info) return std::nullopt;
        return static_cast<int>((*info)["cuts"].toArray().size());
    }
    bool profile(const std::vector<PlanChoice>& plans) const {
        std::set<int> sizes;
        for (const PlanChoice& plan : plans) sizes.insert(plan.microbatches);
        return std::all_of(sizes.begin(), sizes.end(), [&](int microbatches) {
            return json({"profile", task_, "--set", QString("train.microbatches=%1").arg(microbatches)}).has_value();
        });
    }
    /// Returns the median step of the unsplit training in milliseconds.
    std::optional<double> reference() const {
        const auto times = step_times({"reference", task_, "--set", "train.microbatches=4", "--set",
                                       QString("train.steps=%1").arg(warm_up_steps + reference_steps), "--json"});
        return times.empty() ? std::nullopt : std::optional(median(times));
    }
    std::optional<Outcome> measure(const PlanChoice& plan) const {
        QStringList cuts, settings;
        for (const int cut : plan.cuts) cuts << QString::number(cut);
        settings << "--set" << (plan.cuts.empty() ? QString("split.stages=1") : "split.cuts=[" + cuts.join(",") + "]")
                 << "--set" << QString("split.schedule=%1").arg(QString::fromStdString(plan.schedule)) << "--set"
                 << QString("train.microbatches=%1").arg(plan.microbatches);
        const auto predicted = json(QStringList{"plan", task_} + settings);
        if (!predicted) return std::nullopt;
        remove_traces();
        const std::vector<double> times = step_times(QStringList{"run", task_, "--json"} + settings);
        if (times.empty()) return std::nullopt;
        const double predicted_ms = (*predicted)["predicted_step_ms"].toDouble();
        Outcome outcome{plan, {predicted_ms, median(times)}, {predicted_ms, lower_quartile(times)}, {}};
        outcome.profiled_share = (*predicted)["profiled_share"].toDouble();
        const std::vector<Shares> stages = read_traces(plan.stages());
        std::size_t busiest = 0;
        for (std::size_t i = 0; i < stages.size(); ++i) {
            const double busy =
                (*predicted)["predictions"].toArray()[static_cast<int>(i)].toObject()["busy_ms"].toDouble();
            if (busy <= outcome.predicted_busy) continue;
            outcome.predicted_busy = busy;
            busiest = i;
        }
        outcome.shares = stages[busiest].over(steps_ - warm_up_steps);
        return outcome;
    }

private:
    /// Returns the last object that divisictl prints.
    std::optional<QJsonObject> json(const QStringList& arguments) const {
        const Finished finished = programs_.run(QStringList(arguments) << "--json", run_limit_ms);
        const auto objects = finished.objects();
        if (finished.status == 0 && !objects.isEmpty()) return objects.last();
        std::fprintf(stderr, "%s: divisictl %s failed: %s\n", model_.name, qPrintable(arguments.join(' ')),
                     qPrintable(finished.errors));
        return std::nullopt;
    }
    /// Returns the milliseconds of the steps after the warm-up; empty if the training failed.
    std::vector<double> step_times(const QStringList& arguments) const {
        const Finished run = programs_.run(arguments, run_limit_ms);
        std::vector<double> times;
        const auto steps = run.objects("step");
        for (qsizetype i = warm_up_steps; i < steps.size(); ++i) times.push_back(steps[i]["step_ms"].toDouble());
        if (run.status == 0 && !times.empty()) return times;
        std::fprintf(stderr, "%s: divisictl %s failed: %s\n", model_.name, qPrintable(arguments.join(' ')),
                     qPrintable(run.errors));
        return {};
    }
    std::vector<Shares> read_traces(int stages) const {
        std::vector<Trace> traces(static_cast<std::size_t>(stages));
        for (int stage = 0; stage < stages; ++stage)
            for (const QString& file : QDir(trace_).entryList({QString("*.stage-%1.*csv").arg(stage)}, QDir::Files))
                traces[static_cast<std::size_t>(stage)] = read_trace(trace_ + "/" + file);
        return break_down(traces, warm_up_steps);
    }
    void remove_traces() const {
        for (const QString& file : QDir(trace_).entryList(QDir::Files)) QFile::remove(trace_ + "/" + file);
    }

    const Programs& programs_;
    Model model_;
    QString task_;
    int steps_;
    QString trace_;
};

double load_average() {
    double one_minute = 0;
    return ::getloadavg(&one_minute, 1) == 1 ? one_minute : 0;
}

QByteArray cuts_text(const PlanChoice& plan) {
    QStringList cuts;
    for (const int cut : plan.cuts) cuts << QString::number(cut);
    return cuts.isEmpty() ? "-" : cuts.join(',').toUtf8();
}

void print_plan(const Outcome& outcome) {
    const auto error = [](const Pair& pair) { return 100 * (pair.predicted / pair.measured - 1); };
    std::printf("  %6d  %-14s %-6s %13d %12.1f %12.1f %+8.1f %% %12.1f %+8.1f %%\n", outcome.plan.stages(),
                cuts_text(outcome.plan).constData(), outcome.plan.schedule.c_str(), outcome.plan.microbatches,
                outcome.step.predicted, outcome.step.measured, error(outcome.step), outcome.reference,
                error(outcome.own_time));
    std::fflush(stdout);
}

void print_agreement(const char* what, const Agreement& agreement) {
    std::printf("  %-40s error mean %5.1f %%, p95 %5.1f %%; rank correlation %s\n", what, 100 * agreement.mean_error,
                100 * agreement.p95_error,
                std::isnan(agreement.rank_correlation)
                    ? "- (all alike)"
                    : qPrintable(QString::number(agreement.rank_correlation, 'f', 3)));
}

/// Prints the breakdown of the difference between prediction and measurement, as means over the plans.
void print_shares(const std::vector<Outcome>& outcomes) {
    Shares sum;
    double step = 0, busy = 0;
    for (const Outcome& outcome : outcomes) {
        sum += outcome.shares;
        step += outcome.step.predicted;
        busy += outcome.predicted_busy;
    }
    const auto count = static_cast<double>(outcomes.size());
    const Shares mean = sum.over(count);
    std::printf("  busiest stage, mean ms a step: predicted %.1f = busy %.1f + waiting %.1f\n", step / count,
                busy / count, (step - busy) / count);
    std::printf(
        "    measured %.1f = compute %.1f + off core %.1f + data %.1f + dispatch %.1f + wire %.1f + waiting for "
        "peers %.1f; beside it sockets %.1f\n",
        mean.step, mean.compute, mean.off_core, mean.data, mean.dispatch, mean.wire, mean.fill_drain + mean.idle,
        mean.sockets);
}

/// Step times of the unsplit training of a model while its plans run. They show how the machine's speed changes.
struct References {
    double at_profile = 0, last = 0;  ///< ms per step
};

/// Measures the plans, and the reference between them. Returns an empty list if one fails.
std::vector<Outcome> measure_group(const Subject& subject, const char* title, const std::vector<PlanChoice>& plans,
                                   References& references) {
    std::printf(" %s, load average %.2f\n  %6s  %-14s %-6s %13s %12s %12s %10s %12s %10s\n", title, load_average(),
                "stages", "cuts", "", "micro-batches", "predicted ms", "measured ms", "error", "reference ms",
                "corrected");
    std::vector<Outcome> outcomes;
    for (const PlanChoice& plan : plans) {
        auto outcome = subject.measure(plan);
        const auto after = subject.reference();
        if (!outcome || !after) return {};
        outcome->reference = (references.last + *after) / 2;
        references.last = *after;
        const double speed = outcome->reference / references.at_profile;
        outcome->own_time = {outcome->step.predicted * speed, outcome->step.measured};
        print_plan(*outcome);
        outcomes.push_back(*outcome);
    }
    return outcomes;
}

std::vector<Pair> pairs_of(const std::vector<Outcome>& outcomes, Pair Outcome::*step) {
    std::vector<Pair> pairs;
    for (const Outcome& outcome : outcomes) pairs.push_back(outcome.*step);
    return pairs;
}

/// Factors common to all plans of a model, computed from the plans with enough cores.
struct Factors {
    double step = 1, quiet_step = 1;
};

/// Prints the group's figures.
void print_group(const std::vector<Outcome>& outcomes, const Factors& factors, const References& references) {
    const auto print = [&](const char* what, Pair Outcome::*step, double factor) {
        const std::vector<Pair> pairs = pairs_of(outcomes, step);
        print_agreement(qPrintable(QString("%1, raw:").arg(what)), agreement(pairs));
        print_agreement(qPrintable(QString("%1, factor %2 taken out:").arg(what).arg(factor, 0, 'f', 3)),
                        agreement(pairs, factor));
    };
    print("median step", &Outcome::step, factors.step);
    print("lower quartile", &Outcome::quiet_step, factors.quiet_step);
    print_agreement("median step, corrected by the reference:", agreement(pairs_of(outcomes, &Outcome::own_time)));
    const auto [fastest, slowest] = std::ranges::minmax(outcomes, {}, &Outcome::reference);
    std::printf("  reference after profiling %.1f ms, beside the plans %.1f to %.1f ms a step\n", references.at_profile,
                fastest.reference, slowest.reference);
    print_shares(outcomes);
}

/// Returns the stage counts for the plans. The last of several is unsplit; all others are split if there are two cores.
std::vector<int> stage_counts(int plans, int cores) {
    std::vector<int> counts;
    const int most = std::min(cores, most_stages);
    for (int i = 0; i + 1 < (plans + 3) / 4; ++i) counts.push_back(most > 1 ? most - i % (most - 1) : 1);
    if (counts.empty() && most > 1) counts.push_back(most);
    else counts.push_back(1);
    return counts;
}

bool bench(const Programs& programs, const Model& model, int plans, int steps) {
    const int cores = std::max(1, static_cast<int>(divisi::process::usable_cores()));
    const Subject subject(programs, model, steps);
    const auto cuts = subject.legal_cuts();
    if (!cuts) return false;
    const auto fitting = choose_plans(plans, stage_counts(plans, cores), *cuts);
    const auto crowded = choose_plans(std::max(1, plans / 5), {cores + 1, 2 * cores}, *cuts);
    auto all = fitting;
    all.insert(all.end(), crowded.begin(), crowded.end());
    std::printf("%s: %d legal cuts, %d cores\n", model.name, *cuts, cores);
    if (!subject.profile(all)) return false;
    const auto at_profile = subject.reference();
    if (!at_profile) return false;
    References references{*at_profile, *at_profile};
    const auto first = measure_group(subject, "at most as many stages as cores", fitting, references);
    if (first.empty()) return false;
    const double profiled = std::ranges::min(first, {}, &Outcome::profiled_share).profiled_share;
    std::printf("  of every predicted time at least %.1f %% was measured by 'divisictl profile'\n", 100 * profiled);
    const Factors factors{common_factor(pairs_of(first, &Outcome::step)),
                          common_factor(pairs_of(first, &Outcome::quiet_step))};
    print_group(first, factors, references);
    const auto second = measure_group(subject, "more stages than cores", crowded, references);
    if (second.empty()) return false;
    print_group(second, factors, references);
    std::printf("\n");
    return true;
}

/// Trains a model for a step and exports it.
bool export_model(const Programs& programs) {
    const QString task = write_task(programs, exported, 1);
    const Finished run = programs.run({"run", task, "--set", "train.microbatches=4", "--json"}, run_limit_ms);
    const Finished written = programs.run({"model", "export", exported.name, programs.folder() + "/imported.onnx"});
    if (run.status == 0 && written.status == 0) return true;
    std::fprintf(stderr, "no model to import: %s%s\n", qPrintable(run.errors), qPrintable(written.errors));
    return false;
}

}  // namespace

int main(int argc, char** argv) {
    const QCoreApplication app(argc, argv);
    const int plans = std::max(1, argc > 1 ? std::atoi(argv[1]) : 20);
    const int steps = std::max(warm_up_steps + 1, argc > 2 ? std::atoi(argv[2]) : 15);
    Programs programs;
    QDir().mkpath(programs.folder() + "/trace");
    programs.set_variable("DIVISI_TRACE", programs.folder() + "/trace");
    if (!programs.cluster_up()) {
        std::fprintf(stderr, "the cluster does not start\n");
        return 1;
    }
    if (!export_model(programs)) return 1;
    for (const Model& model : models())
        if (!bench(programs, model, plans, steps)) return 1;
    std::printf("load average at the end %.2f\n", load_average());
    return 0;
}
