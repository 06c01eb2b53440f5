// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/serving/player.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "backend/process/command_line.h"
#include "backend/process/lifeline.h"

namespace divisi::instance {
namespace {

/// Returns whether standard input is a pipe, over which a node sends orders. A process that a user started receives no
/// orders.
bool is_told() {
    struct stat input {};
    return ::fstat(STDIN_FILENO, &input) == 0 && S_ISFIFO(input.st_mode);
}

}  // namespace

Player::Player() {
    process::on_stop([this](const char*) { stop(); });
}

int Player::run(ServerConfig config) {
    next_ = std::move(config);
    while (next_) {
        config_ = *std::exchange(next_, std::nullopt);
        const int status = play(config_);
        if (!kept_) return status;
        while (kept_ && !next_) wait_for_next();
        if (next_) std::fprintf(stderr, "the process continues as %s\n", next_->instance.value().c_str());
    }
    return 0;
}

int Player::play(ServerConfig config) {
    kept_ = false;
    link::EventLoop loop;
    link::Context context;
    Server server(loop, context, std::move(config), std::exchange(from_before_, Kept()));
    if (auto started = server.start(); !started) return process::report_error(started.error());
    server_ = &server;
    enter(loop);
    loop.run();
    leave();
    server_ = nullptr;
    if (!kept_) return server.exit_status();
    from_before_ = server.give_kept();
    return server.exit_status();
}

/// Waits for the order to run the next instance. If there is no next instance, the node ends this process.
void Player::wait_for_next() {
    link::EventLoop loop;
    enter(loop);
    loop.run();
    leave();
}

void Player::enter(link::EventLoop& loop) {
    if (is_told()) loop.watch_fd(STDIN_FILENO, [this] { read_words(); });
    const std::lock_guard lock(mutex_);
    loop_ = &loop;
    if (stopped_) loop.post([this] { end(); });
}

void Player::leave() {
    const std::lock_guard lock(mutex_);
    loop_ = nullptr;
}

void Player::stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    if (loop_) loop_->post([this] { end(); });
}

void Player::end() {
    kept_ = false;
    next_.reset();
    if (server_) server_->terminate();
    else loop_->stop();
}

void Player::read_words() {
    char bytes[4096];
    const ssize_t size = ::read(STDIN_FILENO, bytes, sizeof bytes);
    if (size <= 0) return loop_->unwatch_fd(STDIN_FILENO);  // the node has ended; the lifeline also reports this
    for (const process::Words& words : reader_.take({bytes, static_cast<std::size_t>(size)})) take(words);
}

void Player::take(const process::Words& words) {
    if (words == process::Words{"keep"}) {
        kept_ = true;
        next_.reset();  // "keep" arrived before the next instance began, so forget that instance
        if (server_) server_->terminate();
    } else if (kept_ && words.size() == 5 && words[0] == "play") {
        next_ = config_;
        next_->instance = InstanceId(words[1]);
        next_->sid = Sid(words[2]);
        next_->data = words[3];
        next_->store = words[4];
        // A restarted orchestrator may have another address.
        if (auto connection = link::read_connection(next_->uplink.connection_file); connection)
            next_->uplink.orchestrator = *connection;
        if (!server_) loop_->stop();
    }
}

}  // namespace divisi::instance
