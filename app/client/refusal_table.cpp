// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/refusal_table.h"

#include <QtGlobal>
#include <iterator>

namespace divisi::client {

namespace {

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
