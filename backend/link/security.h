// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <thread>

#include "backend/base/result.h"
#include "backend/identity/access_list.h"
#include "backend/link/handshakes.h"

namespace divisi::link {

/// A CURVE key pair; each key is Z85 text of 40 characters.
struct KeyPair {
    std::string public_key;
    std::string secret_key;
};
KeyPair generate_keys();
/// Loads the key pair from `file`, or creates it there with mode 0600. Fails if the file is broken or others can read
/// it.
Result<KeyPair> load_or_make_keys(const std::filesystem::path& file);
bool is_public_key(const std::string& text);

/// One ZeroMQ context per process, with the ZAP handler (RFC 27 of ZeroMQ) that authenticates the peers of all sockets
/// of the process. The handler starts before any socket can be created, because a CURVE socket without a handler admits
/// every peer.
class Context {
public:
    /// More than one I/O thread helps only if several CURVE connections carry data at the same time.
    explicit Context(int io_threads = 1);
    ~Context();
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    void* get() const { return context_; }
    /// Returns the keys allowed on tcp; on ipc, the uid decides. The ZAP handler's thread uses the list too.
    identity::AccessList& access_list() { return access_list_; }
    /// Returns the counter for all listeners on tcp. Any thread may use it.
    HandshakeCounter& handshakes() { return handshakes_; }

private:
    void serve();

    void* context_ = nullptr;
    void* zap_ = nullptr;
    identity::AccessList access_list_;
    HandshakeCounter handshakes_;
    std::thread thread_;
};

/// Formats the User-Id that the handler gives an ipc connection: "uid:<n> pid:<n>". On CURVE, it is the public key.
std::string ipc_user(long uid, long pid);
inline constexpr const char* uid_prefix = "uid:";
inline constexpr const char* pid_mark = " pid:";

}  // namespace divisi::link
