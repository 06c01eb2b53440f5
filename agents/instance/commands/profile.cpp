// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/commands/commands.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>

#include "agents/instance/commands/measure.h"
#include "backend/base/units.h"
#include "backend/file/atomic_file.h"
#include "backend/onnx/import.h"
#include "backend/process/command_line.h"
#include "backend/process/gpus.h"
#include "backend/store/profile_store.h"
#include "backend/task/compile.h"
#include "backend/task/model_source.h"
#include "backend/task/parse.h"
#include "backend/task/validate.h"

namespace divisi::instance {
namespace {

using graph::Graph;

/// Loads the model to measure, with its loss if the task or its first output allows one.
Result<MeasuredModel> load(const ProfileOptions& options) {
    task::TaskSpec spec;
    const std::filesystem::path path = process::absolute_path(options.model);
    const std::string folder = path.parent_path();
    if (options.model.ends_with(".toml")) {
        DIVISI_ASSIGN(const std::string text, file::read_text(options.model, "task file", "check the path"));
        DIVISI_ASSIGN(spec, task::parse_task(text, options.model, options.settings));
    } else {
        spec.train.batch = 1;
        if (options.model.starts_with("zoo:")) spec.model.zoo = options.model.substr(4);
        else spec.model.onnx = path;
        spec.data.kind = "synthetic";
        spec.data.samples = 1;
        auto overridden = task::apply_overrides(spec, options.settings);
        if (!overridden) {
            Error error = std::move(overridden).error();
            // the user has no task file, so the error names the model
            if (!error.where.starts_with("--set")) error.where = options.model;
            return error;
        }
        spec = std::move(*overridden);
    }
    // do not load weights of a version, because the values of the weights do not affect the times
    if (task::begins_with_version(spec)) spec.model.from.clear();
    DIVISI_ASSIGN(const Graph model, task::load_model(spec, [&] {
                      onnx::ImportOptions import;
                      import.frozen = spec.model.frozen;
                      import.infer_shapes = false;
                      return onnx::import_model(task::resolve_path(folder, spec.model.onnx), import);
                  }));
    DIVISI_ASSIGN(plan::BranchedModel trained, task::trained_model(spec, model));
    auto training = task::add_loss(spec, trained.graph);
    if (training.ok()) return MeasuredModel{std::move(training->graph), training->loss};
    if (options.model.ends_with(".toml")) return std::move(training).error();
    return MeasuredModel{std::move(trained.graph)};  // a model without a task may have no loss that Divisi knows
}

void print_one(std::ostream& out, bool json, const std::string& key, const price::OperatorProfile& times) {
    if (json) {
        const auto part = [](const price::MeasuredTime& time) {
            return nlohmann::ordered_json{
                {"ms", time.seconds * 1e3}, {"spread_ms", time.spread * 1e3}, {"crowded_ms", time.crowded * 1e3}};
        };
        out << nlohmann::ordered_json{{"event", "operator"},
                                      {"operator", key},
                                      {"forward", part(times.forward)},
                                      {"input_gradient", part(times.input_gradient)},
                                      {"weight_gradient", part(times.weight_gradient)}}
                   .dump()
            << std::endl;
        return;
    }
    const double all = times.forward.seconds + times.input_gradient.seconds + times.weight_gradient.seconds;
    const double crowded = times.forward.crowded + times.input_gradient.crowded + times.weight_gradient.crowded;
    char line[80];
    std::snprintf(line, sizeof line, "%10.1f %10.1f %10.1f %8.2f  ", times.forward.seconds * 1e6,
                  times.input_gradient.seconds * 1e6, times.weight_gradient.seconds * 1e6,
                  all > 0 && crowded > 0 ? crowded / all : 1.0);
    out << line << key << std::endl;
}

/// The number of operators measured now, and the number of the model's distinct operators, whose prices are now stored.
struct Totals {
    std::size_t measured = 0, distinct = 0;
    std::string device_type;
};

Result<Totals> measure_model(const ProfileOptions& options, std::ostream& out) {
    DIVISI_ASSIGN(const auto store, store::ProfileStore::open(options.store));
    const std::string type = process::device_type(options.device);
    DIVISI_ASSIGN(price::DeviceProfile known, store->load(type, options.threads));
    DIVISI_ASSIGN(MeasuredModel model, load(options));
    DIVISI_ASSIGN(Measurement measurement,
                  Measurement::start(std::move(model), {options.device, options.threads, false, {}}));
    if (options.again || known.rates.product_flops_per_s == 0) {
        DIVISI_ASSIGN(known.rates, measurement.rates());
    }
    known.crowded_cores = std::max(known.crowded_cores, measurement.crowded_cores());
    if (!options.json) out << "FORWARD us   INPUT us  WEIGHT us  CROWDED  OPERATOR" << std::endl;
    std::set<std::string> distinct, done;
    for (std::size_t stretch = 0; stretch < measurement.stretches(); ++stretch) {
        std::set<std::string> wanted;
        for (const auto& [key, node] : measurement.operators(stretch)) {
            distinct.insert(key);
            const auto found = known.operators.find(key);
            const bool is_known =
                found != known.operators.end() && (found->second.forward.crowded > 0 || known.crowded_cores == 0);
            if (!done.contains(key) && (options.again || !is_known)) wanted.insert(key);
        }
        if (wanted.empty()) continue;
        DIVISI_ASSIGN(Prices prices, measurement.measure(stretch));
        std::erase_if(prices, [&](const auto& price) { return !wanted.contains(price.first); });
        DIVISI_TRY(
            store->save({type, known.rates, {prices.begin(), prices.end()}, known.crowded_cores}, options.threads));
        for (const auto& [key, times] : prices) print_one(out, options.json, key, times);
        done.merge(wanted);
    }
    return Totals{done.size(), distinct.size(), type};
}

}  // namespace

int run_profile(const ProfileOptions& options, std::ostream& out, std::ostream& err) {
    const auto totals = measure_model(options, out);
    if (!totals) {
        err << "error: " << totals.error().message() << std::endl;
        return process::exit_status(totals.error());
    }
    if (options.json)
        out << nlohmann::ordered_json{{"event", "end"},
                                      {"device_type", totals->device_type},
                                      {"threads", options.threads},
                                      {"measured", totals->measured},
                                      {"distinct", totals->distinct},
                                      {"store", options.store}}
                   .dump()
            << std::endl;
    else
        out << totals->measured << " of " << totals->distinct << " distinct operators measured on "
            << totals->device_type << ", " << options.threads << " thread" << (options.threads == 1 ? "" : "s")
            << "; kept in " << options.store << std::endl;
    return 0;
}

}  // namespace divisi::instance
