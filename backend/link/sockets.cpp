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

#include "backend/link/error_texts.h"

namespace divisi::link {
namespace {

/// Limit on the path of an ipc endpoint. The kernel's sun_path holds 108 bytes, including the terminator.
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
        if (path.empty() || path[0] != '/') return make_error(error_text("ipc-path-not-absolute"), endpoint);
        if (path.size() > longest_ipc_path)
            return make_error(error_text("socket-path-too-long"), path,
                              {std::to_string(path.size()), std::to_string(longest_ipc_path)});
        return {};
    }
    const auto colon = endpoint.rfind(':');
    if (!endpoint.starts_with("tcp://") || colon < 6) return make_error(error_text("not-an-endpoint"), endpoint);
    const std::string host = endpoint.substr(6, colon - 6);
    if (host.find(':') != std::string::npos && !(host.starts_with('[') && host.ends_with(']')))
        return make_error(error_text("ipv6-without-brackets"), endpoint);
    const std::string port = endpoint.substr(colon + 1);
    int number = -1;
    const auto [end, code] = std::from_chars(port.data(), port.data() + port.size(), number);
    if (port != "*" && (code != std::errc() || end != port.data() + port.size() || number < 0 || number > 65535))
        return make_error(error_text("not-a-port"), endpoint, {port});
    return {};
}

Result<void> make_private_folder(const std::string& folder) {
    std::error_code code;
    std::filesystem::create_directories(std::filesystem::path(folder).parent_path(), code);
    if (::mkdir(folder.c_str(), 0700) == 0) return {};
    struct stat status {};
    if (errno != EEXIST || ::lstat(folder.c_str(), &status) != 0)
        return make_error(error_text("socket-folder-cannot-be-made"), folder, {std::strerror(errno)});
    if (!S_ISDIR(status.st_mode) || status.st_uid != ::getuid())
        return make_error(error_text("folder-of-other-user"), folder);
    if ((status.st_mode & 0077) != 0 && ::chmod(folder.c_str(), 0700) != 0)
        return make_error(error_text("folder-open-to-others"), folder);
    return {};
}

}  // namespace divisi::link
