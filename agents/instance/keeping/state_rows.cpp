// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/keeping/state_rows.h"

#include <algorithm>
#include <cstdio>

#include "backend/base/units.h"
#include "backend/control/protocol/connection_messages.h"

namespace divisi::instance {
namespace {

std::string generation(Generation number) { return "generation " + std::to_string(number); }

template <typename... Cases>
struct Match : Cases... {
    using Cases::operator()...;
};
template <typename... Cases>
Match(Cases...) -> Match<Cases...>;

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value);
    return text;
}

std::string text_of(const control::SnapshotTaken& snapshot) {
    const std::string step = "step " + std::to_string(snapshot.step);
    if (snapshot.error) return step + ", none: " + snapshot.error->message();
    return step + ", " + format_bytes(snapshot.size) + ", copied in " + number(snapshot.copy_ms) + " ms, written in " +
           number(snapshot.write_ms) + " ms, " + snapshot.hash;
}

}  // namespace

std::optional<store::OrderRow> order_of(const control::Message& message, const std::string& from, TimePoint now) {
    const auto order = [&](const char* name, std::string detail) {
        return std::optional(store::OrderRow{now, from, name, std::move(detail)});
    };
    if (const auto* deploy = get_if<control::Deploy>(&message))
        return order("deploy", generation(deploy->generation) + ", plan " + deploy->plan_hash);
    if (const auto* peers = get_if<control::Peers>(&message))
        return order("peers",
                     generation(peers->generation) + ", " + std::to_string(peers->peers.size()) + " instances");
    if (const auto* begin = get_if<control::Begin>(&message)) return order("begin", generation(begin->generation));
    if (const auto* resume = get_if<control::ResumeInstance>(&message))
        return order("resume", generation(resume->generation) + ", from step " + std::to_string(resume->step));
    if (const auto* snapshot = get_if<control::TakeSnapshot>(&message))
        return order("take snapshot", generation(snapshot->generation) + ", step " + std::to_string(snapshot->step));
    if (const auto* hold = get_if<control::HoldSteps>(&message))
        return order("hold steps", generation(hold->generation) + ", after step " + std::to_string(hold->after));
    if (holds_alternative<control::PreparePlan>(message)) return order("prepare plan", "");
    if (const auto* end = get_if<control::EndInstance>(&message)) return order("end", end->reason);
    if (holds_alternative<control::Goodbye>(message)) return order("goodbye", "");
    if (const auto* refused = get_if<control::Refused>(&message)) return order("refused", refused->error.message());
    return std::nullopt;
}

std::optional<store::EventRow> event_of(const control::instance::Input& input, TimePoint now) {
    using namespace control::instance;
    using Row = std::optional<store::EventRow>;
    const auto event = [&](const char* what, std::string detail = {}) {
        return Row(store::EventRow{now, what, std::move(detail)});
    };
    return visit(Match{[&](const Connected&) { return event("connected"); },
                       [&](const Disconnected&) { return event("disconnected"); },
                       [&](const Prepared& prepared) { return event("prepared", "plan " + prepared.plan_hash); },
                       [&](const EvalFinished& finished) {
                           return event("evaluated", "step " + std::to_string(finished.record.step) + ", loss " +
                                                         number(finished.record.loss));
                       },
                       [&](const SnapshotWritten& written) { return event("snapshot", text_of(written.snapshot)); },
                       [&](const RunFinished& finished) { return event("finished", finished.weights.hash); },
                       [&](const Activated& activated) {
                           return event("activated", "by gateway " + std::to_string(activated.gateway));
                       },
                       [&](const control::instance::NonFatalError& trouble) {
                           return event("trouble", trouble.error.message());
                       },
                       [&](const WorkFailed& failed) { return event("failed", failed.error.message()); },
                       [&](const Terminate&) { return event("terminated"); }, [](const auto&) { return Row(); }},
                 input);
}

store::Deployment deployment_of(const control::Deploy& deploy, const control::Peers& peers, TimePoint now) {
    store::Deployment made{deploy.generation, now, {}, {}};
    made.configuration = {
        {"task", deploy.task.value()},        {"plan", deploy.plan_hash}, {"stage", std::to_string(deploy.stage)},
        {"data", deploy.data ? "yes" : "no"}, {"text", deploy.text},      {"lease", std::to_string(deploy.lease)}};
    std::string& cuts = made.configuration["cuts"];
    for (const std::string& cut : deploy.cuts) cuts += (cuts.empty() ? "" : " ") + cut;
    for (const control::Peer& peer : peers.peers)
        if (peer.instance != deploy.instance) made.dependencies.push_back(peer.instance.value());
    return made;
}

void OperationMeans::add(const OperationTimes& times) {
    const std::lock_guard lock(mutex_);
    Sum& sum = sums_[times.ended.operation.kind];
    sum.time += times.worked;
    ++sum.count;
}

std::map<std::string, std::string> OperationMeans::means() const {
    const std::lock_guard lock(mutex_);
    std::map<std::string, std::string> means;
    for (const auto& [kind, sum] : sums_) {
        std::string name = std::string(plan::to_string(kind)) + "_ms";
        std::replace(name.begin(), name.end(), ' ', '_');
        means[name] = number(to_ms(sum.time) / static_cast<double>(sum.count));
    }
    return means;
}

}  // namespace divisi::instance
