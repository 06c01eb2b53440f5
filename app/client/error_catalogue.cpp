// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/error_catalogue.h"

#include <QtGlobal>
#include <iterator>
#include <unordered_map>

#include "backend/base/error_texts.h"
#include "backend/control/types/error_texts.h"
#include "backend/file/error_texts.h"
#include "backend/graph/error_texts.h"
#include "backend/link/error_texts.h"
#include "backend/onnx/error_texts.h"
#include "backend/plan/error_texts.h"
#include "backend/price/error_texts.h"
#include "backend/search/error_texts.h"
#include "backend/store/error_texts.h"
#include "backend/submit/error_texts.h"
#include "backend/task/error_texts.h"

namespace divisi::client {
namespace {

constexpr std::span<const ErrorText> catalogues[] = {control::error_texts,
                                                     control::change_error_texts,
                                                     control::network_error_texts,
                                                     control::policy_error_texts,
                                                     control::queue_error_texts,
                                                     control::runs_error_texts,
                                                     task::error_texts,
                                                     search::error_texts,
                                                     price::error_texts,
                                                     plan::error_texts,
                                                     graph::error_texts,
                                                     onnx::error_texts,
                                                     file::error_texts,
                                                     base_error_texts,
                                                     store::error_texts,
                                                     submit::error_texts,
                                                     link::error_texts};

constexpr RefusalText cluster_refusals[] = {
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "killed by signal %1"), "backend/control/runs/task_end.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "exited with status %1"), "backend/control/runs/task_end.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "the cluster is shutting down"),
     "backend/control/runs/task_end.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "the orchestrator was restarted"),
     "backend/control/runs/task_absences.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "its node does not know the instance"),
     "backend/control/runs/task_absences.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "the process ended while its node was away"),
     "backend/control/runs/task_absences.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "waiting for its nodes"), "backend/control/types/types.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "waiting for its files"), "backend/control/types/types.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "the rule is switched off"), "backend/control/dispatch/alerts.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "the node has left"), "backend/control/dispatch/alerts.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "the node does not exist"), "backend/control/dispatch/alerts.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "the node is drained"), "backend/control/dispatch/alerts.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "the task is no longer known"),
     "backend/control/dispatch/alerts.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "node %1 is silent: %2"), "backend/control/dispatch/alerts.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "node %1 is silent"), "backend/control/dispatch/alerts.cpp"},
    {QT_TRANSLATE_NOOP(
         "divisi::client::Refusals",
         "check that its machine runs and can be reached, and start divisi-node there again; if it is lost "
         "permanently: divisictl drain %1"),
     "backend/control/dispatch/alerts.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "the node is back"), "backend/control/dispatch/alerts.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "%1 tasks wait for nodes, more than %2"),
     "backend/control/dispatch/alerts.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals",
                       "run 'divisictl queue' to see what each waits for; add nodes, or stop tasks that are "
                       "not needed"),
     "backend/control/dispatch/alerts.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "%1 of %2 are free on the disk of %3, less than %4"),
     "backend/control/dispatch/alerts.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "the orchestrator"), "backend/control/dispatch/alerts.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals",
                       "free space where divisid keeps its data: the cluster stops without it"),
     "backend/control/dispatch/alerts.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals",
                       "free space there, or start its divisi-node with a smaller --blob-gib"),
     "backend/control/dispatch/alerts.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "steps take %1 ms, more than %2 times the %3 ms before"),
     "backend/control/dispatch/alerts.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals",
                       "run 'divisictl nodes' and 'divisictl links --mesh', and read the log of its nodes; "
                       "'divisictl recut' moves work elsewhere"),
     "backend/control/dispatch/alerts.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "steps take %1 ms"), "backend/control/dispatch/alerts.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "its losses are numbers again"),
     "backend/control/dispatch/alerts.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "the cuts in force are the best that were found"),
     "backend/control/types/recut_advice.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "the gain is below %1 of a step"),
     "backend/control/types/recut_advice.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "too few steps are left to compensate for the stall"),
     "backend/control/types/recut_advice.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "the plan in force is younger than %1 minutes"),
     "backend/control/types/recut_advice.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "the same advice must be given twice"),
     "backend/control/types/recut_advice.cpp"},
};

}  // namespace

std::span<const std::span<const ErrorText>> error_catalogues() { return catalogues; }

const ErrorText* find_error(std::string_view id) {
    static const std::unordered_map<std::string_view, const ErrorText*> index = [] {
        std::unordered_map<std::string_view, const ErrorText*> made;
        for (const std::span<const ErrorText> catalogue : catalogues)
            for (const ErrorText& text : catalogue) made.emplace(text.id, &text);
        return made;
    }();
    const auto found = index.find(id);
    return found == index.end() ? nullptr : found->second;
}

const std::vector<RefusalText>& refusal_texts() {
    static const std::vector<RefusalText> all = [] {
        std::vector<RefusalText> texts(std::begin(cluster_refusals), std::end(cluster_refusals));
        const std::span<const RefusalText> local = local_refusals();
        texts.insert(texts.end(), local.begin(), local.end());
        return texts;
    }();
    return all;
}

}  // namespace divisi::client
