// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/base/error_text.h"

namespace divisi::plan {

/// Errors of this folder.
inline constexpr ErrorText error_texts[] = {
    // blocks.cpp
    {"segments-wait-for-each-other", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "the segments wait for each other: %1"),
     DIVISI_TEXT(
         "errors",
         "move one of these operators, or an operator that reads the output of one of them, to the other segment")},
    {"operator-in-two-segments", ErrorCode::invalid_input, DIVISI_TEXT("errors", "operator '%1' is also in %2"),
     DIVISI_TEXT("errors", "keep the operator in one segment")},
    {"operator-in-no-listed-segment", ErrorCode::invalid_input, DIVISI_TEXT("errors", "operator '%1' is in no segment"),
     DIVISI_TEXT("errors",
                 "add the operator to a segment, or write \"*\" in the segment that takes all remaining operators")},
    {"segment-without-work", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "the segment contains no operator that works on data"),
     DIVISI_TEXT("errors", "remove the segment, or name its operators more specifically than other segments do")},
    {"no-operator-matches", ErrorCode::not_found, DIVISI_TEXT("errors", "no operator is called '%1'"),
     DIVISI_TEXT("errors", "`divisictl model info --operators` lists all operators")},
    {"no-operator-matches-in-scope", ErrorCode::not_found, DIVISI_TEXT("errors", "no operator is called '%1'"),
     DIVISI_TEXT("errors", "a name in this scope is '%2'")},

    // branches.cpp
    {"no-output-of-model", ErrorCode::not_found, DIVISI_TEXT("errors", "the model has no output '%1'"),
     DIVISI_TEXT("errors", "use %2")},
    {"output-not-computed", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "output '%1' is not computed by any operator"),
     DIVISI_TEXT("errors", "choose another output")},

    // checks.cpp
    {"edge-missing", ErrorCode::invalid_input, DIVISI_TEXT("errors", "value '%1' has no edge from %2 to %3"),
     DIVISI_TEXT("errors", "derive the edges with make_partition()")},
    {"edge-not-needed", ErrorCode::invalid_input, DIVISI_TEXT("errors", "there are edges that no segment needs"),
     DIVISI_TEXT("errors", "derive the edges with make_partition()")},
    {"stage-exceeds-memory", ErrorCode::exhausted,
     DIVISI_TEXT("errors", "the stage needs about %1 of memory (%2 for activations), but %3 has only %4"),
     DIVISI_TEXT("errors", "use more stages, more micro-batches, train.recompute = true, or another node")},
    {"channel-without-slot", ErrorCode::invalid_input, DIVISI_TEXT("errors", "%1 has no tensor slot for %2 of %3"),
     DIVISI_TEXT("errors", "give every channel at least one tensor slot")},
    {"tensors-taken-out-of-order", ErrorCode::invalid_input, DIVISI_TEXT("errors", "%1 receives %2 after %3"),
     DIVISI_TEXT("errors", "let every stage process the micro-batches in ascending order")},
    {"tensor-never-sent", ErrorCode::invalid_input, DIVISI_TEXT("errors", "%1 waits for %2, which %3 never sends"),
     DIVISI_TEXT("errors", "give every stage every pass of every micro-batch")},
    {"tensor-never-taken", ErrorCode::invalid_input, DIVISI_TEXT("errors", "%1 sends %2, which %3 never receives"),
     DIVISI_TEXT("errors", "give every stage every pass of every micro-batch")},
    {"order-of-passes-waits", ErrorCode::invalid_input, DIVISI_TEXT("errors", "the schedule deadlocks: %1"),
     DIVISI_TEXT("errors",
                 "more tensor slots do not help with this order of passes; use schedule = \"gpipe\" or \"1f1b\"")},
    {"tensor-slot-waits", ErrorCode::invalid_input, DIVISI_TEXT("errors", "the schedule deadlocks: %1"),
     DIVISI_TEXT("errors",
                 "give %2 from %3 more than 1 tensor slot (split.slots), or use an order of passes that keeps fewer "
                 "tensors waiting")},
    {"tensor-slots-wait", ErrorCode::invalid_input, DIVISI_TEXT("errors", "the schedule deadlocks: %1"),
     DIVISI_TEXT("errors",
                 "give %2 from %3 more than %4 tensor slots (split.slots), or use an order of passes that keeps fewer "
                 "tensors waiting")},

    // cut_choice.cpp
    {"cut-listed-twice", ErrorCode::invalid_input, DIVISI_TEXT("errors", "the cut after node '%1' is listed twice"),
     DIVISI_TEXT("errors", "list each cut once")},
    {"too-many-cuts", ErrorCode::invalid_input, DIVISI_TEXT("errors", "%1 cuts are too many"),
     DIVISI_TEXT("errors", "use at most %2"), true},

    // interpreter.cpp
    {"run-already-begun", ErrorCode::corrupt, DIVISI_TEXT("errors", "the run has already begun"),
     DIVISI_TEXT("errors", "the peer or the caller does not follow the plan; compare their plan hashes")},
    {"tensor-for-another", ErrorCode::corrupt,
     DIVISI_TEXT("errors", "a tensor arrived that this instance does not expect: %1"),
     DIVISI_TEXT("errors", "the peer or the caller does not follow the plan; compare their plan hashes")},
    {"tensor-without-free-slot", ErrorCode::corrupt,
     DIVISI_TEXT("errors", "a tensor arrived without a free tensor slot: %1"),
     DIVISI_TEXT("errors", "the peer or the caller does not follow the plan; compare their plan hashes")},
    {"slot-never-used", ErrorCode::corrupt,
     DIVISI_TEXT("errors", "a tensor slot was freed that this instance never used: %1"),
     DIVISI_TEXT("errors", "the peer or the caller does not follow the plan; compare their plan hashes")},
    {"operation-never-started", ErrorCode::corrupt,
     DIVISI_TEXT("errors", "an operation ended that had not been started"),
     DIVISI_TEXT("errors", "the peer or the caller does not follow the plan; compare their plan hashes")},

    // partition.cpp
    {"segment-without-operator", ErrorCode::invalid_input, DIVISI_TEXT("errors", "the segment contains no operator"),
     DIVISI_TEXT("errors", "use fewer segments")},
    {"no-operator-of-number", ErrorCode::invalid_input, DIVISI_TEXT("errors", "there is no operator %1"),
     DIVISI_TEXT("errors", "number operators by their canonical order"), true},
    {"operator-also-in-segment", ErrorCode::invalid_input, DIVISI_TEXT("errors", "operator '%1' is also in segment %2"),
     DIVISI_TEXT("errors", "keep the operator in one segment")},
    {"operator-in-no-segment", ErrorCode::invalid_input, DIVISI_TEXT("errors", "operator '%1' is in no segment"),
     DIVISI_TEXT("errors", "add the operator to a segment")},
    {"value-needed-earlier", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "value '%1' of operator '%2' in segment %3 is needed in the earlier segment %4"),
     DIVISI_TEXT("errors",
                 "move the operator to segment %4, or move the operator that needs the value to a later segment")},
    {"value-of-unknown-type", ErrorCode::unsupported,
     DIVISI_TEXT("errors", "the type of value '%1' of operator '%2' is not known, so no segment can end there"),
     DIVISI_TEXT("errors", "cut the model elsewhere")},

    // program.cpp
    {"batch-cannot-resume", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "a batch task cannot continue after a step"), DIVISI_TEXT("errors", "start the task again")},
    {"run-ends-at-that-step", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "a run of %1 steps cannot continue after this step"),
     DIVISI_TEXT("errors", "choose a step before the last one"), true},

    // schedule.cpp
    {"no-schedule-of-name", ErrorCode::invalid_input, DIVISI_TEXT("errors", "'%1' is not a schedule"),
     DIVISI_TEXT("errors", "use gpipe or 1f1b")},

    // training_graph.cpp
    {"model-without-output", ErrorCode::invalid_input, DIVISI_TEXT("errors", "the model has no output"),
     DIVISI_TEXT("errors", "export the model with an output that a loss can read")},
    {"value-name-taken-by-loss", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "the name of value '%1' is reserved for the loss"),
     DIVISI_TEXT("errors", "rename the value and export the model again")},
    {"node-name-taken-by-loss", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "the name of node '%1' is reserved for the loss"),
     DIVISI_TEXT("errors", "rename the node and export the model again")},
    {"output-not-floating", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "is not a floating-point value, so a loss cannot train it"),
     DIVISI_TEXT("errors", "choose another output with model.output")},
    {"no-operator-computes-output", ErrorCode::invalid_input, DIVISI_TEXT("errors", "is not computed by any operator"),
     DIVISI_TEXT("errors", "choose another output")},
    {"output-of-unknown-size", ErrorCode::invalid_input, DIVISI_TEXT("errors", "has an unknown size"),
     DIVISI_TEXT("errors", "bind its dimensions in [model.symbols]")},
    {"output-unfit-for-cross-entropy", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "is not of the form [samples, ..., classes] that cross-entropy needs"),
     DIVISI_TEXT("errors", "use loss = \"mse\", or choose another output with model.output")},
    {"output-with-one-class", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "has only one class in its last dimension"), DIVISI_TEXT("errors", "use loss = \"mse\"")},
    {"too-few-classes", ErrorCode::invalid_input, DIVISI_TEXT("errors", "has %1 classes, but the data has %2"),
     DIVISI_TEXT("errors", "use a model with at least as many classes as the data"), true},
    {"output-unfit-for-sum", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "has a type that does not allow it to be one of several heads"),
     DIVISI_TEXT("errors", "convert the output to float32 in the model")},
    {"no-loss-of-name", ErrorCode::invalid_input, DIVISI_TEXT("errors", "'%1' is not a loss"),
     DIVISI_TEXT("errors", "use cross_entropy or mse")},
};

/// Returns the entry with this id. An unknown id is a compile error.
consteval const ErrorText& error_text(std::string_view id) { return find_text(error_texts, id); }

}  // namespace divisi::plan
