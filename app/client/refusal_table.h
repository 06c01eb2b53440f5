// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

namespace divisi::client {

/// An English phrase of a refusal by the cluster or by this program: the problem, or the next step (base/result.h). %1
/// and %2 stand for names and numbers. Its translation is in the context divisi::client::Refusals.
struct RefusalText {
    const char* english;
    const char* source;    ///< source file that contains the phrase; null: the operating system
    bool numbers = false;  ///< %1 and %2 stand for numbers only
};

/// Returns the phrases that operators meet most. To add a phrase, add a row and its translation.
const std::vector<RefusalText>& refusal_texts();
/// Returns the phrases about tasks, models, files and recordings, which also occur without a cluster.
std::span<const RefusalText> local_refusals();

}  // namespace divisi::client
