// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/task_text.h"

#include <sstream>

#include "backend/task/parse.h"

namespace divisi::sim {

Result<TaskText> read_task(const std::string& text) {
    TaskText task;
    if (!text.starts_with("[")) {
        std::istringstream words(text);
        words >> task.name >> task.stages >> task.steps;
        return task;
    }
    DIVISI_ASSIGN(const task::TaskSpec spec, task::parse_task(text, "a simulated task"));
    task.name = spec.task.name;
    task.stages = static_cast<std::int32_t>(spec.split.stages);
    task.steps = spec.train.steps;
    DIVISI_ASSIGN(task.checkpoint, task::checkpoint_rule(spec.checkpoint));
    DIVISI_ASSIGN(task.answer, task::fault_answer(spec.faults));
    return task;
}

std::string task_file(const std::string& name, std::size_t stages, std::size_t steps, std::size_t every) {
    return "[task]\nname = \"" + name + "\"\n[model]\nzoo = \"mlp\"\n[data]\nkind = \"synthetic\"\nsamples = 64\n" +
           "[train]\nsteps = " + std::to_string(steps) + "\n[split]\nstages = " + std::to_string(stages) +
           "\n[checkpoint]\nevery = " + (every == 0 ? "\"never\"" : std::to_string(every)) +
           "\n[faults]\nanswer = \"recover\"\n";
}

}  // namespace divisi::sim
