// SPDX-License-Identifier: Apache-2.0
// divisictl modules: lists functional modules and the outcome of their advice.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>

#include "backend/ctl/terminal/commands.h"
#include "backend/ctl/terminal/fields_json.h"
#include "backend/ctl/terminal/json_output.h"
#include "backend/ctl/terminal/terminal.h"
#include "backend/embed/module_list.h"

namespace divisi::ctl {
namespace {

using control::AdviceEcho;
using control::ModulesState;
using control::ModuleView;
using nlohmann::ordered_json;

constexpr std::chrono::seconds start_deadline{10};

Result<ModulesState> ask(const Common& common) {
    auto session = open_session(common);
    if (!session) return session.error();
    return (*session)->ask<ModulesState>(control::QueryModules{});
}

template <typename Word>
std::string listed(const std::vector<Word>& words) {
    std::string text;
    for (const Word word : words) text += (text.empty() ? "" : ", ") + std::string(to_string(word));
    return text;
}

std::string effect_text(const AdviceEcho& echo) {
    std::string text;
    for (const control::AdviceEffect& one : echo.effects) {
        char figures[64];
        std::snprintf(figures, sizeof figures, ": %.4g ms a step, then %.4g ms", one.before_ms, one.after_ms);
        text += (text.empty() ? "" : "; ") + one.task.value() + figures;
    }
    return text;
}

ordered_json to_json(const AdviceEcho& echo) {
    ordered_json effects = ordered_json::array();
    for (const control::AdviceEffect& one : echo.effects) effects.push_back(fields_json(one));
    return {{"number", echo.number},
            {"kind", to_string(echo.advice.kind)},
            {"advice", to_text(echo.advice)},
            {"confidence", echo.advice.confidence},
            {"valid_ms", echo.advice.valid_ms},
            {"reason", echo.advice.reason},
            {"outcome", to_string(echo.outcome)},
            {"why", echo.why},
            {"change", echo.change},
            {"effects", effects}};
}

ordered_json to_json(const control::AdviceView& advice) {
    ordered_json line = to_json(advice.echo);
    line["given"] = clock_time(advice.given);
    if (advice.until != TimePoint{}) line["until"] = clock_time(advice.until);
    line["again"] = advice.again;
    return line;
}

ordered_json to_json(const ModuleView& module) {
    ordered_json line{{"module", module.info.name},
                      {"version", module.info.version},
                      {"state", to_string(module.state)},
                      {"detail", module.detail},
                      {"inputs", listed(module.info.inputs)},
                      {"advice", listed(module.info.advice)},
                      {"sync", module.info.sync},
                      {"period_ms", module.info.period_ms},
                      {"pid", module.info.pid},
                      {"heard", clock_time(module.heard)},
                      {"without", module.without},
                      {"given", module.given},
                      {"taken", module.taken},
                      {"refused", module.refused},
                      {"expired", module.expired},
                      {"missed", module.missed},
                      {"answer_ms", module.answer_ms}};
    line["refusals"] = ordered_json::array();
    for (const control::RefusalReason& one : module.refusals) line["refusals"].push_back(fields_json(one));
    line["newest"] = ordered_json::array();
    for (const control::AdviceView& one : module.newest) line["newest"].push_back(to_json(one));
    if (!module.newest.empty()) line["last"] = to_json(module.newest.front().echo);
    return line;
}

void print_tables(const ModulesState& state) {
    if (state.modules.empty())
        return (void)std::puts(
            "no module advises; 'divisictl modules start link-trend' starts one for an embedded "
            "cluster; for other clusters, add [[module]] to the cluster file");
    std::vector<std::vector<std::string>> rows, last;
    for (const ModuleView& one : state.modules) {
        std::string state_text = to_string(one.state);
        for (const std::string& task : one.without) state_text += ", not about " + task;
        rows.push_back({one.info.name, one.info.version, state_text, listed(one.info.inputs), clock_time(one.heard),
                        std::to_string(one.given), std::to_string(one.taken), std::to_string(one.refused),
                        std::to_string(one.expired), one.detail});
        if (one.newest.empty()) continue;
        const AdviceEcho& echo = one.newest.front().echo;
        const std::string effect = echo.effects.empty() ? echo.change : effect_text(echo);
        last.push_back({one.info.name, to_text(echo.advice), to_string(echo.outcome),
                        echo.why.empty() ? effect : echo.why, echo.advice.reason});
    }
    print_table({"MODULE", "VERSION", "STATE", "OBSERVES", "HEARD", ">GIVEN", ">TAKEN", ">REFUSED", ">EXPIRED", ""},
                rows);
    if (last.empty()) return;
    std::puts("");
    print_table({"MODULE", "LAST ADVICE", "OUTCOME", "EFFECT", "BECAUSE"}, last);
}

int change(const Common& common, const control::Message& message) {
    auto session = open_session(common, control::Role::operate);
    if (!session) return print_error(session.error());
    const auto reply = (*session)->ask<control::Done>(message);
    return reply ? 0 : print_error(reply.error());
}

/// Returns the connected processes of the module.
std::vector<ModuleView> connected(const ModulesState& state, const std::string& name) {
    std::vector<ModuleView> found;
    for (const ModuleView& one : state.modules)
        if (one.info.name == name && one.state != control::ModuleState::gone &&
            one.state != control::ModuleState::cut_off)
            found.push_back(one);
    return found;
}

/// Waits for a process of the module that is not in `before`.
Result<ModuleView> wait_for_new(const Common& common, const std::string& name, const std::vector<ModuleView>& before) {
    const auto deadline = std::chrono::steady_clock::now() + start_deadline;
    while (std::chrono::steady_clock::now() < deadline) {
        DIVISI_ASSIGN(const ModulesState state, ask(common));
        for (const ModuleView& one : connected(state, name))
            if (std::ranges::none_of(before, [&](const ModuleView& old) { return old.info.pid == one.info.pid; }))
                return one;
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return Error{ErrorCode::deadline, "it has not connected within 10 s", "module " + name,
                 "its log is " + (embed::default_data_folder() / "logs" / ("module-" + name + ".log")).string()};
}

}  // namespace

int list_modules(const Common& common) {
    const auto state = ask(common);
    if (!state) return print_error(state.error());
    if (!common.json) print_tables(*state);
    else
        for (const ModuleView& one : state->modules) print_json(to_json(one));
    return 0;
}

int start_module(const Common& common, const std::string& name, const std::string& program,
                 const std::vector<std::string>& arguments) {
    if (!common.target.connection.empty())
        return print_error({ErrorCode::invalid_input, "modules can be started only for the embedded cluster",
                            "--connect",
                            "name it as [[module]] in the cluster file, or run its program with --connect"});
    const auto path = embed::module_program(name, program);
    if (!path) return print_error(path.error());
    const auto before = ask(common);
    if (!before) return print_error(before.error());
    const std::filesystem::path data = embed::default_data_folder();
    const auto listed = embed::list_module(data, {0, name, *path, arguments});
    if (!listed) return print_error(listed.error());
    const auto started = wait_for_new(common, name, connected(*before, name));
    if (!started) {
        (void)embed::unlist_modules(data, [&](const embed::ListedModule& one) { return one.number == *listed; });
        return print_error(started.error());
    }
    if (const auto noted = embed::note_version(data, *listed, started->info.version); !noted)
        return print_error(noted.error());
    if (common.json) print_json(to_json(*started));
    else
        std::printf("%s %s is connected and %s\n", name.c_str(), started->info.version.c_str(),
                    to_string(started->state));
    return 0;
}

int stop_module(const Common& common, const std::string& name, const std::string& version) {
    const std::filesystem::path data = embed::default_data_folder();
    bool was_listed = false;
    // A process that hangs does not receive the message; its supervisor ends it.
    if (common.target.connection.empty()) {
        const auto left = embed::unlist_stopped(data, name, version);
        was_listed = left && *left > 0;
    }
    auto session = open_session(common, control::Role::operate);
    if (!session) return print_error(session.error());
    const auto reply = (*session)->ask<control::Done>(control::ChangeModule{name, true, version});
    return reply || was_listed ? 0 : print_error(reply.error());
}

int use_module(const Common& common, const std::string& name, const std::string& version) {
    return change(common, control::ChangeModule{name, false, version});
}

int switch_module(const Common& common, const std::string& name, const std::string& task, bool on) {
    const auto state = ask(common);
    if (!state) return print_error(state.error());
    if (std::ranges::none_of(state->modules, [&](const ModuleView& one) { return one.info.name == name; }))
        return print_error(
            {ErrorCode::not_found, "the cluster has no such module", name, "'divisictl modules' lists them"});
    const std::string about = "module:" + name + (task.empty() ? "" : ":" + task);
    return set_policies(common, {about + (on ? "=default" : "=off")});
}

}  // namespace divisi::ctl
