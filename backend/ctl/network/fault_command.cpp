// SPDX-License-Identifier: Apache-2.0
// divisictl fault: cuts or slows links, and kills or pauses processes, for demonstrations.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "backend/base/quantity.h"
#include "backend/control/protocol/fault_messages.h"
#include "backend/control/protocol/mesh_messages.h"
#include "backend/ctl/network/mesh_view.h"
#include "backend/ctl/terminal/json_output.h"
#include "backend/ctl/terminal/terminal.h"

namespace divisi::ctl {
namespace {

using control::LinkFault;
using nlohmann::ordered_json;

ordered_json to_json(const LinkFault& fault) {
    return {{"a", fault.a},
            {"b", fault.b},
            {"cut", fault.cut},
            {"bytes_per_s", fault.bytes_per_s},
            {"delay_ms", fault.delay_s * 1e3}};
}

void print_faults(const control::MeshState& mesh, bool as_json) {
    std::vector<std::vector<std::string>> rows;
    for (const LinkFault& fault : mesh.faults) {
        if (as_json) print_json(to_json(fault));
        rows.push_back({fault.a, fault.b, to_text(fault)});
    }
    if (as_json) return;
    if (!rows.empty()) print_table({"LINK", "", "FAULT"}, rows);
    else if (mesh.faults_allowed) std::puts("no link has a fault");
    else std::puts("this cluster does not allow faults; the embedded cluster and divisid --allow-faults do");
}

/// Sends one command, then prints the current faults.
int change(const Common& common, const control::Message& message) {
    auto session = open_session(common, control::Role::operate);
    if (!session) return print_error(session.error());
    if (const auto done = (*session)->ask<control::Done>(message); !done) return print_error(done.error());
    const auto mesh = (*session)->ask<control::MeshState>(control::QueryMesh{});
    if (!mesh) return print_error(mesh.error());
    print_faults(*mesh, common.json);
    return 0;
}

/// Sends one command about a process, then prints `done` for `name`. `kind`: "sid" or "node".
int strike(const Common& common, const control::Message& message, const char* kind, const std::string& name,
           const std::string& done, const std::string& next) {
    auto session = open_session(common, control::Role::operate);
    if (!session) return print_error(session.error());
    if (const auto answer = (*session)->ask<control::Done>(message); !answer) return print_error(answer.error());
    if (common.json) print_json(ordered_json{{kind, name}, {"done", done}});
    else std::printf("%s was %s; %s\n", name.c_str(), done.c_str(), next.c_str());
    return 0;
}

Result<double> quantity(const std::string& option, const std::string& written, std::span<const Unit> units,
                        const std::string& example) {
    if (written.empty()) return 0.0;
    const auto value = parse_quantity(written, units);
    if (value && *value > 0) return value;
    return Error{ErrorCode::invalid_input, "'" + written + "' " + (value ? "is not above 0" : value.error().what),
                 option, "write e.g. " + example};
}

}  // namespace

int cut_link(const Common& common, const std::string& a, const std::string& b) {
    return change(common, control::FaultLink{{a, b, true, 0, 0}});
}

int slow_link(const Common& common, const std::string& a, const std::string& b, const std::string& rate,
              const std::string& delay) {
    if (rate.empty() && delay.empty())
        return print_error({ErrorCode::invalid_input, "the command states no rate and no delay", "slow-link",
                            "give --rate 20MB/s, --delay 10ms, or both"});
    const auto bytes_per_s = quantity("--rate", rate, bandwidth_units, "20MB/s");
    if (!bytes_per_s) return print_error(bytes_per_s.error());
    const auto seconds = quantity("--delay", delay, latency_units, "10ms");
    if (!seconds) return print_error(seconds.error());
    return change(common, control::FaultLink{{a, b, false, *bytes_per_s, *seconds}});
}

int kill_router(const Common& common, const std::string& name) { return change(common, control::KillRouter{name}); }

int kill_instance(const Common& common, const std::string& sid) {
    return strike(common, control::KillInstance{Sid(sid)}, "sid", sid, "killed",
                  "its task continues from its last checkpoint: see 'divisictl incidents'");
}

int kill_node(const Common& common, const std::string& node) {
    return strike(common, control::KillNode{NodeId(node)}, "node", node, "killed",
                  "the embedded cluster starts it again: see 'divisictl nodes'");
}

int pause_instance(const Common& common, const std::string& sid, const std::string& time) {
    const auto seconds = quantity("--for", time, latency_units, "10s");
    if (!seconds) return print_error(seconds.error());
    return strike(common, control::PauseInstance{Sid(sid), *seconds}, "sid", sid, "paused for " + time,
                  "then it continues, unless its task has continued without it: see 'divisictl incidents'");
}

int heal_faults(const Common& common, const std::string& a, const std::string& b) {
    if (a.empty() != b.empty())
        return print_error(
            {ErrorCode::invalid_input, "a link has two ends", a + b, "name both ends, or none to heal all links"});
    return change(common, control::HealFaults{a, b});
}

int list_faults(const Common& common) {
    auto session = open_session(common);
    if (!session) return print_error(session.error());
    const auto mesh = (*session)->ask<control::MeshState>(control::QueryMesh{});
    if (!mesh) return print_error(mesh.error());
    print_faults(*mesh, common.json);
    return 0;
}

}  // namespace divisi::ctl
