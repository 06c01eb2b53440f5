// SPDX-License-Identifier: Apache-2.0
#include "backend/base/text.h"

#include <cstdint>

namespace divisi {
namespace {

/// Describes UTF-8 characters of `length` bytes: their lowest code point, and the fixed bits of their first byte.
struct Form {
    std::size_t length;
    std::uint32_t lowest;
    unsigned char mask, lead;
};
constexpr Form forms[] = {{1, 0, 0x80, 0x00}, {2, 0x80, 0xe0, 0xc0}, {3, 0x800, 0xf0, 0xe0}, {4, 0x10000, 0xf8, 0xf0}};

bool is_control(std::string_view character) {
    if (character == "\n" || character == "\t") return false;
    const auto first = static_cast<unsigned char>(character[0]);
    // U+0080 to U+009F: some terminals interpret these characters as escape sequences.
    const bool upper = first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;
    return first < 0x20 || first == 0x7f || upper;
}

std::string escaped(std::string_view bytes) {
    constexpr const char* digits = "0123456789abcdef";
    std::string text;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        text += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    }
    return text;
}

}  // namespace

std::size_t character_length(std::string_view text) {
    if (text.empty()) return 0;
    const auto first = static_cast<unsigned char>(text[0]);
    for (const Form& form : forms) {
        if ((first & form.mask) != form.lead) continue;
        if (text.size() < form.length) return 0;
        std::uint32_t number = first & static_cast<unsigned char>(~form.mask);
        for (const char c : text.substr(1, form.length - 1)) {
            if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) return 0;
            number = number << 6 | (static_cast<unsigned char>(c) & 0x3f);
        }
        const bool surrogate = number >= 0xd800 && number <= 0xdfff;
        return number < form.lowest || number > 0x10ffff || surrogate ? 0 : form.length;
    }
    return 0;
}

std::string legible(std::string_view bytes, std::size_t most_bytes) {
    std::string text;
    for (std::string_view rest = bytes; !rest.empty();) {
        const std::size_t length = character_length(rest);
        const std::string_view character = rest.substr(0, length == 0 ? 1 : length);
        const std::string shown = length == 0 || is_control(character) ? escaped(character) : std::string(character);
        if (text.size() + shown.size() > most_bytes) return text + "...";
        text += shown;
        rest.remove_prefix(character.size());
    }
    return text;
}

std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

}  // namespace divisi
