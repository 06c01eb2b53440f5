// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/base/result.h"

/// Marks a text of an ErrorText for lupdate, which extracts the text for translation under `context`. See
/// app/shell/basics/CMakeLists.txt.
#define DIVISI_TEXT(context, text) text

namespace divisi {

/// An entry of an error catalogue. Each folder lists its errors in its error_texts.h; app/client/error_catalogue.h
/// combines all lists. A text may consist of one placeholder; its argument, such as a suggestion, is then the whole
/// text. Phrases that occur in arguments have entries too, so that they are translated.
struct ErrorText {
    const char* id;         ///< unique among all catalogues and never changed, such as "no-such-task"
    ErrorCode code;         ///< class of the error
    const char* what;       ///< what failed, in English; %1 to %9 stand for the arguments
    const char* next = "";  ///< what to do next, in English; its placeholders refer to the same arguments
    bool numbers = false;   ///< whether all arguments are numbers
};

/// Limit on the total length of an error's id and arguments. If they are longer, the error has neither an id nor
/// arguments.
inline constexpr std::size_t most_argument_bytes = 2048;

/// Returns `text` with the arguments in place of %1 to %9. A placeholder without an argument remains in the text.
std::string fill(std::string_view text, const std::vector<std::string>& args);

/// Builds the error of a catalogue entry at the place `where`, with English texts, id and arguments.
Error make_error(const ErrorText& text, std::string where, std::vector<std::string> args = {});

/// Returns the error with its subject before the problem: "train.steps" and "is missing" give "train.steps is missing".
Error about(std::string_view subject, Error error);

/// Returns the catalogue's entry with this id. An unknown id is a compile error.
consteval const ErrorText& find_text(std::span<const ErrorText> catalogue, std::string_view id) {
    for (const ErrorText& text : catalogue)
        if (id == text.id) return text;
    throw "no error of the catalogue has this id";
}

/// Returns whether the arguments of the error are few and short enough to be stored and sent.
bool has_bounded_arguments(const Error& error);

}  // namespace divisi
