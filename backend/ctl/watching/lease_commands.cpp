// SPDX-License-Identifier: Apache-2.0
// divisictl leases and receipts: shows the leases of tasks on nodes, and their consumption.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "backend/base/units.h"
#include "backend/control/protocol/receipt_book.h"
#include "backend/control/types/receipt.h"
#include "backend/ctl/terminal/commands.h"
#include "backend/ctl/terminal/json_output.h"
#include "backend/ctl/terminal/terminal.h"
#include "backend/file/atomic_file.h"
#include "backend/store/receipt_export.h"
#include "backend/store/receipt_key.h"

namespace divisi::ctl {
namespace {

using control::LeaseView;
using control::Receipt;
using control::Usage;
using nlohmann::ordered_json;

constexpr const char* unknown = "-";

std::string seconds(const std::optional<std::int64_t>& milliseconds) {
    if (!milliseconds) return unknown;
    char text[40];
    std::snprintf(text, sizeof text, "%.3f s", static_cast<double>(*milliseconds) / 1e3);
    return text;
}
std::string joules(const std::optional<std::int64_t>& millijoules) {
    if (!millijoules) return unknown;
    char text[40];
    std::snprintf(text, sizeof text, "%.3f J", static_cast<double>(*millijoules) / 1e3);
    return text;
}
std::string bytes(const std::optional<std::int64_t>& count) { return count ? format_bytes(*count) : unknown; }

ordered_json figure(const std::optional<std::int64_t>& value) { return value ? ordered_json(*value) : ordered_json(); }

// --- leases -----------------------------------------------------------------------------------

TimePoint since(const LeaseView& view) {
    return std::max({view.granted, view.activated, view.finished, view.reclaimed});
}

std::string state_of(const LeaseView& view) {
    return std::string(to_string(view.state)) + (view.presumed ? " (presumed)" : "");
}

/// Returns the gateway that activated the lease with the first data, or "orchestrator".
std::string activated_by(const LeaseView& view) {
    if (view.activated == TimePoint{}) return unknown;
    return view.activated_by.empty() ? "orchestrator" : view.activated_by;
}

/// Prints a lease and, if the cluster still knows the task, the resources that the task asked for.
void print_lease(const LeaseView& view, const control::ClusterState& state) {
    const control::Lease& lease = view.lease;
    const auto task = state.tasks.find(lease.task);
    const auto asked = [&](auto field) {
        return task == state.tasks.end() ? ordered_json() : ordered_json(task->second.*field);
    };
    print_json(
        {{"lease", lease.number},
         {"share", lease.share},
         {"task", lease.task.value()},
         {"instance", lease.instance.value()},
         {"node", lease.node.value()},
         {"consumer", lease.consumer},
         {"category", to_string(lease.terms.category)},
         {"device", lease.terms.device},
         {"threads", lease.terms.threads},
         {"precision", "fp32"},
         {"memory", asked(&control::TaskView::memory)},
         {"exclusive", asked(&control::TaskView::exclusive)},
         {"most_seconds", asked(&control::TaskView::most_seconds)},
         {"state", to_string(view.state)},
         {"since", clock_time(since(view))},
         {"activated", view.activated == TimePoint{} ? ordered_json() : ordered_json(clock_time(view.activated))},
         {"activated_by", view.activated == TimePoint{} ? ordered_json() : ordered_json(activated_by(view))},
         {"presumed", view.presumed},
         {"reason", view.reason},
         {"receipt", view.receipt == 0 ? ordered_json() : ordered_json(view.receipt)},
         {"cpu_ms", figure(view.usage.cpu_ms)},
         {"peak_memory", figure(view.usage.peak_memory)}});
}

void print_leases(const std::vector<const LeaseView*>& leases) {
    std::vector<std::vector<std::string>> rows;
    for (const LeaseView* view : leases) {
        const control::Lease& lease = view->lease;
        rows.push_back({std::to_string(lease.number), std::to_string(lease.share), lease.consumer, lease.node.value(),
                        lease.terms.device, std::to_string(lease.terms.threads), state_of(*view),
                        clock_time(since(*view)), activated_by(*view),
                        view->receipt == 0 ? unknown : std::to_string(view->receipt), lease.instance.value()});
    }
    print_table({">LEASE", ">SHARE", "CONSUMER", "NODE", "DEVICE", ">THREADS", "STATE", "SINCE", "ACTIVATED BY",
                 ">RECEIPT", "INSTANCE"},
                rows);
}

// --- receipts ---------------------------------------------------------------------------------

/// Returns the receipts in the log, oldest first. `task`: only receipts of this task; empty: all.
Result<std::vector<Receipt>> fetch_receipts(Session& session, const std::string& task) {
    control::ReceiptBook book(task);
    while (!book.complete()) {
        DIVISI_ASSIGN(const control::LogPage page, session.ask<control::LogPage>(book.next()));
        book.take(page);
    }
    return book.receipts();
}

/// Returns whether the column holds numbers. Unknown values in these columns are null.
bool is_number(const std::string& column) {
    for (const char* name : {"receipt", "lease", "threads", "cpu_ms", "gpu_ms", "energy_mj", "peak_memory",
                             "bytes_sent", "bytes_received"})
        if (column == name) return true;
    return false;
}

ordered_json receipt_json(const Receipt& receipt) {
    const std::vector<std::string> fields = control::receipt_fields(receipt);
    ordered_json line;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const std::string& column = control::receipt_columns()[i];
        if (column == "presumed") line[column] = receipt.presumed;
        else if (!is_number(column)) line[column] = fields[i];
        else line[column] = fields[i].empty() ? ordered_json() : ordered_json(std::stoull(fields[i]));
    }
    return line;
}

void print_receipts(const std::vector<Receipt>& receipts) {
    std::vector<std::vector<std::string>> rows;
    for (const Receipt& one : receipts) {
        const Usage& usage = one.usage;
        rows.push_back({std::to_string(one.number), std::to_string(one.lease.number), one.lease.consumer,
                        one.lease.node.value(), clock_time(one.reclaimed), one.presumed ? "presumed" : "",
                        seconds(usage.cpu_ms), seconds(usage.gpu_ms), joules(usage.energy_mj), bytes(usage.peak_memory),
                        bytes(usage.bytes_sent), bytes(usage.bytes_received), one.lease.instance.value()});
    }
    print_table({">RECEIPT", ">LEASE", "CONSUMER", "NODE", "RECLAIMED", "HOW", ">CPU", ">GPU", ">ENERGY", ">MEMORY",
                 ">SENT", ">RECEIVED", "INSTANCE"},
                rows);
}

// --- checking exported receipts ---------------------------------------------------------------

std::string text_of(const ordered_json& value) {
    if (value.is_null()) return {};
    return value.is_string() ? value.get<std::string>() : value.dump();
}

Result<store::ReceiptRows> rows_of_json(const std::string& text, const std::string& file) {
    store::ReceiptRows rows;
    std::size_t begin = 0;
    while (begin < text.size()) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string where = file + ", row " + std::to_string(rows.size() + 1);
        const auto line = ordered_json::parse(text.substr(begin, end - begin), nullptr, false);
        begin = end + 1;
        if (!line.is_object()) return store::no_export(where);
        std::vector<std::string>& fields = rows.emplace_back();
        for (const std::string& column : control::receipt_columns()) {
            if (!line.contains(column)) return store::no_export(where);
            fields.push_back(text_of(line[column]));
        }
    }
    return rows;
}

