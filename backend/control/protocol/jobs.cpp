// SPDX-License-Identifier: Apache-2.0
#include "backend/control/protocol/jobs.h"

#include <algorithm>

#include "backend/control/types/error_texts.h"

namespace divisi::control::inline protocol {
namespace {

/// Names of the kinds of jobs, by their position in Job::What.
constexpr const char* job_names[] = {"plans",   "submissions",           "searches of the log", "trials of a policy",
                                     "backups", "searches of the lines", "trials of other cuts"};
static_assert(std::size(job_names) == std::variant_size_v<Job::What>);

}  // namespace

Result<Job> JobBook::open(Asked asked, Job::What what, JobLimit limit) {
    const std::size_t kind = what.index(), all = count(kind), own = count(kind, asked.peer);
    if (own >= limit.of_peer || all >= limit.of_all) {
        const bool own_fault = own >= limit.of_peer;
        return own_fault
                   ? make_error(error_text("own-job-pending"), job_names[kind])
                   : make_error(error_text("too-many-jobs"), job_names[kind], {std::to_string(all), job_names[kind]});
    }
    const JobId id(++last_);
    open_[id] = {std::move(asked), kind};
    return Job{id, std::move(what)};
}

std::optional<JobBook::Asked> JobBook::close(JobId job) {
    auto entry = open_.extract(job);
    if (entry.empty()) return std::nullopt;
    return std::move(entry.mapped().asked);
}

bool JobBook::planning(const TaskId& task) const {
    return std::any_of(open_.begin(), open_.end(),
                       [&](const auto& entry) { return entry.second.asked.queued == task; });
}

std::size_t JobBook::count(std::size_t kind, std::optional<PeerId> peer) const {
    return static_cast<std::size_t>(std::count_if(open_.begin(), open_.end(), [&](const auto& entry) {
        return entry.second.kind == kind && (!peer || entry.second.asked.peer == *peer);
    }));
}

}  // namespace divisi::control::inline protocol
