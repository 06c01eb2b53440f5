// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/control/types/types.h"
#include "backend/identity/credentials.h"

namespace divisi::control::inline types {

// Who is at the other end of a connection is told in these words.
using identity::Credentials;
using identity::same_holder;

}  // namespace divisi::control::inline types
