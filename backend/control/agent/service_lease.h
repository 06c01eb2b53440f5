// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "backend/control/protocol/message.h"

namespace divisi::control::inline agent {

/// An instance's side of its registration (signaling type 1). Registers it whenever the registry does not have it, and
/// renews its lease. Without I/O; times are in lived time.
class ServiceLease {
public:
    /// Sets what the instance registers from now on.
    void say(mesh::Registration now);
    /// Forgets the open question, since it may not have arrived.
    void disconnected() { asked_.reset(); }
    struct Question {
        std::uint64_t number = 0;  ///< must be passed back with its answer
        Message message;
    };
    /// Returns the message to send now, if any. Only one question is open at a time.
    std::optional<Question> due(TimePoint now);
    /// Takes the answer to the open question and ignores any other.
    void answered(std::uint64_t number, const Message& answer, TimePoint now);

private:
    struct Asked {
        std::uint64_t number = 0;
        bool renewal = false;
    };
    std::optional<mesh::Registration> said_;
    bool known_ = false;  ///< the registry of epoch_ has the registration said_
    mesh::Epoch epoch_ = 0;
    std::uint64_t last_number_ = 0;
    std::optional<Asked> asked_;
    TimePoint next_{};  ///< earliest time of the next message
};

}  // namespace divisi::control::inline agent
