// SPDX-License-Identifier: Apache-2.0
#include "backend/link/connection_file.h"

#include <fstream>
#include <sstream>

#include "backend/file/atomic_file.h"
#include "backend/link/error_texts.h"
#include "backend/link/sockets.h"

namespace divisi::link {
namespace {
/// Size limit of a connection file in bytes. The file has two lines, with an endpoint and a key.
constexpr std::uintmax_t longest_file = 4096;
}  // namespace

Result<void> write_connection(const std::filesystem::path& file, const Connection& connection) {
    // Z85 contains neither quotes nor backslashes, so a literal string needs no escapes.
    return file::write_file(
        file, "endpoint = '" + connection.endpoint + "'\nserver_key = '" + connection.server_key + "'\n", 0644);
}

Result<Connection> read_connection(const std::filesystem::path& file) {
    std::error_code code;
    if (std::filesystem::is_directory(file, code))
        return make_error(error_text("connection-file-is-folder"), file.string());
    const auto size = std::filesystem::file_size(file, code);
    if (code) return make_error(error_text("no-connection-file"), file.string());
    if (size > longest_file) return make_error(error_text("not-a-connection-file"), file.string());
    std::ifstream stream(file);
    Connection connection;
    std::string line;
    for (int number = 1; std::getline(stream, line); ++number) {
        if (line.empty() || line[0] == '#') continue;
        const auto equals = line.find(" = '");
        const std::string key = line.substr(0, equals);
        const bool formed = equals != std::string::npos && line.size() > equals + 4 && line.back() == '\'';
        if (!formed || (key != "endpoint" && key != "server_key"))
            return make_error(error_text("not-a-line-of-connection-file"),
                              file.string() + ":" + std::to_string(number));
        (key == "endpoint" ? connection.endpoint : connection.server_key) =
            line.substr(equals + 4, line.size() - equals - 5);
    }
    DIVISI_TRY(check_endpoint(connection.endpoint));
    return connection;
}

}  // namespace divisi::link
