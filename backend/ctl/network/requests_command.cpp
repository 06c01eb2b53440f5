// SPDX-License-Identifier: Apache-2.0
// divisictl requests: lists the decisions of gateways about requests to send.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "backend/control/protocol/mesh_messages.h"
#include "backend/control/protocol/policy_messages.h"
#include "backend/ctl/network/mesh_view.h"
#include "backend/ctl/terminal/terminal.h"

namespace divisi::ctl {
namespace {

using control::MeshState;
using control::RequestRecord;
using nlohmann::ordered_json;

ordered_json to_json(const RequestRecord& record, const MeshState& mesh) {
    ordered_json path = ordered_json::array();
    for (const std::uint32_t id : record.path) path.push_back(name_of(mesh, id));
    return {{"number", record.number},
            {"time", clock_time(record.time)},
            {"gateway", record.gateway},
            {"decision", to_string(record.outcome)},
            {"subject", record.subject},
            {"task", record.task.value()},
            {"from", record.source},
            {"incarnation", record.incarnation},
            {"to", record.destination},
            {"reason", record.reason},
            {"policy", record.policy},
            {"took_ms", record.took_s * 1e3},
            {"path", path}};
}

std::vector<std::string> to_row(const RequestRecord& record, const MeshState& mesh) {
    std::string path;
    for (const std::uint32_t id : record.path) path += (path.empty() ? "" : " > ") + name_of(mesh, id);
    return {clock_time(record.time),
            record.gateway,
            to_string(record.outcome),
            record.subject,
            record.source + "#" + std::to_string(record.incarnation),
            record.destination,
            path.empty() ? "-" : path,
            record.reason};
}

}  // namespace

int list_requests(const Common& common, control::QueryRequests query) {
    Target target = common.target;
    target.role = control::Role::viewer;
    auto session = Session::open(target);
    if (!session) return print_error(session.error());
    const auto mesh = (*session)->ask<MeshState>(control::QueryMesh{});
    if (!mesh) return print_error(mesh.error());
    std::vector<std::vector<std::string>> rows;
    for (bool more = true; more;) {
        const auto page = (*session)->ask<control::Requests>(query);
        if (!page) return print_error(page.error());
        for (const RequestRecord& record : page->records) {
            query.after = record.number;
            if (!common.json) rows.push_back(to_row(record, *mesh));
            else std::puts(to_json(record, *mesh).dump(-1, ' ', false, ordered_json::error_handler_t::replace).c_str());
        }
        more = page->more;
    }
    if (common.json) return 0;
    if (rows.empty()) std::puts("no gateway has received such a request");
    else print_table({"TIME", "GATEWAY", "DECISION", "SUBJECT", "FROM", "TO", "PATH", "REASON"}, rows);
    return 0;
}

}  // namespace divisi::ctl
