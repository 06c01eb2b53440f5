// SPDX-License-Identifier: Apache-2.0
// divisictl reserve: reserves nodes for a submitter or a task for a time.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "backend/ctl/terminal/commands.h"
#include "backend/ctl/terminal/json_output.h"
#include "backend/ctl/terminal/terminal.h"
#include "backend/ctl/terminal/times.h"

namespace divisi::ctl {
namespace {

using control::Reservation;
using nlohmann::ordered_json;

std::string nodes_text(const Reservation& one) {
    std::string text = one.pool.empty() ? "" : "pool " + one.pool;
    for (const std::string& node : one.nodes) text += (text.empty() ? "" : ", ") + node;
    return text;
}

std::string whom(const Reservation& one) { return one.submitter.empty() ? "task " + one.task.value() : one.submitter; }

Result<control::Reserve> request_of(const ReserveOptions& options, TimePoint now) {
    control::Reserve request;
    request.wanted.pool = options.pool;
    request.wanted.nodes = options.nodes;
    request.wanted.submitter = options.submitter;
    request.wanted.task = TaskId(options.task);
    DIVISI_ASSIGN(request.seconds, parse_seconds(options.length));
    if (options.from.empty()) return request;
    DIVISI_ASSIGN(request.wanted.from, parse_time(options.from, now));
    return request;
}

}  // namespace

int list_reservations(const Common& common) {
    auto session = open_session(common);
    if (!session) return print_error(session.error());
    const auto state = (*session)->snapshot();
    if (!state) return print_error(state.error());
    std::vector<std::vector<std::string>> rows;
    for (const auto& [number, one] : state->reservations) {
        if (common.json)
            std::puts(ordered_json{{"reservation", number},
                                   {"pool", one.pool},
                                   {"nodes", one.nodes},
                                   {"submitter", one.submitter},
                                   {"task", one.task.value()},
                                   {"from", clock_time(one.from)},
                                   {"until", clock_time(one.until)},
                                   {"by", one.by}}
                          .dump(-1, ' ', false, ordered_json::error_handler_t::replace)
                          .c_str());
        rows.push_back(
            {std::to_string(number), nodes_text(one), whom(one), clock_time(one.from), clock_time(one.until), one.by});
    }
    if (common.json) return 0;
    if (rows.empty())
        std::puts("no reservations; make one with 'divisictl reserve add --nodes \"mic-1/*\" --for 2h ...'");
    else print_table({">NUMBER", "NODES", "FOR", "FROM", "UNTIL", "MADE BY"}, rows);
    return 0;
}

int add_reservation(const Common& common, const ReserveOptions& options) {
    auto session = open_session(common, control::Role::operate);
    if (!session) return print_error(session.error());
    const auto request = request_of(options, (*session)->now());
    if (!request) return print_error(request.error());
    const auto reply = (*session)->ask<control::Reserved>(*request);
    if (!reply) return print_error(reply.error());
    if (common.json) print_json({{"reservation", reply->number}});
    else std::printf("reservation %llu is made\n", static_cast<unsigned long long>(reply->number));
    return 0;
}

int cancel_reservation(const Common& common, std::uint64_t number) {
    auto session = open_session(common, control::Role::operate);
    if (!session) return print_error(session.error());
    const auto reply = (*session)->ask<control::Done>(control::CancelReservation{number});
    if (!reply) return print_error(reply.error());
    if (common.json) std::puts("{\"done\":true}");
    else std::printf("reservation %llu is cancelled\n", static_cast<unsigned long long>(number));
    return 0;
}

}  // namespace divisi::ctl
