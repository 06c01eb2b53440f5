// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "app/client/mailbox.h"
#include "backend/base/result.h"
#include "backend/control/protocol/state_messages.h"
#include "backend/store/recording.h"

namespace divisi::client {

/// Type of a record in a console's recording. The values are used in the file.
enum class RecordKind : std::uint16_t {
    event = 1,      ///< in the format of the orchestrator's log
    page = 2,       ///< page of the state, in the format of the orchestrator's log
    message = 3,    ///< message of the control plane; `type` is its wire number
    lost = 4,       ///< the connection was lost or never made; the bytes give the reason
    submitted = 5,  ///< a task of this console was accepted; the bytes are its id
    left_out = 6,   ///< measurements that the recording window dropped; the bytes are their number as decimal text
};

/// Returns the parts of the mail that can be replayed, each as a record stamped `at`. Answers for this console only,
/// such as a refused task or log lines, are left out. A replay answers log queries from the recorded events.
Result<std::vector<store::Record>> records_of(const Mail& mail, Duration at);

/// Returns the mail with which a recording begins: the client's status, state and newest measurements.
Mail mail_of(const Client& client);

/// Decodes records back into mails.
class RecordDecoder {
public:
    /// Adds the content of a record to `mail`. Pages of a snapshot are collected until the last page arrives. Fails if
    /// this program does not know the message or cannot parse it.
    Result<void> add(RecordKind kind, std::uint16_t type, const std::string& bytes, Mail& mail);
    /// Discards the pages of an incomplete snapshot.
    void begin_again() { pages_ = {}; }

private:
    control::Snapshot pages_;
};

}  // namespace divisi::client
