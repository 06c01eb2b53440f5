// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "backend/identity/role.h"

namespace divisi::identity {

/// Holds the keys that a process admits on tcp, with the role of each. Any thread may read and change the list.
class AccessList {
public:
    struct Holder {
        std::string name;
        Role role = Role::viewer;
    };
    /// Allows a key; if it is already allowed, its name and role are replaced.
    void allow(const std::string& public_key, Holder holder);
    void revoke(const std::string& public_key);
    /// Returns the key's holder; nothing if the key is not allowed.
    std::optional<Holder> find(const std::string& public_key) const;

private:
    mutable std::mutex mutex_;
    std::map<std::string, Holder> allowed_;
};

}  // namespace divisi::identity
