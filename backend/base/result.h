// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace divisi {

/// Classifies an error; determines the exit status and whether a retry makes sense.
enum class ErrorCode {
    invalid_input,  ///< a file, a value or a command from the user is wrong
    unsupported,    ///< the input is well formed, but Divisi does not support it
    not_found,      ///< a file, task, node or value does not exist
    denied,         ///< the caller's role or key does not allow it
    unavailable,    ///< a peer, port or process cannot be reached now
    deadline,       ///< no answer within the time limit
    exhausted,      ///< a limit is reached, or a disk or memory is full
    conflict,       ///< a resource is in use, or another process or user has changed it
    corrupt,        ///< bytes fail a check
    failed,         ///< the operation itself failed
};

const char* to_string(ErrorCode code);

/// Describes an error: what went wrong, where (file:line, node, address), and what to do next. An error from a
/// catalogue (error_text.h) also has an id and arguments, so that a program can show the error in another language.
struct Error {
    ErrorCode code = ErrorCode::failed;
    std::string what;
    std::string where;
    std::string next;
    std::string id{};                 ///< id of the ErrorText; empty if the error is not from a catalogue
    std::vector<std::string> args{};  ///< values of %1 to %9 in the ErrorText

    /// Returns "where: what; next", without the empty parts.
    std::string message() const;
};

/// Holds a value, or the error that explains why there is none.
template <typename T>
class [[nodiscard]] Result {
public:
    using value_type = T;

    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

    bool ok() const { return state_.index() == 0; }
    explicit operator bool() const { return ok(); }

    T& value() & {
        assert(ok());
        return *get_if<0>(&state_);
    }
    const T& value() const& {
        assert(ok());
        return *get_if<0>(&state_);
    }
    T&& value() && {
        assert(ok());
        return std::move(*get_if<0>(&state_));
    }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    const Error& error() const& {
        assert(!ok());
        return *get_if<1>(&state_);
    }
    Error&& error() && {
        assert(!ok());
        return std::move(*get_if<1>(&state_));
    }

private:
    std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
public:
    using value_type = void;

    Result() = default;
    Result(Error error) : error_(std::move(error)) {}

    bool ok() const { return !error_; }
    explicit operator bool() const { return ok(); }
    const Error& error() const& {
        assert(!ok());
        return *error_;
    }
    Error&& error() && {
        assert(!ok());
        return std::move(*error_);
    }

private:
    std::optional<Error> error_;
};

/// `DIVISI_TRY(expr)` evaluates a Result<void> and, if it failed, returns its error to the caller.
#define DIVISI_TRY(expression)                                                                                  \
    do {                                                                                                        \
        if (auto divisi_result_ = (expression); !divisi_result_.ok()) return std::move(divisi_result_).error(); \
    } while (false)

#define DIVISI_CONCAT_INNER(a, b) a##b
#define DIVISI_CONCAT(a, b) DIVISI_CONCAT_INNER(a, b)

/// `DIVISI_ASSIGN(auto x, expr)` unwraps a Result or returns its error to the caller.
#define DIVISI_ASSIGN(target, expression)                                  \
    auto DIVISI_CONCAT(divisi_result_, __LINE__) = (expression);           \
    if (!DIVISI_CONCAT(divisi_result_, __LINE__).ok())                     \
        return std::move(DIVISI_CONCAT(divisi_result_, __LINE__)).error(); \
    target = std::move(DIVISI_CONCAT(divisi_result_, __LINE__)).value()

}  // namespace divisi
