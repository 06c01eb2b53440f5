// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <optional>

#include "agents/instance/server.h"
#include "backend/process/words.h"

namespace divisi::instance {

/// A process that plays an instance, and after it others, as the node that started it says over standard input
/// (process/words.h): "keep" ends the instance and leaves its segment loaded, "play INSTANCE SID FOLDER STORE" begins
/// the next, which goes on with that segment where it is its own, and with the compiled task where it is the same. A
/// standby has the latter alone. A training's segment goes on as it is where it stands at the step that the next begins
/// after (trained_segment.h). Each has sockets, connections and a folder of its own; nothing else of one is seen by
/// the next.
class Player {
public:
    /// Takes over the process's signals: at the start of main().
    Player();
    Player(const Player&) = delete;
    Player& operator=(const Player&) = delete;

    /// Begins with this instance; returns the exit status.
    int run(ServerConfig config);

private:
    int play(ServerConfig config);
    void wait_for_next();
    void stop();  ///< any thread

    // On the loop's thread.
    void enter(link::EventLoop& loop);
    void leave();
    void end();
    void read_words();
    void take(const process::Words& words);

    std::mutex mutex_;
    link::EventLoop* loop_ = nullptr;  ///< that runs; behind the mutex, but for its own thread
    bool stopped_ = false;             ///< the process was asked to end; behind the mutex
    Server* server_ = nullptr;         ///< while it plays
    bool kept_ = false;                ///< the instance has ended and the process has not
    ServerConfig config_;              ///< of the last that was played
    std::optional<ServerConfig> next_;
    Kept from_before_;  ///< what the last has loaded and compiled
    process::WordReader reader_;
};

}  // namespace divisi::instance
