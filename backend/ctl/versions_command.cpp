// SPDX-License-Identifier: Apache-2.0
// divisictl models: versions of trained models, and which came of which.
#include <cstdio>

#include "backend/control/version_lineage.h"
#include "backend/ctl/commands.h"
#include "backend/ctl/json_output.h"
#include "backend/ctl/terminal.h"
#include "backend/ctl/version_lines.h"

namespace divisi::ctl {

int list_versions(const Common& common) {
    auto session = open_session(common);
    if (!session) return print_error(session.error());
    const auto state = (*session)->snapshot();
    if (!state) return print_error(state.error());
    std::vector<std::vector<std::string>> rows;
    for (const auto& [number, version] : state->versions) {
        if (common.json) print_json(version_json(version));
        rows.push_back(version_row(version));
    }
    if (common.json) return 0;
    if (rows.empty()) std::puts("no versions: a training that ends with success makes one");
    else print_table(version_columns(), rows);
    return 0;
}

int show_version(const Common& common, const std::string& word) {
    auto session = open_session(common);
    if (!session) return print_error(session.error());
    const auto state = (*session)->snapshot();
    if (!state) return print_error(state.error());
    const auto version = control::find_version(*state, word);
    if (!version) return print_error(version.error());
    const auto lineage = control::lineage_of(*state, (*version)->number);
    if (!common.json) {
        std::fputs(version_text(lineage).c_str(), stdout);
        return 0;
    }
    auto line = version_json(**version);
    line["lineage"] = nlohmann::ordered_json::array();
    for (std::size_t i = 1; i < lineage.size(); ++i) line["lineage"].push_back(version_json(*lineage[i]));
    print_json(line);
    return 0;
}

int drop_version(const Common& common, const std::string& word) {
    auto session = open_session(common, control::Role::operate);
    if (!session) return print_error(session.error());
    const auto state = (*session)->snapshot();
    if (!state) return print_error(state.error());
    const auto version = control::find_version(*state, word);
    if (!version) return print_error(version.error());
    const std::uint64_t number = (*version)->number;
    const auto reply = (*session)->ask<control::Done>(control::DropVersion{number});
    if (!reply) return print_error(reply.error());
    if (common.json) print_json({{"version", number}, {"dropped", true}});
    else std::printf("the weights of version %llu are let go\n", static_cast<unsigned long long>(number));
    return 0;
}

}  // namespace divisi::ctl
