// SPDX-License-Identifier: Apache-2.0
#include "backend/identity/role.h"

namespace divisi::identity {

bool allowed(Role role, Right right) {
    switch (role) {
        case Role::viewer: return right == Right::watch;
        case Role::operate: return right == Right::watch || right == Right::submit;
        case Role::agent: return right == Right::serve;
        case Role::admin: return right != Right::serve && right != Right::advise;
        case Role::module: return right == Right::advise;
    }
    return false;
}

const char* to_string(Role role) {
    switch (role) {
        case Role::viewer: return "viewer";
        case Role::operate: return "operator";
        case Role::agent: return "agent";
        case Role::admin: return "admin";
        case Role::module: return "module";
    }
    return "unknown";
}

const char* to_string(Right right) {
    switch (right) {
        case Right::watch: return "watch";
        case Right::submit: return "submit and stop tasks";
        case Right::administer: return "administer the cluster";
        case Right::serve: return "serve as an agent";
        case Right::advise: return "advise as a module";
    }
    return "unknown";
}

std::optional<Role> parse_role(std::string_view text) {
    for (const Role role : {Role::viewer, Role::operate, Role::agent, Role::admin, Role::module})
        if (text == to_string(role)) return role;
    return std::nullopt;
}

}  // namespace divisi::identity
