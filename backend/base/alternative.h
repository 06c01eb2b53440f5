// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <variant>

namespace divisi {

template <typename T, typename Variant>
inline constexpr bool is_alternative = false;
template <typename T, typename... Alternatives>
inline constexpr bool is_alternative<T, std::variant<Alternatives...>> = (std::is_same_v<T, Alternatives> || ...);

/// Satisfied if T is one of the variant's types, by value or by reference.
template <typename T, typename Variant>
concept AlternativeOf = is_alternative<std::remove_cvref_t<T>, Variant>;

}  // namespace divisi
