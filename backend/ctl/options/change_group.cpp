// SPDX-License-Identifier: Apache-2.0
// Adds the commands of the group "Change a running task": recut, scale, checkpoint.
#include "backend/ctl/options/groups.h"

namespace divisi::ctl {
namespace {

void add_recut(CLI::App& app, CommandLine& line) {
    auto* recut = add_command(app, line, "recut", "change the stages of a task while it trains", [&] {
        line.recut.task = TaskId(line.name);
        if (line.watch) return advise_recut(line.common, line.name);
        return recut_task(line.common, line.recut, line.a);
    });
    recut->add_option("TASK", line.name, "task id")->required();
    auto* cuts =
        recut->add_option("--cuts", line.recut.cuts, "names of the operators after which to cut, separated by commas")
            ->delimiter(',')
            ->allow_extra_args(false);
    auto* stages = recut->add_option("--stages", line.recut.stages, "number of stages; the best cuts are searched for")
                       ->check(CLI::Range(1, 256));
    auto* undo = recut->add_flag("--undo", line.recut.undo, "return to the plan before the last re-cut");
    recut->add_option("--plan", line.recut.plan, "hash of a plan; the re-cut is refused unless this plan is in force");
    cuts->excludes(stages)->excludes(undo);
    stages->excludes(undo);
    auto* blocks = recut->add_option("--blocks", line.a, "task file whose [[split.segment]] entries become the blocks")
                       ->excludes(cuts)
                       ->excludes(stages)
                       ->excludes(undo);
    recut
        ->add_flag("--advice", line.watch,
                   "only print the gain of other cuts, computed from the current times of the stages")
        ->excludes(cuts)
        ->excludes(stages)
        ->excludes(undo)
        ->excludes(blocks);
    add_cluster_options(recut, line);
}

void add_scale(CLI::App& app, CommandLine& line) {
    auto* scale = add_command(app, line, "scale", "change the number of data instances of a task while it trains",
                              [&] { return scale_task(line.common, line.name, line.wanted); });
    scale->add_option("TASK", line.name, "task id; its task file must have data.instances")->required();
    scale->add_option("data=NUMBER", line.wanted, "new number of data instances")->required();
    add_cluster_options(scale, line);
}

void add_checkpoint(CLI::App& app, CommandLine& line) {
    auto* checkpoint =
        add_command(app, line, "checkpoint", "save the state of a training task as soon as possible", [&line] {
            return line.a.empty() && !line.watch ? order_checkpoint(line.common, line.name)
                                                 : order_and_keep(line.common, line.name, line.a);
        });
    checkpoint->add_option("TASK", line.name, "task id")->required();
    auto* keep =
        checkpoint->add_flag("--keep", line.watch, "wait for the checkpoint, and make it a version of the model");
    checkpoint->add_option("--name", line.a, "name of that version")->needs(keep);
    add_cluster_options(checkpoint, line);
}

}  // namespace

void add_change_group(CLI::App& app, CommandLine& line) {
    add_recut(app, line);
    add_scale(app, line);
    add_checkpoint(app, line);
}

}  // namespace divisi::ctl
