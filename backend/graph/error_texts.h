// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/base/error_text.h"

namespace divisi::graph {

/// Errors of this folder.
inline constexpr ErrorText error_texts[] = {
    // cuts.cpp
    {"model-cannot-be-cut", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "the model has no place where it can be cut"), DIVISI_TEXT("errors", "run it as one stage")},
    {"no-node-to-cut-after", ErrorCode::not_found, DIVISI_TEXT("errors", "no node of the model has this name"),
     DIVISI_TEXT("errors", "did you mean %1? `divisictl model info` lists all cuts")},
    {"no-cut-of-index", ErrorCode::not_found, DIVISI_TEXT("errors", "the model has %1 legal cuts"),
     DIVISI_TEXT("errors", "give an index from 0 to %2, or a node's name"), true},
    {"cut-would-be-illegal", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "a cut after this node would leave one side without work or data"),
     DIVISI_TEXT("errors", "the nearest legal cuts are after %1")},
    {"cut-does-not-exist", ErrorCode::invalid_input, DIVISI_TEXT("errors", "cut %1 does not exist"),
     DIVISI_TEXT("errors", "the model has %2 legal cuts"), true},
    {"cuts-out-of-order", ErrorCode::invalid_input, DIVISI_TEXT("errors", "cut %1 is not after the previous cut"),
     DIVISI_TEXT("errors", "list each cut once, in the order of the model")},

    // graph.cpp
    {"value-produced-twice", ErrorCode::invalid_input, DIVISI_TEXT("errors", "value '%1' is produced here and by %2"),
     DIVISI_TEXT("errors", "give each output a name of its own")},
    {"output-is-also-input", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "its output '%1' is also an input of the graph"),
     DIVISI_TEXT("errors", "give each output a name of its own")},
    {"input-from-nowhere", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "its input '%1' is not an output of a node, a graph input or an initializer"),
     DIVISI_TEXT("errors", "export the model again, or add the missing value")},
    {"output-from-no-node", ErrorCode::invalid_input, DIVISI_TEXT("errors", "output '%1' is not computed by any node"),
     DIVISI_TEXT("errors", "remove the output, or export the model again")},
    {"graph-has-cycle", ErrorCode::invalid_input, DIVISI_TEXT("errors", "the graph has a cycle: %1"),
     DIVISI_TEXT("errors", "a model must be acyclic; remove the cycle where the model is exported")},

    // inference.cpp
    {"shapes-contradict", ErrorCode::invalid_input, DIVISI_TEXT("errors", "%1: %2"),
     DIVISI_TEXT("errors", "check the sizes that the task binds, or export the model again")},

    // operators.cpp
    {"operator-with-subgraph", ErrorCode::unsupported,
     DIVISI_TEXT("errors", "operator %1 contains a sub-graph, which Divisi does not support"),
     DIVISI_TEXT("errors", "export the model without data-dependent control flow (trace it, with fixed loop counts)")},
    {"operator-form-not-supported", ErrorCode::unsupported, DIVISI_TEXT("errors", "operator %1 %2 is not supported"),
     DIVISI_TEXT("errors", "replace the operator in the model, or export it in another form")},
    {"operator-of-unknown-domain", ErrorCode::unsupported,
     DIVISI_TEXT("errors", "operator %1 belongs to a domain that Divisi does not know"),
     DIVISI_TEXT("errors", "export with standard ONNX operators only (opset 17)")},
    {"operator-not-supported", ErrorCode::unsupported, DIVISI_TEXT("errors", "operator %1 is not supported"),
     DIVISI_TEXT("errors", "replace the operator in the model, or export it as simpler operators")},

    // shapes.cpp
    {"negative-dimension", ErrorCode::invalid_input, DIVISI_TEXT("errors", "a dimension cannot be %1"),
     DIVISI_TEXT("errors", "bind the dimension to 0 or more"), true},
    {"dimension-is-fixed", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "the model fixes this dimension to %1, but the task binds it to %2"),
     DIVISI_TEXT("errors", "bind %1, or export the model with this dimension dynamic"), true},
    {"no-open-dimension", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "no input of the model has a dimension of this name"),
     DIVISI_TEXT("errors", "the model has no open dimension")},
    {"no-dimension-of-name", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "no input of the model has a dimension of this name"),
     DIVISI_TEXT("errors", "use one of %1")},

    // zoo.cpp
    {"no-such-zoo-model", ErrorCode::not_found, DIVISI_TEXT("errors", "the zoo has no such model"),
     DIVISI_TEXT("errors", "use one of %1")},
    {"no-such-zoo-size", ErrorCode::invalid_input, DIVISI_TEXT("errors", "the model has no size '%1'"),
     DIVISI_TEXT("errors", "use one of these sizes (with defaults): %2")},
    {"zoo-size-out-of-range", ErrorCode::invalid_input, DIVISI_TEXT("errors", "%1 = %2 is out of range"),
     DIVISI_TEXT("errors", "give %1 (%3) from %4 to %5")},
    {"zoo-model-without-rows", ErrorCode::invalid_input, DIVISI_TEXT("errors", "a micro-batch cannot have %1 rows"),
     DIVISI_TEXT("errors", "give at least one row"), true},

    // zoo_transformer.cpp
    {"width-not-divided-by-heads", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "width %1 is not divisible by heads %2"),
     DIVISI_TEXT("errors", "make width a multiple of heads"), true},
    {"image-not-divided-by-patch", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "image %1 is not divisible by patch %2"),
     DIVISI_TEXT("errors", "make image a multiple of patch"), true},
};

/// Returns the entry with this id. An unknown id is a compile error.
consteval const ErrorText& error_text(std::string_view id) { return find_text(error_texts, id); }

}  // namespace divisi::graph
