// SPDX-License-Identifier: Apache-2.0
#pragma once

// Private to wire. Maps each struct that has a list of fields to its generated type.

#include "backend/control/protocol/message_fields.h"
#include "divisi/v1/control.pb.h"

namespace divisi::wire {

/// Maps a domain struct to its generated type.
template <typename T>
struct Proto;

#define FIELDS_AS(Domain, Generated, ...) \
    template <>                           \
    struct Proto<Domain> {                \
        using type = v1::Generated;       \
    };
#include "backend/control/protocol/message_fields.inc"
#include "backend/control/state/state_fields.inc"
#undef FIELDS_AS

}  // namespace divisi::wire
