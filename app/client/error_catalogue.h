// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "backend/base/error_text.h"

namespace divisi::client {

/// Context of the translations of all catalogues.
inline constexpr const char* error_context = "errors";

/// Returns the error catalogues of all folders. To add a catalogue, include its error_texts.h in error_catalogue.cpp.
std::span<const std::span<const ErrorText>> error_catalogues();
/// Returns the text of this id; null if no catalogue contains it, for example an id of a newer cluster.
const ErrorText* find_error(std::string_view id);

/// An English phrase with which the cluster or this program refuses something: the problem, or the next step
/// (base/result.h). %1 and %2 stand for names and numbers. Its translation is in the context divisi::client::Refusals.
struct RefusalText {
    const char* english;
    const char* source;    ///< source file of the phrase; null: a phrase of the operating system
    bool numbers = false;  ///< whether %1 and %2 stand only for numbers
};

/// Returns the phrases that operators see most often. To add a phrase, add a row and its translation.
const std::vector<RefusalText>& refusal_texts();
/// Returns the phrases about tasks, models, files and recordings, which also occur without a cluster.
std::span<const RefusalText> local_refusals();

}  // namespace divisi::client
