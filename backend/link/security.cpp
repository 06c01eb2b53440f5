// SPDX-License-Identifier: Apache-2.0
#include "backend/link/security.h"

#include <sys/stat.h>
#include <unistd.h>
#include <zmq.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <vector>

#include "backend/file/atomic_file.h"
#include "backend/link/error_texts.h"

namespace divisi::link {
namespace {

constexpr std::size_t z85_length = 40;
constexpr const char* zap_endpoint = "inproc://zeromq.zap.01";
/// Limit on the frames of a ZAP request; a valid request has eight short frames.
constexpr int most_zap_frames = 16;

std::vector<std::string> receive_all(void* socket) {
    std::vector<std::string> frames;
    int more = 1;
    while (more) {
        zmq_msg_t message;
        zmq_msg_init(&message);
        if (zmq_msg_recv(&message, socket, 0) < 0) {
            zmq_msg_close(&message);
            return {};
        }
        if (frames.size() < most_zap_frames)
            frames.emplace_back(static_cast<char*>(zmq_msg_data(&message)), zmq_msg_size(&message));
        more = zmq_msg_more(&message);
        zmq_msg_close(&message);
    }
    return frames;
}

void reply(void* socket, const std::string& request, bool allowed, const std::string& user) {
    const std::array<std::string, 6> frames = {
        "1.0", request, allowed ? "200" : "400", allowed ? "OK" : "not on the allow-list", allowed ? user : "", ""};
    for (std::size_t i = 0; i < frames.size(); ++i)
        zmq_send(socket, frames[i].data(), frames[i].size(), i + 1 < frames.size() ? ZMQ_SNDMORE : 0);
}

struct IpcPeer {
    long uid = -1, gid = -1, pid = 0;
};

/// Parses "localhost:uid:gid:pid", which libzmq gives as the address of an ipc peer.
std::optional<IpcPeer> ipc_peer(const std::string& address) {
    const auto first = address.find(':');
    IpcPeer peer;
    if (first == std::string::npos ||
        std::sscanf(address.c_str() + first, ":%ld:%ld:%ld", &peer.uid, &peer.gid, &peer.pid) != 3)
        return std::nullopt;
    return peer;
}

}  // namespace

KeyPair generate_keys() {
    char public_key[z85_length + 1], secret_key[z85_length + 1];
    zmq_curve_keypair(public_key, secret_key);
    return {public_key, secret_key};
}

bool is_public_key(const std::string& text) {
    std::array<std::uint8_t, 32> raw{};
    return text.size() == z85_length && zmq_z85_decode(raw.data(), text.c_str()) != nullptr;
}

Result<KeyPair> load_or_make_keys(const std::filesystem::path& file) {
    struct stat status {};
    if (::stat(file.c_str(), &status) == 0) {
        if (status.st_mode & 077) return make_error(error_text("key-file-readable"), file.string());
        std::ifstream stream(file);
        KeyPair keys;
        stream >> keys.public_key >> keys.secret_key;
        char derived[z85_length + 1] = {};
        const bool fits = is_public_key(keys.public_key) && keys.secret_key.size() == z85_length &&
                          zmq_curve_public(derived, keys.secret_key.c_str()) == 0 && keys.public_key == derived;
        if (!fits) return make_error(error_text("not-a-key-pair"), file.string());
        return keys;
    }
    const KeyPair keys = generate_keys();
    DIVISI_TRY(file::write_file(file, keys.public_key + "\n" + keys.secret_key + "\n"));
    return keys;
}

std::string ipc_user(long uid, long pid) { return uid_prefix + std::to_string(uid) + pid_mark + std::to_string(pid); }

Context::Context(int io_threads) : context_(zmq_ctx_new()) {
    zmq_ctx_set(context_, ZMQ_IO_THREADS, io_threads);
    zap_ = zmq_socket(context_, ZMQ_REP);
    zmq_bind(zap_, zap_endpoint);
    thread_ = std::thread([this] { serve(); });
}

Context::~Context() {
    zmq_ctx_shutdown(context_);
    thread_.join();
    zmq_ctx_term(context_);
}

void Context::serve() {
    while (true) {
        const std::vector<std::string> frames = receive_all(zap_);
        if (frames.empty()) break;  // the context is being closed
        // A ZAP request has the frames version, request id, domain, address, identity, mechanism, credentials ...
        if (frames.size() < 6 || frames[0] != "1.0") {
            reply(zap_, frames.size() > 1 ? frames[1] : "", false, "");
        } else if (frames[5] == "CURVE" && frames.size() == 7 && frames[6].size() == 32) {
            char key[z85_length + 1];
            zmq_z85_encode(key, reinterpret_cast<const std::uint8_t*>(frames[6].data()), 32);
            const bool known = access_list_.find(key).has_value();
            if (!known) handshakes_.refuse(key);
            reply(zap_, frames[1], known, key);
        } else if (frames[5] == "NULL") {
            // Only ipc sockets connect without CURVE; there the kernel identifies the peer.
            const auto peer = ipc_peer(frames[3]);
            const bool mine = peer && (peer->uid == static_cast<long>(::getuid()) || peer->uid == 0);
            reply(zap_, frames[1], mine, mine ? ipc_user(peer->uid, peer->pid) : "");
        } else {
            reply(zap_, frames[1], false, "");
        }
    }
    zmq_close(zap_);
}

}  // namespace divisi::link
