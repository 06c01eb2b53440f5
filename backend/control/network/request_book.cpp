// SPDX-License-Identifier: Apache-2.0
#include "backend/control/network/request_book.h"

#include <algorithm>

#include "backend/control/protocol/policy_messages.h"
#include "backend/control/types/mic_types.h"
#include "backend/mesh/route/hops.h"

namespace divisi::control::inline network {
namespace {

bool fits(const RequestRecord& record) {
    return record.path.size() <= mesh::most_hops &&
           std::ranges::all_of(
               std::initializer_list<const std::string*>{&record.subject, &record.task.value(), &record.source,
                                                         &record.destination, &record.reason},
               [](const std::string* text) { return text->size() <= longest_request_text; });
}

/// Returns the size in bytes of a record's parts with variable length.
std::size_t bytes_of(const RequestRecord& record) {
    return record.gateway.size() + record.subject.size() + record.task.value().size() + record.source.size() +
           record.destination.size() + record.reason.size() + sizeof(std::uint32_t) * record.path.size();
}

/// Returns the owner of a key. The owner is the node that registered with the key, even if the key was revoked later;
/// otherwise the name in the access list. Returns the key itself if its owner is unknown. Searches all nodes.
std::string holder_of(const std::string& key, const ClusterState& state) {
    if (key.empty()) return key;
    for (const auto& [id, node] : state.nodes)
        if (node.key == key) return id.value();
    const auto known = state.keys.find(key);
    return known == state.keys.end() ? key : known->second.name;
}

std::string line_of(const RequestRecord& record) {
    return std::string(to_string(record.outcome)) + ": " + record.subject + " as " + record.source + "#" +
           std::to_string(record.incarnation) + " to " + record.destination + ": " + record.reason;
}

}  // namespace

void RequestBook::take(const std::string& gateway, const std::vector<RequestRecord>& records) {
    NoteLimiter& lines = lines_[gateway];
    if (const auto line = lines.due(context_.now())) note(gateway, "", *line);
    std::size_t taken = 0;
    std::map<std::string, std::string> holders;  // by key; many requests come from the instances of one node
    for (const RequestRecord& record : records) {
        if (!fits(record) || ++taken > most_reported_requests) continue;
        RequestRecord& kept = records_.emplace_back(record);
        kept.number = ++last_;
        kept.gateway = gateway;
        const auto [holder, fresh] = holders.try_emplace(record.subject);
        if (fresh) holder->second = holder_of(record.subject, context_.state());
        kept.subject = holder->second;
        if (record.outcome != mesh::Outcome::admitted)
            if (const auto line = lines.pass(line_of(kept), context_.now())) note(gateway, kept.task.value(), *line);
        if (records_.size() > most_kept_requests) records_.pop_front();
    }
}

void RequestBook::note(const std::string& gateway, const std::string& task, const std::string& text) {
    context_.append(Noted{Severity::warning, "gateway " + gateway, task, text});
}

Requests RequestBook::answer(const QueryRequests& query) const {
    Requests answer;
    std::size_t bytes = 0;
    for (const RequestRecord& record : records_) {
        const bool wanted = record.number > query.after && (query.gateway.empty() || record.gateway == query.gateway) &&
                            (query.task.value().empty() || record.task == query.task) &&
                            (!query.refused || record.outcome != mesh::Outcome::admitted);
        if (!wanted) continue;
        bytes += bytes_of(record);
        answer.more = answer.records.size() == most_answered_requests || bytes > most_answered_bytes;
        if (answer.more) break;
        answer.records.push_back(record);
    }
    return answer;
}

}  // namespace divisi::control::inline network
