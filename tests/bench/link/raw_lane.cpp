// SPDX-License-Identifier: Apache-2.0
// The baseline: a PUSH-PULL pair in each direction, with chunks that have no headers, no checks and no copies by us.
#include <zmq.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "backend/link/security.h"
#include "tests/bench/link/lane.h"

namespace divisi::bench {
namespace {

using std::chrono::steady_clock;

struct Command {
    std::uint64_t bytes = 0;
    std::int32_t count = 0;  ///< 0: stop
    std::int32_t echo = 0;
};

/// One end: a context, a socket that pulls and one that pushes.
class End {
public:
    End() {
        for (void* socket : {pull_, push_}) {
            const int none = 0;
            zmq_setsockopt(socket, ZMQ_LINGER, &none, sizeof none);
        }
    }
    ~End() {
        zmq_close(pull_);
        zmq_close(push_);
        zmq_ctx_term(context_);
    }
    std::string bind(const std::string& endpoint) {
        if (endpoint.starts_with("tcp")) {
            const int server = 1;
            zmq_setsockopt(pull_, ZMQ_CURVE_SERVER, &server, sizeof server);
            zmq_setsockopt(pull_, ZMQ_CURVE_SECRETKEY, keys_.secret_key.c_str(), keys_.secret_key.size() + 1);
        }
        char bound[256];
        std::size_t size = sizeof bound;
        if (zmq_bind(pull_, endpoint.c_str()) != 0 || zmq_getsockopt(pull_, ZMQ_LAST_ENDPOINT, bound, &size) != 0)
            give_up("cannot bind to " + endpoint);
        return bound;
    }
    void connect(const std::string& endpoint, const End& other) {
        if (endpoint.starts_with("tcp")) {
            const auto set = [&](int option, const std::string& key) {
                zmq_setsockopt(push_, option, key.c_str(), key.size() + 1);
            };
            set(ZMQ_CURVE_SERVERKEY, other.keys_.public_key);
            set(ZMQ_CURVE_PUBLICKEY, keys_.public_key);
            set(ZMQ_CURVE_SECRETKEY, keys_.secret_key);
        }
        if (zmq_connect(push_, endpoint.c_str()) != 0) give_up("cannot connect to " + endpoint);
    }
    void send(const Command& command) { zmq_send(push_, &command, sizeof command, 0); }
    Command take_command() {
        Command command;
        zmq_recv(pull_, &command, sizeof command, 0);
        return command;
    }
    /// Sends without a copy, like the port.
    void send_tensor(std::size_t bytes) {
        for (std::size_t at = 0; at < bytes; at += chunk_bytes) {
            zmq_msg_t message;
            zmq_msg_init_data(
                &message, tensor_.data() + at, std::min(chunk_bytes, bytes - at), [](void*, void*) {}, nullptr);
            if (zmq_msg_send(&message, push_, 0) < 0) give_up("cannot send");
        }
    }
    void take_tensor(std::size_t bytes) {
        for (std::size_t got = 0; got < bytes;) {
            zmq_msg_t message;
            zmq_msg_init(&message);
            if (zmq_msg_recv(&message, pull_, 0) < 0) give_up("cannot receive");
            got += zmq_msg_size(&message);
            zmq_msg_close(&message);
        }
    }

private:
    std::vector<char> tensor_ = std::vector<char>(largest_tensor, 'x');
    link::KeyPair keys_ = link::generate_keys();
    void* context_ = zmq_ctx_new();
    void* pull_ = zmq_socket(context_, ZMQ_PULL);
    void* push_ = zmq_socket(context_, ZMQ_PUSH);
};

class RawLane final : public Lane {
public:
    explicit RawLane(const std::string& folder) {
        const auto endpoint = [&](const char* name) {
            return folder.empty() ? std::string("tcp://127.0.0.1:*") : "ipc://" + folder + "/" + name;
        };
        far_.connect(near_.bind(endpoint("raw-near")), near_);
        near_.connect(far_.bind(endpoint("raw-far")), far_);
        thread_ = std::thread([this] { serve(); });
    }
    ~RawLane() override {
        near_.send({});
        thread_.join();
    }
    double stream(std::size_t bytes, int count) override { return run({bytes, count, 0}); }
    double echo(std::size_t bytes, int count) override { return run({bytes, count, 1}); }

private:
    double run(const Command& command) {
        near_.send(command);
        near_.take_tensor(1);
        const auto begin = steady_clock::now();
        for (int i = 0; i < command.count; ++i) {
            near_.send_tensor(command.bytes);
            if (command.echo) near_.take_tensor(command.bytes);
        }
        near_.take_tensor(1);  // all tensors have arrived
        return std::chrono::duration<double>(steady_clock::now() - begin).count();
    }
    void serve() {
        while (true) {
            const Command command = far_.take_command();
            if (command.count == 0) return;
            far_.send_tensor(1);
            for (int i = 0; i < command.count; ++i) {
                far_.take_tensor(command.bytes);
                if (command.echo) far_.send_tensor(command.bytes);
            }
            far_.send_tensor(1);
        }
    }

    End near_, far_;
    std::thread thread_;
};

}  // namespace

std::unique_ptr<Lane> make_raw_lane(const std::string& folder) { return std::make_unique<RawLane>(folder); }

}  // namespace divisi::bench
