// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "backend/control/protocol/message.h"

namespace divisi::control::inline agent {

/// An instance's side of its registration (signaling type 1): says what it is wherever the registry does not have it,
/// and renews its lease. Without I/O; times are lived.
class ServiceLease {
public:
    /// What the instance is from now on.
    void say(mesh::Registration now);
    /// What was sent last may not have arrived.
    void disconnected() { asked_.reset(); }
    struct Question {
        std::uint64_t number = 0;  ///< to be given back with its answer
        Message message;
    };
    /// What is to be sent now, if anything. One question is open at a time.
    std::optional<Question> due(TimePoint now);
    /// Answers to others than the open question are ignored.
    void answered(std::uint64_t number, const Message& answer, TimePoint now);

private:
    struct Asked {
        std::uint64_t number = 0;
        bool renewal = false;
    };
    std::optional<mesh::Registration> said_;
    bool known_ = false;  ///< the registry of epoch_ has said_
    mesh::Epoch epoch_ = 0;
    std::uint64_t last_number_ = 0;
    std::optional<Asked> asked_;
    TimePoint next_{};  ///< no message before
};

}  // namespace divisi::control::inline agent
