// SPDX-License-Identifier: Apache-2.0
// Adds the commands of the group "Results and versions": results, models.
#include "backend/ctl/options/groups.h"

namespace divisi::ctl {
namespace {

void add_results(CLI::App& app, CommandLine& line) {
    auto* results = add_command(app, line, "results", "write the results of a batch task as CSV",
                                [&] { return show_results(line.common, line.name, line.output); });
    results->add_option("TASK", line.name, "task id or name; its kind is \"batch\"")->required();
    results->add_option("OUT.csv", line.output, "file to write")->required();
    add_cluster_options(results, line);
}

void add_models(CLI::App& app, CommandLine& line) {
    auto* models = add_command(app, line, "models", "list the versions of trained models, with their origin",
                               [&] { return list_versions(line.common); });
    add_cluster_options(models, line);
    add_cluster_options(
        add_command(*models, line, "list", "list them (the default)", [&] { return list_versions(line.common); }),
        line);
    const auto about = [&](const char* name, const char* help, std::function<int()> action) {
        auto* sub = add_command(*models, line, name, help, std::move(action));
        sub->add_option("VERSION", line.name, "number of the version, id or name of its task, or beginning of its hash")
            ->required();
        add_cluster_options(sub, line);
    };
    about("show", "show a version and its ancestors, up to the first",
          [&] { return show_version(line.common, line.name); });
    about("drop", "delete the weights of a version", [&] { return drop_version(line.common, line.name); });
    auto* keep = add_command(*models, line, "keep", "make a version of a checkpoint", [&] {
        return keep_checkpoint(line.common, {TaskId(line.name), line.step, line.a});
    });
    keep->add_option("TASK", line.name, "task id")->required();
    keep->add_option("--step", line.step,
                     "step of the checkpoint, as 'tasks' and 'run' print it (default: the newest checkpoint)");
    keep->add_option("--name", line.a, "name of the version, in addition to its number");
    add_cluster_options(keep, line);
}

}  // namespace

void add_version_group(CLI::App& app, CommandLine& line) {
    add_results(app, line);
    add_models(app, line);
}

}  // namespace divisi::ctl
