// SPDX-License-Identifier: Apache-2.0
// divisictl stores export: writes a part of one instance's state store as a file for other programs.
#include <cstdio>

#include "backend/control/protocol/store_export.h"
#include "backend/control/types/json_lines.h"
#include "backend/ctl/terminal/commands.h"
#include "backend/ctl/terminal/terminal.h"
#include "backend/file/atomic_file.h"
#include "backend/process/command_line.h"

namespace divisi::ctl {
namespace {

using control::StoreFormat;
using control::StorePage;
using control::StoreReading;

/// Time limit of a query; longer than the orchestrator waits for a node.
constexpr Duration page_deadline = std::chrono::seconds(25);
/// The smallest table; it suffices to learn which process wrote the store.
constexpr const char* smallest_table = "identity";

Result<void> check_output(const std::filesystem::path& file, bool force) {
    std::error_code code;
    if (std::filesystem::is_directory(file, code))
        return Error{ErrorCode::invalid_input, "it is a folder, not a file", file.string(), "name a file in it"};
    if (force || !std::filesystem::exists(file, code)) return {};
    return Error{ErrorCode::conflict, "the file already exists", file.string(),
                 "name another file, or replace it with --force"};
}

/// Returns the tables to export. A CSV file holds one table; JSON lines name the table they belong to.
std::vector<std::string> wanted_tables(const StoreExportOptions& options, StoreFormat format) {
    if (!options.table.empty()) return {options.table};
    return format == StoreFormat::csv ? std::vector<std::string>{"step"} : control::store_tables();
}

/// Returns the node whose store was written by the newest process. Skips nodes that cannot be queried.
Result<NodeId> find_holder(Session& session, const Sid& sid) {
    DIVISI_ASSIGN(const control::ClusterState state, session.snapshot());
    std::optional<std::pair<Incarnation, NodeId>> best;
    Error why{ErrorCode::not_found, "no reachable node has an undamaged state store of this SID", sid.value(),
              "list them with 'divisictl stores'"};
    for (const auto& [id, node] : state.nodes) {
        if (node.state != control::NodeState::ready) continue;
        const auto page = session.ask<StorePage>(control::ReadStore{id, sid, smallest_table, 0, 1}, page_deadline);
        if (!page && page.error().code != ErrorCode::not_found) why = page.error();
        if (page && (!best || page->incarnation > best->first)) best = {page->incarnation, id};
    }
    if (best) return best->second;
    return why;
}

Result<StoreReading> read_tables(Session& session, const StoreExportOptions& options, StoreFormat format) {
    const Sid sid(options.sid);
    NodeId node(options.node);
    if (options.node.empty()) {
        DIVISI_ASSIGN(node, find_holder(session, sid));
    }
    StoreReading reading(node, sid, wanted_tables(options, format));
    while (!reading.done()) {
        DIVISI_ASSIGN(StorePage page, session.ask<StorePage>(reading.next(), page_deadline));
        DIVISI_TRY(reading.take(std::move(page)));
    }
    return reading;
}

void print_written(const Common& common, const StoreReading& read, const std::filesystem::path& file) {
    if (common.json)
        std::printf("{\"file\":%s,\"sid\":%s,\"node\":%s,\"rows\":%lld,\"damaged\":%lld}\n",
                    control::quoted(file.string()).c_str(), control::quoted(read.sid().value()).c_str(),
                    control::quoted(read.node().value()).c_str(), static_cast<long long>(read.rows()),
                    static_cast<long long>(read.damaged()));
    else
        std::printf("wrote %s: %s of %s on %s\n", file.c_str(), counted(read.rows(), "row").c_str(),
                    read.sid().value().c_str(), read.node().value().c_str());
}

}  // namespace

int export_store(const Common& common, const StoreExportOptions& options) {
    const std::filesystem::path file = process::absolute_path(options.output);
    if (const auto checked = check_output(file, options.force); !checked) return print_error(checked.error());
    auto session = open_session(common);
    if (!session) return print_error(session.error());
    const StoreFormat format = control::store_format_of(file);
    const auto read = read_tables(**session, options, format);
    if (!read) return print_error(read.error());
    const std::string text =
        format == StoreFormat::csv ? control::store_csv(read->tables().front()) : control::store_json(*read);
    if (const auto written = file::write_file(file, text, 0644); !written) return print_error(written.error());
    print_written(common, *read, file);
    if (read->damaged() == 0) return 0;
    return print_error({ErrorCode::corrupt, counted(read->damaged(), "row") + " left out: the checksum is wrong",
                        options.sid + " on " + read->node().value(), "the other rows are undamaged"});
}

}  // namespace divisi::ctl
