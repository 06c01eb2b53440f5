// SPDX-License-Identifier: Apache-2.0
#include "backend/process/command_line.h"

#include <iostream>

namespace divisi::process {

std::filesystem::path absolute_path(const std::filesystem::path& path) {
    std::error_code code;
    auto absolute = std::filesystem::absolute(path, code);
    return code ? path : absolute;
}

int report_error(const Error& error) {
    std::cerr << "error: " << error.message() << std::endl;
    return 2;
}

int exit_status(const Error& error) {
    switch (error.code) {
        case ErrorCode::invalid_input:
        case ErrorCode::unsupported:
        case ErrorCode::not_found:
        case ErrorCode::corrupt: return 2;
        default: return 1;
    }
}

}  // namespace divisi::process
