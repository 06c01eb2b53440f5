// SPDX-License-Identifier: Apache-2.0
#include "backend/embed/members.h"

#include <fcntl.h>
#include <sys/file.h>

#include <thread>
#include <utility>

#include "backend/control/agent/node_agent.h"
#include "backend/process/lifeline.h"

namespace divisi::embed {
namespace {

using std::chrono::steady_clock;

/// Free bytes below which an event log cannot grow by its next transaction.
constexpr std::uintmax_t least_free = 1 << 20;
constexpr std::chrono::milliseconds lock_interval{10};
/// Lowest descriptor number for locks; a child's own descriptors stay below it.
constexpr int first_free_fd = 10;

static_assert(dismissal_rest > control::farewell_grace + control::kill_grace + control::heartbeat_interval);

/// Counts a death. `why`: the error to report if this death makes the member hopeless.
Result<void> count_death(Member& member, steady_clock::duration lived, Error why, Supervision& result) {
    member.crashes.count(lived);
    if (!member.crashes.hopeless()) return {};
    if (!member.may_die) return why;
    if (member.crashes.newly_hopeless()) result.failing.push_back(std::move(why));
    return {};
}

std::string does_not_stay_up(const Member& member) {
    const std::string again = ", and is restarted every " + std::to_string(retry_interval.count()) + " s";
    return member.name + " ends soon after each start" + (member.may_die ? again : "");
}

/// Restarts a member that has died, unless its restart delay has not passed yet.
Result<void> start_again(Member& member, Supervision& result) {
    if (member.crashes.hopeless() && steady_clock::now() < member.started + retry_interval) return {};
    const auto begun = launch(member);
    if (!begun && !member.may_die) return begun.error();
    if (!begun) return count_death(member, {}, begun.error(), result);
    if (!member.crashes.hopeless()) result.restarted.push_back(member.name);
    return {};
}

/// Returns whether a member that ended after its dismissal must still wait before its restart.
bool rests(Member& member) {
    const auto now = steady_clock::now();
    if (!member.rests_until) member.rests_until = now + dismissal_rest;
    member.down = true;
    return now < *member.rests_until;
}

}  // namespace

Error death(const std::string& what, const Member& member, const std::filesystem::path& data) {
    std::error_code code;
    const auto space = std::filesystem::space(data, code);
    if (!code && space.available < least_free)
        return {ErrorCode::exhausted, what + ": the disk is full", data.string(),
                "free some space, or set DIVISI_DATA to another folder"};
    return {ErrorCode::unavailable, what, member.spec.log.string(), member.child->log_tail(600)};
}

Result<void> launch(Member& member) {
    member.started = steady_clock::now();
    auto child = process::Child::start(member.spec);
    if (!child) return child.error();
    member.child = std::make_unique<process::Child>(std::move(*child));
    member.down = false;
    member.rests_until.reset();
    return {};
}

bool told_to_end(const Member& member, const process::ExitStatus& status) {
    return status.signal == 0 && status.code == (member.name == orchestrator ? 0 : process::exit_dismissed);
}

bool has_stopped(const Member& member) {
    const auto status = member.child ? member.child->poll() : std::nullopt;
    return status && status->code == process::exit_stopped && status->signal == 0;
}

Result<Supervision> supervise(std::vector<Member>& members, const std::filesystem::path& data) {
    Supervision result;
    std::size_t dismissed = 0, idle = 0;  // idle: stopped, or waiting for its next start
    for (Member& member : members) {
        const auto status = member.child->poll();
        if (!status) continue;
        if (has_stopped(member)) {
            if (!std::exchange(member.down, true)) result.stopped.push_back(member.listed);
            ++idle;
            continue;
        }
        if (told_to_end(member, *status)) {
            if (member.name == orchestrator) {
                result.ended = true;
                return result;
            }
            if (rests(member)) {
                ++dismissed;
                continue;
            }
        }
        if (!std::exchange(member.down, true))
            DIVISI_TRY(count_death(member, steady_clock::now() - member.started,
                                   death(does_not_stay_up(member), member, data), result));
        DIVISI_TRY(start_again(member, result));
        if (member.down) ++idle;
    }
    result.ended = dismissed > 0 && dismissed + idle == members.size();
    return result;
}

file::Descriptor open_folder(const std::filesystem::path& folder) {
    const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    file::Descriptor low(fd);
    return file::Descriptor(fd < 0 ? -1 : ::fcntl(fd, F_DUPFD_CLOEXEC, first_free_fd));
}

bool take_lock(const file::Descriptor& folder, std::chrono::milliseconds limit,
               const std::function<bool()>& cancelled) {
    const auto deadline = steady_clock::now() + limit;
    while (::flock(folder.get(), LOCK_EX | LOCK_NB) != 0) {
        if (steady_clock::now() > deadline || (cancelled && cancelled())) return false;
        std::this_thread::sleep_for(lock_interval);
    }
    return true;
}

}  // namespace divisi::embed
