// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "backend/control/state/event.h"

namespace divisi::ctl {

// What `divisictl exceptions` says of an entry of the exception queue.

/// As the columns of exception_columns.
std::vector<std::string> exception_row(const control::ExceptionEntry& entry);
std::vector<std::string> exception_columns();
/// All of it, for a person: the error, where, what was tried, the lines of the log around it (empty: the log has none
/// of it any more), and what to do.
std::string exception_text(const control::ExceptionEntry& entry, const std::vector<control::Event>& around);
/// All of it but the log.
nlohmann::ordered_json exception_json(const control::ExceptionEntry& entry);
/// One line of the log.
nlohmann::ordered_json line_json(const control::Event& event);

}  // namespace divisi::ctl
