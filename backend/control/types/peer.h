// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/control/types/types.h"
#include "backend/identity/credentials.h"

namespace divisi::control::inline types {

// Types that describe the other end of a connection.
using identity::Credentials;
using identity::same_holder;

}  // namespace divisi::control::inline types
