// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/control/protocol/all_messages.h"
#include "backend/control/state/field_list.h"
#include "backend/mesh/signaling/load_advert.h"

namespace divisi::control {

#define FIELDS_AS DIVISI_FIELD_LIST
#include "backend/control/protocol/message_fields.inc"
#undef FIELDS_AS

}  // namespace divisi::control
