// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "backend/control/protocol/message.h"
#include "backend/mesh/registry/registry_table.h"

namespace divisi::control::inline agent {

/// Maintains an instance's registration (signaling type 1): registers the instance whenever the registry lacks it, and
/// renews its lease. Without I/O; times are in lived time.
class ServiceLease {
public:
    /// Sets the registration that the instance sends from now on.
    void say(mesh::Registration now);
    /// Forgets the open request, since it may not have arrived.
    void disconnected() { asked_.reset(); }
    struct Question {
        std::uint64_t number = 0;  ///< number of the message, to pass to answered() with the answer
        Message message;
    };
    /// Returns the message to send now, if any. Only one request is open at a time.
    std::optional<Question> due(TimePoint now);
    /// Handles the answer to the open request and ignores any other answer.
    void answered(std::uint64_t number, const Message& answer, TimePoint now);

private:
    struct Asked {
        std::uint64_t number = 0;
        bool renewal = false;
    };
    std::optional<mesh::Registration> said_;
    bool known_ = false;  ///< whether the registry with epoch `epoch_` has the registration `said_`
    mesh::Epoch epoch_ = 0;
    std::uint64_t last_number_ = 0;
    std::optional<Asked> asked_;
    TimePoint next_{};  ///< earliest time of the next message
};

}  // namespace divisi::control::inline agent
