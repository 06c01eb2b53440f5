// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <optional>

#include "agents/instance/serving/server.h"
#include "backend/process/words.h"

namespace divisi::instance {

/// A process that runs one instance after another, as ordered over standard input by the node that started it
/// (process/words.h). "keep" ends the instance but keeps its segment loaded. "play INSTANCE SID FOLDER STORE" begins
/// the next instance.
///
/// The next instance reuses the segment if it fits, and the compiled task if it is the same. A standby has only the
/// compiled task. A training task's segment is reused unchanged if its state is the state after the step from which the
/// next instance continues (TrainedSegment). Each instance has separate sockets and connections and a separate
/// folder, which the next instance does not see.
class Player {
public:
    /// Handles the signals of the process from now on; create the object at the start of main().
    Player();
    Player(const Player&) = delete;
    Player& operator=(const Player&) = delete;

    /// Runs this instance first; returns the exit status.
    int run(ServerConfig config);

private:
    int play(ServerConfig config);
    void wait_for_next();
    void stop();  ///< asks the process to end; thread-safe

    // Called on the loop's thread.
    void enter(link::EventLoop& loop);
    void leave();
    void end();
    void read_words();
    void take(const process::Words& words);

    std::mutex mutex_;
    link::EventLoop* loop_ = nullptr;  ///< the running loop; guarded by the mutex, except on its own thread
    bool stopped_ = false;             ///< whether the process was asked to end; guarded by the mutex
    Server* server_ = nullptr;         ///< set while the process runs an instance
    bool kept_ = false;                ///< whether the instance has ended and its process continues
    ServerConfig config_;              ///< configuration of the last instance
    std::optional<ServerConfig> next_;
    Kept from_before_;  ///< segments and plans of the last instance
    process::WordReader reader_;
};

}  // namespace divisi::instance
