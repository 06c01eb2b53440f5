// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <any>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace divisi {

template <typename T, typename List>
inline constexpr bool is_alternative = false;

/// Satisfied if T is one of the types of a OneOf, by value or by reference.
template <typename T, typename List>
concept AlternativeOf = is_alternative<std::remove_cvref_t<T>, List>;

/// Holds one value of a long list of types, as std::variant does, but on the heap. A file that creates a std::variant
/// compiles the destructors of all its types. With 147 message types, this took a third of the time to compile
/// `control`. A file that makes a OneOf compiles only the type it stores. After a move, the source holds no value.
template <typename... Types>
class OneOf {
public:
    static constexpr std::size_t size = sizeof...(Types);
    template <std::size_t I>
    using Type = std::tuple_element_t<I, std::tuple<Types...>>;

    /// Constructs a value of the first type.
    OneOf() : OneOf(Type<0>()) {}
    template <AlternativeOf<OneOf> T>
    OneOf(T&& one)
        : index_(index_of<std::remove_cvref_t<T>>()),
          value_(std::in_place_type<std::remove_cvref_t<T>>, std::forward<T>(one)) {}

    /// Returns the position of the value's type in the list.
    std::size_t index() const { return index_; }

    /// Replaces the value with a new one of the type at position I.
    template <std::size_t I>
    Type<I>& emplace() {
        index_ = I;
        return value_.template emplace<Type<I>>();
    }

    /// Returns the value if it is a T, else null.
    template <typename T>
    const T* get_if() const {
        static_assert(AlternativeOf<T, OneOf>);
        return std::any_cast<T>(&value_);
    }
    template <typename T>
    T* get_if() {
        static_assert(AlternativeOf<T, OneOf>);
        return std::any_cast<T>(&value_);
    }

private:
    template <typename T>
    static constexpr std::size_t index_of() {
        std::size_t index = 0;
        (void)((std::is_same_v<T, Types> || (++index, false)) || ...);
        return index;
    }

    std::size_t index_;
    std::any value_;
};

template <typename T, typename... Types>
inline constexpr bool is_alternative<T, OneOf<Types...>> = (std::is_same_v<T, Types> || ...);

// These functions mirror the functions of std::variant. Argument-dependent lookup finds these functions for a OneOf,
// and the functions of std for a std::variant.

template <typename T, typename... Types>
const T* get_if(const OneOf<Types...>* one) {
    return one->template get_if<T>();
}
template <typename T, typename... Types>
T* get_if(OneOf<Types...>* one) {
    return one->template get_if<T>();
}

template <typename T, typename... Types>
bool holds_alternative(const OneOf<Types...>& one) {
    return one.template get_if<T>() != nullptr;
}

/// Returns the value, which must be a T.
template <typename T, typename... Types>
const T& get(const OneOf<Types...>& one) {
    return *one.template get_if<T>();
}
template <typename T, typename... Types>
T& get(OneOf<Types...>& one) {
    return *one.template get_if<T>();
}
template <typename T, typename... Types>
T&& get(OneOf<Types...>&& one) {
    return std::move(*one.template get_if<T>());
}

namespace one_of {

/// Calls `call` with the value of `one`, which is a OneOf or a const OneOf of Types. Passes an rvalue if `Rvalue` is
/// true.
template <bool Rvalue, typename Call, typename One, typename... Types>
decltype(auto) visit(Call& call, One& one, const OneOf<Types...>*) {
    const auto value = []<typename T>(One& from, std::type_identity<T>) -> decltype(auto) {
        if constexpr (Rvalue) return std::move(*from.template get_if<T>());
        else return (*from.template get_if<T>());
    };
    using First = typename OneOf<Types...>::template Type<0>;
    using Returned = std::invoke_result_t<Call&, decltype(value(one, std::type_identity<First>()))>;
    using Function = Returned (*)(Call&, One&, decltype(value)&);
    static constexpr Function functions[] = {[](Call& with, One& from, decltype(value)& take) -> Returned {
        return with(take(from, std::type_identity<Types>()));
    }...};
    return functions[one.index()](call, one, value);
}

}  // namespace one_of

/// Calls `call` with the value and returns the result, which must have the same type for all alternatives.
template <typename Call, typename... Types>
decltype(auto) visit(Call&& call, const OneOf<Types...>& one) {
    return one_of::visit<false>(call, one, &one);
}
template <typename Call, typename... Types>
decltype(auto) visit(Call&& call, OneOf<Types...>& one) {
    return one_of::visit<false>(call, one, &one);
}
template <typename Call, typename... Types>
decltype(auto) visit(Call&& call, OneOf<Types...>&& one) {
    return one_of::visit<true>(call, one, &one);
}

}  // namespace divisi
