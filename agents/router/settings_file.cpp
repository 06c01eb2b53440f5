// SPDX-License-Identifier: Apache-2.0
#include "agents/router/settings_file.h"

#include <sys/socket.h>

#include <algorithm>
#include <cstdint>
#include <fstream>

#include "backend/file/atomic_file.h"
#include "backend/file/descriptor.h"
#include "backend/link/sockets.h"

namespace divisi::router {
namespace {

/// Returns the number of the network namespace, which is unique within one boot.
Result<std::uint64_t> namespace_number() {
    const file::Descriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    std::uint64_t number = 0;
    socklen_t size = sizeof number;
    if (::getsockopt(socket.get(), SOL_SOCKET, SO_NETNS_COOKIE, &number, &size) == 0) return number;
    return Error{ErrorCode::unsupported, "this kernel gives network namespaces no numbers", "--srv6",
                 "use Linux 5.14 or newer, such as Debian's, or omit --srv6"};
}

std::string boot_id() {
    std::string id;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
    return id;
}

}  // namespace

Result<SettingsFile> SettingsFile::of_this_namespace(const std::string& folder) {
    if (auto made = link::make_private_folder(folder); !made) {
        Error error = std::move(made).error();
        error.next += "; --runtime names the folder";
        return error;
    }
    DIVISI_ASSIGN(const std::uint64_t number, namespace_number());
    return SettingsFile(std::filesystem::path(folder) / ("srv6-" + std::to_string(number)), boot_id());
}

Result<Settings> SettingsFile::read() const {
    const auto text = file::read_file(path_);
    if (!text && text.error().code == ErrorCode::not_found) return Settings();
    if (!text) return text.error();
    const std::size_t end = std::min(text->find('\n'), text->size());
    if (text->compare(0, end, boot_) != 0) return Settings();
    if (auto before = parse_settings(std::string_view(*text).substr(end))) return std::move(*before);
    return Error{ErrorCode::corrupt, "does not list the settings that an earlier router has changed", path_.string(),
                 "set net.ipv6.conf.*.seg6_enabled as they should be, and remove the file"};
}

Result<void> SettingsFile::keep(const Settings& before) const {
    if (!before.empty()) return file::write_file(path_, boot_ + "\n" + to_text(before) + "\n");
    std::error_code code;
    std::filesystem::remove(path_, code);
    if (!code) return {};
    return Error{ErrorCode::failed, "cannot remove the file: " + code.message(), path_.string(), "remove it by hand"};
}

}  // namespace divisi::router
