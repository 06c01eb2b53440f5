// SPDX-License-Identifier: Apache-2.0
#include "backend/control/policy/policies.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "backend/base/units.h"
#include "backend/control/policy/abnormal.h"
#include "backend/control/protocol/input_limits.h"
#include "backend/control/state/curve.h"
#include "backend/control/state/trial_state.h"
#include "backend/control/types/error_texts.h"
#include "backend/control/types/flow_bounds.h"
#include "backend/control/types/policy_settings.h"
#include "backend/control/types/policy_types.h"

namespace divisi::control::inline policy {
namespace {

constexpr std::size_t most_settings = 64;  // settings in one change

/// Reports the number of lines that each limiter has suppressed, once its interval is over. Removes idle limiters, so
/// that few remain to be polled.
template <typename Limiters, typename Say>
void say_due(Limiters& limiters, TimePoint now, Say say) {
    for (auto one = limiters.begin(); one != limiters.end();) {
        if (const auto line = one->second.due(now)) say(*line);
        one = one->second.idle() ? limiters.erase(one) : std::next(one);
    }
}

}  // namespace

void drop_ended(std::vector<PolicyEntry>& entries, const ClusterState& state) {
    std::erase_if(entries, [&](const PolicyEntry& entry) {
        if (entry.key == PolicyKey::send) return false;  // such an entry stays until somebody removes it
        const bool of_module = entry.key == PolicyKey::module;
        const std::size_t slash = entry.from.find('/');
        if (of_module ? entry.to.empty() : slash == std::string::npos) return false;
        const auto task = state.tasks.find(TaskId(of_module ? entry.to : entry.from.substr(0, slash)));
        return task == state.tasks.end() || task->second.over();
    });
}

namespace {

constexpr std::size_t newest_steps = 20;  // steps whose median is the task's step time

/// Returns where a task runs, and the input that the simulator needs for the task.
PolicyTrialJob::Task tried_task(const ClusterState& state, const Models& models, const TaskView& task) {
    PolicyTrialJob::Task tried{task.id, task.text, models.of(task.id),
                               {},      "",        recent_step_ms(task.history, newest_steps)};
    tried.stage_nodes = stage_nodes_of(state, task.id);
    for (const InstanceView* one : instances_of(state, task.id))
        if (one->stage < 0) tried.data_node = one->node.value();
    return tried;
}

PolicyTrialJob trial_of(const ClusterState& state, const Models& models, std::string change,
                        std::vector<PolicyEntry> entries) {
    PolicyTrialJob job{std::move(change), std::move(entries), state_for_trials(state), {}, {}};
    for (const auto& [id, task] : state.tasks) {
        if (!task.runs() || task.ending) continue;
        if (job.tasks.size() == most_tried_tasks) {
            job.notes.push_back("only the first " + std::to_string(most_tried_tasks) + " running tasks are simulated");
            break;
        }
        job.tasks.push_back(tried_task(state, models, task));
    }
    return job;
}

}  // namespace

const PolicyVersion& Policies::current() const {
    static const PolicyVersion none;
    const auto& policies = context_.state().policies;
    return policies.empty() ? none : policies.rbegin()->second;
}

int Policies::share_of(const std::string& from, const std::string& to) const {
    return static_cast<int>(value_of(current().entries, PolicyKey::share, from, to).value_or(default_share));
}

// --- changes ------------------------------------------------------------------------------------

/// Checks that the sender exists: a node, a node pattern that matches one, or an allowed key.
Result<void> Policies::check_sender(const PolicyEntry& entry) const {
    if (names_keys(entry.from)) {
        if (devices_.knows_key_of(entry)) return {};
        return make_error(error_text("policy-key-unknown"), "policy '" + to_text(entry) + "'", {entry.from});
    }
    const bool known = std::ranges::any_of(context_.state().nodes,
                                           [&](const auto& node) { return is_sender(entry, node.second.info.id); });
    if (known) return {};
    return make_error(error_text("policy-node-unknown"), "policy '" + to_text(entry) + "'", {entry.from});
}

/// Returns whether a peer may make this change. Only an admin may change which senders may send to which SIDs.
bool Policies::may_change(PeerId peer, const std::vector<PolicyEntry>& to) const {
    const auto orders = [](std::vector<PolicyEntry> entries) {
        std::erase_if(entries, [](const PolicyEntry& entry) { return entry.key != PolicyKey::send; });
        return entries;
    };
    return orders(current().entries) == orders(to) || context_.sessions().at(peer).credentials.may_be(Role::admin);
}

void Policies::refuse_orders(const Received& received) {
    context_.deny(received,
                  make_error(error_text("policy-for-admins"), context_.sessions().at(received.peer).credentials.name));
}

/// Checks that the entry names an existing gateway or router.
Result<void> Policies::check_device(const PolicyEntry& entry) const {
    if (devices_.view(entry.from) != nullptr) return {};
    return make_error(error_text("policy-device-unknown"), "policy '" + to_text(entry) + "'", {entry.from});
}

/// Checks that the ends of an entry exist: gateways of the mesh, one gateway or router, or two SIDs of a running task.
/// For a sender or a module, checks the sender or the task instead.
Result<void> Policies::check_ends(const PolicyEntry& entry) const {
    if (entry.from.empty()) return {};
    if (entry.key == PolicyKey::send) return check_sender(entry);
    if (entry.key == PolicyKey::module) {
        const auto task = context_.state().tasks.find(TaskId(entry.to));
        if (entry.to.empty() || (task != context_.state().tasks.end() && !task->second.over())) return {};
        return task == context_.state().tasks.end() ? context_.no_such_task(TaskId(entry.to))
                                                    : make_error(error_text("policy-task-over"), entry.to);
    }
    if (about_device(entry.key)) return check_device(entry);
    const bool sids = !about_gateway(entry.key) && entry.from.find('/') != std::string::npos;
    const std::string& last = about_gateway(entry.key) ? entry.from : entry.to;
    for (const std::string& end : {entry.from, last}) {
        if (sids ? devices_.plays(Sid(end)) : devices_.is_gateway(end)) continue;
        return make_error(sids ? error_text("policy-sid-unknown") : error_text("policy-gateway-unknown"),
                          "policy '" + to_text(entry) + "'", {end});
    }
    if (entry.from != entry.to) return {};  // also if `to` is empty because the entry has only one end
    return make_error(error_text("policy-one-end-twice"), "policy '" + to_text(entry) + "'");
}

/// Checks a window against the smallest buffer of all devices, since every entry is sent to every device.
Result<void> Policies::check_window(const PolicyEntry& entry) const {
    if (entry.key != PolicyKey::window) return {};
    const DeviceInfo* smallest = nullptr;
    devices_.each([&](const DeviceView& device) {
        const bool promises = device.info.buffer > 0;
        if (promises && (smallest == nullptr || device.info.buffer < smallest->buffer)) smallest = &device.info;
    });
    if (smallest == nullptr || entry.value <= smallest->buffer / least_windows_of_a_buffer) return {};
    return make_error(error_text("policy-window-too-large"), "policy '" + to_text(entry) + "'",
                      {smallest->name, format_bytes(smallest->buffer)});
}

Result<Policies::Change> Policies::change_by(const std::vector<std::string>& settings) const {
    if (settings.empty() || settings.size() > most_settings)
        return make_error(error_text("policy-settings-count"), "policies");
    Change change{current().entries, ""};
    drop_ended(change.entries, context_.state());
    for (const std::string& text : settings) {
        DIVISI_ASSIGN(const PolicySetting setting, parse_setting(text));
        if (!setting.removed) {
            DIVISI_TRY(check_ends(setting.entry));
            DIVISI_TRY(check_window(setting.entry));
        }
        change.text += (change.text.empty() ? "" : ", ") + set_entry(change.entries, setting);
    }
    if (change.entries.size() > most_policy_entries)
        return make_error(error_text("policy-too-many-entries"), "policies");
    return change;
}

void Policies::handle(const Received& received, const SetPolicies& message) {
    auto change = change_by(message.settings);
    if (!change) return context_.refuse(received, change.error());
    if (!may_change(received.peer, change->entries)) return refuse_orders(received);
    const std::string author = context_.sessions().at(received.peer).credentials.name;
    context_.answer(received, PolicyNumber{enact(std::move(change->entries), author, std::move(change->text), "")});
}

void Policies::handle(const Received& received, const TryPolicies& message) {
    auto change = change_by(message.settings);
    if (!change) return context_.refuse(received, change.error());
    const auto begun =
        context_.begin({received.peer, received.correlation},
                       trial_of(context_.state(), models_, std::move(change->text), std::move(change->entries)),
                       context_.limits().policy_trials);
    if (!begun) context_.refuse(received, begun.error());
}

void Policies::handle(const Received& received, const RollBackPolicies& message) {
    const auto& policies = context_.state().policies;
    const std::uint64_t now = current().version;
    const std::uint64_t wanted = message.version > 0 ? message.version : now - std::min<std::uint64_t>(now, 1);
    const auto version = policies.find(wanted);
    // Version 0 has no entries and is not in the log.
    const bool known = version != policies.end() || (wanted == 0 && now > 0);
    if (!known || wanted == now)
        return context_.refuse(
            received,
            make_error(wanted == now ? error_text("policy-version-in-force") : error_text("no-such-policy-version"),
                       "policy version " + std::to_string(wanted), {std::to_string(wanted)}));
    std::vector<PolicyEntry> entries = wanted == 0 ? std::vector<PolicyEntry>() : version->second.entries;
    drop_ended(entries, context_.state());
    if (!may_change(received.peer, entries)) return refuse_orders(received);
    const std::string author = context_.sessions().at(received.peer).credentials.name;
    context_.answer(received, PolicyNumber{enact(std::move(entries), author,
                                                 "as version " + std::to_string(wanted) + " again", "")});
}

std::uint64_t Policies::enact(std::vector<PolicyEntry> entries, std::string author, std::string change,
                              std::string reason) {
    PolicyVersion next{current().version + 1, context_.now(),    std::move(author),
                       std::move(change),     std::move(reason), std::move(entries)};
    context_.append(PolicyChanged{next});
    devices_.each([&](const DeviceView& device) { tell(device.info.name, next); });
    return next.version;
}

void Policies::tell(const std::string& device, const PolicyVersion& policy) {
    answered_[device].told = policy.version;
    DevicePolicy message{policy.version, policy.entries};
    std::erase_if(message.entries, [](const PolicyEntry& entry) {
        // no device needs `module` entries; gateways get `send` entries in their AdmissionPolicy
        return entry.key == PolicyKey::module || entry.key == PolicyKey::send;
    });
    devices_.tell(device, std::move(message));
}

void Policies::handle(const Received& received, const PolicyAnswer& message) {
    const auto device = devices_.name_of(received.peer);
    if (!device) return context_.refuse(received, make_error(error_text("answer-of-no-device"), ""));
    Answered& answered = answered_[*device];
    // Ignore a repeated answer, and an answer about a version that was never sent.
    if (message.version > answered.told || message.version <= answered.latest()) return;
    if (!message.refused) {
        answered = {answered.told, message.version, 0, ""};
        return;
    }
    answered.refused = message.version;
    answered.reason = clipped(message.refused->message());
    const std::string line = *device + " refuses version " + std::to_string(message.version) + ": " + answered.reason;
    if (const auto passed = refusals_[*device].pass(line, context_.now())) note_refusal(*passed);
}

void Policies::note_refusal(const std::string& line) { context_.append(Noted{Severity::warning, "policy", "", line}); }

void Policies::handle(const Received& received, const QueryPolicies&) {
    PoliciesState answer;
    answer.current = current().version;
    for (const auto& [number, version] : context_.state().policies) answer.versions.push_back(version);
    devices_.each([&](const DeviceView& device) {
        const Answered& answered = answered_[device.info.name];
        answer.devices.push_back({device.info.name, device.up, answered.applied, answered.refused, answered.reason});
    });
    for (const auto& [ends, balance] : balances_)
        answer.paths.push_back({ends.first, ends.second, static_cast<std::uint32_t>(share_of(ends.first, ends.second)),
                                balance.rate(0), balance.rate(1), balance.state()});
    context_.answer(received, std::move(answer));
}

// --- telemetry and policy -----------------------------------------------------------------------

void Policies::forget(const std::string& device) {
    answered_.erase(device);
    periods_.erase(device);
    refusals_.erase(device);
    const auto concerns = [&](const auto& entry) {
        return entry.first.first == device || entry.first.second == device;
    };
    std::erase_if(balances_, concerns);
    std::erase_if(abnormal_, concerns);
}

void Policies::poll() {
    for (const std::string& device : devices_.take_left()) forget(device);
    for (const std::string& device : devices_.take_registered()) {
        answered_.erase(device);
        periods_.erase(device);
        tell(device, current());
    }
    say_due(refusals_, context_.now(), [this](const std::string& line) { note_refusal(line); });
    const std::set<std::string> reported = devices_.take_reported();
    for (const std::string& device : reported) weigh(device);
    if (reported.empty()) return;
    say_due(abnormal_, context_.now(), [this](const std::string& line) {
        context_.append(Noted{Severity::warning, "abnormal state", "", line});
    });
}

/// Measures the rates of the flows from this gateway on their two paths, for each destination gateway. Skips a gateway
/// that has not yet acknowledged the current version, since its report still describes the previous version.
void Policies::weigh(const std::string& name) {
    const DeviceView* device = devices_.view(name);
    if (!device || device->info.role != mesh::DeviceRole::gateway) return;
    if (std::exchange(periods_[name], device->period) == device->period) return;
    // If a device refuses a part of a version, the shares still apply.
    const Answered& answered = answered_[name];
    if (answered.latest() < current().version) return;
    struct Seen {
        std::array<PathFigure, 2> paths;
        std::set<std::string> flows;
    };
    std::map<std::string, Seen> seen;
    for (const FlowReport& flow : device->flows) {
        if (flow.flow_class != mesh::FlowClass::tensor) continue;  // the rate of a blob flow depends on other traffic
        if (flow.path.size() < 2 || flow.path.front() != device->id) continue;  // the flow begins elsewhere
        const MeshDevices::Ways* ways = devices_.ways(flow.path.front(), flow.path.back());
        if (!ways || ways->second.empty()) continue;
        const std::size_t path = flow.path == ways->first ? 0 : 1;
        if (path == 1 && flow.path != ways->second) continue;  // the flow takes a detour
        Seen& pair = seen[devices_.name_of(flow.path.back())];
        PathFigure& figure = pair.paths[path];
        figure.bytes_per_s += flow.quality.bytes_per_s;
        figure.busy = std::max(figure.busy, flow.quality.busy);
        pair.flows.insert(flow.source.value() + ">" + flow.destination.value());
        if (pair.flows.size() > 1) continue;
        pair.paths[0].name = ways->first_names;
        pair.paths[1].name = ways->second_names;
    }
    const bool adapts = value_of(current().entries, PolicyKey::adapt).value_or(1) != 0;
    for (auto& [to, pair] : seen) {
        const auto [known, fresh] = balances_.try_emplace({name, to});
        PathBalance& balance = known->second;
        if (fresh) start_anew(balance, name, to);
        const auto wanted = balance.report(pair.paths, pair.flows, share_of(name, to), context_.lived());
        if (!wanted) continue;
        // Keep a share that a module has set: the module knows more about the two paths and itself reverts a useless
        // move.
        const bool advised = author_of({PolicyKey::share, name, to, 0}).starts_with(module_authors);
        if (adapts && !advised) move(name, to, *wanted);
        else start_anew(balance, name, to);  // the balance starts again without the move
    }
}

/// Resets a balance. A share that the SMO itself has moved must still be moved back later.
void Policies::start_anew(PathBalance& balance, const std::string& from, const std::string& to) const {
    balance = {};
    const int now = share_of(from, to);
    int home = now;
    const auto& policies = context_.state().policies;
    for (auto version = policies.rbegin(); version != policies.rend(); ++version) {
        const auto before = std::next(version);
        const bool first = before == policies.rend();
        // Earlier versions are forgotten. If the SMO made the oldest known version, assume that the SMO also made the
        // forgotten versions.
        if (first && version->first > 1 && version->second.author != smo_author) break;
        const std::vector<PolicyEntry> none;
        const auto& entries = first ? none : before->second.entries;
        const auto share = static_cast<int>(value_of(entries, PolicyKey::share, from, to).value_or(default_share));
        if (share == home) continue;
        if (version->second.author != smo_author) break;
        home = share;
    }
    if (home != now) balance.resume(now < home ? 0 : 1, home, context_.lived());
}

void Policies::move(const std::string& from, const std::string& to, const ShareMove& wanted) {
    if (wanted.from == wanted.to) return;  // the share is already set, since this process restarted during a trial
    std::vector<PolicyEntry> entries = current().entries;
    drop_ended(entries, context_.state());
    std::erase_if(entries, [&](const PolicyEntry& entry) {
        return entry.key == PolicyKey::share && entry.from == from && entry.to == to;
    });
    const PolicyEntry entry{PolicyKey::share, from, to, wanted.to};
    // An entry is not needed if its value equals the value that applies without it.
    if (value_of(entries, PolicyKey::share, from, to).value_or(default_share) != wanted.to) entries.push_back(entry);
    if (entries.size() > most_policy_entries) return;
    enact(std::move(entries), smo_author, to_text(entry) + " (was " + std::to_string(wanted.from) + ")", wanted.reason);
}

// --- abnormal states ----------------------------------------------------------------------------

void Policies::handle(const Received& received, const AbnormalState& message) {
    const auto device = devices_.name_of(received.peer);
    if (!device) return context_.refuse(received, make_error(error_text("abnormal-report-of-no-device"), ""));
    const std::string neighbour = devices_.name_of(message.neighbour);
    const std::string what = what_of(*device, neighbour, message.kind);
    const std::pair ends(*device, devices_.view(neighbour) ? neighbour : "");
    NoteLimiter& limiter = abnormal_.try_emplace(ends, flap_interval).first->second;
    const auto note = [&](const TaskId& task, const std::string& line) {
        if (const auto passed = limiter.pass(line, context_.now()))
            context_.append(Noted{severity_of(message.kind), "abnormal state", task.value(), *passed});
    };
    if (message.flows.empty()) return note({}, what + "; no task is affected");
    // beyond the rate limit, an abnormal state is only counted, even if it affects tasks
    if (!limiter.open()) return note({}, what);
    const auto between = [&](const std::vector<std::uint32_t>& path) { return devices_.names_between(path); };
    const std::vector<AbnormalFlow> flows = plausible(message.flows);
    for (const auto& [id, edges] : edges_by_task(flows)) {
        if (!limiter.open()) return note({}, what);
        const auto task = context_.state().tasks.find(id);
        const std::vector<UnitView> none;
        const auto& units = task == context_.state().tasks.end() ? none : task->second.units;
        note(id, line_of(what, message.kind, edges, units, between));
        if (severity_of(message.kind) == Severity::warning)
            degraded_.push_back({id, std::min(*device, neighbour) + " " + std::max(*device, neighbour), what});
    }
}

}  // namespace divisi::control::inline policy
