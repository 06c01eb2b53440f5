// SPDX-License-Identifier: Apache-2.0
#include "backend/process/arguments.h"

namespace divisi::process {

Result<Arguments> Arguments::parse(int argc, char** argv, const std::set<std::string>& known,
                                   const std::set<std::string>& flags) {
    std::string list;
    for (const std::string& name : known) list += (list.empty() ? "--" : ", --") + name;
    for (const std::string& name : flags) list += (list.empty() ? "--" : ", --") + name;
    Arguments arguments;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const std::string name = word.starts_with("--") ? word.substr(2) : "";
        if (flags.contains(name)) {
            arguments.values_[name] = "";
        } else if (!known.contains(name)) {
            return Error{ErrorCode::invalid_input, "unknown argument '" + word + "'", argv[0], "known: " + list};
        } else if (i + 1 == argc) {
            return Error{ErrorCode::invalid_input, word + " needs a value", argv[0], "known: " + list};
        } else {
            arguments.values_[name] = argv[++i];
        }
    }
    return arguments;
}

std::string Arguments::get(const std::string& name, const std::string& fallback) const {
    const auto found = values_.find(name);
    return found == values_.end() ? fallback : found->second;
}

std::filesystem::path absolute_path(const std::filesystem::path& path) {
    std::error_code code;
    auto absolute = std::filesystem::absolute(path, code);
    return code ? path : absolute;
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
