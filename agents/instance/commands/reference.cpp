// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/commands/commands.h"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <ostream>

#include "agents/instance/engine/engine.h"
#include "agents/instance/engine/trace.h"
#include "agents/instance/engine/unit_setup.h"
#include "backend/control/types/json_lines.h"
#include "backend/file/atomic_file.h"
#include "backend/link/event_loop.h"
#include "backend/onnx/import.h"
#include "backend/process/command_line.h"
#include "backend/task/model_source.h"
#include "backend/task/parse.h"
#include "backend/task/start_weights.h"

namespace divisi::instance {
namespace {

/// An outlet that is never used, because one engine holds all units.
class NullOutlet final : public Outlet {
public:
    void send(const plan::TensorKey&, graph::HostTensor) override { std::abort(); }
    void release(const plan::TensorKey&) override { std::abort(); }
};

class Printer final : public Listener {
public:
    Printer(std::ostream& out, std::ostream& err, bool json, const task::TaskSpec& spec)
        : out_(out), err_(err), json_(json), batch_(task::is_batch(spec)), spec_(spec) {}
    void takes(std::int64_t steps) { steps_ = steps; }
    void operation_ended(const OperationTimes& times) override {
        if (trace_) trace_->write(times);
    }
    void step_done(const control::StepRecord& record) override {
        if (json_) {
            out_ << control::step_line(record, spec_.batch.labels) << std::endl;
            return;
        }
        char line[160];
        const std::string loss = spec_.batch.labels ? "loss " + control::loss_text(record.loss) + "  " : "";
        std::snprintf(line, sizeof line, "step %lld/%lld  %s%.0f samples/s", static_cast<long long>(record.step),
                      static_cast<long long>(steps_), loss.c_str(), record.samples_per_s);
        out_ << line << control::heads_text(record.heads) << std::endl;
    }
    void evaluated(const control::EvalRecord& record) override {
        if (json_) {
            out_ << control::evaluation_line(record) << std::endl;
            return;
        }
        if (batch_) out_ << "all samples";
        else out_ << "validation after step " << record.step;
        out_ << ": " << control::figures_text(record) << std::endl;
    }
    void trouble(const Error& error) override { err_ << "warning: " << error.message() << std::endl; }

private:
    std::ostream& out_;
    std::ostream& err_;
    bool json_;
    bool batch_;
    const task::TaskSpec& spec_;
    std::int64_t steps_ = spec_.train.steps;
    std::optional<Trace> trace_ = Trace::from_environment("reference");
};

Result<graph::Graph> import_file(const std::string& file, const std::vector<std::string>& frozen) {
    onnx::ImportOptions import;
    import.frozen = frozen;
    import.infer_shapes = false;
    return onnx::import_model(file, import);
}

/// Returns the task's model with its initial weights. Versions exist only in a cluster, so this process reads the
/// weights of a version from a file.
Result<graph::Graph> load_model(task::TaskSpec& spec, const std::string& folder, const std::string& from) {
    const bool names_version = task::begins_with_version(spec);
    if (names_version && from.empty())
        return Error{
            ErrorCode::unsupported, "= '" + spec.model.from + "': only a cluster has versions of models", "model.from",
            "write it with 'divisictl model export " + spec.model.from + " FILE.onnx', and give --from FILE.onnx"};
    if (names_version) spec.model.from.clear();
    DIVISI_ASSIGN(graph::Graph model, task::load_model(spec, [&] {
                      return import_file(task::resolve_path(folder, spec.model.onnx), spec.model.frozen);
                  }));
    if (from.empty()) return model;
    DIVISI_ASSIGN(const graph::Graph trained, import_file(from, {}));
    DIVISI_TRY(task::start_with(spec, model, trained, from));
    return model;
}

Result<task::CompiledPlan> compile_unsplit(const ReferenceOptions& options, const std::string& folder) {
    DIVISI_ASSIGN(const std::string text, file::read_text(options.task_file, "task file", "check the path"));
    DIVISI_ASSIGN(task::TaskSpec spec, task::parse_task(text, options.task_file, options.settings));
    spec.split = {};
    spec.split.stages = 1;
    spec.split.least_stages = spec.split.most_stages = 0;
    task::PlaceSection place;
    place.device = spec.place.device;
    place.threads = spec.place.threads;
    spec.place = std::move(place);
    DIVISI_ASSIGN(const graph::Graph model, load_model(spec, folder, options.from));
    return task::compile(spec, model);
}

Result<void> train(const ReferenceOptions& options, std::ostream& out, std::ostream& err) {
    const std::string folder = process::absolute_path(options.task_file).parent_path();
    DIVISI_ASSIGN(task::CompiledPlan compiled, compile_unsplit(options, folder));
    EngineConfig config;
    config.plan = std::make_shared<const task::CompiledPlan>(std::move(compiled));
    config.data = true;
    DIVISI_ASSIGN(config.dataset,
                  dataset_spec(*config.plan, [&](const std::string&, const std::string& path) -> Result<std::string> {
                      return task::resolve_path(folder, path);
                  }));
    config.read_weight = [](const graph::Initializer&) -> Result<graph::HostTensor> {
        return Error{ErrorCode::corrupt, "a weight without data", "", ""};
    };
    const link::SystemClock clock;
    NullOutlet outlet;
    const std::shared_ptr<const task::CompiledPlan> plan = config.plan;
    const bool batch = task::is_batch(plan->spec);
    if (batch) config.results = task::results_file(plan->spec, folder);
    Printer printer(out, err, options.json, plan->spec);
    Engine engine(std::move(config), clock, outlet, printer);
    DIVISI_TRY(engine.prepare());
    if (batch) printer.takes(plan->programs->length.steps_over(*engine.batch_samples()));
    return engine.run({engine.evaluation_microbatches(), engine.batch_samples()});
}

}  // namespace

int run_reference(const ReferenceOptions& options, std::ostream& out, std::ostream& err) {
    const auto trained = train(options, out, err);
    if (options.json) {
        std::optional<Error> error;
        if (!trained) error = trained.error();
        out << control::end_line("reference", trained ? control::Outcome::succeeded : control::Outcome::failed, error)
            << std::endl;
    }
    if (trained) return 0;
    err << "error: " << trained.error().message() << std::endl;
    return process::exit_status(trained.error());
}

}  // namespace divisi::instance