Result<control::ReceiptCheck> check_file(const std::string& file, const std::string& key, bool part) {
    DIVISI_ASSIGN(const std::string digits, store::read_public_key(key));
    DIVISI_ASSIGN(const std::string text, file::read_text(file, "export of receipts", "check the path"));
    // Without receipts, a JSON lines file is empty, and a CSV file has only the column names.
    const bool json = text.empty() || text.starts_with("{");
    DIVISI_ASSIGN(const auto rows, json ? rows_of_json(text, file) : store::receipt_rows(text, file));
    control::ReceiptCheck check = store::receipt_check(digits, part);
    std::size_t row = json ? 0 : 1;  // the first row of CSV is the column names
    for (const auto& fields : rows) DIVISI_TRY(check.take(fields, file + ", row " + std::to_string(++row)));
    return check;
}

}  // namespace

int list_leases(const Common& common, const std::string& task) {
    auto session = open_session(common);
    if (!session) return print_error(session.error());
    const auto state = (*session)->snapshot();
    if (!state) return print_error(state.error());
    std::vector<const LeaseView*> leases;
    for (const auto& [number, view] : state->leases)
        if (task.empty() || view.lease.task.value() == task) leases.push_back(&view);
    if (common.json) {
        for (const LeaseView* view : leases) print_lease(*view, *state);
    } else if (leases.empty()) {
        std::puts("no leases: none of the known tasks was placed on a node");
    } else {
        print_leases(leases);
    }
    return 0;
}

int list_receipts(const Common& common, const std::string& task, const std::string& file) {
    auto session = open_session(common);
    if (!session) return print_error(session.error());
    const auto receipts = fetch_receipts(**session, task);
    if (!receipts) return print_error(receipts.error());
    if (!file.empty()) {
        if (auto written = file::write_file(file, control::receipts_csv(*receipts), 0644); !written)
            return print_error(written.error());
        if (common.json) print_json({{"file", file}, {"receipts", receipts->size()}});
        else
            std::printf("%s written to %s\n", counted(static_cast<std::int64_t>(receipts->size()), "receipt").c_str(),
                        file.c_str());
    } else if (common.json) {
        for (const Receipt& one : *receipts) print_json(receipt_json(one));
    } else if (receipts->empty()) {
        std::puts("no receipts: no lease was reclaimed yet");
    } else {
        print_receipts(*receipts);
    }
    return 0;
}

int show_receipt_key(const Common& common) {
    auto session = open_session(common);
    if (!session) return print_error(session.error());
    const auto state = (*session)->snapshot();
    if (!state) return print_error(state.error());
    const std::string& key = state->lease_book.key;
    if (key.empty())
        return print_error({ErrorCode::not_found, "the orchestrator has no key for receipts",
                            (*session)->connection().endpoint, "run the same Divisi version on all machines"});
    if (common.json) print_json({{"public_key", key}, {"pem", store::public_key_pem(key)}});
    else std::fputs(store::public_key_pem(key).c_str(), stdout);
    return 0;
}

int verify_receipts(const Common& common, const std::string& file, const std::string& key, bool part) {
    const auto check = check_file(file, key, part);
    if (!check) return print_error(check.error());
    if (common.json) print_json({{"receipts", check->count()}, {"last", check->last()}});
    else if (check->count() == 0) std::puts("the file has no receipts");
    else
        std::printf("%s, up to number %llu: all signed with this key%s\n",
                    counted(static_cast<std::int64_t>(check->count()), "receipt").c_str(),
                    static_cast<unsigned long long>(check->last()),
                    part ? ", and unchanged" : ", unchanged, and none before it is missing");
    return 0;
}

}  // namespace divisi::ctl
