// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "backend/frame/frame.h"
#include "backend/mesh/admission/authorization.h"
#include "backend/mesh/base/device.h"
#include "backend/mesh/base/place.h"
#include "backend/mesh/base/token_bucket.h"

namespace divisi::mesh::inline admission {

struct AdmissionConfig {
    RoutingId self;
    /// Time for which gateways use a policy that is not confirmed; afterwards they admit nothing.
    Duration policy_validity = mesh::policy_validity;
    /// Timeout for a set-up whose destination is not served or cannot be reached. After it, the sender gets a refusal.
    Duration deadline = std::chrono::seconds(2);
    /// limit on set-ups per second for one task; bursts may be four times as large; 0: no limit
    double task_set_ups_per_s = 500;
    double mic_set_ups_per_s = 2'000;
    /// Rate at which refused set-ups may be retried. Five admitted set-ups allow one more retry.
    double retries_per_s = 10;
};

/// A line of the request log: the set-up of a flow and its outcome.
struct Request {
    TimePoint at{};
    std::string subject;                    ///< public key of the sender; on ipc its user, such as "uid:1000"
    std::string task, source, destination;  ///< as paths; an unknown task is empty, an unknown SID "#" and its flow_id
    std::uint64_t incarnation = 0;          ///< incarnation of the source
    Outcome outcome = Outcome::denied;
    std::string reason;
    std::uint64_t policy = 0;  ///< version of the policy; 0: there was no policy
    Duration took{};           ///< time since the first request
    FlowKey flow;
};

/// The reply to the sender of a set-up that was not admitted.
struct Refusal {
    frame::End sender;
    std::uint64_t task = 0, destination = 0;
    std::string reason;
};

inline constexpr std::size_t most_standings = 16'384;
/// Limit on log lines that wait for take_requests(), for example while the orchestrator is unreachable.
inline constexpr std::size_t most_requests = 1'000;
/// Rate and burst of log lines about refusals, so that a flood of set-ups cannot fill the log.
inline constexpr double refusal_lines_per_s = 20, refusal_lines_at_once = 200;
/// A set-up without a rule is denied after this time. It waits, because the rule for a new instance may not have
/// arrived yet, and because the rule of an ending instance is removed before the instance's entry in the route table.
inline constexpr Duration rule_grace = std::chrono::milliseconds(500);
/// Time for which a refusal holds, unless the route table or the policy changes.
inline constexpr Duration refusal_stands = std::chrono::seconds(5);

/// Decides which flows enter the mesh at a gateway (signaling type 3). The first frame of an instance's flow requests
/// the flow's set-up. The decision depends on the sender, the sender's SID, and the destination SID. The decision
/// is made once, remembered and logged; later frames reuse the decision. `now` must never decrease.
class Admission {
public:
    struct Counters {
        std::uint64_t admitted = 0, denied = 0, unserved = 0, limited = 0;  ///< counts of set-ups
        std::uint64_t retries = 0;                                          ///< retries of refused set-ups
        std::uint64_t refused_frames = 0;  ///< frames of flows that were not admitted, or not yet
        std::uint64_t unlogged = 0;        ///< lines that did not fit into the log
    };

    explicit Admission(AdmissionConfig config);
    /// Sets the routing identifier of this gateway.
    void set_self(RoutingId self) { config_.self = self; }

    /// Sets the retry budget: see AdmissionConfig::retries_per_s.
    void set_retries(double per_s);

    /// Returns whether a frame from an instance may enter; sets up its flow if necessary.
    bool admits(const identity::Credentials& sender, const frame::FrameHeader& header, TimePoint now);

    /// Sets the policy and decides every admitted flow again. Fails like Authorizer::set_policy().
    Result<void> set_policy(PolicySnapshot policy, TimePoint now);
    /// Forgets the policy of an orchestrator that no longer exists, so that the next policy is accepted with any
    /// version.
    void forget_policy() { authorizer_.forget_policy(); }
    /// Admits nothing until a policy arrives, and also refuses the flows admitted before.
    void close(TimePoint now);
    /// Confirms the policy, because the orchestrator is reachable.
    void renew(TimePoint now) { authorizer_.renew(now); }
    std::uint64_t policy_version() const { return authorizer_.version(); }
    /// Returns why no flow is admitted now: there is no policy, or the policy has not been confirmed for too long.
    /// Returns nothing if flows are admitted.
    std::optional<std::string> closed(TimePoint now) const { return authorizer_.closed(now); }
    /// Sets the gateway of each SID (signaling type 2).
    void set_places(const std::map<std::uint64_t, Place>& places, TimePoint now);
    /// Sets the gateways that no path leads to now, with their names.
    void set_unreachable(std::map<RoutingId, std::string> gateways) { unreachable_ = std::move(gateways); }
    /// Handles deadlines; called several times a second.
    void tick(TimePoint now);

    std::vector<Refusal> take_refusals();
    /// Takes up to `most` of the oldest lines of the log.
    std::vector<Request> take_requests(std::size_t most);
    const Counters& counters() const { return counters_; }

private:
    struct Asked {
        FlowKey flow;
        std::uint64_t incarnation = 0;
        std::string key;  ///< key of the sender: a sender that uses a false name cannot affect the real holder's flow
        auto operator<=>(const Asked&) const = default;
    };
    enum class State : std::uint8_t { waiting, admitted, refused };
    struct Standing {
        identity::Credentials sender;
        State state = State::waiting;
        TimePoint since{};                          ///< time of the first request, or since which a rule is missing
        TimePoint last{};                           ///< time of the last request or use
        TimePoint until{};                          ///< time at which the decision expires
        RoutingId gateway;                          ///< gateway of the destination, if admitted
        std::optional<TimePoint> no_route_since{};  ///< time since which no path leads to the gateway
        bool told_no_route = false;
        bool unruled = false;  ///< whether the flow waits because no rule applies to it
    };
    using Standings = std::map<Asked, Standing>;

    bool set_up(const Asked& asked, const identity::Credentials& sender, TimePoint now);
    bool judge(const Asked& asked, Standing& standing, TimePoint now);
    bool hold(Standing& standing, TimePoint now);
    void decide_anew(TimePoint now);
    bool within_limits(const TaskId& task, TimePoint now);
    bool refuse(const Asked& asked, Standing& standing, Outcome outcome, std::string reason, TimePoint now);
    void admit(const Asked& asked, Standing& standing, const Place& destination, const Decision& decision,
               TimePoint now);
    void give_up(const Asked& asked, Standing& standing, TimePoint now);
    void check_route(const Asked& asked, Standing& standing, TimePoint now);
    void answer(const Asked& asked, const std::string& reason);
    void log(const Asked& asked, const Standing& standing, Outcome outcome, std::string reason, TimePoint now);
    void make_room(TimePoint now);
    const Place* place(std::uint64_t sid) const;
    std::string name(std::uint64_t sid) const;

    AdmissionConfig config_;
    Authorizer authorizer_;
    std::map<std::uint64_t, Place> places_;
    std::map<RoutingId, std::string> unreachable_;
    Standings standings_;
    TokenBucket mic_set_ups_, retries_, refusal_lines_;
    std::map<TaskId, TokenBucket> task_set_ups_;
    std::vector<Refusal> refusals_;
    std::deque<Request> requests_;
    Counters counters_;
};

}  // namespace divisi::mesh::inline admission
