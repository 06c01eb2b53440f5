// SPDX-License-Identifier: Apache-2.0
#include "backend/link/sockets.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <zmq.h>

#include <cassert>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <utility>

namespace divisi::link {
namespace {

/// sun_path of the kernel holds 108 bytes with its end.
constexpr std::size_t longest_ipc_path = 107;
/// Behind ZMQ_BUILD_DRAFT_API in zmq.h, but always in the library.
constexpr int zap_enforce_domain = 93;
constexpr const char* domain = "divisi";

template <typename T>
void set(void* socket, int option, T value) {
    [[maybe_unused]] const int code = zmq_setsockopt(socket, option, &value, sizeof value);
    assert(code == 0);
}
void set_text(void* socket, int option, const std::string& value) {
    [[maybe_unused]] const int code = zmq_setsockopt(socket, option, value.data(), value.size());
    assert(code == 0);
}

Error zmq_error(const std::string& what, const std::string& endpoint) {
    const int code = zmq_errno();
    if (code == EADDRINUSE)
        return {ErrorCode::conflict, "the address is in use", endpoint, "stop who holds it, or choose another port"};
    if (code == EADDRNOTAVAIL || code == ENODEV)
        return {ErrorCode::invalid_input, "this machine does not have that address", endpoint,
                "use an address of this machine"};
    return {ErrorCode::failed, what + ": " + zmq_strerror(code), endpoint, ""};
}

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
    const std::string port = endpoint.substr(colon + 1);
    int number = -1;
    const auto [end, code] = std::from_chars(port.data(), port.data() + port.size(), number);
    if (port != "*" && (code != std::errc() || end != port.data() + port.size() || number < 0 || number > 65535))
        return Error{ErrorCode::invalid_input, "'" + port + "' is not a port", endpoint,
                     "use 1 to 65535, or * for any"};
    return {};
}

Socket::Socket(Context& context, int type, Plane plane) : socket_(zmq_socket(context.get(), type)) {
    assert(socket_);
    const bool control = plane == Plane::control;
    set<std::int64_t>(socket_, ZMQ_MAXMSGSIZE, control ? control_message_limit : data_message_limit);
    set<int>(socket_, ZMQ_SNDHWM, control ? control_queue_limit : data_queue_limit);
    set<int>(socket_, ZMQ_RCVHWM, control ? control_queue_limit : data_queue_limit);
    set<int>(socket_, ZMQ_LINGER, 0);
    set<int>(socket_, ZMQ_IPV6, 1);
    set<int>(socket_, ZMQ_RECONNECT_IVL, 100);
    set<int>(socket_, ZMQ_RECONNECT_IVL_MAX, 2000);
    if (type == ZMQ_ROUTER) set<int>(socket_, ZMQ_ROUTER_MANDATORY, 1);
    if (type == ZMQ_DEALER) set<int>(socket_, ZMQ_IMMEDIATE, 1);
}

Socket::Socket(Socket&& other) noexcept
    : socket_(std::exchange(other.socket_, nullptr)), ipc_path_(std::exchange(other.ipc_path_, {})) {}

Socket& Socket::operator=(Socket&& other) noexcept {
    if (this != &other) {
        close();
        socket_ = std::exchange(other.socket_, nullptr);
        ipc_path_ = std::exchange(other.ipc_path_, {});
    }
    return *this;
}

Socket::~Socket() { close(); }

void Socket::close() {
    if (socket_) zmq_close(std::exchange(socket_, nullptr));
    if (!ipc_path_.empty()) ::unlink(std::exchange(ipc_path_, {}).c_str());
}

Result<std::string> Socket::bind(const std::string& endpoint, const SocketSecurity& security) {
    DIVISI_TRY(check_endpoint(endpoint));
    set_text(socket_, ZMQ_ZAP_DOMAIN, domain);
    set<int>(socket_, zap_enforce_domain, 1);
    if (is_ipc(endpoint)) {
        const std::string path = endpoint.substr(6);
        if (somebody_listens(path))
            return Error{ErrorCode::conflict, "another process listens on this socket", path,
                         "end it first, or use another data folder"};
        ::unlink(path.c_str());
        const mode_t before = ::umask(0077);
        const int code = zmq_bind(socket_, endpoint.c_str());
        ::umask(before);
        if (code != 0) return zmq_error("cannot listen", endpoint);
        ipc_path_ = path;
        return endpoint;
    }
    if (!security.keys) return Error{ErrorCode::denied, "tcp without keys", endpoint, "give the process its key pair"};
    set<int>(socket_, ZMQ_CURVE_SERVER, 1);
    set_text(socket_, ZMQ_CURVE_SECRETKEY, security.keys->secret_key);
    if (zmq_bind(socket_, endpoint.c_str()) != 0) return zmq_error("cannot listen", endpoint);
    char bound[256];
    std::size_t size = sizeof bound;
    zmq_getsockopt(socket_, ZMQ_LAST_ENDPOINT, bound, &size);
    return std::string(bound);
}

Result<void> Socket::connect(const std::string& endpoint, const SocketSecurity& security) {
    DIVISI_TRY(check_endpoint(endpoint));
    if (!is_ipc(endpoint)) {
        if (!security.keys || !is_public_key(security.server_key))
            return Error{ErrorCode::denied, "tcp needs the server's public key and a pair of one's own", endpoint,
                         "use the connection file that divisid wrote"};
        set_text(socket_, ZMQ_CURVE_SERVERKEY, security.server_key);
        set_text(socket_, ZMQ_CURVE_PUBLICKEY, security.keys->public_key);
        set_text(socket_, ZMQ_CURVE_SECRETKEY, security.keys->secret_key);
    }
    if (zmq_connect(socket_, endpoint.c_str()) != 0) return zmq_error("cannot connect", endpoint);
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
