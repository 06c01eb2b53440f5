// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <thread>

#include "backend/base/result.h"
#include "backend/identity/access_list.h"
#include "backend/link/handshakes.h"

namespace divisi::link {

/// A CURVE key pair, Z85 text of 40 characters each.
struct KeyPair {
    std::string public_key;
    std::string secret_key;
};
KeyPair generate_keys();
/// Loads the pair of `file`, or makes one there, mode 0600. Fails when the file is broken or readable by others.
Result<KeyPair> load_or_make_keys(const std::filesystem::path& file);
bool is_public_key(const std::string& text);

/// One ZeroMQ context per process, with the ZAP handler that every socket of it asks (RFC 27 of ZeroMQ). The
/// handler is up before any socket can be made, since a CURVE socket without one lets everybody in.
class Context {
public:
    /// `io_threads`: more than one pays only when several CURVE connections carry data at once.
    explicit Context(int io_threads = 1);
    ~Context();
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    void* get() const { return context_; }
    /// Of keys on tcp; on ipc the uid decides. The ZAP handler's thread asks it too.
    identity::AccessList& access_list() { return access_list_; }
    /// Of all its listeners on tcp. Any thread may ask and count.
    HandshakeCounter& handshakes() { return handshakes_; }

private:
    void serve();

    void* context_ = nullptr;
    void* zap_ = nullptr;
    identity::AccessList access_list_;
    HandshakeCounter handshakes_;
    std::thread thread_;
};

/// What the handler writes into the User-Id of a connection: "uid:<n> pid:<n>" on ipc, the public key on CURVE.
std::string ipc_user(long uid, long pid);
inline constexpr const char* uid_prefix = "uid:";
inline constexpr const char* pid_mark = " pid:";

}  // namespace divisi::link
