// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "backend/base/error_text.h"
#include "backend/control/types/error_texts_change.h"
#include "backend/control/types/error_texts_network.h"
#include "backend/control/types/error_texts_policy.h"
#include "backend/control/types/error_texts_queue.h"
#include "backend/control/types/error_texts_runs.h"

namespace divisi::control::inline types {

/// Errors of the folders of control that have no separate catalogue.
inline constexpr ErrorText error_texts[] = {
    // types/nonfinite.cpp
    {"loss-not-finite-at-start", ErrorCode::failed, DIVISI_TEXT("errors", "the loss is %1"),
     DIVISI_TEXT("errors", "look for extreme values in the data, or in the model's first weights")},
    {"loss-not-finite", ErrorCode::failed, DIVISI_TEXT("errors", "the loss is %1"),
     DIVISI_TEXT(
         "errors",
         "lower train.lr, warm up (train.warmup_steps), set train.clip, or look for extreme values in the data")},
    {"validation-loss-not-finite", ErrorCode::failed, DIVISI_TEXT("errors", "the validation loss is %1"),
     DIVISI_TEXT(
         "errors",
         "lower train.lr, warm up (train.warmup_steps), set train.clip, or look for extreme values in the data")},
    {"weight-not-finite", ErrorCode::failed, DIVISI_TEXT("errors", "weight '%1' contains NaN or infinite values"),
     DIVISI_TEXT(
         "errors",
         "lower train.lr, warm up (train.warmup_steps), set train.clip, or look for extreme values in the data")},

    // types/policy_settings.cpp
    {"policy-share", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "a share must be a whole percentage from 0 to 100"),
     DIVISI_TEXT("errors", "write e.g. share:mg-1:mg-2=40: of 100 tensors, 40 use the first path")},
    {"policy-rate", ErrorCode::invalid_input, DIVISI_TEXT("errors", "a rate must be from 1 MB/s to 1 TB/s, or none"),
     DIVISI_TEXT("errors", "write e.g. mic-rate:mg-1=200MB/s or task-rate=none")},
    {"policy-retries", ErrorCode::invalid_input,
     DIVISI_TEXT("errors",
                 "the retry budget must be a whole number of repeated set-ups per second from 1 to 1000000, or none"),
     DIVISI_TEXT("errors", "write e.g. retries=10")},
    {"policy-breaker", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "the number of failures that open a breaker must be a whole number from 1 to 100"),
     DIVISI_TEXT("errors", "write e.g. breaker=3")},
    {"policy-breaker-time", ErrorCode::invalid_input, DIVISI_TEXT("errors", "the time must be from 500 ms to 3600 s"),
     DIVISI_TEXT("errors", "write e.g. %1=30s, with ms or s")},
    {"policy-alarm-count", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "the alarm threshold must be a whole number from 1 to 1000000"),
     DIVISI_TEXT("errors", "write e.g. %1=16")},
    {"policy-alarm-latency", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "the alarm threshold for latency must be from 1 ms to 60 s"),
     DIVISI_TEXT("errors", "write e.g. alarm-latency=500ms, with ms or s")},
    {"policy-alarm-full", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "the time after which a full buffer is reported must be from 100 ms to 60 s"),
     DIVISI_TEXT("errors", "write e.g. alarm-full=1s, with ms or s")},
    {"policy-window", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "a window must be from 1 MiB (one chunk) to 1 GiB"),
     DIVISI_TEXT("errors", "write e.g. window=16MiB")},
    {"policy-switch", ErrorCode::invalid_input, DIVISI_TEXT("errors", "the value must be on or off"),
     DIVISI_TEXT("errors", "write e.g. adapt=on or adapt=off")},
    {"policy-balancing", ErrorCode::invalid_input, DIVISI_TEXT("errors", "there is no such balancing rule"),
     DIVISI_TEXT("errors",
                 "write balancing=RULE, where RULE is round-robin, least-outstanding, weighted or two-choices")},
    {"policy-permission", ErrorCode::invalid_input, DIVISI_TEXT("errors", "the value is either allow or deny"),
     DIVISI_TEXT("errors", "write e.g. send:mic-1/node-2:gpt-1=deny")},
    {"policy-module-ends", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "the key must name one functional module, and at most one task"),
     DIVISI_TEXT("errors", "write module:NAME=off, or module:NAME:TASK=off for one task")},
    {"policy-gateway-ends", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "the key must name exactly one gateway, or none"),
     DIVISI_TEXT("errors", "name one gateway, as in mic-rate:mg-1=200MB/s, or name none to set all gateways")},
    {"policy-device-ends", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "the key must name exactly one gateway or router, or none"),
     DIVISI_TEXT("errors", "name one device, as in alarm-latency:sr-1=100ms, or name none to set all devices")},
    {"policy-flow-ends", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "the key must name exactly two ends of a flow, or none"),
     DIVISI_TEXT("errors", "name two gateways or two SIDs, as in share:mg-1:mg-2=40, or name none to set all flows")},
    {"policy-blob-ends", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "blobs are sent between gateways, not between SIDs"),
     DIVISI_TEXT("errors", "name two gateways, as in blob-share:mg-1:mg-2=0, or name none to set all flows of blobs")},
    {"policy-key-without-name", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "'key@' must be followed by the name of a key"),
     DIVISI_TEXT("errors",
                 "write the name under which the key was allowed, as in send:key@mic-1/node-2:*=deny; 'divisictl keys' "
                 "lists the names")},
    {"policy-role-unknown", ErrorCode::invalid_input, DIVISI_TEXT("errors", "'%1' is not a role of a key"),
     DIVISI_TEXT(
         "errors",
         "write role@ROLE, where ROLE is viewer, operator, agent, admin or module, as in send:role@agent:*=deny")},
    {"policy-sender", ErrorCode::invalid_input, DIVISI_TEXT("errors", "'%1' is not a sender"),
     DIVISI_TEXT("errors",
                 "write send:WHO:PREFIX=deny; WHO is anyone, MIC/NODE, MIC/*, key@NAME or role@ROLE, and PREFIX a "
                 "task, a SID or *")},
    {"policy-send-form", ErrorCode::invalid_input, DIVISI_TEXT("errors", "the key must name the senders and the SIDs"),
     DIVISI_TEXT("errors",
                 "write send:WHO:PREFIX=deny; WHO is anyone, MIC/NODE, MIC/*, key@NAME or role@ROLE, and PREFIX a "
                 "task, a SID or *")},
    {"policy-send-sids", ErrorCode::invalid_input, DIVISI_TEXT("errors", "the key does not name valid SIDs"),
     DIVISI_TEXT("errors",
                 "write send:WHO:PREFIX=deny; WHO is anyone, MIC/NODE, MIC/*, key@NAME or role@ROLE, and PREFIX a "
                 "task, a SID or *")},
    {"policy-of-whole-mesh", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "this setting applies to the whole mesh, so its key must not name a device"),
     DIVISI_TEXT("errors", "write %1=VALUE")},
    {"policy-without-value", ErrorCode::invalid_input, DIVISI_TEXT("errors", "the setting has no value"),
     DIVISI_TEXT("errors",
                 "write KEY=VALUE, where KEY is share, blob-share, window, adapt, module, balancing, mic-rate, "
                 "task-rate, retries, breaker, breaker-window, breaker-open, alarm-retries, alarm-refusals, "
                 "alarm-latency, alarm-full or send")},
    {"no-such-policy", ErrorCode::invalid_input, DIVISI_TEXT("errors", "there is no policy '%1'"),
     DIVISI_TEXT("errors",
                 "write KEY=VALUE, where KEY is share, blob-share, window, adapt, module, balancing, mic-rate, "
                 "task-rate, retries, breaker, breaker-window, breaker-open, alarm-retries, alarm-refusals, "
                 "alarm-latency, alarm-full or send")},

    // types/receipt.cpp
    {"receipt-columns", ErrorCode::corrupt, DIVISI_TEXT("errors", "has %1 columns, but a receipt has %2"),
     DIVISI_TEXT("errors", "export the receipts again with 'divisictl receipts --csv FILE'")},
    {"receipt-format", ErrorCode::unsupported, DIVISI_TEXT("errors", "the receipt has the unknown format '%1'"),
     DIVISI_TEXT("errors", "this version reads %2 and %3")},
    {"receipt-without-number", ErrorCode::corrupt,
     DIVISI_TEXT("errors", "the number of the receipt or of its lease is missing"),
     DIVISI_TEXT("errors", "export the receipts again with 'divisictl receipts --csv FILE'")},
    {"receipt-changed", ErrorCode::corrupt,
     DIVISI_TEXT("errors", "the signature of receipt %1 is wrong: the receipt was changed, or signed with another key"),
     DIVISI_TEXT("errors", "export the receipts again with 'divisictl receipts --csv FILE'")},
    {"receipt-out-of-order", ErrorCode::corrupt, DIVISI_TEXT("errors", "receipt %1 comes after receipt %2"),
     DIVISI_TEXT("errors", "export the receipts again with 'divisictl receipts --csv FILE'")},
    {"receipt-missing", ErrorCode::corrupt, DIVISI_TEXT("errors", "receipt %1 is missing before receipt %2"),
     DIVISI_TEXT("errors", "export the receipts again with 'divisictl receipts --csv FILE'")},
    {"receipts-missing", ErrorCode::corrupt, DIVISI_TEXT("errors", "receipts %1 to %2 are missing before receipt %3"),
     DIVISI_TEXT("errors", "export the receipts again with 'divisictl receipts --csv FILE'")},
    {"receipt-chain-broken", ErrorCode::corrupt,
     DIVISI_TEXT("errors", "receipt %1 does not contain the hash of receipt %2"),
     DIVISI_TEXT("errors", "export the receipts again with 'divisictl receipts --csv FILE'")},
    {"receipts-of-one-lease", ErrorCode::corrupt,
     DIVISI_TEXT("errors",
                 "receipts %1 and %2 both belong to lease %3, but no receipt says that %4 took over this lease"),
     DIVISI_TEXT("errors", "export the receipts again with 'divisictl receipts --csv FILE'")},

    // state/pools.cpp
    {"device-type-unknown", ErrorCode::not_found,
     DIVISI_TEXT("errors", "no node of the cluster has a device of type '%1'")},
    {"no-node-with-memory", ErrorCode::exhausted,
     DIVISI_TEXT("errors", "no node has %1 of memory for an instance; the largest has %2"),
     DIVISI_TEXT("errors", "ask for less memory, or use more stages")},
    {"node-name-unknown", ErrorCode::not_found, DIVISI_TEXT("errors", "no node of the cluster is called '%1'")},
    {"node-named-without-nodes", ErrorCode::not_found, DIVISI_TEXT("errors", "no node of the cluster is called '%1'"),
     DIVISI_TEXT("errors", "start a node agent (divisi-node)")},
    {"pool-unknown", ErrorCode::not_found, DIVISI_TEXT("errors", "the cluster has no pool '%1'")},
    {"cluster-without-pools", ErrorCode::not_found, DIVISI_TEXT("errors", "the cluster has no pool '%1'"),
     DIVISI_TEXT("errors",
                 "the cluster file defines no pools; add a [[pool]] to it, or remove the pool from the task")},
    {"wish-leaves-no-node", ErrorCode::invalid_input,
     DIVISI_TEXT(
         "errors",
         "no node of the cluster satisfies all requirements of the task: pool, nodes, avoid, device type and memory"),
     DIVISI_TEXT("errors", "remove or relax a requirement; 'divisictl pools' lists the nodes")},

    // state/stated_policies.cpp
    {"stated-policy-refused", ErrorCode::invalid_input, DIVISI_TEXT("errors", "policy '%1': %2")},
    {"stated-policy-not-in-file", ErrorCode::invalid_input, DIVISI_TEXT("errors", "policy '%1': %2"),
     DIVISI_TEXT("errors",
                 "use names that the cluster file contains, or set the policy with 'divisictl policies set'")},
    {"stated-policy-twice", ErrorCode::invalid_input, DIVISI_TEXT("errors", "policy '%1': the file sets it twice"),
     DIVISI_TEXT("errors", "keep one of the two entries")},

    // state/version_lineage.cpp
    {"no-such-version", ErrorCode::not_found, DIVISI_TEXT("errors", "there is no such version of a model"),
     DIVISI_TEXT("errors", "list all versions with 'divisictl models'")},
    {"ambiguous-version-hash", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "the hashes of several versions begin with these digits"),
     DIVISI_TEXT("errors", "give more digits of the hash, or the number of the version")},
    {"version-name-is-hash", ErrorCode::conflict,
     DIVISI_TEXT("errors", "the name is also the beginning of the hashes of several versions"),
     DIVISI_TEXT("errors", "give another name")},
    {"no-version-name", ErrorCode::invalid_input, DIVISI_TEXT("errors", "is not a valid name of a version"),
     DIVISI_TEXT("errors", "use up to 64 letters, digits, '-', '_' and '.', not digits alone")},
    {"version-name-taken", ErrorCode::conflict, DIVISI_TEXT("errors", "version %1 already has this name"),
     DIVISI_TEXT("errors", "give another name")},

    // protocol/input_limits.cpp
    {"task-file-name-length", ErrorCode::invalid_input, DIVISI_TEXT("errors", "has %1 bytes; the limit is %2 bytes"),
     DIVISI_TEXT("errors", "shorten it: the name of a task's file is its path or the hash of its content")},
    {"task-file-without-purpose", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "states neither the purpose nor the path of the file"),
     DIVISI_TEXT("errors", "submit the task with 'divisictl run' or the console, which state both")},
    {"task-text-length", ErrorCode::invalid_input, DIVISI_TEXT("errors", "has %1 bytes; the limit is %2 bytes"),
     DIVISI_TEXT("errors", "name fewer nodes in [split], or let a search choose the cuts")},
    {"task-folder-length", ErrorCode::invalid_input, DIVISI_TEXT("errors", "has %1 bytes; the limit is %2 bytes"),
     DIVISI_TEXT("errors", "submit from a folder with a shorter path")},
    {"submitter-name-length", ErrorCode::invalid_input, DIVISI_TEXT("errors", "has %1 bytes; the limit is %2 bytes"),
     DIVISI_TEXT("errors", "give a shorter name")},
    {"skeleton-length", ErrorCode::invalid_input, DIVISI_TEXT("errors", "has %1 bytes; the limit is %2 bytes"),
     DIVISI_TEXT("errors", "move large constants of the model to its weights")},
    {"key-length", ErrorCode::invalid_input, DIVISI_TEXT("errors", "has %1 bytes; the limit is %2 bytes"),
     DIVISI_TEXT("errors", "a key is 40 characters of Z85")},
    {"key-name-length", ErrorCode::invalid_input, DIVISI_TEXT("errors", "has %1 bytes; the limit is %2 bytes"),
     DIVISI_TEXT("errors", "give the key a shorter name")},
    {"weights-path-length", ErrorCode::invalid_input, DIVISI_TEXT("errors", "has %1 bytes; the limit is %2 bytes"),
     DIVISI_TEXT("errors", "use a data folder with a shorter path")},
    {"weights-hash-length", ErrorCode::invalid_input, DIVISI_TEXT("errors", "has %1 bytes; the limit is %2 bytes"),
     DIVISI_TEXT("errors", "run the same version on every node")},
    {"too-many-task-files", ErrorCode::invalid_input, DIVISI_TEXT("errors", "names %1 files; the limit is %2 files"),
     DIVISI_TEXT("errors", "put the files into one folder, and name this folder")},
    {"task-too-large", ErrorCode::exhausted,
     DIVISI_TEXT("errors", "the task and its plan take %1 bytes and %2 names; the limits are %3 bytes and %4 names"),
     DIVISI_TEXT("errors", "use fewer stages, or name fewer nodes in [split]")},
    {"queue-full", ErrorCode::exhausted, DIVISI_TEXT("errors", "the queue is full"),
     DIVISI_TEXT("errors", "wait until some tasks have ended, or stop some tasks")},
    {"span-report-damaged", ErrorCode::corrupt,
     DIVISI_TEXT("errors", "reports an operation with a negative duration or an impossible time"),
     DIVISI_TEXT("errors", "check the clock of the machine of %1")},
    {"node-report-damaged", ErrorCode::corrupt, DIVISI_TEXT("errors", "reports impossible measurements of its machine"),
     DIVISI_TEXT("errors", "run the same Divisi version on all machines")},
    {"too-many-heads", ErrorCode::exhausted, DIVISI_TEXT("errors", "reports %1 heads; the limit is %2 heads"),
     DIVISI_TEXT("errors", "train fewer heads at once")},

    // protocol/jobs.cpp
    {"own-job-pending", ErrorCode::exhausted,
     DIVISI_TEXT("errors", "the earlier request of this connection is still in progress"),
     DIVISI_TEXT("errors", "ask again when that request has been answered")},
    {"too-many-jobs", ErrorCode::exhausted, DIVISI_TEXT("errors", "%1 %2 are already requested"),
     DIVISI_TEXT("errors", "ask again when one of these requests has been answered")},

    // protocol/message.cpp
    {"protocol-mismatch", ErrorCode::unsupported,
     DIVISI_TEXT("errors",
                 "it runs version %1 of Divisi with control protocol %2, but this program has control protocol %3"),
     DIVISI_TEXT("errors", "run the same Divisi version on all machines")},

    // protocol/state_messages.cpp
    {"snapshot-page-order", ErrorCode::corrupt, DIVISI_TEXT("errors", "page %1 of a snapshot does not follow page %2"),
     DIVISI_TEXT("errors", "run the same Divisi version on all machines")},

    // protocol/store_export.cpp
    {"store-row-mismatch", ErrorCode::corrupt,
     DIVISI_TEXT("errors", "the node sent a row whose cells do not match the columns"),
     DIVISI_TEXT("errors", "run the same Divisi version on all machines")},

    // protocol/subscription.cpp
    {"subscription-answer", ErrorCode::failed,
     DIVISI_TEXT("errors", "the answer to subscribe was %1 instead of a page of the state"),
     DIVISI_TEXT("errors", "run the same Divisi version on all machines")},
    {"subscription-overrun", ErrorCode::exhausted,
     DIVISI_TEXT("errors", "too many events arrived while the cluster's state was fetched"),
     DIVISI_TEXT("errors", "the state is fetched again")},
    {"events-lost", ErrorCode::corrupt, DIVISI_TEXT("errors", "events %1 to %2 did not arrive"),
     DIVISI_TEXT("errors", "the cluster's state is fetched again")},

    // protocol/task_events.cpp
    {"another-event-log", ErrorCode::conflict,
     DIVISI_TEXT("errors", "the event log of the cluster ends before the last received event of the task"),
     DIVISI_TEXT("errors", "check whether the orchestrator's data folder was replaced")},

    // placement/placement.cpp
    {"no-ready-node-of-name", ErrorCode::not_found, DIVISI_TEXT("errors", "no ready node is called '%1'"),
     DIVISI_TEXT("errors", "ready nodes: %2")},
    {"no-node-ready", ErrorCode::unavailable, DIVISI_TEXT("errors", "no node is ready"),
     DIVISI_TEXT("errors", "start a node agent (divisi-node), or look at 'divisictl nodes'")},
    {"no-allowed-node-ready", ErrorCode::unavailable,
     DIVISI_TEXT("errors", "every node that the task may use is absent or drained"),
     DIVISI_TEXT("errors", "start a node agent (divisi-node), or look at 'divisictl nodes'")},

    // agent/instance_life.cpp
    {"snapshot-while-not-training", ErrorCode::conflict, DIVISI_TEXT("errors", "the instance does not train"),
     DIVISI_TEXT("errors", "order a checkpoint while the task runs")},
    {"recut-while-not-training", ErrorCode::conflict, DIVISI_TEXT("errors", "the instance does not train"),
     DIVISI_TEXT("errors", "ask for the re-cut while the task trains")},

    // agent/node_agent.cpp
    {"node-is-ending", ErrorCode::conflict, DIVISI_TEXT("errors", "the node is ending"),
     DIVISI_TEXT("errors", "submit the task again when the node agent was started again")},
    {"instance-runs-already", ErrorCode::conflict, DIVISI_TEXT("errors", "the instance runs already"),
     DIVISI_TEXT("errors", "submit the task again when this instance has ended")},
    {"instance-node-ending", ErrorCode::unavailable, DIVISI_TEXT("errors", "its node is ending"),
     DIVISI_TEXT("errors", "submit the task again when the node is back")},

    // core/orchestrator_context.cpp
    {"unknown-task", ErrorCode::not_found, DIVISI_TEXT("errors", "no such task"),
     DIVISI_TEXT("errors", "list all tasks with 'divisictl tasks'")},
    {"task-name-is-no-id", ErrorCode::not_found, DIVISI_TEXT("errors", "no such task"),
     DIVISI_TEXT("errors", "this is the name of %1; give the id")},

    // core/sessions.cpp
    {"connection-named-already", ErrorCode::conflict,
     DIVISI_TEXT("errors", "this connection is already registered as %1"),
     DIVISI_TEXT("errors", "register each process once, over a connection of its own")},
    {"key-is-not-its-own", ErrorCode::denied,
     DIVISI_TEXT("errors", "the registered key is not the key of the connection"),
     DIVISI_TEXT("errors", "register with the key of the connection")},
    {"node-key-of-another", ErrorCode::denied,
     DIVISI_TEXT("errors", "the key of '%1' is not allowed to register as this node"),
     DIVISI_TEXT("errors",
                 "use the node's own key, or allow this key under the node's name: divisictl keys add '%2' --name %3 "
                 "--role agent")},
    {"node-name-taken", ErrorCode::conflict, DIVISI_TEXT("errors", "another node agent has this name"),
     DIVISI_TEXT("errors", "give each node of the cluster file a name of its own")},
    {"instance-of-other-sid", ErrorCode::denied, DIVISI_TEXT("errors", "the instance does not serve %1"),
     DIVISI_TEXT("errors", "run the same version on every node")},
    {"instance-key-of-another", ErrorCode::denied,
     DIVISI_TEXT("errors", "the instance uses the key of '%1' instead of the key of node %2"),
     DIVISI_TEXT("errors", "give the instance the key of the node that started it")},
    {"instance-connected-twice", ErrorCode::conflict, DIVISI_TEXT("errors", "this instance is registered already"),
     DIVISI_TEXT("errors", "end this process: only one process may serve a SID in a generation")},

    // dispatch/orchestrator.cpp
    {"message-not-taken", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "the orchestrator does not accept the message %1"),
     DIVISI_TEXT("errors", "check that both sides run the same version")},
    {"task-log-damaged", ErrorCode::corrupt, DIVISI_TEXT("errors", "%1"),
     DIVISI_TEXT("errors", "submit the task again")},
    {"message-before-hello", ErrorCode::denied, DIVISI_TEXT("errors", "the message %1 arrived before hello"),
     DIVISI_TEXT("errors", "send hello first")},
    {"role-not-allowed", ErrorCode::denied, DIVISI_TEXT("errors", "the role %1 is not allowed to %2"),
     DIVISI_TEXT("errors", "ask an admin of the cluster for another role")},
    {"message-about-another", ErrorCode::denied,
     DIVISI_TEXT("errors", "the message %1 must come from %2, not from this sender"),
     DIVISI_TEXT("errors", "only %2 itself may send this message")},
    {"backup-path-length", ErrorCode::invalid_input, DIVISI_TEXT("errors", "the path has more than %1 bytes"),
     DIVISI_TEXT("errors", "name a folder with a shorter path")},

    // dispatch/orchestrator_connections.cpp
    {"key-without-role", ErrorCode::denied, DIVISI_TEXT("errors", "the key does not permit the role %1"),
     DIVISI_TEXT("errors", "the role of the key is %2; use a key with the required role")},
    {"no-such-key", ErrorCode::not_found, DIVISI_TEXT("errors", "no such key"),
     DIVISI_TEXT("errors",
                 "list all keys with 'divisictl keys'; to revoke a key of the cluster file, remove it from that file")},
    {"key-revoked", ErrorCode::denied, DIVISI_TEXT("errors", "its key was revoked"),
     DIVISI_TEXT("errors", "ask an admin of the cluster")},
    {"key-changed", ErrorCode::denied, DIVISI_TEXT("errors", "the key now has another role or name"),
     DIVISI_TEXT("errors", "ask an admin of the cluster")},

    // dispatch/span_watch.cpp
    {"too-many-watched-tasks", ErrorCode::exhausted,
     DIVISI_TEXT("errors", "this connection already watches the spans of %1 tasks, which is the limit"),
     DIVISI_TEXT("errors", "watch fewer tasks at a time")},

    // dispatch/store_questions.cpp
    {"store-name-length", ErrorCode::invalid_input, DIVISI_TEXT("errors", "the name of the store is too long"),
     DIVISI_TEXT("errors", "list the stores again from the first one")},
    {"store-table-name-length", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "the name of the SID or of the table is too long"),
     DIVISI_TEXT("errors", "list the SIDs with 'divisictl stores'")},
    {"store-node-unknown", ErrorCode::not_found, DIVISI_TEXT("errors", "there is no such node"),
     DIVISI_TEXT("errors", "list all nodes with 'divisictl nodes'")},
    {"store-node-away", ErrorCode::unavailable, DIVISI_TEXT("errors", "the node is away"),
     DIVISI_TEXT("errors", "ask again when it is back")},
    {"too-many-store-questions", ErrorCode::exhausted,
     DIVISI_TEXT("errors", "too many requests to state stores wait for an answer"),
     DIVISI_TEXT("errors", "ask again when some of them have been answered")},
    {"store-node-lost", ErrorCode::unavailable, DIVISI_TEXT("errors", "the node went away before it answered"),
     DIVISI_TEXT("errors", "ask again when it is back")},
    {"store-node-silent", ErrorCode::deadline, DIVISI_TEXT("errors", "the node does not answer"),
     DIVISI_TEXT("errors", "check the load of its machine and its disk")},

    // dispatch/watchers.cpp
    {"snapshot-page-gone", ErrorCode::conflict, DIVISI_TEXT("errors", "page %1 of the snapshot is no longer kept"),
     DIVISI_TEXT("errors", "subscribe again")},
};

/// All catalogues of control.
inline constexpr std::span<const ErrorText> error_catalogues[] = {
    error_texts, change_error_texts, network_error_texts, policy_error_texts, queue_error_texts, runs_error_texts};

/// Returns the text of this id. An id that is in no catalogue of control does not compile.
consteval const ErrorText& error_text(std::string_view id) {
    for (const std::span<const ErrorText> catalogue : error_catalogues)
        for (const ErrorText& text : catalogue)
            if (id == text.id) return text;
    throw "no error of the catalogues has this id";
}

}  // namespace divisi::control::inline types
