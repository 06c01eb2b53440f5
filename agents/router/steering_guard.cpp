// SPDX-License-Identifier: Apache-2.0
#include "agents/router/steering_guard.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <thread>

#include "agents/router/host_routes.h"
#include "agents/router/steering_text.h"
#include "backend/file/descriptor.h"
#include "backend/process/lifeline.h"

namespace divisi::router {
namespace {

/// Time limit for the guard of a killed device to revert its changes. The guard usually needs less time.
constexpr auto predecessor_limit = std::chrono::seconds(4);
constexpr auto predecessor_poll = std::chrono::milliseconds(50);

/// Ensures that only one guard per role runs on a host, by binding an abstract Unix socket name. The name belongs to
/// the network namespace and becomes free when its holder ends. Once this process holds the name, any route with
/// Divisi's mark is a leftover.
Result<file::Descriptor> lock(mesh::DeviceRole role) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string name = std::string("divisi-srv6-") + to_string(role);
    std::memcpy(address.sun_path + 1, name.data(), name.size());
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    const auto deadline = std::chrono::steady_clock::now() + predecessor_limit;
    while (true) {
        file::Descriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
        if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), size) == 0) return socket;
        if (errno != EADDRINUSE || std::chrono::steady_clock::now() >= deadline)
            return Error{ErrorCode::conflict, std::string("another ") + to_string(role) + " of this host uses SRv6",
                         "--srv6", "start one with --srv6 a host, or give each a network namespace"};
        std::this_thread::sleep_for(predecessor_poll);
    }
}

void tell(const std::string& text) {
    ::send(guard_fd, text.data(), std::min(text.size(), most_guard_bytes), MSG_NOSIGNAL);
}

void answer(const Result<void>& outcome) { tell(outcome ? guard_ready : outcome.error().message()); }

Error nonsense() { return {ErrorCode::corrupt, "not a valid request of a device", "SRv6 guard", ""}; }

Result<void> take(HostRoutes& host, std::string_view text) {
    const auto wanted = parse_steering(text);
    return wanted ? host.set(wanted->routes) : nonsense();
}

Result<void> take(HostSegments& host, std::string_view text) {
    const auto wanted = parse_steering(text);
    return wanted ? host.set(wanted->neighbours) : nonsense();
}

/// Serves requests until the device has ended, or until this process is told to end.
template <typename Host>
void serve(Host host) {
    const auto checked = host.check();
    answer(checked);
    if (!checked) return host.clear();
    std::string bytes(most_guard_bytes, '\0');
    while (true) {
        const ssize_t size = ::recv(guard_fd, bytes.data(), bytes.size(), 0);
        // A device that ends with unread answers resets the socket; the messages that it sent before can still be read.
        if (size < 0 && (errno == EINTR || errno == ECONNRESET)) continue;
        if (size <= 0) break;
        answer(take(host, std::string_view(bytes).substr(0, static_cast<std::size_t>(size))));
    }
    host.clear();
}

}  // namespace

int guard(mesh::DeviceRole role, const std::string& folder) {
    process::on_stop([](const char*) { ::shutdown(guard_fd, SHUT_RD); });
    const auto held = lock(role);
    if (!held) {
        answer(held.error());
        return 1;
    }
    if (role == mesh::DeviceRole::gateway) {
        serve(HostRoutes());
        return 0;
    }
    auto file = SettingsFile::of_this_namespace(folder);
    if (!file) {
        answer(file.error());
        return 1;
    }
    serve(HostSegments(std::move(*file)));
    return 0;
}

}  // namespace divisi::router
