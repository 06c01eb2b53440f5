// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <nlohmann/json.hpp>

namespace divisi::ctl {

/// One line on standard output, its keys in their order. Bytes that are no UTF-8 are replaced, for every reader takes
/// the line.
inline void print_json(const nlohmann::ordered_json& line) {
    std::puts(line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
}

}  // namespace divisi::ctl
