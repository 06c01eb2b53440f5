// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <nlohmann/json.hpp>

namespace divisi::ctl {

/// Prints one line on standard output, with the keys in their order. Replaces bytes that are not UTF-8, so that every
/// reader accepts the line.
inline void print_json(const nlohmann::ordered_json& line) {
    std::puts(line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
}

}  // namespace divisi::ctl
