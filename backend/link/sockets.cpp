// SPDX-License-Identifier: Apache-2.0
#include "backend/link/sockets.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>

namespace divisi::link {
namespace {

/// The kernel's sun_path holds 108 bytes, including the terminator.
constexpr std::size_t longest_ipc_path = 107;

}  // namespace

bool somebody_listens(const std::string& path) {
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    const bool connected = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    ::close(fd);
    return connected;
}

Result<void> check_endpoint(const std::string& endpoint) {
    if (is_ipc(endpoint)) {
        const std::string path = endpoint.substr(6);
        if (path.empty() || path[0] != '/')
            return Error{ErrorCode::invalid_input, "an ipc endpoint needs an absolute path", endpoint,
                         "write ipc:///run/user/.../name.sock"};
        if (path.size() > longest_ipc_path)
            return Error{ErrorCode::invalid_input,
                         "the socket's path has " + std::to_string(path.size()) + " characters, the system allows " +
                             std::to_string(longest_ipc_path),
                         path, "use a shorter data folder or set XDG_RUNTIME_DIR"};
        return {};
    }
    const auto colon = endpoint.rfind(':');
    if (!endpoint.starts_with("tcp://") || colon < 6)
        return Error{ErrorCode::invalid_input, "not an endpoint", endpoint, "write tcp://ADDRESS:PORT or ipc:///PATH"};
    const std::string host = endpoint.substr(6, colon - 6);
    if (host.find(':') != std::string::npos && !(host.starts_with('[') && host.ends_with(']')))
        return Error{ErrorCode::invalid_input, "an IPv6 address stands in brackets before its port", endpoint,
                     "write tcp://[ADDRESS]:PORT"};
    const std::string port = endpoint.substr(colon + 1);
    int number = -1;
    const auto [end, code] = std::from_chars(port.data(), port.data() + port.size(), number);
    if (port != "*" && (code != std::errc() || end != port.data() + port.size() || number < 0 || number > 65535))
        return Error{ErrorCode::invalid_input, "'" + port + "' is not a port", endpoint,
                     "use 1 to 65535, or * for any"};
    return {};
}

Result<void> make_private_folder(const std::string& folder) {
    std::error_code code;
    std::filesystem::create_directories(std::filesystem::path(folder).parent_path(), code);
    if (::mkdir(folder.c_str(), 0700) == 0) return {};
    struct stat status {};
    if (errno != EEXIST || ::lstat(folder.c_str(), &status) != 0)
        return Error{ErrorCode::failed, std::string("cannot make the folder: ") + std::strerror(errno), folder,
                     "check its parent's permissions and free space"};
    if (!S_ISDIR(status.st_mode) || status.st_uid != ::getuid())
        return Error{ErrorCode::denied, "not a folder of this user's", folder, "remove it, or use another folder"};
    if ((status.st_mode & 0077) != 0 && ::chmod(folder.c_str(), 0700) != 0)
        return Error{ErrorCode::denied, "others can enter the folder", folder, "chmod 700 it"};
    return {};
}

}  // namespace divisi::link
