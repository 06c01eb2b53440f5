// SPDX-License-Identifier: Apache-2.0
#pragma once

// Private to this folder: no other code uses toml++.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <toml++/toml.h>

#include "backend/base/result.h"

namespace divisi::task {

Result<toml::table> parse_toml(std::string_view text, const std::string& filename);

/// Returns "file:12", or "file" for a node that was not read from the file.
std::string place(const std::string& filename, const toml::node& node);

/// Refuses keys of `table` that are not in `known`. `section` is for the message and may be empty.
Result<void> check_keys(const toml::table& table, const std::string& section, const std::vector<std::string>& known,
                        const std::string& filename);

/// Reads a node into a field. `name` is "section.key", `where` comes from place(). Fails (invalid_input) on another
/// type. Integers are accepted for floating-point fields, but not the reverse.
Result<void> read_value(const toml::node& node, const std::string& name, const std::string& where, std::string& field);
Result<void> read_value(const toml::node& node, const std::string& name, const std::string& where, bool& field);
Result<void> read_value(const toml::node& node, const std::string& name, const std::string& where, std::int64_t& field);
Result<void> read_value(const toml::node& node, const std::string& name, const std::string& where,
                        std::uint64_t& field);
Result<void> read_value(const toml::node& node, const std::string& name, const std::string& where, double& field);
/// Reads a list of strings; integers become their decimal digits (for cuts).
Result<void> read_value(const toml::node& node, const std::string& name, const std::string& where,
                        std::vector<std::string>& field);

/// Returns the error for a value of another type than `wanted`, such as "an integer".
Error wrong_type(const toml::node& node, const std::string& name, const std::string& where, const std::string& wanted);

// Returns the TOML text of a value. Reading it gives the same value.

std::string literal(const std::string& value);
std::string literal(bool value);
std::string literal(std::int64_t value);
std::string literal(std::uint64_t value);
std::string literal(double value);
std::string literal(const std::vector<std::string>& values);
/// Returns a key, quoted if necessary.
std::string key_text(const std::string& key);

}  // namespace divisi::task
