// SPDX-License-Identifier: Apache-2.0
// divisictl stores: lists the state stores of all nodes, read through the orchestrator.
#include <algorithm>
#include <cstdio>

#include "backend/base/units.h"
#include "backend/control/types/store_types.h"
#include "backend/ctl/terminal/commands.h"
#include "backend/ctl/terminal/json_output.h"
#include "backend/ctl/terminal/terminal.h"

namespace divisi::ctl {
namespace {

using control::StoreCell;
using control::StorePage;
using control::StoreView;

/// Time limit of a query; longer than the orchestrator waits for a node.
constexpr Duration answer_deadline = std::chrono::seconds(25);
constexpr const char* time_ending = "_ns";

/// Returns the nodes that can be queried, sorted by name. Prints all other nodes on standard error.
std::vector<NodeId> nodes_to_ask(const control::ClusterState& state) {
    std::vector<NodeId> nodes;
    for (const auto& [id, node] : state.nodes) {
        if (node.state == control::NodeState::ready) nodes.push_back(id);
        else if (node.state != control::NodeState::left)
            std::fprintf(stderr, "%s is %s: its stores cannot be read now\n", id.value().c_str(),
                         to_string(node.state));
    }
    return nodes;
}

Result<std::vector<StoreView>> stores_of(Session& session, const NodeId& node) {
    std::vector<StoreView> stores;
    while (true) {
        const std::string after = stores.empty() ? "" : stores.back().file;
        DIVISI_ASSIGN(auto list, session.ask<control::StoreList>(control::ListStores{node, after}, answer_deadline));
        std::move(list.stores.begin(), list.stores.end(), std::back_inserter(stores));
        if (!list.more || list.stores.empty()) return stores;
    }
}

nlohmann::ordered_json json_of(const NodeId& node, const StoreView& store) {
    nlohmann::ordered_json line{{"node", node.value()},
                                {"sid", store.sid.value()},
                                {"file", store.file},
                                {"incarnation", store.incarnation},
                                {"generation", store.generation},
                                {"step", store.step},
                                {"bytes", store.size},
                                {"written", to_ms(store.written.time_since_epoch()) / 1e3},
                                {"state", store.damage ? "damaged" : "whole"}};
    if (store.damage) line["damage"] = store.damage->message();
    return line;
}

std::vector<std::string> row_of(const NodeId& node, const StoreView& store) {
    return {node.value(),
            store.sid.value().empty() ? store.file : store.sid.value(),
            std::to_string(store.incarnation),
            std::to_string(store.step),
            format_bytes(store.size),
            clock_time(store.written),
            store.damage ? "damaged: " + store.damage->what : "whole"};
}

/// Rows of one table of one SID, newest first.
struct Rows {
    NodeId node;
    StorePage page;  ///< the rows of all pages
};

control::ReadStore question(const NodeId& node, const StoreOptions& options, const StorePage& so_far) {
    const auto have = static_cast<std::int64_t>(so_far.rows.size()) + so_far.damaged;
    return {node, Sid(options.sid), options.table, so_far.before, options.last - have};
}

/// Returns the first page from the node whose store was written by the newest process. Prints the errors of other nodes
/// and sets `status`.
Result<Rows> find_rows(Session& session, const std::vector<NodeId>& nodes, const StoreOptions& options, int& status) {
    std::optional<Rows> found;
    for (const NodeId& node : nodes) {
        auto page = session.ask<StorePage>(question(node, options, {}), answer_deadline);
        if (page) {
            if (!found || page->incarnation > found->page.incarnation) found = Rows{node, *std::move(page)};
        } else if (page.error().code == ErrorCode::invalid_input) {
            return std::move(page).error();
        } else if (page.error().code != ErrorCode::not_found) {
            status = print_error(page.error());
        }
    }
    if (found) return *std::move(found);
    return Error{ErrorCode::not_found, "no reachable node has an undamaged state store of this SID", options.sid,
                 "list them with 'divisictl stores'"};
}

Result<void> read_on(Session& session, Rows& rows, const StoreOptions& options) {
    while (rows.page.before != 0) {
        const auto next = question(rows.node, options, rows.page);
        if (next.limit <= 0) return {};
        DIVISI_ASSIGN(StorePage page, session.ask<StorePage>(next, answer_deadline));
        std::move(page.rows.begin(), page.rows.end(), std::back_inserter(rows.page.rows));
        rows.page.damaged += page.damaged;
        rows.page.before = page.before;
    }
    return {};
}

nlohmann::ordered_json json_of(const StoreCell& cell) {
    if (cell.whole) return *cell.whole;
    if (cell.real) return *cell.real;
    if (cell.text) return *cell.text;
    return nullptr;
}

std::string text_of(const StoreCell& cell, const std::string& column) {
    char real[32] = "";
    if (cell.real) std::snprintf(real, sizeof real, "%.6g", *cell.real);
    if (cell.whole && column.ends_with(time_ending)) return clock_time(TimePoint(Duration(*cell.whole)));
    return cell.whole ? std::to_string(*cell.whole) : cell.text ? *cell.text : std::string(real);
}

void print_json_rows(const Rows& rows, const StoreOptions& options) {
    for (const control::StoreRow& row : rows.page.rows) {
        nlohmann::ordered_json values;
        for (std::size_t i = 0; i < row.cells.size(); ++i) values[rows.page.columns[i]] = json_of(row.cells[i]);
        print_json({{"node", rows.node.value()}, {"sid", options.sid}, {"table", options.table}, {"row", values}});
    }
}

void print_rows(const Rows& rows, const StoreOptions& options) {
    std::printf("%s on %s, incarnation %llu: table %s, %s\n", options.sid.c_str(), rows.node.value().c_str(),
                static_cast<unsigned long long>(rows.page.incarnation), options.table.c_str(),
                counted(static_cast<std::int64_t>(rows.page.rows.size()), "row").c_str());
    std::vector<std::string> header;
    for (const std::string& column : rows.page.columns) {
        std::string name = column.ends_with(time_ending) ? column.substr(0, column.size() - 3) : column;
        for (char& c : name) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        header.push_back(name);
    }
    std::vector<std::vector<std::string>> table;
    for (const control::StoreRow& row : rows.page.rows) {
        std::vector<std::string>& line = table.emplace_back();
        for (std::size_t i = 0; i < header.size(); ++i) line.push_back(text_of(row.cells[i], rows.page.columns[i]));
    }
    if (!table.empty()) print_table(header, table);
}

/// Fails if a row's cells do not match the columns. A node with another version could send such a row.
Result<void> check_cells(const Rows& rows) {
    for (const control::StoreRow& row : rows.page.rows)
        if (row.cells.size() != rows.page.columns.size())
            return Error{ErrorCode::corrupt, "the node sent a row whose cells do not match the columns",
                         rows.node.value(), "run the same Divisi version on all machines"};
    return {};
}

}  // namespace

int list_stores(const Common& common) {
    auto session = open_session(common);
    if (!session) return print_error(session.error());
    const auto state = (*session)->snapshot();
    if (!state) return print_error(state.error());
    int status = 0;
    std::vector<std::vector<std::string>> rows;
    for (const NodeId& node : nodes_to_ask(*state)) {
        const auto stores = stores_of(**session, node);
        if (!stores) status = print_error(stores.error());
        if (!stores) continue;
        for (const StoreView& store : *stores) {
            if (common.json) print_json(json_of(node, store));
            rows.push_back(row_of(node, store));
        }
    }
    if (common.json) return status;
    if (rows.empty()) std::puts("no state stores: no instance has run on the connected nodes");
    else print_table({"NODE", "SID", ">INCARNATION", ">STEP", ">SIZE", "WRITTEN", "STATE"}, rows);
    return status;
}

int show_store(const Common& common, const StoreOptions& options) {
    auto session = open_session(common);
    if (!session) return print_error(session.error());
    std::vector<NodeId> nodes{NodeId(options.node)};
    if (options.node.empty()) {
        const auto state = (*session)->snapshot();
        if (!state) return print_error(state.error());
        nodes = nodes_to_ask(*state);
    }
    int status = 0;
    auto rows = find_rows(**session, nodes, options, status);
    if (!rows) return print_error(rows.error());
    if (const auto read = read_on(**session, *rows, options); !read) return print_error(read.error());
    if (const auto checked = check_cells(*rows); !checked) return print_error(checked.error());
    std::reverse(rows->page.rows.begin(), rows->page.rows.end());
    if (common.json) print_json_rows(*rows, options);
    else print_rows(*rows, options);
    if (rows->page.damaged == 0) return status;
    return print_error(
        {ErrorCode::corrupt,
         counted(rows->page.damaged, "row") + " of table " + options.table + " left out: the checksum is wrong",
         options.sid + " on " + rows->node.value(), "the other rows are undamaged"});
}

}  // namespace divisi::ctl
