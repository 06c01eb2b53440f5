// SPDX-License-Identifier: Apache-2.0
#include "backend/identity/access_list.h"

#include <utility>

namespace divisi::identity {

void AccessList::allow(const std::string& public_key, Holder holder) {
    const std::lock_guard lock(mutex_);
    allowed_[public_key] = std::move(holder);
}

void AccessList::revoke(const std::string& public_key) {
    const std::lock_guard lock(mutex_);
    allowed_.erase(public_key);
}

std::optional<AccessList::Holder> AccessList::find(const std::string& public_key) const {
    const std::lock_guard lock(mutex_);
    const auto found = allowed_.find(public_key);
    if (found == allowed_.end()) return std::nullopt;
    return found->second;
}

}  // namespace divisi::identity
