// SPDX-License-Identifier: Apache-2.0
#include "backend/control/queue/reservations.h"

#include <algorithm>

#include "backend/control/protocol/input_limits.h"
#include "backend/control/state/pools.h"
#include "backend/control/types/error_texts.h"

namespace divisi::control::inline queue {
namespace {

constexpr std::size_t most_reservations = 1024;
constexpr std::size_t most_names = 256;  // node names in one reservation
constexpr std::chrono::seconds longest_reservation = std::chrono::hours(24 * 366), farthest = longest_reservation;

constexpr const char* where = "reservation";

Result<void> check_sizes(const Reservation& wanted) {
    const std::size_t longest = std::max({wanted.pool.size(), wanted.submitter.size(), wanted.task.value().size()});
    const bool names_fit = std::all_of(wanted.nodes.begin(), wanted.nodes.end(),
                                       [](const std::string& name) { return name.size() <= longest_word; });
    if (longest <= longest_word && names_fit && wanted.nodes.size() <= most_names) return {};
    return make_error(error_text("reservation-too-large"), where);
}

Result<void> check_nodes(const ClusterState& state, const Reservation& wanted) {
    DIVISI_TRY(check_pool(state, wanted.pool, where));
    DIVISI_TRY(check_names(state, wanted.nodes, where));
    if (wanted.pool.empty() && wanted.nodes.empty()) return make_error(error_text("reservation-without-nodes"), where);
    const bool any = std::any_of(state.nodes.begin(), state.nodes.end(),
                                 [&](const auto& entry) { return is_reserved(state, wanted, entry.second.info); });
    if (any) return {};
    return make_error(error_text("reservation-of-no-node"), where);
}

Result<void> check_whom(const ClusterState& state, const Reservation& wanted) {
    const std::string& task = wanted.task.value();
    if (wanted.submitter.empty() == task.empty()) return make_error(error_text("reservation-for-nobody"), where);
    const auto found = state.tasks.find(wanted.task);
    if (task.empty() || (found != state.tasks.end() && !found->second.over())) return {};
    return make_error(error_text("reservation-task-unknown"), where, {task});
}

/// Checks that no other reservation holds one of the nodes at the same time.
Result<void> check_others(const ClusterState& state, const Reservation& wanted) {
    for (const auto& [number, other] : state.reservations) {
        if (other.until <= wanted.from || wanted.until <= other.from) continue;
        for (const auto& [id, node] : state.nodes)
            if (is_reserved(state, other, node.info) && is_reserved(state, wanted, node.info))
                return make_error(error_text("reservation-conflict"), where, {id.value(), std::to_string(number)});
    }
    return {};
}

}  // namespace

void Reservations::handle(const Received& received, const Reserve& message) {
    const auto wanted = checked(message, context_.sessions().at(received.peer).credentials.name);
    if (!wanted) return context_.refuse(received, wanted.error());
    context_.append(ReservationMade{*wanted});
    context_.answer(received, Reserved{wanted->number});
}

void Reservations::handle(const Received& received, const CancelReservation& message) {
    if (!context_.state().reservations.contains(message.number))
        return context_.refuse(received, make_error(error_text("no-such-reservation"), std::to_string(message.number)));
    context_.append(
        ReservationEnded{message.number, "cancelled by " + context_.sessions().at(received.peer).credentials.name});
    context_.answer(received, Done{});
}

Result<Reservation> Reservations::checked(const Reserve& message, const std::string& by) const {
    const ClusterState& state = context_.state();
    Reservation wanted = message.wanted;
    DIVISI_TRY(check_sizes(wanted));
    const std::chrono::seconds length(std::clamp<std::int64_t>(message.seconds, 0, longest_reservation.count() + 1));
    if (length <= length.zero() || length > longest_reservation)
        return make_error(error_text("reservation-length"), where);
    if (wanted.from == TimePoint{}) wanted.from = context_.now();
    if (wanted.from < context_.now()) return make_error(error_text("reservation-in-the-past"), where);
    if (wanted.from > context_.now() + farthest) return make_error(error_text("reservation-too-far"), where);
    wanted.until = wanted.from + length;
    wanted.by = by;
    wanted.number = state.sequence + 1;  // number of the event that creates the reservation
    DIVISI_TRY(check_whom(state, wanted));
    DIVISI_TRY(check_nodes(state, wanted));
    DIVISI_TRY(check_others(state, wanted));
    if (state.reservations.size() < most_reservations) return wanted;
    return make_error(error_text("too-many-reservations"), where, {std::to_string(most_reservations)});
}

void Reservations::check_deadlines() {
    std::vector<std::pair<std::uint64_t, const char*>> over;
    bool begun = false;
    for (const auto& [number, reservation] : context_.state().reservations) {
        begun |= looked_ < reservation.from && reservation.from <= context_.now();
        const auto task = context_.state().tasks.find(reservation.task);
        const bool done = task == context_.state().tasks.end() || task->second.over();
        if (!reservation.task.value().empty() && done) over.emplace_back(number, "its task is over");
        else if (reservation.until <= context_.now()) over.emplace_back(number, "its time is over");
    }
    for (const auto& [number, why] : over) context_.append(ReservationEnded{number, why});
    looked_ = context_.now();
    if (begun) begun_();
}

std::optional<TimePoint> Reservations::next_deadline() const {
    std::optional<TimePoint> next;
    for (const auto& [number, reservation] : context_.state().reservations)
        for (const TimePoint at : {reservation.from, reservation.until})
            if (at > looked_ && (!next || at < *next)) next = at;
    if (!next) return std::nullopt;
    return context_.lived() + (*next - context_.now());
}

}  // namespace divisi::control::inline queue
