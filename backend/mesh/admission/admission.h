// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "backend/frame/frame.h"
#include "backend/mesh/admission/authorization.h"
#include "backend/mesh/base/outcome.h"
#include "backend/mesh/base/place.h"
#include "backend/mesh/base/token_bucket.h"

namespace divisi::mesh::inline admission {

struct AdmissionConfig {
    RoutingId self;
    /// How long gateways go on by a policy that nobody confirms any more; then they are closed.
    Duration policy_validity = mesh::policy_validity;
    /// A set-up that nobody serves, or to which no way leads, is answered after this time.
    Duration deadline = std::chrono::seconds(2);
    double task_set_ups_per_s = 500;  ///< of one task; four times as many at once. 0: no limit
    double mic_set_ups_per_s = 2'000;
    /// A set-up that was refused may be asked for again so often, beside one time for each five that were admitted.
    double retries_per_s = 10;
};

/// A line of the request log: a set-up of a flow and what became of it.
struct Request {
    TimePoint at{};
    std::string subject;                    ///< public key, on ipc "uid:1000"
    std::string task, source, destination;  ///< as paths; "#" and the flow_id of one that no table has
    std::uint64_t incarnation = 0;          ///< of the source
    Outcome outcome = Outcome::denied;
    std::string reason;
    std::uint64_t policy = 0;  ///< version; 0: there was none
    Duration took{};           ///< since it was first asked for
    FlowKey flow;
};

/// What is told to the sender of a set-up that was not admitted.
struct Refusal {
    frame::End sender;
    std::uint64_t task = 0, destination = 0;
    std::string reason;
};

inline constexpr std::size_t most_standings = 16'384;
/// Lines that wait for take_requests(): what a gateway has to tell while the orchestrator is away.
inline constexpr std::size_t most_requests = 1'000;
/// Lines about refusals in a second, and at once: who floods a gateway with them fills no log.
inline constexpr double refusal_lines_per_s = 20, refusal_lines_at_once = 200;
/// A set-up for which there is no rule is denied after this time. The rule of who has just come may be on its way, and
/// of who ends the rule goes before the place.
inline constexpr Duration rule_grace = std::chrono::milliseconds(500);
/// A refusal stands for so long, unless the table or the policy changes.
inline constexpr Duration refusal_stands = std::chrono::seconds(5);

/// What a gateway lets into the mesh (signaling type 3). A flow of an instance is set up by its first frame: who sends
/// it, which SID that one plays, and to which SID it may send is decided once, remembered, and logged; later frames
/// find the decision. `now` never goes back.
class Admission {
public:
    struct Counters {
        std::uint64_t admitted = 0, denied = 0, unserved = 0, limited = 0;  ///< set-ups
        std::uint64_t retries = 0;                                          ///< of set-ups that had been refused
        std::uint64_t refused_frames = 0;  ///< of flows that were not admitted, or not yet
        std::uint64_t unlogged = 0;        ///< lines that the log had no room for
    };

    explicit Admission(AdmissionConfig config);
    /// Under which routing identifier its gateway is known.
    void set_self(RoutingId self) { config_.self = self; }

    /// The retry budget from now on: see AdmissionConfig::retries_per_s.
    void set_retries(double per_s);

    /// Whether a frame of an instance may enter.
    bool admits(const identity::Credentials& sender, const frame::FrameHeader& header, TimePoint now);

    /// Errors: see Authorizer::set_policy. Every flow that stands is decided anew.
    Result<void> set_policy(PolicySnapshot policy, TimePoint now);
    /// Nothing of an orchestrator that is no more: the next policy counts, whatever its version.
    void forget_policy() { authorizer_.forget_policy(); }
    /// Nothing is admitted from now on, and nothing that was, until a policy comes.
    void close(TimePoint now);
    /// The orchestrator is there, so the policy holds.
    void renew(TimePoint now) { authorizer_.renew(now); }
    std::uint64_t policy_version() const { return authorizer_.version(); }
    /// Why nothing is admitted now, if so: no policy, or one that nobody has confirmed for too long.
    std::optional<std::string> closed(TimePoint now) const { return authorizer_.closed(now); }
    /// Who plays which SID where (signaling type 2).
    void set_places(const std::map<std::uint64_t, Place>& places, TimePoint now);
    /// Gateways to which no way leads now, with their names.
    void set_unreachable(std::map<RoutingId, std::string> gateways) { unreachable_ = std::move(gateways); }
    /// Comes several times a second: deadlines.
    void tick(TimePoint now);

    std::vector<Refusal> take_refusals();
    /// The oldest lines of the log, so many at most.
    std::vector<Request> take_requests(std::size_t most);
    const Counters& counters() const { return counters_; }

private:
    struct Asked {
        FlowKey flow;
        std::uint64_t incarnation = 0;
        std::string key;  ///< of the sender: who uses another's name does not disturb that one
        auto operator<=>(const Asked&) const = default;
    };
    enum class State : std::uint8_t { waiting, admitted, refused };
    struct Standing {
        identity::Credentials sender;
        State state = State::waiting;
        TimePoint since{};                  ///< first asked for
        TimePoint last{};                   ///< asked for, or used
        TimePoint until{};                  ///< the decision is made anew then
        RoutingId gateway;                  ///< of the destination, where it is admitted
        std::optional<TimePoint> no_way{};  ///< since when
        bool told_no_way = false;
        bool unruled = false;  ///< it waits because there is no rule for it
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
    void look_for_way(const Asked& asked, Standing& standing, TimePoint now);
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
