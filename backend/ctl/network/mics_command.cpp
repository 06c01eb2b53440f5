// SPDX-License-Identifier: Apache-2.0
// divisictl mics: shows the dependencies of units as the gateway of each MIC reports them.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "backend/control/types/mic_types.h"
#include "backend/ctl/terminal/commands.h"
#include "backend/ctl/terminal/fields_json.h"
#include "backend/ctl/terminal/json_output.h"
#include "backend/ctl/terminal/terminal.h"
#include "backend/ctl/terminal/times.h"

namespace divisi::ctl {
namespace {

using control::MicReport;
using control::MicView;
using nlohmann::ordered_json;

ordered_json to_json(const MicView& view) {
    ordered_json line{
        {"mic", view.mic.value()}, {"gateway", view.gateway}, {"up", view.up}, {"tasks", ordered_json::array()}};
    for (const MicReport& report : view.reports) {
        ordered_json task{{"task", report.topology.task.value()},
                          {"generation", report.topology.generation},
                          {"units", ordered_json::array()},
                          {"edges", ordered_json::array()},
                          {"broken", ordered_json::array()}};
        for (const Sid& unit : report.topology.units) task["units"].push_back(unit.value());
        for (const auto& edge : report.topology.edges) task["edges"].push_back(fields_json(edge));
        for (const auto& broken : report.broken) {
            ordered_json one = fields_json(broken.edge);
            one.update({{"cause", mesh::mic::to_string(broken.cause)}, {"since", clock_time(broken.since)}});
            task["broken"].push_back(std::move(one));
        }
        line["tasks"].push_back(std::move(task));
    }
    return line;
}

std::vector<std::string> row_of(const MicView& view, const MicReport& report) {
    std::size_t inner = 0, in = 0, out = 0;
    for (const auto& edge : report.topology.edges) {
        if (edge.from_mic == edge.to_mic) ++inner;
        else if (edge.to_mic == view.mic) ++in;
        else ++out;
    }
    return {view.mic.value(),
            view.gateway,
            report.topology.task.value(),
            std::to_string(report.topology.units.size()),
            std::to_string(inner),
            std::to_string(in),
            std::to_string(out),
            report.broken.empty() ? "moves" : std::to_string(report.broken.size()) + " broken"};
}

void print_tables(const std::vector<MicView>& mics) {
    std::vector<std::vector<std::string>> rows;
    for (const MicView& view : mics) {
        for (const MicReport& report : view.reports) rows.push_back(row_of(view, report));
        if (view.reports.empty())
            rows.push_back({view.mic.value(), view.gateway, "-", "0", "0", "0", "0", view.up ? "idle" : "away"});
    }
    print_table({"MIC", "GATEWAY", "TASK", ">UNITS", ">WITHIN", ">IN", ">OUT", "CHAINS"}, rows);
    for (const MicView& view : mics)
        for (const MicReport& report : view.reports)
            for (const auto& broken : report.broken)
                std::printf("\n%s, since %s: %s\n", report.topology.task.value().c_str(),
                            clock_time(broken.since).c_str(), control::line_of(broken).c_str());
}

}  // namespace

int list_mics(const Common& common) {
    auto session = open_session(common);
    if (!session) return print_error(session.error());
    const auto state = (*session)->ask<control::MicsState>(control::QueryMics{});
    if (!state) return print_error(state.error());
    if (common.json)
        for (const MicView& view : state->mics) print_json(to_json(view));
    else if (state->mics.empty()) std::puts("no MIC has a gateway, so the dependencies of units are not watched");
    else print_tables(state->mics);
    return 0;
}

}  // namespace divisi::ctl
