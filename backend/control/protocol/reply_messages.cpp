// SPDX-License-Identifier: Apache-2.0
#include "backend/control/protocol/reply_messages.h"

namespace divisi::control::inline protocol {

Error combined(const Refused& refused) {
    Error error = refused.error;
    for (const Error& other : refused.others) error.next += (error.next.empty() ? "" : "; also ") + other.message();
    return error;
}

}  // namespace divisi::control::inline protocol
