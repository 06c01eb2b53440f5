// SPDX-License-Identifier: Apache-2.0
#include "backend/control/runs/node_fitness.h"

#include <algorithm>

#include "backend/control/runs/task_instances.h"
#include "backend/control/types/error_texts.h"

namespace divisi::control::inline runs {

const NodeFitness::Book* NodeFitness::book_of(const TaskId& task) const {
    const auto found = books_.find(task);
    return found == books_.end() ? nullptr : &found->second;
}

bool NodeFitness::is_fit(const TaskId& task, const NodeId& node) const {
    return context_.sessions().of(node) && !is_unfit(task, node);
}

bool NodeFitness::is_unfit(const TaskId& task, const NodeId& node) const {
    const Book* book = book_of(task);
    return book && (book->unfit.contains(node) || book->exhausted.contains(node));
}

std::set<NodeId> NodeFitness::unfit_nodes(const TaskId& task) const {
    const Book* book = book_of(task);
    if (!book) return {};
    std::set<NodeId> nodes = book->unfit;
    for (const auto& [node, sids] : book->exhausted) nodes.insert(node);
    return nodes;
}

bool NodeFitness::may_play(const TaskId& task, const NodeId& node, const Sid& sid) const {
    const Book* book = book_of(task);
    if (!book) return true;
    const auto exhausted = book->exhausted.find(node);
    const bool is_exhausted = exhausted != book->exhausted.end() && exhausted->second.contains(sid);
    return !is_exhausted && !book->unfit.contains(node);
}

bool NodeFitness::can_play(const TaskId& task, const NodeId& node, const Sid& sid) const {
    return context_.sessions().of(node) && may_play(task, node, sid);
}

bool NodeFitness::has_snapshots(const TaskId& task, const NodeId& node,
                                const std::vector<const SegmentSnapshot*>& parts) const {
    const Book* book = book_of(task);
    return std::ranges::all_of(parts, [&](const auto* part) {
        return std::ranges::count(part->nodes, node) > 0 && !(book && book->lost.contains({node, part->hash}));
    });
}

std::set<NodeId> NodeFitness::awaited_nodes(const TaskId& task) const {
    std::set<NodeId> nodes;
    for (const InstanceView* one : needed_instances(context_.state(), task))
        if (!one->joined && !one->exited && !can_play(task, one->node, one->sid)) nodes.insert(one->node);
    return nodes;
}

std::optional<Error> NodeFitness::exhaustion_error(const TaskId& task, std::int32_t stage, const NodeId& node) const {
    const Book* book = book_of(task);
    if (!book) return std::nullopt;
    const Sid sid = sid_in(task, stage);
    const auto exhausted = book->exhausted.find(node);
    if (exhausted == book->exhausted.end() || !exhausted->second.contains(sid)) return std::nullopt;
    return make_error(error_text("recut-node-worn-out"), "node " + node.value(),
                      {std::to_string(stage), std::to_string(book->faults_on.at(node).at(sid))});
}

std::size_t NodeFitness::ask_again(const TaskId& task, const std::set<NodeId>& awaited) {
    const auto found = books_.find(task);
    if (found == books_.end()) return 0;
    return std::erase_if(found->second.unfit, [&](const NodeId& node) {
        return context_.sessions().of(node).has_value() && awaited.contains(node);
    });
}

void NodeFitness::lose_snapshot(const TaskId& task, const NodeId& node, const std::string& hash) {
    books_[task].lost.emplace(node, hash);
}

void NodeFitness::node_joined(const NodeId& node) {
    for (auto& [task, book] : books_) {
        book.unfit.erase(node);
        book.exhausted.erase(node);
        book.faults_on.erase(node);
        std::erase_if(book.lost, [&](const auto& one) { return one.first == node; });
    }
}

void NodeFitness::follow(const Event& event) {
    if (const auto* ended = get_if<TaskEnded>(&event.body)) books_.erase(ended->task);
}

}  // namespace divisi::control::inline runs
