// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string_view>

#include "backend/base/error_text.h"

namespace divisi::client {

/// Context of the translations of all catalogues.
inline constexpr const char* error_context = "errors";

/// Returns the error catalogues of all folders. To add a catalogue, include its error_texts.h in error_catalogue.cpp.
std::span<const std::span<const ErrorText>> error_catalogues();
/// Returns the text of this id; null if no catalogue contains it, for example an id of a newer cluster.
const ErrorText* find_error(std::string_view id);

}  // namespace divisi::client
