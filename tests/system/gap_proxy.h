// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <list>
#include <string>
#include <thread>
#include <vector>

namespace divisi::tests {

/// A simulated network between two ports of this machine. Forwards all traffic until the network is
/// interrupted for a while.
class GapProxy {
public:
    enum class Network {
        up,
        stalls,   ///< nothing moves and nothing is lost: packets are retransmitted until they arrive
        drops,    ///< sent data are lost, and connections that lost data are broken afterwards
        refuses,  ///< existing and new connections are reset
    };

    /// Forwards to 127.0.0.1:`port`.
    explicit GapProxy(int port) : target_(port), listener_(listen_somewhere()), thread_([this] { serve(); }) {}
    ~GapProxy() {
        done_ = true;
        thread_.join();
        for (Pair& pair : pairs_) pair.close();
        ::close(listener_);
    }
    int port() const { return port_; }
    void set(Network network) { network_ = network; }

private:
    struct Pair {
        int ends[2] = {-1, -1};
        bool lost = false;  ///< some bytes were lost
        void close() {
            for (const int end : ends) ::close(end);
        }
    };

    static sockaddr_in loopback(int port) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        return address;
    }
    int listen_somewhere() {
        const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address = loopback(0);
        socklen_t size = sizeof address;
        ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
        ::listen(fd, 64);
        ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
        port_ = ntohs(address.sin_port);
        return fd;
    }
    void accept() {
        const int from = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (from < 0) return;
        const int to = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const sockaddr_in address = loopback(target_);
        if (network_ == Network::refuses ||
            ::connect(to, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
            ::close(from);
            ::close(to);
            return;
        }
        pairs_.push_back({{from, to}, false});
    }
    /// Forwards available bytes. Returns false if the connection is over.
    bool forward(Pair& pair, int end) const {
        char bytes[65536];
        const ssize_t count = ::recv(pair.ends[end], bytes, sizeof bytes, 0);
        if (count <= 0) return false;
        if (network_ == Network::drops) return pair.lost = true;
        for (ssize_t sent = 0; sent < count;) {
            const ssize_t more =
                ::send(pair.ends[1 - end], bytes + sent, static_cast<std::size_t>(count - sent), MSG_NOSIGNAL);
            if (more <= 0) return false;
            sent += more;
        }
        return true;
    }
    void serve() {
        while (!done_) {
            const Network network = network_;
            if (network == Network::stalls) {
                ::usleep(10'000);
                continue;
            }
            pairs_.remove_if([&](Pair& pair) {
                const bool broken = network == Network::refuses || (network == Network::up && pair.lost);
                if (broken) pair.close();
                return broken;
            });
            std::vector<pollfd> watched{{listener_, POLLIN, 0}};
            for (const Pair& pair : pairs_)
                for (const int end : pair.ends) watched.push_back({end, POLLIN, 0});
            if (::poll(watched.data(), watched.size(), 10) <= 0) continue;
            std::size_t next = 1;
            pairs_.remove_if([&](Pair& pair) {
                bool alive = true;
                for (const int end : {0, 1})
                    if (watched[next++].revents != 0 && alive) alive = forward(pair, end);
                if (!alive) pair.close();
                return !alive;
            });
            if (watched[0].revents != 0) accept();
        }
    }

    int target_, port_ = 0, listener_;
    std::list<Pair> pairs_;  ///< used only by the thread
    std::atomic<Network> network_{Network::up};
    std::atomic<bool> done_{false};
    std::thread thread_;
};

}  // namespace divisi::tests
