// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "backend/identity/role.h"

namespace divisi::identity {

/// Whose keys a process lets in on tcp, and as what. Any thread may ask and change it.
class AccessList {
public:
    struct Holder {
        std::string name;
        Role role = Role::viewer;
    };
    /// A key that is allowed again gets the new name and role.
    void allow(const std::string& public_key, Holder holder);
    void revoke(const std::string& public_key);
    /// Nothing for a key that is not allowed.
    std::optional<Holder> find(const std::string& public_key) const;

private:
    mutable std::mutex mutex_;
    std::map<std::string, Holder> allowed_;
};

}  // namespace divisi::identity
