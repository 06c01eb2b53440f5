// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

namespace divisi::client {

/// A part of what a cluster says when it refuses: what is wrong, or what to do next (base/result.h), in English, with
/// %1, %2 for names and numbers. Its translation is in the context divisi::client::Refusals.
struct RefusalText {
    const char* english;
    const char* source;  ///< the file of this tree that says it
};

/// Those that an operator meets most. To add one: a row, and its translation.
std::span<const RefusalText> refusal_texts();

}  // namespace divisi::client
