// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace divisi {

enum class Severity { debug, info, warning, error };

inline const char* to_string(Severity severity) {
    constexpr const char* names[] = {"debug", "info", "warning", "error"};
    return names[static_cast<std::size_t>(severity)];
}

/// The logging port. Programs choose the adapter in their main.cpp; libraries only see this interface.
class Log {
public:
    virtual ~Log() = default;
    /// Writes one line of text. `component` is the folder that logs ("link", "control").
    virtual void write(Severity severity, std::string_view component, std::string_view text) = 0;

    void debug(std::string_view component, std::string_view text) { write(Severity::debug, component, text); }
    void info(std::string_view component, std::string_view text) { write(Severity::info, component, text); }
    void warning(std::string_view component, std::string_view text) { write(Severity::warning, component, text); }
    void error(std::string_view component, std::string_view text) { write(Severity::error, component, text); }
};

}  // namespace divisi
