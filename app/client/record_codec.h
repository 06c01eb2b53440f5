// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "app/client/mailbox.h"
#include "backend/base/result.h"
#include "backend/store/recording.h"

namespace divisi::client {

/// What a record of the console holds, by its number in the file.
enum class RecordKind : std::uint16_t {
    event = 1,      ///< as the orchestrator's log keeps it
    page = 2,       ///< of the state, likewise
    message = 3,    ///< of the control plane; `type` is its number on the wire
    lost = 4,       ///< the connection was lost, or there was none; the bytes say why
    submitted = 5,  ///< this console's task was accepted; the bytes are its id
    left_out = 6,   ///< measurements that the recording window had no room for; the bytes are their number, in digits
};

/// What can be shown again of what came, each as a record of that time. What only answers this console (a task that was
/// refused, lines of the log) is left out: replay answers such questions from the events.
Result<std::vector<store::Record>> records_of(const Mail& mail, Duration at);

/// The same as if all had come at once: what a recording begins with.
Mail mail_of(const Client& client);

/// Makes mails of records again.
class RecordDecoder {
public:
    /// Adds to `mail` what the record holds; a page that is not the last one waits for the others. Fails where this
    /// program does not know the message, or it does not parse.
    Result<void> add(RecordKind kind, std::uint16_t type, const std::string& bytes, Mail& mail);
    /// Forgets pages that wait.
    void begin_again() { pages_ = {}; }

private:
    control::Snapshot pages_;
};

}  // namespace divisi::client
