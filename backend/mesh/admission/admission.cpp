// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/admission/admission.h"

#include <cstdio>
#include <utility>

namespace divisi::mesh::inline admission {
namespace {

/// Burst size of a rate limit, in seconds of its rate. Bursts occur because the set-ups at a task's start arrive
/// together.
constexpr double burst_seconds = 4;
/// Tokens added to the retry budget for each admitted set-up.
constexpr double retry_share = 0.2;
/// Senders repeat an unanswered set-up every second. A sender that is silent for longer than this has given up.
constexpr Duration repeated_within = std::chrono::milliseconds(1'500);

std::string seconds(Duration time) {
    char text[32];
    std::snprintf(text, sizeof text, "%g s", std::chrono::duration<double>(time).count());
    return text;
}

}  // namespace

Admission::Admission(AdmissionConfig config)
    : config_(config),
      authorizer_(most_decisions, config.policy_validity),
      mic_set_ups_(config.mic_set_ups_per_s, burst_seconds * config.mic_set_ups_per_s),
      retries_(config.retries_per_s, burst_seconds * config.retries_per_s),
      refusal_lines_(refusal_lines_per_s, refusal_lines_at_once) {}

bool Admission::admits(const identity::Credentials& sender, const frame::FrameHeader& header, TimePoint now) {
    const FlowKey flow{header.key.task, header.source.sid, header.destination.sid};
    const Asked asked{flow, header.source.incarnation, sender.key};
    const auto known = standings_.find(asked);
    const bool stands = known != standings_.end() && known->second.state != State::waiting && now < known->second.until;
    bool admitted = false;
    if (stands) {
        known->second.last = now;
        admitted = known->second.state == State::admitted;
    } else {
        admitted = set_up(asked, sender, now);
    }
    if (!admitted) ++counters_.refused_frames;
    return admitted;
}

/// Handles a flow that is new or waiting, or whose decision has expired.
bool Admission::set_up(const Asked& asked, const identity::Credentials& sender, TimePoint now) {
    auto standing = standings_.find(asked);
    if (standing == standings_.end()) {
        if (standings_.size() >= most_standings) make_room(now);
        if (standings_.size() >= most_standings) {
            ++counters_.limited;
            return false;
        }
        standing = standings_.try_emplace(asked).first;
        standing->second.since = now;
    }
    Standing& it = standing->second;
    it.sender = sender;
    it.last = now;
    if (it.state == State::refused) {
        it.state = State::waiting;
        it.since = now;
        ++counters_.retries;
        if (!retries_.take(now)) return refuse(asked, it, Outcome::limited, "the retry budget is exhausted", now);
    }
    return judge(asked, it, now);
}

void Admission::set_retries(double per_s) {
    if (per_s == config_.retries_per_s) return;  // unchanged, so keep the rest of the budget
    config_.retries_per_s = per_s;
    retries_ = {per_s, burst_seconds * per_s};
}

bool Admission::judge(const Asked& asked, Standing& standing, TimePoint now) {
    standing.unruled = false;
    const Place* source = place(asked.flow.source);
    const Place* destination = place(asked.flow.destination);
    if (source == nullptr || source->gateway != config_.self) return false;  // the route table may not have arrived yet
    if (asked.flow.task != frame::flow_id(source->task))
        return refuse(asked, standing, Outcome::denied,
                      "the frames belong to another task than the SID of their sender", now);
    const Player player{source->sid, asked.incarnation};
    const Sid& target = destination == nullptr ? source->sid : destination->sid;
    const Decision decision = authorizer_.decide(standing.sender, Action::send, target, now, player);
    (void)authorizer_.take_audit();  // discarded, because the request log also names the flow
    if (decision.unruled && hold(standing, now)) return false;
    if (!decision.allowed) return refuse(asked, standing, Outcome::denied, decision.reason, now);
    if (destination == nullptr) return false;  // the flow waits until the deadline
    if (standing.state == State::waiting && !within_limits(source->task, now))
        return refuse(asked, standing, Outcome::limited,
                      "the task or the MIC sets up more flows per second than this gateway allows", now);
    admit(asked, standing, *destination, decision, now);
    return true;
}

/// Returns whether a flow without a rule must still wait for a rule. Meanwhile none of its frames enter.
bool Admission::hold(Standing& standing, TimePoint now) {
    if (std::exchange(standing.state, State::waiting) != State::waiting) standing.since = now;
    standing.unruled = now - standing.since < rule_grace;
    return standing.unruled;
}

bool Admission::within_limits(const TaskId& task, TimePoint now) {
    const auto [bucket, fresh] =
        task_set_ups_.try_emplace(task, config_.task_set_ups_per_s, burst_seconds * config_.task_set_ups_per_s);
    return bucket->second.take(now) && mic_set_ups_.take(now);
}

void Admission::admit(const Asked& asked, Standing& standing, const Place& destination, const Decision& decision,
                      TimePoint now) {
    standing.until = decision.valid_until;
    standing.gateway = destination.gateway;
    if (std::exchange(standing.state, State::admitted) == State::admitted) return;  // the flow was admitted before
    ++counters_.admitted;
    retries_.add(retry_share);
    log(asked, standing, Outcome::admitted, decision.reason, now);
}

bool Admission::refuse(const Asked& asked, Standing& standing, Outcome outcome, std::string reason, TimePoint now) {
    standing.state = State::refused;
    standing.until = now + refusal_stands;
    if (outcome == Outcome::denied) ++counters_.denied;
    if (outcome == Outcome::unserved) ++counters_.unserved;
    if (outcome == Outcome::limited) ++counters_.limited;
    answer(asked, reason);
    log(asked, standing, outcome, std::move(reason), now);
    return false;
}

void Admission::answer(const Asked& asked, const std::string& reason) {
    if (refusals_.size() < most_requests)
        refusals_.push_back({{asked.flow.source, asked.incarnation}, asked.flow.task, asked.flow.destination, reason});
}

void Admission::log(const Asked& asked, const Standing& standing, Outcome outcome, std::string reason, TimePoint now) {
    const bool line = outcome == Outcome::admitted || refusal_lines_.take(now);
    if (!line || requests_.size() >= most_requests) {
        ++counters_.unlogged;
        return;
    }
    const Place* source = place(asked.flow.source);
    const std::string& subject = asked.key.empty() ? standing.sender.name : asked.key;
    Request request{now, subject, "", name(asked.flow.source), name(asked.flow.destination)};
    request.task = source != nullptr && frame::flow_id(source->task) == asked.flow.task ? source->task.value() : "";
    request.incarnation = asked.incarnation;
    request.outcome = outcome;
    request.reason = std::move(reason);
    request.policy = authorizer_.version();
    request.took = now - standing.since;
    request.flow = asked.flow;
    requests_.push_back(std::move(request));
}

/// Forgets all flows that are not admitted, so that a sender with many requests cannot lock others out.
void Admission::make_room(TimePoint now) {
    for (auto& [asked, standing] : standings_) {
        if (!standing.unruled) continue;
        standing.since = now - rule_grace;  // no room to wait for a rule: the grace period ends now
        (void)judge(asked, standing, now);
    }
    std::erase_if(standings_, [](const auto& entry) { return entry.second.state != State::admitted; });
}

Result<void> Admission::set_policy(PolicySnapshot policy, TimePoint now) {
    DIVISI_TRY(authorizer_.set_policy(std::move(policy), now));
    decide_anew(now);
    return {};
}

void Admission::close(TimePoint now) {
    authorizer_.forget_policy();
    decide_anew(now);
}

void Admission::decide_anew(TimePoint now) {
    std::erase_if(standings_, [](const auto& entry) { return entry.second.state == State::refused; });
    for (auto& [asked, standing] : standings_)
        if (standing.state == State::admitted) (void)judge(asked, standing, now);
}

void Admission::set_places(const std::map<std::uint64_t, Place>& places, TimePoint now) {
    places_ = places;
    std::erase_if(standings_, [&](const auto& entry) {
        const auto& [asked, standing] = entry;
        const Place* source = place(asked.flow.source);
        const bool both = source != nullptr && source->gateway == config_.self && place(asked.flow.destination);
        return standing.state == State::refused || (standing.state == State::admitted && !both);
    });
    std::erase_if(task_set_ups_, [&](const auto& entry) { return entry.second.full(now); });
}

void Admission::tick(TimePoint now) {
    for (auto& [asked, standing] : standings_) {
        // A sender that has sent no request since its rule was removed has ended.
        if (standing.unruled && standing.last >= standing.since && now - standing.since >= rule_grace)
            (void)judge(asked, standing, now);
        const bool unserved = standing.state == State::waiting && !standing.unruled;
        if (unserved && now - standing.since >= config_.deadline) give_up(asked, standing, now);
        if (standing.state == State::admitted) check_route(asked, standing, now);
    }
    // Forget waiting flows whose sender has given up, and flows whose decision expired some time ago.
    std::erase_if(standings_, [&](const auto& entry) {
        const Standing& standing = entry.second;
        if (standing.state == State::waiting) return now - standing.last >= config_.deadline + repeated_within;
        return now >= standing.until + refusal_stands;
    });
}

void Admission::give_up(const Asked& asked, Standing& standing, TimePoint now) {
    if (now - standing.last > repeated_within) return;
    const Place* source = place(asked.flow.source);
    if (source == nullptr || source->gateway != config_.self)
        refuse(asked, standing, Outcome::denied, "no instance of this MIC has the sender's SID", now);
    else
        refuse(asked, standing, Outcome::unserved, "no instance serves this SID; waited " + seconds(config_.deadline),
               now);
}

/// Reports once that no path leads to the flow's destination. Frames that have already arrived wait at this gateway.
void Admission::check_route(const Asked& asked, Standing& standing, TimePoint now) {
    const auto gateway = unreachable_.find(standing.gateway);
    if (gateway == unreachable_.end()) {
        standing.no_route_since.reset();
        standing.told_no_route = false;
        return;
    }
    if (!standing.no_route_since) standing.no_route_since = now;
    if (standing.told_no_route || now - *standing.no_route_since < config_.deadline ||
        now - standing.last > repeated_within)
        return;
    standing.told_no_route = true;
    ++counters_.unserved;
    const std::string reason =
        "no path leads to the gateway " + gateway->second + "; waited " + seconds(config_.deadline);
    answer(asked, reason);
    log(asked, standing, Outcome::unserved, reason, now);
}

std::vector<Refusal> Admission::take_refusals() { return std::exchange(refusals_, {}); }

std::vector<Request> Admission::take_requests(std::size_t most) {
    std::vector<Request> taken;
    for (; !requests_.empty() && taken.size() < most; requests_.pop_front())
        taken.push_back(std::move(requests_.front()));
    return taken;
}

const Place* Admission::place(std::uint64_t sid) const {
    const auto found = places_.find(sid);
    return found == places_.end() ? nullptr : &found->second;
}

std::string Admission::name(std::uint64_t sid) const {
    if (const Place* known = place(sid)) return known->sid.value();
    char text[18];
    std::snprintf(text, sizeof text, "#%016llx", static_cast<unsigned long long>(sid));
    return text;
}

}  // namespace divisi::mesh::inline admission
