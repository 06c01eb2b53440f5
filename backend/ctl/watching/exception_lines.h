// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "backend/control/state/event.h"

namespace divisi::ctl {

// Formats entries of the exception queue for `divisictl exceptions`.

/// Returns the cells for exception_columns().
std::vector<std::string> exception_row(const control::ExceptionEntry& entry);
std::vector<std::string> exception_columns();
/// Returns the whole entry as text for a person: the error, where it occurred, what was tried, the log around it, and
/// what to do. If `around` is empty, the log has already dropped those lines.
std::string exception_text(const control::ExceptionEntry& entry, const std::vector<control::Event>& around);
/// Returns all of the entry except the log lines.
nlohmann::ordered_json exception_json(const control::ExceptionEntry& entry);
/// Returns one line of the log.
nlohmann::ordered_json line_json(const control::Event& event);

}  // namespace divisi::ctl
