// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/control/state/state.h"
#include "backend/control/types/log_types.h"
#include "backend/control/types/machine_types.h"

namespace divisi::control {

/// Lists the fields of a struct. The lists are in state_fields.inc and, for messages, in protocol's message_fields.inc.
/// The codec, encoded_size() and the JSON output of divisictl use them. `names` is the text of the list, for example
/// "m.task, m.outcome, m.error". visit() calls the visitor once, with all fields of `m`.
template <typename T>
struct FieldList;

#define DIVISI_FIELD_LIST(Domain, Message, ...)                      \
    template <>                                                      \
    struct FieldList<Domain> {                                       \
        static constexpr const char* names = #__VA_ARGS__;           \
        template <typename Visitor, typename T>                      \
        static void visit(Visitor& visitor, [[maybe_unused]] T& m) { \
            visitor(__VA_ARGS__);                                    \
        }                                                            \
    };
#define FIELDS_AS DIVISI_FIELD_LIST
#include "backend/control/state/state_fields.inc"
#undef FIELDS_AS

}  // namespace divisi::control
