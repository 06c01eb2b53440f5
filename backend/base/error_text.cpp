// SPDX-License-Identifier: Apache-2.0
#include "backend/base/error_text.h"

#include <utility>

namespace divisi {

namespace {

constexpr std::size_t most_arguments = 9;  // %1 to %9

}  // namespace

std::string fill(std::string_view text, const std::vector<std::string>& args) {
    std::string filled;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool placed = text[at] == '%' && at + 1 < text.size() && text[at + 1] >= '1' && text[at + 1] <= '9';
        const std::size_t number = placed ? static_cast<std::size_t>(text[at + 1] - '0') : 0;
        if (number == 0 || number > args.size()) {
            filled += text[at];
            continue;
        }
        filled += args[number - 1];
        ++at;
    }
    return filled;
}

bool has_bounded_arguments(const Error& error) {
    std::size_t bytes = error.id.size();
    for (const std::string& arg : error.args) bytes += arg.size();
    return error.args.size() <= most_arguments && bytes <= most_argument_bytes;
}

Error make_error(const ErrorText& text, std::string where, std::vector<std::string> args) {
    Error error{text.code, fill(text.what, args), std::move(where), fill(text.next, args), text.id, std::move(args)};
    if (has_bounded_arguments(error)) return error;
    error.id.clear();
    error.args.clear();
    return error;
}

Error about(std::string_view subject, Error error) {
    error.what.insert(0, " ").insert(0, subject);
    return error;
}

}  // namespace divisi
