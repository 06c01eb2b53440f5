// SPDX-License-Identifier: Apache-2.0
#include "backend/control/protocol/connection_messages.h"

#include "backend/control/types/error_texts.h"

namespace divisi::control::inline protocol {

Result<void> check_protocol(std::uint32_t protocol, const std::string& version, const std::string& where) {
    if (protocol == protocol_version) return {};
    return make_error(error_text("protocol-mismatch"), where,
                      {version, std::to_string(protocol), std::to_string(protocol_version)});
}

}  // namespace divisi::control::inline protocol
