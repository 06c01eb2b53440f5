// SPDX-License-Identifier: Apache-2.0
#include "backend/control/dispatch/store_questions.h"

#include <algorithm>

#include "backend/control/types/error_texts.h"

namespace divisi::control::inline dispatch {
namespace {

/// Time limit for a node's answer. A page takes milliseconds; a node with a thousand stores and a slow disk takes
/// seconds.
constexpr Duration answer_patience = std::chrono::seconds(15);
/// Number of bits that count the questions between two events.
constexpr int bits_between_events = 16;

Result<void> check_words(const ListStores& message) {
    if (message.after.size() <= longest_word) return {};
    return make_error(error_text("store-name-length"), "stores");
}

Result<void> check_words(const ReadStore& message) {
    if (message.sid.value().size() <= longest_word && message.table.size() <= longest_word) return {};
    return make_error(error_text("store-table-name-length"), "stores");
}

}  // namespace

template <typename M>
void StoreQuestions::pass_on(const Received& received, M message) {
    if (received.correlation == 0) return;  // no client waits for the answer
    if (const auto checked = check_words(message); !checked) return context_.refuse(received, checked.error());
    if (const auto checked = check(received, message.node); !checked) return context_.refuse(received, checked.error());
    // The number increases across restarts, so that an answer to an older question matches no open question
    // (BlobTransfers::take_number).
    last_ = std::max(last_ + 1, context_.state().sequence << bits_between_events);
    open_[last_] = {received.peer, received.correlation, message.node, context_.lived() + answer_patience};
    message.question = last_;
    const NodeId node = message.node;
    context_.tell(node, std::move(message));
}

/// Passes an answer to the client. A node can answer only questions that were sent to it, and each question only once.
template <typename M>
void StoreQuestions::pass_back(const Received& received, M message) {
    const auto found = open_.find(message.question);
    if (found == open_.end() || found->second.node != context_.sessions().at(received.peer).node) return;
    const Question question = open_.extract(found).mapped();
    if (message.error) return refuse(question, *message.error);
    message.question = 0;
    if (context_.sessions().contains(question.peer))
        context_.send(question.peer, std::move(message), question.correlation);
}

Result<void> StoreQuestions::check(const Received& received, const NodeId& node) const {
    if (!context_.state().nodes.contains(node)) return make_error(error_text("store-node-unknown"), node.value());
    if (!context_.sessions().of(node)) return make_error(error_text("store-node-away"), node.value());
    const auto own = std::ranges::count_if(open_, [&](const auto& one) { return one.second.peer == received.peer; });
    if (static_cast<std::size_t>(own) < most_questions_of_peer && open_.size() < most_store_questions) return {};
    return make_error(error_text("too-many-store-questions"), "stores");
}

void StoreQuestions::refuse(const Question& question, Error why) {
    if (context_.sessions().contains(question.peer)) context_.refuse({question.peer, question.correlation, {}}, why);
}

void StoreQuestions::node_gone(const NodeId& node) {
    for (auto one = open_.begin(); one != open_.end();) {
        if (one->second.node == node) refuse(one->second, make_error(error_text("store-node-lost"), node.value()));
        one = one->second.node == node ? open_.erase(one) : std::next(one);
    }
}

void StoreQuestions::check_deadlines() {
    for (auto one = open_.begin(); one != open_.end();) {
        const bool late = one->second.deadline <= context_.lived();
        if (late) refuse(one->second, make_error(error_text("store-node-silent"), one->second.node.value()));
        one = late ? open_.erase(one) : std::next(one);
    }
}

std::optional<TimePoint> StoreQuestions::next_deadline() const {
    std::optional<TimePoint> next;
    for (const auto& [number, question] : open_)
        if (!next || question.deadline < *next) next = question.deadline;
    return next;
}

template void StoreQuestions::pass_on(const Received&, ListStores);
template void StoreQuestions::pass_on(const Received&, ReadStore);
template void StoreQuestions::pass_back(const Received&, StoreList);
template void StoreQuestions::pass_back(const Received&, StorePage);

}  // namespace divisi::control::inline dispatch
