// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <optional>

#include "agents/instance/server.h"
#include "backend/process/words.h"

namespace divisi::instance {

/// A process that plays one instance after another, as the node that started it orders over standard input
/// (process/words.h). "keep" ends the instance but keeps its segment loaded. "play INSTANCE SID FOLDER STORE" begins
/// the next one.
///
/// The next instance reuses the segment if it fits, and the compiled task if it is the same. A standby has only the
/// compiled task. A training's segment is reused unchanged if its state is that of the step after which the next
/// instance begins (trained_segment.h). Each instance has separate sockets, connections and a folder; nothing else is
/// visible to the next one.
class Player {
public:
    /// Takes over the process's signals; create it at the start of main().
    Player();
    Player(const Player&) = delete;
    Player& operator=(const Player&) = delete;

    /// Plays this instance first; returns the exit status.
    int run(ServerConfig config);

private:
    int play(ServerConfig config);
    void wait_for_next();
    void stop();  ///< thread-safe

    // Called on the loop's thread.
    void enter(link::EventLoop& loop);
    void leave();
    void end();
    void read_words();
    void take(const process::Words& words);

    std::mutex mutex_;
    link::EventLoop* loop_ = nullptr;  ///< the running loop; guarded by the mutex, except on its own thread
    bool stopped_ = false;             ///< the process was asked to end; guarded by the mutex
    Server* server_ = nullptr;         ///< set while it plays an instance
    bool kept_ = false;                ///< the instance has ended, the process continues
    ServerConfig config_;              ///< of the last played instance
    std::optional<ServerConfig> next_;
    Kept from_before_;  ///< what the last instance loaded and compiled
    process::WordReader reader_;
};

}  // namespace divisi::instance
