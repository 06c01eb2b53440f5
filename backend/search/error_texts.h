// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/base/error_text.h"

namespace divisi::search {

/// Errors of this folder.
inline constexpr ErrorText error_texts[] = {
    // block_segmentation.cpp
    {"operator-pinned-to-no-node", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "an operator is pinned to node %1, but the number of nodes is %2"),
     DIVISI_TEXT("errors", "pin the operator to a node of the cluster"), true},
    {"group-pinned-apart", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "the operator must stay together with operator %1, which is pinned to another node"),
     DIVISI_TEXT("errors", "change one of the pins, or remove the group"), true},
    {"no-partition-keeps-rules", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "no acyclic partition was found that respects the pins, the groups and the secure nodes"),
     DIVISI_TEXT("errors", "remove a pin or a group, or mark another node as secure")},
    {"no-partition-fits-memory", ErrorCode::exhausted,
     DIVISI_TEXT("errors", "no partition was found that fits into the memory of the nodes"),
     DIVISI_TEXT("errors", "use more nodes, more micro-batches, or train.recompute = true")},
    {"no-nodes-for-blocks", ErrorCode::invalid_input, DIVISI_TEXT("errors", "there are no nodes"),
     DIVISI_TEXT("errors", "give the operators in a topological order, and at least one node")},
    {"operators-form-cycle", ErrorCode::invalid_input, DIVISI_TEXT("errors", "the operators form a cycle"),
     DIVISI_TEXT("errors", "give the operators in a topological order, and at least one node")},

    // business_segmentation.cpp
    {"shared-layers-out-of-range", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "the backbone that all heads share has %1 layers, not %2"),
     DIVISI_TEXT("errors", "use 0 to %1, or -1 for all"), true},
    {"model-without-heads", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "business segmentation needs a model with several heads"),
     DIVISI_TEXT("errors",
                 "give each head a loss, as in [train.losses] ads = \"cross_entropy\", or use strategy = \"layer\"")},
    {"branches-do-not-fill-stages", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "a backbone of %1 layers and %2 branches cannot be divided into %3 stages"),
     DIVISI_TEXT("errors", "use %4 to %5 stages"), true},

    // chain.cpp
    {"no-cuts-keep-rules", ErrorCode::invalid_input,
     DIVISI_TEXT(
         "errors",
         "no cuts into %1 stages satisfy all rules for where operators run (pins, sensitive operators, branches)"),
     DIVISI_TEXT("errors", "use another number of stages, or remove one of these rules"), true},
    {"layers-do-not-fit-stages", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "%1 layers cannot be cut into %2 stages of %3 to %4 layers"),
     DIVISI_TEXT("errors", "use fewer stages, or other limits for the number of layers per stage"), true},
    {"too-few-allowed-cuts", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "no choice of %1 allowed cuts gives stages within the limits"),
     DIVISI_TEXT("errors", "use fewer stages, or allow more cuts"), true},
    {"stages-do-not-fit-devices", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "the model in %1 stages does not fit into the memory of its devices: one device has %2"),
     DIVISI_TEXT("errors", "give every device at least %3, or use more stages or smaller micro-batches")},
    {"no-device-for-stage", ErrorCode::invalid_input, DIVISI_TEXT("errors", "there is no device to run a stage"),
     DIVISI_TEXT("errors", "use at least one stage")},
    {"layers-allow-one-stage", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "%1 cannot be cut into %2 with a minimum of %3 per stage"),
     DIVISI_TEXT("errors", "use 1 stage")},
    {"too-few-layers", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "%1 cannot be cut into %2 with a minimum of %3 per stage"),
     DIVISI_TEXT("errors", "use 1 to %4 stages")},

    // layer_methods.cpp
    {"tabu-search-too-long", ErrorCode::deadline,
     DIVISI_TEXT("errors", "= %1 takes too long: the search was stopped after iteration %2"),
     DIVISI_TEXT("errors", "lower this number, or split.tabu_neighbourhood"), true},

    // layers.cpp
    {"too-few-devices", ErrorCode::invalid_input, DIVISI_TEXT("errors", "there are %1 devices for %2 stages"),
     DIVISI_TEXT("errors", "use as many stages as devices, or fewer"), true},
    {"too-few-legal-cuts", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "model '%1' cannot be cut into %2 stages; it has %3 legal cuts"),
     DIVISI_TEXT("errors", "use 1 to %4 stages")},

    // node_chain.cpp
    {"too-few-stages-for-pins", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "the pins require at least %1 stages: %2"),
     DIVISI_TEXT("errors", "use split.stages = %1 or more, or pin neighbouring operators to one node")},
    {"pinned-to-no-node", ErrorCode::not_found, DIVISI_TEXT("errors", "%1 is pinned to '%2', which is not a node"),
     DIVISI_TEXT("errors", "pin the operator to one of these nodes: %3")},
    {"pinned-to-node-without-stage", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "%1 is pinned to %2, but place.stages puts no stage there"),
     DIVISI_TEXT("errors",
                 "add this node to place.stages, or remove place.stages, so that the planner chooses the nodes")},
    {"pinned-apart-without-cut", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "%1 is pinned to %2 and %3 to %4, but no legal cut separates these operators"),
     DIVISI_TEXT("errors", "pin both operators to the same node, or use strategy = \"block\"")},
    {"no-secure-node", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "%1 is sensitive, but no node of the cluster is secure"),
     DIVISI_TEXT("errors",
                 "in the cluster file, write secure = true for a [[mic.node]] that may see the data of the operator")},
    {"sensitive-pinned-to-insecure-node", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "%1 is sensitive but pinned to %2, which is not secure"),
     DIVISI_TEXT("errors", "pin the operator to %3, or mark the node as secure")},

    // segmentation_request.cpp
    {"request-value-out-of-range", ErrorCode::invalid_input, DIVISI_TEXT("errors", "= %1 is out of range"),
     DIVISI_TEXT("errors", "use %2 to %3"), true},
    {"request-value-missing", ErrorCode::invalid_input, DIVISI_TEXT("errors", "is empty"),
     DIVISI_TEXT("errors", "use one of %1")},
    {"request-value-not-known", ErrorCode::invalid_input, DIVISI_TEXT("errors", "= '%1' is not known"),
     DIVISI_TEXT("errors", "use one of %2")},
    {"bounds-reversed", ErrorCode::invalid_input, DIVISI_TEXT("errors", "= %1 is less than split.%2 = %3"),
     DIVISI_TEXT("errors", "raise this value, or lower the other one")},
    {"too-many-names", ErrorCode::invalid_input, DIVISI_TEXT("errors", "has too many names: %1"),
     DIVISI_TEXT("errors", "use at most %2"), true},
    {"name-too-long", ErrorCode::invalid_input, DIVISI_TEXT("errors", "has a name of %1 bytes"),
     DIVISI_TEXT("errors", "use at most %2"), true},
    {"empty-operator-name", ErrorCode::invalid_input, DIVISI_TEXT("errors", "has an empty name"),
     DIVISI_TEXT("errors", "name operators, or a scope with everything below it, such as \"/encoder/*\"")},
    {"names-every-operator", ErrorCode::invalid_input, DIVISI_TEXT("errors", "names every operator"),
     DIVISI_TEXT("errors", "name operators, or a scope with everything below it, such as \"/encoder/*\"")},
    {"cuts-and-stages", ErrorCode::invalid_input, DIVISI_TEXT("errors", "and split.stages exclude each other"),
     DIVISI_TEXT("errors", "keep one of them")},
    {"range-of-stages-excludes", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "and the range split.least_stages to split.most_stages exclude each other"),
     DIVISI_TEXT("errors", "keep one of them")},
    {"no-number-of-shared-layers", ErrorCode::invalid_input, DIVISI_TEXT("errors", "= %1 is out of range"),
     DIVISI_TEXT("errors", "use a number of layers, or -1 for all layers that every head needs"), true},
    {"shared-layers-of-other-strategy", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "applies only to strategy = \"business\""), DIVISI_TEXT("errors", "remove it")},
    {"segmentation-version-not-spoken", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "= %1 is a version that this build does not support"),
     DIVISI_TEXT("errors", "use version = %2"), true},
};

/// Returns the entry with this id. An unknown id is a compile error.
consteval const ErrorText& error_text(std::string_view id) { return find_text(error_texts, id); }

}  // namespace divisi::search
