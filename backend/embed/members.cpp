// SPDX-License-Identifier: Apache-2.0
#include "backend/embed/members.h"

namespace divisi::embed {
namespace {

using std::chrono::steady_clock;

/// A program that dies this soon after its start, this often, will not stay up.
constexpr std::chrono::seconds quick_death{5};
constexpr int most_quick_deaths = 5;
/// With less, an event log cannot grow by its next transaction.
constexpr std::uintmax_t least_free = 1 << 20;

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
    auto child = process::Child::start(member.spec);
    if (!child) return child.error();
    member.child = std::make_unique<process::Child>(std::move(*child));
    member.started = steady_clock::now();
    return {};
}

Result<Supervision> supervise(std::vector<Member>& members, const std::function<bool(const Member&)>& ends,
                              const std::filesystem::path& data) {
    Supervision result;
    for (Member& member : members) {
        const auto status = member.child->poll();
        if (!status) continue;
        if (status->code == 0 && status->signal == 0 && ends(member)) {
            result.ended = true;
            return result;
        }
        const bool quick = steady_clock::now() - member.started < quick_death;
        // Routers are killed on purpose (`divisictl fault kill-router`), as often as one likes.
        if (member.may_die && quick && member.quick_deaths == most_quick_deaths) continue;
        member.quick_deaths = quick ? member.quick_deaths + 1 : 0;
        if (member.quick_deaths > most_quick_deaths) return death(member.name + " does not stay up", member, data);
        result.restarted.push_back(member.name);
        DIVISI_TRY(launch(member));
    }
    return result;
}

}  // namespace divisi::embed
