// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "backend/link/security.h"

namespace divisi::link {

/// The keys with which a process authenticates itself. Empty on ipc.
struct SocketSecurity {
    std::optional<KeyPair> keys;  ///< own key pair; required on tcp
};

/// Returns whether a process listens on the Unix socket at `path`; a bind would silently replace that socket.
bool somebody_listens(const std::string& path);

/// Checks an endpoint's format: scheme, address, port, length of an ipc path.
Result<void> check_endpoint(const std::string& endpoint);
inline bool is_ipc(const std::string& endpoint) { return endpoint.starts_with("ipc://"); }

/// Creates `folder` with mode 0700, or checks that it belongs to this user and is not accessible to other users.
Result<void> make_private_folder(const std::string& folder);

}  // namespace divisi::link
