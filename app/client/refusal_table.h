// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

namespace divisi::client {

/// A part of what a cluster, or this program, says when it refuses: what is wrong, or what to do next (base/result.h),
/// in English, with %1, %2 for names and numbers. Its translation is in the context divisi::client::Refusals.
struct RefusalText {
    const char* english;
    const char* source;    ///< the file of this tree that says it; null: the operating system does
    bool numbers = false;  ///< its places hold numbers alone
};

/// Those that an operator meets most. To add one: a row, and its translation.
const std::vector<RefusalText>& refusal_texts();
/// Those of them about tasks, models, files and recordings, which the console meets without a cluster, too.
std::span<const RefusalText> local_refusals();

}  // namespace divisi::client
