// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/task_text.h"

#include <algorithm>
#include <sstream>

#include "backend/base/hash.h"
#include "backend/task/parse.h"
#include "tests/support/task_file.h"

namespace divisi::sim {

namespace {

/// Divides the operators among the stages as evenly as possible.
std::vector<std::int32_t> even_begins(std::int32_t stages, std::int32_t operators) {
    std::vector<std::int32_t> begins;
    for (std::int32_t i = 0; i < stages; ++i) begins.push_back(i * operators / stages);
    return begins;
}

Result<std::vector<std::int32_t>> begins_of(const task::SplitSection& split) {
    if (split.cuts.empty()) {
        const auto stages = static_cast<std::int32_t>(std::clamp<std::int64_t>(split.stages, 1, file_operators));
        return even_begins(stages, file_operators);
    }
    std::vector<std::int32_t> begins = {0};
    for (const std::string& cut : split.cuts) {
        std::int32_t op = begins.back();
        while (op + 1 < file_operators && cut_after(op) != cut) ++op;
        if (op + 1 == file_operators)
            return Error{ErrorCode::invalid_input, "there is no cut in this place", cut, "cut between two operators"};
        begins.push_back(op + 1);
    }
    return begins;
}

}  // namespace

std::string cut_after(std::int32_t op) { return "op" + std::to_string(op); }

std::int32_t TaskText::end(std::int32_t stage) const {
    return stage + 1 < stages() ? begins[static_cast<std::size_t>(stage) + 1] : operators;
}

std::vector<std::string> TaskText::cuts() const {
    std::vector<std::string> names;
    for (std::size_t i = 1; i < begins.size(); ++i) names.push_back(cut_after(begins[i] - 1));
    return names;
}

std::string TaskText::plan_hash() const {
    std::string all = name + " " + std::to_string(steps) + " " + std::to_string(operators);
    for (const std::int32_t begin : begins) all += " " + std::to_string(begin);
    return std::to_string(fnv1a(all));
}

std::vector<std::vector<std::int32_t>> TaskText::inherits(const TaskText& before) const {
    std::vector<std::vector<std::int32_t>> all;
    for (std::int32_t stage = 0; stage < stages(); ++stage) {
        const auto common = [&](std::int32_t old) {
            const std::int32_t first =
                std::max(begins[static_cast<std::size_t>(stage)], before.begins[static_cast<std::size_t>(old)]);
            return std::max(std::min(end(stage), before.end(old)) - first, 0);
        };
        std::vector<std::int32_t> from;
        for (std::int32_t old = 0; old < before.stages(); ++old)
            if (common(old) > 0) from.push_back(old);
        std::ranges::stable_sort(from, [&](std::int32_t a, std::int32_t b) { return common(a) > common(b); });
        all.push_back(std::move(from));
    }
    return all;
}

Result<TaskText> read_task(const std::string& text) {
    TaskText task;
    if (!text.starts_with("[")) {
        std::istringstream words(text);
        words >> task.name >> task.operators >> task.steps;
        task.begins = even_begins(task.operators, task.operators);
        return task;
    }
    DIVISI_ASSIGN(const task::TaskSpec spec, task::parse_task(text, "a simulated task"));
    task.name = spec.task.name;
    task.operators = file_operators;
    DIVISI_ASSIGN(task.begins, begins_of(spec.split));
    task.steps = spec.train.steps;
    DIVISI_ASSIGN(task.checkpoint, task::checkpoint_rule(spec.checkpoint));
    DIVISI_ASSIGN(task.answer, task::fault_answer(spec.faults));
    return task;
}

std::string task_file(const std::string& name, std::size_t stages, std::size_t steps, std::size_t every) {
    return testing::TaskFile(name)
        .replace("train", {{"steps", steps}})
        .set("split.stages", stages)
        .set("checkpoint.every", every == 0 ? testing::TaskFile::Value("never") : testing::TaskFile::Value(every))
        .set("faults.answer", "recover")
        .text();
}

}  // namespace divisi::sim
