// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "backend/control/types/version_types.h"

namespace divisi::ctl {

// Formats versions of trained models for `divisictl models`.

/// Returns the cells for version_columns().
std::vector<std::string> version_row(const control::ModelVersion& version);
std::vector<std::string> version_columns();
/// Returns all details of the version, for a person. `lineage`: the version, its parent, and so on (lineage_of()).
std::string version_text(const std::vector<const control::ModelVersion*>& lineage);
nlohmann::ordered_json version_json(const control::ModelVersion& version);

}  // namespace divisi::ctl
