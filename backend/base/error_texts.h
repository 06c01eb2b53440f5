// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/base/error_text.h"

namespace divisi {

/// Errors of this folder. The prefix `base_` avoids a clash with the `error_text` functions of other folders.
inline constexpr ErrorText base_error_texts[] = {
    // csv.cpp
    {"text-behind-quoted-field", ErrorCode::invalid_input, DIVISI_TEXT("errors", "text follows a quoted field"),
     DIVISI_TEXT("errors", "follow RFC 4180: put quotes around the field, and double the quotes within it")},
    {"quote-within-field", ErrorCode::invalid_input, DIVISI_TEXT("errors", "a quote begins within a field"),
     DIVISI_TEXT("errors", "follow RFC 4180: put quotes around the field, and double the quotes within it")},
    {"quoted-field-does-not-end", ErrorCode::invalid_input, DIVISI_TEXT("errors", "a quoted field does not end"),
     DIVISI_TEXT("errors", "follow RFC 4180: put quotes around the field, and double the quotes within it")},

    // quantity.cpp
    {"no-number-with-unit", ErrorCode::invalid_input, DIVISI_TEXT("errors", "is not a number with a unit")},
    {"unit-of-other-kind", ErrorCode::invalid_input, DIVISI_TEXT("errors", "has an unknown unit")},
};

/// Returns the entry with this id. An unknown id is a compile error.
consteval const ErrorText& base_error_text(std::string_view id) { return find_text(base_error_texts, id); }

}  // namespace divisi
